"""Tables as background facts: one fact a row, its arguments the columns in their order."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pyarrow as pa

from holdsfor.errors import HoldsforError
from holdsfor.io.facts import FactColumns, once
from holdsfor.io.readers.arguments import column_terms, plain, terms_of_lists
from holdsfor.io.readers.formats import facts_reader
from holdsfor.language.description import Signature
from holdsfor.language.terms import Place

_NAME = re.compile(r"[a-z]\w*\Z")


def read_facts(name: str, source: Any) -> FactColumns:
    """Read the facts of a predicate: from a Parquet file, CSV with a header, a table or a data frame."""
    if not _NAME.match(name):
        raise HoldsforError(f"{name!r} is not the name of a predicate: begin it with a lower-case letter (vesselType)")
    table, untyped = _table(source)
    if not table.num_columns:
        raise HoldsforError(f"the table for {name} has no columns; it needs one for each argument")
    columns = once(tuple(_column(name, table, number, untyped) for number in range(table.num_columns)))
    return FactColumns(Signature(name, len(columns)), columns, Place(f"<facts of {name}>", 1, 1, 1, 1))


def _table(source: Any) -> tuple[pa.Table, bool]:
    """Return the table, and whether its fields are text that is yet to be typed."""
    if isinstance(source, str | Path):
        path = Path(source)
        if not path.exists():
            raise HoldsforError(f"{path}: no such table of facts; check the path")
        read, is_typed = facts_reader(path)
        return read(path), not is_typed
    if isinstance(source, pa.Table):
        return source, False
    if hasattr(source, "__arrow_c_stream__"):
        return pa.table(source), False
    raise HoldsforError(f"facts come from a path, an Arrow table or a data frame, not from {type(source).__name__}")


def _column(name: str, table: pa.Table, number: int, untyped: bool) -> pa.Array:
    column = table.column_names[number]
    values = plain(table.column(number))
    is_list = pa.types.is_list(values.type) or pa.types.is_large_list(values.type)
    terms = terms_of_lists(values, "s", column) if is_list else column_terms(values, untyped, "s", column)
    if terms.null_count:
        row = terms.is_null().index(True).as_py() + 1
        raise HoldsforError(
            f"facts of {name}: row {row} has nothing in column {column!r}; a fact needs all its arguments"
        )
    return terms
