"""Files of columns: Parquet, and CSV with a header."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

from holdsfor.errors import HoldsforError
from holdsfor.io.events import Events, Ints
from holdsfor.io.join import join_events
from holdsfor.io.readers.columns import TableReader, blocks_from_table
from holdsfor.io.readers.fields import LONGEST_LINE, open_text
from holdsfor.io.readers.mapping import Mapping, roles
from holdsfor.io.readers.sieve import rejects_table
from holdsfor.io.utf8 import NOT_UTF8, is_utf8, mark_invalid
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


_BLOCKS = (1 << 20, 1 << 24, 1 << 28, LONGEST_LINE)  # bytes that are parsed at once: a row must fit in

#: What Arrow raises of a file that is not Parquet, or a damaged one.
BAD_PARQUET = (OSError, pa.ArrowException, UnicodeDecodeError)


@contextmanager
def open_parquet(path: Path) -> Iterator[pq.ParquetFile]:
    """A Parquet file whose text columns are read encoded; that it cannot be read is an error of the user."""
    try:
        schema = pq.read_schema(path)
        text = [field.name for field in schema if field.type in (pa.string(), pa.large_string())]
        with pq.ParquetFile(path, read_dictionary=text) as file:
            yield file
    except BAD_PARQUET as error:
        raise HoldsforError(f"cannot read {path}: {error}. Is it a Parquet file?") from error


def _row_groups(path: Path, mapping: Mapping, inputs: Sequence[Input]) -> Iterator[Events]:
    row = 1
    for table in _tables(path, mapping, inputs):
        yield blocks_from_table(table, mapping, inputs, str(path), row)
        row += len(table)


def _tables(path: Path, mapping: Mapping, inputs: Sequence[Input]) -> Iterator[pa.Table]:
    with open_parquet(path) as file:
        columns = parquet_columns(file.schema_arrow, mapping, inputs)
        for group in range(file.num_row_groups):
            yield read_groups(file, [group], columns)


def read_groups(file: pq.ParquetFile, groups: Sequence[int], columns: list[str]) -> pa.Table:
    """Some row groups. In a damaged file codes may point outside of their dictionary, and Arrow does not look."""
    table = file.read_row_groups(list(groups), columns=columns)
    for column in table.columns:
        for chunk in column.chunks if pa.types.is_dictionary(column.type) else ():
            if not _is_inside(chunk):
                raise pa.ArrowInvalid("a code is outside of its dictionary")
    return table


def _is_inside(column: pa.DictionaryArray) -> bool:
    width = column.type.index_type.bit_width // 8
    unsigned = np.dtype(f"u{width}")  # a negative code is a large one
    codes = np.frombuffer(column.indices.buffers()[1], unsigned, len(column), width * column.offset)
    if not len(codes) or codes.max() < len(column.dictionary):
        return True
    known = column.indices.drop_null().to_numpy()  # under a null there may be anything
    return not len(known) or bool(known.view(unsigned).max() < len(column.dictionary))


def csv_events(data: Path | bytes, mapping: Mapping, inputs: Sequence[Input], source: str) -> Events:
    """CSV with a header. Separator: the one of comma, semicolon, tab that the header has most of.

    A row's number is its line, as long as no field has a line break in it.
    """
    with open_text(data) if isinstance(data, Path) else io.BytesIO(data) as stream:
        content = stream.read().removeprefix(b"\xef\xbb\xbf")
    mark = None
    if not is_utf8(content):
        content, mark = mark_invalid(content)
    header = content.partition(b"\n")[0].decode()
    if not header.strip():
        raise HoldsforError(f"{source} has no header: its first line must name the columns.")
    table, bad = _csv_table(content, max(",;\t", key=header.count), source)
    lines = np.delete(np.arange(2, len(table) + len(bad.lines) + 2), np.array(bad.lines, np.int64) - 2)
    if mark is not None:
        table, lines = _without_marked_rows(table, lines, mark, bad, source)
    table, lines = _without_blank_rows(table, lines)
    events = TableReader(table, mapping, inputs, untyped=True).read(source, lines)
    if not bad.lines:
        return events
    rejects = rejects_table(source, np.array(bad.lines, np.int64), pa.array(bad.texts), pa.array(bad.reasons))
    joined = join_events([events, Events((), rejects, len(bad.lines), 0)])
    return replace(joined, rejects=joined.rejects.sort_by("row"))


@dataclass(frozen=True, slots=True)
class _BadLines:
    """Lines that are no rows of the table."""

    lines: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)

    def add(self, line: int, text: str, reason: str) -> None:
        self.lines.append(line)
        self.texts.append(text)
        self.reasons.append(reason)


def _csv_table(content: bytes, separator: str, source: str) -> tuple[pa.Table, _BadLines]:
    """All columns as text, and the lines that have another number of columns than the header."""
    for size in _BLOCKS:
        bad = _BadLines()
        try:
            table = _parse_csv(content, separator, size, bad)
            break
        except pa.ArrowInvalid as error:
            if size == _BLOCKS[-1] or size > len(content) or "straddl" not in str(error):
                raise HoldsforError(f"cannot read {source} as CSV with a header: {error}.") from error
    if len(set(table.column_names)) < table.num_columns:
        raise HoldsforError(f"{source}: two columns have the same name ({', '.join(table.column_names)}).")
    return table, bad


def _parse_csv(content: bytes, separator: str, block_size: int, bad: _BadLines) -> pa.Table:
    def skip(row: pa.csv.InvalidRow) -> str:
        reason = f"wrong number of columns: the header has {row.expected_columns}"
        bad.add(row.number, row.text, reason)
        return "skip"

    return pa.csv.read_csv(
        io.BytesIO(content),
        pa.csv.ReadOptions(use_threads=False, block_size=block_size),  # with threads a bad row does not know its number
        pa.csv.ParseOptions(
            delimiter=separator, ignore_empty_lines=False, newlines_in_values=True, invalid_row_handler=skip
        ),
        pa.csv.ConvertOptions(
            default_column_type=pa.string(),
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
            check_utf8=False,  # the whole content has been looked at
        ),
    )


def _without_marked_rows(table: pa.Table, lines: Ints, mark: str, bad: _BadLines, source: str) -> tuple[pa.Table, Ints]:
    """The rows that are text; those with a mark for bytes that are not go to the bad lines."""
    if any(mark in name for name in table.column_names):
        raise HoldsforError(f"cannot read {source}: its header is not UTF-8 text. Save the file as UTF-8.")
    bad.texts[:] = [text.replace(mark, "\\x") for text in bad.texts]
    marked = np.zeros(len(table), np.bool_)
    for column in table.columns:
        marked |= np.asarray(pc.fill_null(pc.match_substring(column, mark), False))
    for line, row in zip(lines[marked].tolist(), table.filter(pa.array(marked)).to_pylist(), strict=True):
        told = " ".join(f"{name}={value}" for name, value in row.items() if value is not None)
        bad.add(line, told.replace(mark, "\\x"), NOT_UTF8)
    return table.filter(pa.array(~marked)), lines[~marked]


def _without_blank_rows(table: pa.Table, lines: Ints) -> tuple[pa.Table, Ints]:
    """A blank line has become a row of nulls."""
    blank = np.ones(len(table), np.bool_)
    for column in table.columns:
        blank &= np.asarray(pc.fill_null(pc.equal(column, ""), True))
        if not blank.any():
            return table, lines
    return table.filter(pa.array(~blank)), lines[~blank]
