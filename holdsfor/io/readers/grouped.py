"""Rows of several kinds, each with fields of its own, read into columns in one go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from holdsfor.io.events import Ints
from holdsfor.io.readers.fields import Fields
from holdsfor.io.strings import Strings, TextColumn
from holdsfor.io.text import Mask
from holdsfor.kernels.lines import trim_quotes
from holdsfor.kernels.texts import ANY, TEXT, UNREAD, FieldLayout, Texts, Values, read_rows

#: Fields of a row that are read: the place of each after the row's first, and what it is (`kernels.texts`).
Wanted = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class GroupColumns:
    """The rows of a group, by their places among all rows, and the columns that are wanted of it."""

    rows: Ints
    columns: tuple[TextColumn, ...]


def read_groups(
    fields: Fields,
    begin: Ints,
    group: npt.NDArray[np.int32],
    wanted: Sequence[Wanted],
    quoted: bool = False,
    nullable: bool = False,
) -> list[GroupColumns]:
    """Row i begins with field `begin[i]` and belongs to group `group[i]`; if that is negative, to none.

    quoted: quotes around fields are no part of them. nullable: there may be fields without text.
    """
    sizes = np.bincount(group + 1, minlength=len(wanted) + 1)[1:]
    widths = np.array([len(each) for each in wanted], np.int64)
    columns = [column for each in wanted for column in each]
    offset, kind = np.array(columns, np.int64).reshape(-1, 2).T.copy()
    place = starts(np.repeat(sizes, widths))
    layout = FieldLayout(starts(widths), offset, place, starts(sizes))
    values, rows = np.empty(place[-1], np.int64), np.empty(sizes.sum(), np.int64)
    missing = np.zeros(len(columns), np.int64)
    valid = np.ones(len(values) if nullable else 0, np.bool_)
    known = kind.copy()
    same = Values(values, values.view(np.float64), values.view(np.int32))
    read = partial(read_rows, fields.data, fields.cuts, begin, group, quoted, fields.returns, layout)
    texts = read(kind, same, rows, valid, missing)
    mixed = (kind == UNREAD) & (known == ANY)
    if mixed.any():  # numbers of two kinds, or texts among them: once more, as texts
        missing[mixed], again = 0, np.where(mixed, TEXT, UNREAD)
        texts = _join_texts(texts, read(again, same, rows, valid, missing), mixed)
        kind[mixed] = TEXT
    distinct = _split_texts(fields, texts, len(columns))
    groups = []
    for g, size in enumerate(sizes.tolist()):
        chosen = rows[layout.first_row[g] : layout.first_row[g + 1]]
        numbers = range(layout.first_column[g], layout.first_column[g + 1])
        strings = {c: partial(_strings, fields, begin, chosen, offset[c], quoted) for c in numbers}
        parts = {c: slice(place[c], place[c] + size) for c in numbers}
        masks = {c: valid[parts[c]] if missing[c] else None for c in numbers}
        read_values = {c: same.codes[2 * place[c] :][:size] if kind[c] == TEXT else values[parts[c]] for c in numbers}
        made = (TextColumn(int(kind[c]), read_values[c], masks[c], distinct[c], strings[c]) for c in numbers)
        groups.append(GroupColumns(chosen, tuple(made)))
    return groups


def starts(sizes: Ints) -> Ints:
    """Where each of some things begins that stand one after the other, and where the last ends."""
    places = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=places[1:])
    return places


def _strings(fields: Fields, begin: Ints, rows: Ints, offset: int, quoted: bool) -> Strings:
    """The same fields as strings, null where there is no text."""
    text = fields.column(begin[rows] + offset)
    if quoted:
        trim_quotes(text.data, text.begin, text.end)
    valid = text.end > text.begin
    return replace(text, valid=valid, has_nulls=not valid.all())


def _join_texts(texts: Texts, again: Texts, mixed: Mask) -> Texts:
    """The texts of two readings: those of mixed columns from the second one."""
    kept = ~mixed[texts.column]
    return Texts(*(np.concatenate([one[kept], other]) for one, other in zip(texts, again, strict=True)))


def _split_texts(fields: Fields, texts: Texts, columns: int) -> list[Strings]:
    """The different texts of each column."""
    order = np.argsort(texts.column, kind="stable")
    texts_in_order = Strings(fields.data, texts.begin[order], texts.end[order], np.ones(len(order), np.bool_))
    places = starts(np.bincount(texts.column, minlength=columns))
    return [
        texts_in_order.slice(low, high) for low, high in zip(places[:-1].tolist(), places[1:].tolist(), strict=True)
    ]


@dataclass(frozen=True, slots=True)
class TextTable:
    """Lines with as many fields as there are names, as a table of text; an empty field is null."""

    column_names: tuple[str, ...]
    fields: Fields
    rows: Ints
    quoted: bool  # whether there are quotes around fields

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, name: str) -> pa.Array:
        return self.column(name).array()

    def column(self, name: str) -> TextColumn:
        return self.columns([name])[0]

    def columns(self, names: Sequence[str]) -> tuple[TextColumn, ...]:
        """Some columns, in one go through the rows."""
        begin = self.fields.first if len(self.rows) == len(self.fields.first) else self.fields.first[self.rows]
        wanted = [(self.column_names.index(name), ANY) for name in names]
        one = np.zeros(len(begin), np.int32)
        (group,) = read_groups(self.fields, begin, one, [wanted], self.quoted, nullable=True)
        return group.columns
