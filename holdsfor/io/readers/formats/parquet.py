"""Parquet, read a row group at a time, and Arrow's own files (Feather): only columns that are used, text encoded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq

from holdsfor.errors import HoldsforError
from holdsfor.io.columns.taking import are_inside
from holdsfor.io.events import Events
from holdsfor.io.join import join_events
from holdsfor.io.readers.columns import blocks_from_table, needed_columns
from holdsfor.io.readers.mapping import Mapping, roles
from holdsfor.language.description import Input

#: What Arrow raises if a file is damaged, or of another kind.
BAD_FILE = (OSError, pa.ArrowException, UnicodeDecodeError)
_LENGTH = 4  # bytes before each text of a column that is not encoded


def read_parquet(path: Path, mapping: Mapping, inputs: Sequence[Input], source: str) -> Events:
    """Read all row groups, one after the other."""
    return join_events(_read_groups(path, mapping, inputs, source))


def read_groups(
    path: Path, groups: Sequence[int], mapping: Mapping, inputs: Sequence[Input], source: str, first_row: int
) -> Events:
    """Read some row groups, whose first row has the number `first_row` in the file."""
    with _open(path) as file:
        table = _checked(file.read_row_groups(list(groups), columns=_needed(file, mapping, inputs, source)))
    return blocks_from_table(table, mapping, inputs, source, first_row)


def read_first_rows(
    path: Path, group: int, mapping: Mapping, inputs: Sequence[Input], source: str, rows: int
) -> Events:
    """Read the first rows of a row group."""
    with _open(path) as file:
        columns = _needed(file, mapping, inputs, source)
        batch = next(file.iter_batches(rows, [group], columns), None)
        table = file.schema_arrow.empty_table().select(columns) if batch is None else pa.Table.from_batches([batch])
        return blocks_from_table(_checked(table), mapping, inputs, source)


def count_rows(path: Path) -> list[int]:
    """Return the number of rows in each row group."""
    with _reported(path):
        metadata = pq.read_metadata(path)
    return [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)]


def time_span(path: Path, mapping: Mapping, inputs: Sequence[Input]) -> tuple[int, int] | None:
    """Return the first and last time of all rows; None if the footer does not tell them."""
    with _open(path) as file:
        chosen = roles(mapping, file.schema_arrow.names, inputs, str(path))
        if chosen.time is None or not chosen.times <= {chosen.time, chosen.end, chosen.arrival}:
            return None
        time = _extremes(file.metadata, chosen.time)
        arrival = _extremes(file.metadata, chosen.arrival) if chosen.arrival else time
        end = _extremes(file.metadata, chosen.end) if chosen.end else time
    if time is None or arrival is None or end is None:
        return None
    return time[0], max(time[1], arrival[1], end[1] - 1 if chosen.end else end[1])


def read_table(path: Path) -> pa.Table:
    """Read a file, or a folder of files, as facts: all columns."""
    with _reported(path):
        if path.is_dir():
            return pq.read_table(path, page_checksum_verification=True)
        encoded = _encoded_columns(pq.read_metadata(path))
        with pq.ParquetFile(path, read_dictionary=encoded, page_checksum_verification=True) as file:
            return _checked(file.read())


def _read_groups(path: Path, mapping: Mapping, inputs: Sequence[Input], source: str) -> Iterator[Events]:
    first_row = 1
    with _open(path) as file:
        columns = _needed(file, mapping, inputs, source)
        for group in range(file.num_row_groups):
            table = _checked(file.read_row_group(group, columns=columns))
            yield blocks_from_table(table, mapping, inputs, source, first_row)
            first_row += len(table)


def read_feather(path: Path, mapping: Mapping, inputs: Sequence[Input], source: str) -> Events:
    """Read the columns that are used."""
    with _reported(path, "an Arrow (Feather) file"), pa.memory_map(str(path)) as file:
        names = pa.ipc.open_file(file).schema.names
        table = pa.feather.read_table(file, columns=needed_columns(names, mapping, inputs, source))
        return blocks_from_table(_checked(table), mapping, inputs, source)


@contextmanager
def _open(path: Path) -> Iterator[pq.ParquetFile]:
    """Open a file whose text columns are read encoded."""
    with _reported(path):
        schema = pq.read_schema(path)
        text = [field.name for field in schema if field.type in (pa.string(), pa.large_string())]
        with pq.ParquetFile(path, read_dictionary=text, page_checksum_verification=True) as file:
            yield file


@contextmanager
def _reported(path: Path, kind: str = "a Parquet file") -> Iterator[None]:
    """Turn what Arrow raises into an error of the user."""
    try:
        yield
    except BAD_FILE as error:
        raise HoldsforError(f"cannot read {path}: {error}. Is it {kind}?") from error


def _needed(file: pq.ParquetFile, mapping: Mapping, inputs: Sequence[Input], source: str) -> list[str]:
    return needed_columns(file.schema_arrow.names, mapping, inputs, source)


def _checked(table: pa.Table) -> pa.Table:
    """Return a table; raise if codes point outside of their dictionary, as in a damaged file: Arrow does not look."""
    for column in table.columns:
        for chunk in column.chunks if pa.types.is_dictionary(column.type) else ():
            size = len(chunk.dictionary)
            if not (are_inside(chunk.indices, size) or are_inside(chunk.indices.drop_null(), size)):
                raise pa.ArrowInvalid("a code is outside of its dictionary")
    return table


def _extremes(metadata: pq.FileMetaData, column: str | None) -> tuple[int, int] | None:
    """Return the least and greatest whole number of a column."""
    place = metadata.schema.names.index(column)
    groups = [metadata.row_group(i).column(place).statistics for i in range(metadata.num_row_groups)]
    if not groups or not all(s is not None and s.has_min_max and isinstance(s.min, int) for s in groups):
        return None
    return min(s.min for s in groups), max(s.max for s in groups)


def _encoded_columns(metadata: pq.FileMetaData) -> list[str]:
    """Name the columns that take fewer bytes than the lengths of their texts would: they are encoded, and stay so."""
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    columns = [[group.column(number) for group in groups] for number in range(metadata.num_columns)]
    return [
        chunks[0].path_in_schema
        for chunks in columns
        if chunks
        and chunks[0].physical_type == "BYTE_ARRAY"
        and sum(chunk.total_uncompressed_size for chunk in chunks) < _LENGTH * metadata.num_rows
    ]
