"""Reasons as HTML: trees that can be folded, in notebooks and as pages of their own. All text is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from holdsfor.io.columns.text import plain_text
from holdsfor.language.description import AS_INPUT
from holdsfor.printable import printable
from holdsfor.why.derivation import Derivation, LeafRows
from holdsfor.why.printing import Style, TreeLine, as_lines

DEEPEST = 30
"""Further down lines are not folded: browsers nest only so deep."""
CSS: dict[Style, str] = {
    "said": "font-weight:600",
    "fact": "font-family:ui-monospace,monospace;color:#1d4f91",
    "condition": "font-family:ui-monospace,monospace",
    "failed": "font-family:ui-monospace,monospace;color:#b3261e",
    "row": "color:#256d4a",
    "rule": "color:#7a5cc2",
    "note": "color:#6b7280",
    "ended": "color:#92560a",
}
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title></head>
<body style="font:15px/1.6 system-ui,sans-serif;max-width:70em;margin:2em auto;padding:0 1em">
<h1 style="font-size:1.2em">{title}</h1>
{body}
</body></html>
"""


class Bar(NamedTuple):
    """A bar of the timeline: a fluent or an event, with plain text as tables have it."""

    name: str
    args: Sequence[str]
    value: str | None
    start: int

    def key(self, origin: int) -> str:
        """Return the name that the page's script gives it."""
        return f"{self.name}({','.join(self.args)})={self.value}@{self.start - origin}".replace("=None@", "=null@")


class ShownReasons(NamedTuple):
    """Why a bar is there: the lines of a tree, and the bars of the input that it goes back to."""

    bar: Bar
    lines: tuple[str, ...]
    evidence: tuple[Bar, ...]


def reasons_of(bar: Bar, derivation: Derivation) -> ShownReasons:
    """Return what the page shows of a tree."""
    lines = tuple(printable("  " * line.depth + line.text) for line in as_lines(derivation))
    evidence = [_bars(part) for node in derivation.nodes() for part in node.rows]
    return ShownReasons(bar, lines, tuple(each for bars in evidence for each in bars))


def _bars(part: LeafRows) -> Iterator[Bar]:
    block, name = part.block, part.block.name.removesuffix(f" {AS_INPUT}")
    for row in part.rows.tolist():
        columns = (*block.args, *(() if block.value is None else (block.value,)))
        texts = plain_text(pa.array([str(column[row].as_py()) for column in columns], pa.string())).to_pylist()
        value = None if block.value is None else texts.pop()
        start = block.start if block.onset is None else block.onset
        yield Bar(name, texts, value, int(start[row]))


def by_bar(reasons: Iterable[ShownReasons], origin: int) -> dict[str, dict[str, list[str]]]:
    """Return reasons as the page's script looks for them."""
    return {
        each.bar.key(origin): {"lines": list(each.lines), "evidence": [bar.key(origin) for bar in each.evidence]}
        for each in reasons
    }


def tree_html(derivation: Derivation, remedies: Iterable[str] = ()) -> str:
    """Return a tree as nested elements that can be folded. remedies: what would have made it true."""
    lines, parts, depth = list(as_lines(derivation)), list[str](), 0
    for place, line in enumerate(lines):
        while depth > min(line.depth, DEEPEST):
            parts.append("</details>")
            depth -= 1
        has_more = place + 1 < len(lines) and lines[place + 1].depth > line.depth
        if has_more and line.depth < DEEPEST:
            parts.append(f'<details open style="margin-left:1.3em"><summary>{_line_html(line)}</summary>')
            depth += 1
        else:
            parts.append(f'<div style="margin-left:1.3em">{_line_html(line)}</div>')
    parts += ["</details>"] * depth
    items = "".join(f"<li>{escape(printable(change))}</li>" for change in remedies)
    return "\n".join([*parts, f"<p>It would have, with one of these:</p><ul>{items}</ul>" if items else ""])


def _line_html(line: TreeLine) -> str:
    return "".join(f'<span style="{CSS[style]}">{escape(printable(text))}</span>' for style, text in line.parts)


def write_reasons(path: Path, derivation: Derivation, remedies: Iterable[str] = ()) -> None:
    """Write a tree as a page that needs nothing else."""
    page = PAGE.format(title=escape(printable(derivation.what)), body=tree_html(derivation, remedies))
    path.write_text(page, encoding="utf-8")
