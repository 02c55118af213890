"""CSV with a header.

Lines are cut by kernels, several parts of a file at a time. From the first part on that has quotes in fields (which may
have line breaks in them then), a return that ends no line, or bytes that are not UTF-8, Arrow reads the rest at once.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from threading import Event

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from holdsfor.errors import HoldsforError
from holdsfor.io.columns.utf8 import NOT_UTF8, is_utf8, mark_invalid
from holdsfor.io.events import Events, Ints
from holdsfor.io.join import join_events, number_rows
from holdsfor.io.parallel import map_in_order
from holdsfor.io.readers.columns import TableReader
from holdsfor.io.readers.fields import BOM, LONGEST_LINE, Fields, pieces_of, split
from holdsfor.io.readers.grouped import TextTable
from holdsfor.io.readers.mapping import Mapping
from holdsfor.io.readers.sieve import rejects_table
from holdsfor.language.description import Input

_BLOCKS = (1 << 20, 1 << 24, 1 << 28, LONGEST_LINE)  # bytes that are parsed at once: a row must fit in


@dataclass(frozen=True, slots=True)
class Format:
    """Header, mapping and inputs: what all parts of a file have in common."""

    header: bytes
    mapping: Mapping
    inputs: Sequence[Input]
    source: str

    @property
    def separator(self) -> bytes:
        """Return the one of comma, semicolon, tab that the header has most of."""
        return max((b",", b";", b"\t"), key=self.header.count)


def read_csv(content: Path | tuple[str, ...] | bytes, mapping: Mapping, inputs: Sequence[Input], source: str) -> Events:
    """Read all rows. A row's number is its line, as long as no field has a line break in it."""
    contents = pieces_of(content)
    header, _, rest = next(contents, b"").removeprefix(BOM).partition(b"\n")
    if not header.strip():
        raise HoldsforError(f"{source} has no header: its first line must name the columns.")
    form = Format(header, mapping, inputs, source)
    return join_events(number_rows(_read_parts(chain([rest], contents), form), 2))


def read_table(path: Path) -> pa.Table:
    """Read a file as facts: all columns, as text."""
    try:
        with pa.csv.open_csv(path) as reader:
            names = reader.schema.names
        options = pa.csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()))
        return pa.csv.read_csv(path, convert_options=options)
    except pa.ArrowInvalid as error:
        raise HoldsforError(f"{path}: not a CSV table with a header: {error}") from error


def _read_parts(contents: Iterable[bytes], form: Format) -> Iterator[tuple[Events, int]]:
    """Yield the events of each part, and its number of rows.

    Plain parts are read side by side; from the first that is not plain, all the rest as one.
    """
    is_over = Event()

    def read(content: bytes) -> tuple[bytes, tuple[Events, int] | None]:
        return content, None if is_over.is_set() else read_plain(content, form)

    parts = map_in_order(read, contents)
    for content, outcome in parts:
        if outcome is None:
            is_over.set()
            yield read_any(b"".join([content, *(later for later, _ in parts)]), form)
        else:
            yield outcome


def read_plain(content: bytes, form: Format) -> tuple[Events, int] | None:
    """Read a part and count its rows; rejects are numbered from 0.

    None if quotes or returns are not where they are in most files, or the content is not UTF-8.
    """
    heads, fields = split(form.header, form.separator), split(content, form.separator)
    if not _is_plain(heads, form.header + b"\n") or not _is_plain(fields, content):
        return None
    quoted = heads.quoted or fields.quoted
    names = [name.strip('"') for name in heads.column(np.arange(len(heads.cuts))).array().to_pylist()]
    _check_names(names, form.source)
    width = np.diff(fields.first, append=len(fields.cuts))
    is_right = width == len(names)
    blank = fields.blank & (is_right | (width == 1))
    good, bad = np.flatnonzero(is_right & ~blank), np.flatnonzero(~is_right & ~blank)
    table = TextTable(tuple(names), fields, good, quoted)
    events = TableReader(table, form.mapping, form.inputs, True, form.source).read(good)
    if len(bad):
        reasons = pa.repeat(pa.scalar(_wrong_number(len(names)), pa.string()), len(bad))
        events = _with_rejects(events, form.source, bad, fields.lines(bad), reasons)
    return events, len(width) if content else 0


def _is_plain(fields: Fields, content: bytes) -> bool:
    if fields.returns and content.count(b"\r") != content.count(b"\r\n"):
        return False
    return (not fields.quoted or fields.is_simple) and not fields.bad_text.any()


