"""Occurrences, each once."""

from __future__ import annotations

from holdsfor.engine.bodies.chain import ROW
from holdsfor.engine.data.points import find_distinct
from holdsfor.engine.data.rows import Rows


def distinct(rows: Rows) -> Rows:
    """Rows that differ in a value, start or end."""
    columns = [rows.column(name) for name in sorted(rows.names - {ROW})]
    kept = find_distinct([column.numbers() if column.is_number else column.codes() for column in columns])
    return rows if len(kept) == rows.size else rows.take(kept)
