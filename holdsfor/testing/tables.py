"""Results as the documents and tests show them: aligned columns, one line a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from holdsfor import Result

Row = dict[str, Any]


def result(history: Result) -> list[str]:
    """Return the lines of intervals, then of occurrences; an end that is null is shown as `open`."""
    held = [(term_text(row["fluent"], row["args"]), row["value"], *span_text(row)) for row in _rows(history.intervals)]
    lines = _aligned(("fluent", "value", "start", "end"), held, {2, 3}) if held else []
    return lines + _happened(_rows(history.occurrences)) or ["nothing"]


def _happened(rows: list[Row]) -> list[str]:
    """Return the lines of events, with start and end if some of them take time."""
    if any(row["start"] != row["end"] for row in rows):
        lasted = [(term_text(row["event"], row["args"]), *span_text(row)) for row in rows]
        return _aligned(("event", "start", "end"), lasted, {1, 2})
    happened = [(term_text(row["event"], row["args"]), str(row["start"])) for row in rows]
    return _aligned(("event", "time"), happened, {1}) if happened else []


def late(history: Result) -> list[str]:
    """Return the lines of rows that came too late."""
    columns = ("arrival", "query_time", "late_by")
    rows = []
    for row in history.late.to_pylist():
        value = "" if row["value"] is None else f"={row['value']}"
        rows.append(
            (term_text(row["name"], row["args"]) + value, *span_text(row), *(str(row[column]) for column in columns))
        )
    return _aligned(("input", "start", "end", *columns), rows, set(range(1, 6)))


def rejects(history: Result) -> list[str]:
    """Return the lines of rows that were refused."""
    rows = [(row["source"], str(row["row"]), row["text"], row["reason"]) for row in history.rejects.to_pylist()]
    return _aligned(("source", "row", "text", "reason"), rows, {1})


def _rows(table: Any) -> list[Row]:
    rows: list[Row] = table.to_pylist()
    return rows


def term_text(name: str, args: Sequence[str]) -> str:
    """Write an event or a fluent."""
    return f"{name}({','.join(args)})" if args else name


def span_text(row: Row) -> tuple[str, str]:
    """Return start and end as text."""
    return str(row["start"]), "open" if row["end"] is None else str(row["end"])


def _aligned(header: tuple[str, ...], rows: Sequence[tuple[str, ...]], right: set[int]) -> list[str]:
    widths = [max(len(row[i]) for row in (header, *rows)) for i in range(len(header))]
    return [
        "  ".join(
            cell.rjust(width) if i in right else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in (header, *rows)
    ]