def read_any(content: bytes, form: Format) -> tuple[Events, int]:
    """Read a part with Arrow's reader, whatever the content."""
    whole, mark = form.header + b"\n" + content, None
    if not is_utf8(whole):
        whole, mark = mark_invalid(whole)
    table, bad = _csv_table(whole, form.separator.decode(), form.source)
    _check_names(table.column_names, form.source)
    size = len(table) + len(bad.lines)
    lines = np.delete(np.arange(size), np.array(bad.lines, np.int64))
    if mark is not None:
        table, lines = _without_marked_rows(table, lines, mark, bad, form.source)
    table, lines = _without_blank_rows(table, lines)
    events = TableReader(table, form.mapping, form.inputs, True, form.source).read(lines)
    texts, reasons = pa.array(bad.texts, pa.string()), pa.array(bad.reasons, pa.string())
    return _with_rejects(events, form.source, np.array(bad.lines, np.int64), texts, reasons), size


def _with_rejects(events: Events, source: str, lines: Ints, texts: pa.Array, reasons: pa.Array) -> Events:
    """Add lines that are no rows of the table."""
    if not len(lines):
        return events
    joined = join_events([events, Events((), rejects_table(source, lines, texts, reasons), len(lines), 0)])
    return replace(joined, rejects=joined.rejects.sort_by("row"))


def _wrong_number(columns: int) -> str:
    return f"wrong number of columns: the header has {columns}"


def _check_names(names: Sequence[str], source: str) -> None:
    if len(set(names)) < len(names):
        raise HoldsforError(f"{source}: two columns have the same name ({', '.join(names)}). Rename one.")


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
    """Read all columns as text, and the lines that have another number of columns than the header."""
    for size in _BLOCKS:
        bad = _BadLines()
        try:
            table = _parse_csv(content, separator, size, bad)
            break
        except pa.ArrowInvalid as error:
            if size == _BLOCKS[-1] or size > len(content) or "straddl" not in str(error):
                raise HoldsforError(f"cannot read {source} as CSV with a header: {error}.") from error
    return table, bad


def _parse_csv(content: bytes, separator: str, block_size: int, bad: _BadLines) -> pa.Table:
    def skip(row: pa.csv.InvalidRow) -> str:
        bad.add(row.number - 2, row.text, _wrong_number(row.expected_columns))  # from 0, without the header
        return "skip"

    return pa.csv.read_csv(
        io.BytesIO(content),
        pa.csv.ReadOptions(use_threads=False, block_size=block_size),  # with threads a bad row does not know its number
        pa.csv.ParseOptions(
            delimiter=separator, ignore_empty_lines=False, newlines_in_values=True, invalid_row_handler=skip
        ),
        pa.csv.ConvertOptions(
            column_types=dict.fromkeys(_header_names(content, separator), pa.string()),
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
            check_utf8=False,  # the whole content has been looked at
        ),
    )


def _header_names(content: bytes, separator: str) -> list[str]:
    header = io.BytesIO(content.partition(b"\n")[0] + b"\n")
    names: list[str] = pa.csv.read_csv(header, parse_options=pa.csv.ParseOptions(delimiter=separator)).column_names
    return names


def _without_marked_rows(table: pa.Table, lines: Ints, mark: str, bad: _BadLines, source: str) -> tuple[pa.Table, Ints]:
    """Return the rows that are text; those with a mark for bytes that are not go to the bad lines."""
    if any(mark in name for name in table.column_names):
        raise HoldsforError(f"cannot read {source}: its header is not UTF-8 text. Save the file as UTF-8.")
    bad.texts[:] = [text.replace(mark, "\\x") for text in bad.texts]
    marked = np.zeros(len(table), np.bool_)
    for column in table.columns:
        marked |= np.asarray(pc.fill_null(pc.match_substring(column, mark), False))
    for line, row in zip(lines[marked].tolist(), table.filter(pa.array(marked)).to_pylist(), strict=True):
        text = " ".join(f"{name}={value}" for name, value in row.items() if value is not None)
        bad.add(line, text.replace(mark, "\\x"), NOT_UTF8)
    return table.filter(pa.array(~marked)), lines[~marked]


def _without_blank_rows(table: pa.Table, lines: Ints) -> tuple[pa.Table, Ints]:
    """Leave out rows of nulls: they were blank lines."""
    blank = np.ones(len(table), np.bool_)
    for column in table.columns:
        blank &= np.asarray(pc.fill_null(pc.equal(column, ""), True))
        if not blank.any():
            return table, lines
    return table.filter(pa.array(~blank)), lines[~blank]
