"""A timeline of what was recognised, as one HTML file that needs nothing else."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from holdsfor.errors import HoldsforError
from holdsfor.view.lanes import Definition, ShownUnit, lay_out
from holdsfor.view.reasons import ShownReasons, by_bar

LIMIT = 100_000

_FOLDER = Path(__file__).parent
_SCRIPTS = ("clock.js", "filter.js", "rows.js", "draw.js", "details.js", "save.js", "page.js")
_INTERVALS = ("fluent", "args", "value", "start", "end")
_OCCURRENCES = ("event", "args", "start", "end")


def timeline(
    intervals: pa.Table,
    occurrences: pa.Table | None,
    out: Path | str,
    title: str = "Holdsfor timeline",
    tick_unit: ShownUnit = "auto",
    limit: int = LIMIT,
    inputs: pa.Table | None = None,
    definitions: Sequence[Definition] = (),
    groups: Mapping[str, str] | None = None,
    reasons: Sequence[ShownReasons] = (),
) -> Path:
    """Write the page and return its path.

    intervals, occurrences: tables as `recognise` gives them.
    tick_unit: "s" or "ms" since 1970 (shown as UTC dates) or plain "ticks"; "auto" looks at the numbers.
    limit: with more intervals the page shows only the busiest entities, and says so.
    inputs: rows that were read, as `holdsfor.view.inputs.input_table` gives them, to be drawn below the results.
    definitions: what a press on a bar shows: the rules that define it, and the last input that they saw.
    reasons: what a press on a bar shows before that: why it is there; the input that it goes back to is marked.
    groups: to which group entities belong, by their names; the page can put those of a group together.
    """
    _require(intervals, _INTERVALS, "intervals")
    if occurrences is not None:
        _require(occurrences, _OCCURRENCES, "occurrences")
    content = lay_out(intervals, occurrences, tick_unit, limit, inputs, definitions, groups)
    content["reasons"] = by_bar(reasons, int(content["origin"]))
    parts = {
        "title": html.escape(title),
        "style": _read("page.css"),
        "data": embedded(content),
        "script": "\n".join(_read(name) for name in _SCRIPTS),
    }
    path = Path(out)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_fill(_read("page.html"), parts), encoding="utf-8")
    return path


def embedded(content: Any) -> str:
    """Write JSON that may stand in a script element: no character in it can end the element or begin a comment."""
    text = json.dumps(content, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _fill(template: str, parts: dict[str, str]) -> str:
    """Put each part in its place, once: what a part says is never read as a place."""
    pieces = template.split("{{")
    filled = [pieces[0]]
    for piece in pieces[1:]:
        name, rest = piece.split("}}", 1)
        filled += [parts[name], rest]
    return "".join(filled)


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _require(table: pa.Table, columns: tuple[str, ...], what: str) -> None:
    missing = [name for name in columns if name not in table.column_names]
    if missing:
        raise HoldsforError(
            f"the table of {what} has no column {', '.join(missing)} (columns: {', '.join(table.column_names)}). "
            f"Give the table that `recognise` returned, or read {what}.parquet of a run."
        )
