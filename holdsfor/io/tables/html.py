"""Tables for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

import pyarrow as pa

ROWS = 20


def table_html(header: Sequence[str], rows: Iterable[Sequence[object]], caption: str = "") -> str:
    """Write a plain HTML table. Empty cells are what is null."""
    head = "".join(f"<th>{escape(name)}</th>" for name in header)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def arrow_html(table: pa.Table) -> str:
    """Write the first rows of an Arrow table, and how many there are."""
    first = table.slice(0, ROWS)
    more = f", the first {ROWS} of them" if table.num_rows > ROWS else ""
    rows = zip(*(column.to_pylist() for column in first.columns), strict=True)
    return table_html(table.column_names, rows, f"{table.num_rows:,} rows{more}")


def _cell(value: object) -> str:
    align = ' style="text-align:right"' if isinstance(value, int | float) else ""
    return f"<td{align}>{'' if value is None else escape(str(value))}</td>"
