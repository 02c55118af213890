"""Files of columns: Parquet, and CSV with a header."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

from holdsfor.errors import HoldsforError
from holdsfor.io.columns import TableReader, blocks_from_table
from holdsfor.io.events import Events, Ints
from holdsfor.io.fields import open_text
from holdsfor.io.join import join_events
from holdsfor.io.mapping import Mapping, roles
from holdsfor.io.sieve import rejects_table
from holdsfor.language.description import Input


def parquet_events(path: Path, mapping: Mapping, inputs: Sequence[Input]) -> Events:
    """A Parquet file, one row group after the other: only the columns that are used, text left encoded."""
    return join_events(_row_groups(path, mapping, inputs))


def parquet_columns(schema: pa.Schema, mapping: Mapping, inputs: Sequence[Input]) -> list[str]:
    """The columns of a table that reading it needs, in the order of the table."""
    fluents = {i.signature.name for i in inputs if i.kind != "event"}
    found = roles(mapping, schema.names, fluents)
    needed = {found.name, found.time, found.end, found.arrival, found.value, found.op}
    read = {i.signature.name for i in inputs if i.read}
    if not read <= set(mapping.arguments):
        needed |= set(found.others)
    for columns in mapping.arguments.values():
        needed |= set(columns)
    return [name for name in schema.names if name in needed]


def open_parquet(path: Path) -> pq.ParquetFile:
    """A Parquet file whose text columns are read encoded."""
    try:
        schema = pq.read_schema(path)
        text = [field.name for field in schema if field.type in (pa.string(), pa.large_string())]
        return pq.ParquetFile(path, read_dictionary=text)
    except (OSError, pa.ArrowInvalid) as error:
        raise HoldsforError(f"cannot read {path}: {error}. Is it a Parquet file?") from error


def _row_groups(path: Path, mapping: Mapping, inputs: Sequence[Input]) -> Iterator[Events]:
    with open_parquet(path) as file:
        columns = parquet_columns(file.schema_arrow, mapping, inputs)
        row = 1
        for group in range(file.num_row_groups):
            table = file.read_row_group(group, columns=columns)
            yield blocks_from_table(table, mapping, inputs, str(path), row)
            row += len(table)


def csv_events(data: Path | bytes, mapping: Mapping, inputs: Sequence[Input], source: str) -> Events:
    """CSV with a header. Separator: the one of comma, semicolon, tab that the header has most of.

    A row's number is its line, as long as no field has a line break in it.
    """
    with open_text(data) if isinstance(data, Path) else io.BytesIO(data) as stream:
        content = stream.read().removeprefix(b"\xef\xbb\xbf")
    header = content.partition(b"\n")[0].decode("utf-8", "replace")
    if not header.strip():
        raise HoldsforError(f"{source} has no header: its first line must name the columns.")
    table, ragged = _csv_table(content, max(",;\t", key=header.count), source)
    lines = np.arange(2, len(table) + len(ragged) + 2)
    lines = lines[~np.isin(lines, [line for line, _ in ragged])]
    table, lines = _without_blank_rows(table, lines)
    events = TableReader(table, mapping, inputs, untyped=True).read(source, lines)
    if not ragged:
        return events
    rejects = rejects_table(
        source,
        np.array([line for line, _ in ragged], np.int64),
        pa.array([text for _, text in ragged], pa.string()),
        pa.repeat(f"wrong number of columns: the header has {table.num_columns}", len(ragged)),
    )
    joined = join_events([events, Events((), rejects, len(ragged), 0)])
    return replace(joined, rejects=joined.rejects.sort_by("row"))


def _csv_table(content: bytes, separator: str, source: str) -> tuple[pa.Table, list[tuple[int, str]]]:
    """All columns as text, and the lines that have another number of columns than the header."""
    ragged: list[tuple[int, str]] = []

    def skip(row: pa.csv.InvalidRow) -> str:
        ragged.append((row.number, row.text))
        return "skip"

    try:
        table = pa.csv.read_csv(
            io.BytesIO(content),
            pa.csv.ReadOptions(use_threads=False),  # with threads a bad row does not know its number
            pa.csv.ParseOptions(
                delimiter=separator, ignore_empty_lines=False, newlines_in_values=True, invalid_row_handler=skip
            ),
            pa.csv.ConvertOptions(
                default_column_type=pa.string(),
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid as error:
        raise HoldsforError(f"cannot read {source} as CSV with a header: {error}. It must be UTF-8 text.") from error
    if len(set(table.column_names)) < table.num_columns:
        raise HoldsforError(f"{source}: two columns have the same name ({', '.join(table.column_names)}).")
    return table, ragged


def _without_blank_rows(table: pa.Table, lines: Ints) -> tuple[pa.Table, Ints]:
    """A blank line has become a row of nulls."""
    blank = np.ones(len(table), np.bool_)
    for column in table.columns:
        blank &= np.asarray(pc.fill_null(pc.equal(column, ""), True))
        if not blank.any():
            return table, lines
    return table.filter(pa.array(~blank)), lines[~blank]
