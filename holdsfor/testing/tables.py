"""Results as the documents and tests show them: aligned columns, one line a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from holdsfor import Result

Row = dict[str, Any]


def result(found: Result) -> list[str]:
    """Intervals, then occurrences; an end that is null is shown as `open`."""
    held = [(term_text(row["fluent"], row["args"]), row["value"], *span_text(row)) for row in _rows(found.intervals)]
    lines = _aligned(("fluent", "value", "start", "end"), held, {2, 3}) if held else []
    return lines + _happened(_rows(found.occurrences)) or ["nothing"]


def _happened(rows: list[Row]) -> list[str]:
    """With start and end if some of them take time."""
    if any(row["start"] != row["end"] for row in rows):
        lasted = [(term_text(row["event"], row["args"]), *span_text(row)) for row in rows]
        return _aligned(("event", "start", "end"), lasted, {1, 2})
    happened = [(term_text(row["event"], row["args"]), str(row["start"])) for row in rows]
    return _aligned(("event", "time"), happened, {1}) if happened else []


def late(found: Result) -> list[str]:
    columns = ("arrival", "query_time", "late_by")
    rows = []
    for row in found.late.to_pylist():
        value = "" if row["value"] is None else f"={row['value']}"
        rows.append(
            (term_text(row["name"], row["args"]) + value, *span_text(row), *(str(row[column]) for column in columns))
        )
    return _aligned(("input", "start", "end", *columns), rows, set(range(1, 6)))


def rejects(found: Result) -> list[str]:
    rows = [(row["source"], str(row["row"]), row["text"], row["reason"]) for row in found.rejects.to_pylist()]
    return _aligned(("source", "row", "text", "reason"), rows, {1})


def _rows(table: Any) -> list[Row]:
    rows: list[Row] = table.to_pylist()
    return rows


def term_text(name: str, args: Sequence[str]) -> str:
    return f"{name}({','.join(args)})" if args else name


def span_text(row: Row) -> tuple[str, str]:
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
