"""Tables and the figure of `benchmarks.incremental`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 720, 420
LEFT, RIGHT, TOP, BOTTOM = 70, 190, 40, 50
COLOURS = ("#1b6ca8", "#2a9d8f", "#8ab17d", "#e9a23b", "#e76f51", "#8d3b72")


@dataclass(frozen=True, slots=True)
class Measured:
    """late: the share of rows that come late. events: in the first window. Then milliseconds of CPU a query time."""

    window: int
    step: int
    late: float
    events: int
    by_changes: float
    from_scratch: float

    @property
    def ratio(self) -> int:
        return self.window // self.step

    @property
    def gain(self) -> float:
        return self.from_scratch / self.by_changes


def render_table(measured: Sequence[Measured]) -> str:
    """A row for each window/step, a column for each share of late events: both times, and how many times faster."""
    shares = sorted({each.late for each in measured})
    lines = [
        f"Window {measured[0].window} s, up to {max(each.events for each in measured):,} events in it: incremental / "
        "from scratch (how many times faster)\n",
        "| window/step | " + " | ".join(f"{late:.0%} late" for late in shares) + " |",
        "|---|" + "---|" * len(shares),
    ]
    for ratio in sorted({each.ratio for each in measured}):
        cells = [_cell(each) for late in shares for each in measured if (each.ratio, each.late) == (ratio, late)]
        lines.append(f"| {ratio} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _cell(each: Measured) -> str:
    return f"{each.by_changes:.0f} / {each.from_scratch:.0f} ({each.gain:.2f})"


def render_figure_table(measured: Sequence[Measured]) -> str:
    """As the paper's figures: recognition time by the size of the window, for each share of late events."""
    shares = sorted({each.late for each in measured})
    lines = [
        f"Step {measured[0].step} s: incremental / from scratch (how many times faster)\n",
        "| window | events | " + " | ".join(f"{late:.0%} late" for late in shares) + " |",
        "|---|---|" + "---|" * len(shares),
    ]
    for window in sorted({each.window for each in measured}):
        row = [each for late in shares for each in measured if (each.window, each.late) == (window, late)]
        lines.append(f"| {window / 3600:g} h | {row[0].events:,} | " + " | ".join(map(_cell, row)) + " |")
    return "\n".join(lines) + "\n"


def draw(measured: Sequence[Measured]) -> str:
    """Lines of recognition time by window: whole for incremental evaluation, dashed from scratch; as an SVG."""
    windows = sorted({each.window for each in measured})
    highest = max(max(each.by_changes, each.from_scratch) for each in measured) * 1.05
    body = [*_axes(windows, highest)]
    for number, late in enumerate(sorted({each.late for each in measured})):
        colour = COLOURS[number % len(COLOURS)]
        line = sorted((each for each in measured if each.late == late), key=lambda each: each.window)
        for values, dash in (
            ([each.by_changes for each in line], ""),
            ([each.from_scratch for each in line], ' stroke-dasharray="5 4"'),
        ):
            points = " ".join(
                f"{_across(place, windows):.1f},{_down(value, highest):.1f}" for place, value in enumerate(values)
            )
            body.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        y = TOP + 20 + 20 * number
        body.append(f'<rect x="{WIDTH - RIGHT + 20}" y="{y - 9}" width="14" height="10" fill="{colour}"/>')
        body.append(f'<text x="{WIDTH - RIGHT + 40}" y="{y}">{late:.0%} late</text>')
    foot = TOP + 40 + 20 * len({each.late for each in measured})
    body.append(f'<text x="{WIDTH - RIGHT + 20}" y="{foot}">whole: incremental</text>')
    body.append(f'<text x="{WIDTH - RIGHT + 20}" y="{foot + 18}">dashed: from scratch</text>')
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-size="12"'
    paper = f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>'
    return "\n".join([f'{head} font-family="sans-serif">', paper, *body, "</svg>"]) + "\n"


def _axes(windows: Sequence[int], highest: float) -> Iterator[str]:
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    yield f'<text x="{LEFT}" y="20">CPU of a query time (ms) by window</text>'
    yield f'<path d="M{LEFT},{TOP} V{bottom} H{right}" fill="none" stroke="black"/>'
    for place, window in enumerate(windows):
        x = _across(place, windows)
        yield f'<text x="{x:.1f}" y="{bottom + 20}" text-anchor="middle">{window / 3600:g} h</text>'
    for part in range(5):
        value = highest * part / 4
        yield f'<text x="{LEFT - 8}" y="{_down(value, highest) + 4:.1f}" text-anchor="end">{value:.0f}</text>'


def _across(place: int, windows: Sequence[int]) -> float:
    """Windows stand evenly, each twice as long as the one before."""
    return LEFT + 20 + (WIDTH - LEFT - RIGHT - 40) * place / max(len(windows) - 1, 1)


def _down(value: float, highest: float) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / highest
