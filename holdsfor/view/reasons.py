"""Reasons as HTML: trees that can be folded, in notebooks and as pages of their own. All text is escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from pathlib import Path

from holdsfor.printable import printable
from holdsfor.why.derivation import Derivation
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
