"""Files of columns: Parquet, and Arrow's own, which is also called Feather."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from holdsfor.errors import HoldsforError
from holdsfor.io.columns.coded import are_inside
from holdsfor.io.events import Events
from holdsfor.io.join import join_events
from holdsfor.io.readers.columns import blocks_from_table
from holdsfor.io.readers.mapping import Mapping, roles, used_columns
from holdsfor.language.description import Input


def parquet_events(path: Path, mapping: Mapping, inputs: Sequence[Input]) -> Events:
    """A Parquet file, one row group after the other: only the columns that are used, text left encoded."""
    return join_events(_row_groups(path, mapping, inputs))


def feather_events(path: Path, mapping: Mapping, inputs: Sequence[Input]) -> Events:
    """An Arrow file (Feather): only the columns that are used."""

    try:
        with pa.memory_map(str(path)) as file:
            names = pa.ipc.open_file(file).schema
            columns = needed_columns(names, mapping, inputs, str(path))
            table = pa.feather.read_table(file, columns=columns)
            check_codes(table)
            return blocks_from_table(table, mapping, inputs, str(path))
    except BAD_FILE as error:
        raise HoldsforError(f"cannot read {path}: {error}. Is it an Arrow (Feather) file?") from error


def needed_columns(schema: pa.Schema, mapping: Mapping, inputs: Sequence[Input], source: str) -> list[str]:
    """The columns of a table that reading it needs, in the order of the table."""
    fluents = {i.signature.name for i in inputs if i.kind != "event"}
    chosen = roles(mapping, schema.names, fluents, source)
    needed = used_columns(chosen, mapping, inputs)
    return [name for name in schema.names if name in needed]


#: What Arrow raises of a file that is not what it should be, or a damaged one.
BAD_FILE = (OSError, pa.ArrowException, UnicodeDecodeError)


@contextmanager
def open_parquet(path: Path) -> Iterator[pq.ParquetFile]:
    """A Parquet file whose text columns are read encoded; that it cannot be read is an error of the user."""
    try:
        schema = pq.read_schema(path)
        text = [field.name for field in schema if field.type in (pa.string(), pa.large_string())]
        with pq.ParquetFile(path, read_dictionary=text, page_checksum_verification=True) as file:
            yield file
    except BAD_FILE as error:
        raise HoldsforError(f"cannot read {path}: {error}. Is it a Parquet file?") from error


def _row_groups(path: Path, mapping: Mapping, inputs: Sequence[Input]) -> Iterator[Events]:
    row = 1
    for table in _tables(path, mapping, inputs):
        yield blocks_from_table(table, mapping, inputs, str(path), row)
        row += len(table)


def _tables(path: Path, mapping: Mapping, inputs: Sequence[Input]) -> Iterator[pa.Table]:
    with open_parquet(path) as file:
        columns = needed_columns(file.schema_arrow, mapping, inputs, str(path))
        for group in range(file.num_row_groups):
            yield read_groups(file, [group], columns)


def read_groups(file: pq.ParquetFile, groups: Sequence[int], columns: list[str]) -> pa.Table:
    """Some row groups. In a damaged file codes may point outside of their dictionary, and Arrow does not look."""
    table = file.read_row_groups(list(groups), columns=columns)
    check_codes(table)
    return table


def read_first(file: pq.ParquetFile, group: int, columns: list[str], rows: int) -> pa.Table:
    """The first rows of a row group."""
    batch = next(file.iter_batches(rows, [group], columns), None)
    table = file.schema_arrow.empty_table().select(columns) if batch is None else pa.Table.from_batches([batch])
    check_codes(table)
    return table


def check_codes(table: pa.Table) -> None:
    for column in table.columns:
        for chunk in column.chunks if pa.types.is_dictionary(column.type) else ():
            if not _is_inside(chunk):
                raise pa.ArrowInvalid("a code is outside of its dictionary")


def _is_inside(column: pa.DictionaryArray) -> bool:
    terms = len(column.dictionary)
    return are_inside(column.indices, terms) or are_inside(column.indices.drop_null(), terms)
