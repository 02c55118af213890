"""Representations for notebooks of results, descriptions and plans: a small timeline, a table, a graph.

Notebooks ask the object itself (`_repr_html_`), so that results, descriptions and plans, which lie below this folder,
load this module when they are asked.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, Any

from holdsfor.io.clock import clock_of, clock_text
from holdsfor.io.tables.wide import NANOSECONDS, table_html
from holdsfor.view.graph import Arrow, Graph, GraphNode, Kind
from holdsfor.view.graph_svg import svg
from holdsfor.view.lanes import natural

if TYPE_CHECKING:
    import pyarrow as pa

    from holdsfor.engine.output.result import Result
    from holdsfor.io.clock import Clock
    from holdsfor.language import EventDescription
    from holdsfor.plan.definitions import Definition
    from holdsfor.plan.whole_plan import Plan

LANES, BARS = 12, 500  # at most so many are drawn
WIDTH, NAMES, ROW = 760, 220, 18
COLOURS = ("#2f6fb5", "#d9772b", "#2f8a63", "#c0475c", "#7a5cc2", "#2b8ca3")

# ---------------------------------------------------------------- results


def result_html(result: Result) -> str:
    counts = table_html(("fluent or event", "count"), result.counts(), "Result")
    return timeline_svg(result.intervals, clock_of(result.metrics.get(NANOSECONDS))) + counts


def timeline_svg(intervals: pa.Table, clock: Clock) -> str:
    """Draw the first lanes of a timeline, by name; nothing if there is none."""
    rows = intervals.slice(0, 50 * BARS).to_pylist()
    lanes = sorted({_lane(row) for row in rows}, key=natural)[:LANES]
    drawn = [row for row in rows if _lane(row) in lanes][:BARS]
    if not drawn:
        return ""
    first = min(row["start"] for row in drawn)
    last = max(max(row["start"] + 1, row["end"] or 0) for row in drawn)
    height = ROW * len(lanes) + 22
    parts = [*_names(lanes), *_bars(drawn, lanes, first, last, clock)]
    axis = (
        f'<text x="{NAMES}" y="{height - 6}" fill="#777">{escape(clock_text(first, clock))}</text>'
        f'<text x="{WIDTH}" y="{height - 6}" fill="#777" text-anchor="end">{escape(clock_text(last, clock))}</text>'
    )
    style = "font:12px system-ui,sans-serif;max-width:100%"
    return f'<svg viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" style="{style}">{"".join(parts)}{axis}</svg>'


def _lane(row: dict[str, Any]) -> str:
    return f"{row['fluent']}({', '.join(row['args'])})"


def _names(lanes: list[str]) -> Iterator[str]:
    for number, lane in enumerate(lanes):
        short = lane if len(lane) <= 30 else f"{lane[:29]}…"
        yield f'<text x="4" y="{ROW * number + 13}" fill="currentColor">{escape(short)}</text>'


def _bars(rows: list[dict[str, Any]], lanes: list[str], first: int, last: int, clock: Clock) -> Iterator[str]:
    scale = (WIDTH - NAMES) / max(last - first, 1)
    fluents = sorted({row["fluent"] for row in rows})
    for row in rows:
        end = last if row["end"] is None else row["end"]
        x, width = NAMES + (row["start"] - first) * scale, max(1.0, (end - row["start"]) * scale)
        until = "open" if row["end"] is None else clock_text(row["end"], clock)
        words = f"{_lane(row)} = {row['value']}, {clock_text(row['start'], clock)} to {until}"
        colour = COLOURS[fluents.index(row["fluent"]) % len(COLOURS)]
        yield (
            f'<rect x="{x:.1f}" y="{ROW * lanes.index(_lane(row)) + 4}" width="{width:.1f}" height="11" rx="2" '
            f'fill="{colour}"><title>{escape(words)}</title></rect>'
        )


# ---------------------------------------------------------------- descriptions and plans


def description_html(description: EventDescription) -> str:
    inputs = [
        (str(each.signature), f"input {'event' if each.kind == 'event' else 'fluent'}", "")
        for each in description.inputs
    ]
    kinds = (
        ("event", description.defined.events),
        ("simple fluent", description.defined.simple),
        ("static fluent", description.defined.static),
    )
    kind_of = {signature: kind for kind, signatures in kinds for signature in signatures}
    order = dict.fromkeys(
        each.signature for stratum in description.order.strata for each in stratum
    )  # once, whatever its values
    hidden = {signature for signature, value in description.defined.unreported if value is None}
    defined = [
        (str(signature), kind_of[signature] + (", internal" if signature in hidden else ""), number)
        for number, signature in enumerate(order, 1)
    ]
    return table_html(("name", "kind", "evaluated"), [*inputs, *defined], repr(description).strip("<>"))


def plan_html(plan: Plan) -> str:
    """Draw what depends on what, as an image, so that its styles stay inside it."""
    picture = b64encode(svg(plan_graph(plan), "Plan").encode()).decode()
    return f'<img alt="what depends on what" src="data:image/svg+xml;base64,{picture}">'


def plan_graph(plan: Plan) -> Graph:
    from holdsfor.plan.walk import reads

    nodes: dict[str, GraphNode] = {}
    for source in plan.sources:
        kind: Kind = "input event" if source.input.kind == "event" else "input fluent"
        nodes[str(source.input.signature)] = GraphNode(str(source.input.signature), kind, 0)
    ways: set[tuple[str, str]] = set()
    for definition in plan.definitions:
        names = sorted({str(relation.signature) for relation in definition.defines})
        needed = sorted({str(relation.signature) for relation in reads(definition)} & {*nodes, *names})
        layer = 1 + max((nodes[name].layer for name in needed if name in nodes), default=0)
        cyclic = bool({*names} & {*needed})
        nodes |= {name: GraphNode(name, _kind_of(definition), layer, cyclic) for name in names}
        ways |= {(name, owner) for name in needed for owner in names}
    numbers = {name: number for number, name in enumerate(nodes)}
    arrows = [Arrow(numbers[source], numbers[target]) for source, target in sorted(ways)]
    return Graph(tuple(nodes.values()), tuple(arrows))


def _kind_of(definition: Definition) -> Kind:
    from holdsfor.plan.definitions import Derived, Fixpoint, Recursion, Static

    if isinstance(definition, Derived | Recursion):
        return "event"
    return "static fluent" if isinstance(definition, Static | Fixpoint) else "simple fluent"
