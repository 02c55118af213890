"""Tables as background facts: one fact a row, its arguments the columns in their order."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from holdsfor.errors import HoldsforError
from holdsfor.io.facts import FactColumns, once
from holdsfor.io.readers.arguments import column_terms, plain
from holdsfor.io.readers.formats.files import BAD_FILE, check_codes
from holdsfor.language.description import Signature
from holdsfor.language.terms import Place

_LENGTH = 4  # bytes before each text of a column that is not encoded
_NAME = re.compile(r"[a-z]\w*\Z")


def read_facts(name: str, source: Any) -> FactColumns:
    """The facts of a predicate: from a Parquet file, CSV with a header, a table or a data frame."""
    if not _NAME.match(name):
        raise HoldsforError(f"{name!r} is not the name of a predicate: begin it with a lower-case letter (vesselType)")
    table, untyped = _table(source)
    if not table.num_columns:
        raise HoldsforError(f"the table for {name} has no columns; it needs one for each argument")
    columns = once(tuple(_column(name, table, number, untyped) for number in range(table.num_columns)))
    return FactColumns(Signature(name, len(columns)), columns, Place(f"<facts of {name}>", 1, 1, 1, 1))


def _table(source: Any) -> tuple[pa.Table, bool]:
    """The table, and whether its fields are text that is yet to be typed."""
    if isinstance(source, str | Path):
        path = Path(source)
        if not path.exists():
            raise HoldsforError(f"{path}: no such table of facts; check the path")
        if ".parquet" in path.suffixes:
            return _parquet(path), False
        return _csv(path), True
    if isinstance(source, pa.Table):
        return source, False
    if hasattr(source, "__arrow_c_stream__"):
        return pa.table(source), False
    raise HoldsforError(f"facts come from a path, an Arrow table or a data frame, not from {type(source).__name__}")


def _parquet(path: Path) -> pa.Table:
    try:
        if path.is_dir():
            return pq.read_table(path, page_checksum_verification=True)
        with pq.ParquetFile(path) as file:
            encoded = _encoded_columns(file.metadata)
        with pq.ParquetFile(path, read_dictionary=encoded, page_checksum_verification=True) as file:
            table = file.read()
        check_codes(table)
        return table
    except BAD_FILE as error:
        raise HoldsforError(f"cannot read {path}: {error}. Is it a Parquet file?") from error


def _encoded_columns(metadata: pq.FileMetaData) -> list[str]:
    """Those that take fewer bytes than the lengths of their texts alone would: they are encoded, and stay so."""
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    columns = [[group.column(number) for group in groups] for number in range(metadata.num_columns)]
    return [
        chunks[0].path_in_schema
        for chunks in columns
        if chunks
        and chunks[0].physical_type == "BYTE_ARRAY"
        and sum(chunk.total_uncompressed_size for chunk in chunks) < _LENGTH * metadata.num_rows
    ]


def _csv(path: Path) -> pa.Table:
    try:
        with pa.csv.open_csv(path) as reader:
            names = reader.schema.names
        options = pa.csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()))
        return pa.csv.read_csv(path, convert_options=options)
    except pa.ArrowInvalid as error:
        raise HoldsforError(f"{path}: not a CSV table with a header: {error}") from error


def _column(name: str, table: pa.Table, number: int, untyped: bool) -> pa.Array:
    column = table.column_names[number]
    terms = column_terms(plain(table.column(number)), untyped, "s", column)
    if terms.null_count:
        row = terms.is_null().index(True).as_py() + 1
        raise HoldsforError(
            f"facts of {name}: row {row} has nothing in column {column!r}; a fact needs all its arguments"
        )
    return terms
