"""Rows of several kinds, each with fields of its own, read into columns in one go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from holdsfor.io.columns.strings import Strings, TextColumn, TextList
from holdsfor.io.events import Ints
from holdsfor.io.readers.fields import Fields
from holdsfor.kernels.text.fields import FieldLayout, Texts, Values, read_rows
from holdsfor.kernels.text.lines import trim_quotes
from holdsfor.kernels.text.numerals import ANY, TEXT, UNREAD

#: Fields of a row that are read: the place of each after the row's first, and what it is (`kernels.texts`).
FieldKinds = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class GroupColumns:
    """The rows of a group, by their places among all rows, and the columns that are wanted of it."""

    rows: Ints
    columns: tuple[TextColumn, ...]


def read_groups(
    fields: Fields,
    begin: Ints,
    group: npt.NDArray[np.int32],
    group_fields: Sequence[FieldKinds],
    quoted: bool = False,
    nullable: bool = False,
    lists: Sequence[Sequence[int]] | None = None,
) -> list[GroupColumns]:
    """Read columns of groups of rows.

    Row i begins with field `begin[i]` and is in group `group[i]`; if that is negative, in none.
    quoted: quotes around fields are no part of them. nullable: there may be fields without text.
    lists: for each column the number of the list that its texts are in; if not given, each has its own.
    """
    sizes = np.bincount(group + 1, minlength=len(group_fields) + 1)[1:]
    widths = np.array([len(each) for each in group_fields], np.int64)
    columns = [column for each in group_fields for column in each]
    offset, kind = np.array(columns, np.int64).reshape(-1, 2).T.copy()
    place = starts(np.repeat(sizes, widths))
    text_list = np.array([number for each in lists for number in each] if lists else range(len(columns)), np.int64)
    most = int(text_list.max(initial=-1)) + 1
    layout = FieldLayout(starts(widths), offset, place, starts(sizes), text_list)
    values, rows = np.empty(place[-1], np.int64), np.empty(sizes.sum(), np.int64)
    missing = np.zeros(len(columns), np.int64)
    valid = np.ones(len(values) if nullable else 0, np.bool_)
    first_kind = kind.copy()
    same = Values(values, values.view(np.float64), values.view(np.int32))
    read = partial(read_rows, fields.data, fields.cuts, begin, group, quoted, fields.returns)
    texts = [read(layout, kind, same, rows, valid, missing)]
    mixed = (kind == UNREAD) & (first_kind == ANY)
    if mixed.any():  # numbers of two kinds, or texts among them: once more, as texts
        missing[mixed], again = 0, np.where(mixed, TEXT, UNREAD)
        text_list = np.where(mixed, text_list + most, text_list)  # which begins anew
        texts.append(read(layout._replace(text_list=text_list), again, same, rows, valid, missing))
        kind[mixed] = TEXT
    distinct = _split_texts(fields, texts, 2 * most)
    groups = []
    for g, size in enumerate(sizes.tolist()):
        chosen = rows[layout.first_row[g] : layout.first_row[g + 1]]
        numbers = range(layout.first_column[g], layout.first_column[g + 1])
        strings = {c: partial(_strings, fields, begin, chosen, offset[c], quoted) for c in numbers}
        parts = {c: slice(place[c], place[c] + size) for c in numbers}
        masks = {c: valid[parts[c]] if missing[c] else None for c in numbers}
        read_values = {c: same.codes[2 * place[c] :][:size] if kind[c] == TEXT else values[parts[c]] for c in numbers}
        made = (TextColumn(int(kind[c]), read_values[c], masks[c], distinct[text_list[c]], strings[c]) for c in numbers)
        groups.append(GroupColumns(chosen, tuple(made)))
    return groups


def starts(sizes: Ints) -> Ints:
    """Return the places of things of these sizes that stand one after the other, and the end of the last."""
    places = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=places[1:])
    return places


def _strings(fields: Fields, begin: Ints, rows: Ints, offset: int, quoted: bool) -> Strings:
    """Return fields of rows as strings, null where there is no text."""
    text = fields.column(begin[rows] + offset)
    if quoted:
        trim_quotes(text.data, text.begin, text.end)
    valid = text.end > text.begin
    return replace(text, valid=valid, has_nulls=not valid.all())


def _split_texts(fields: Fields, readings: Sequence[Texts], lists: int) -> list[TextList]:
    """Return the texts of each list."""
    text_list, begin, end = (np.concatenate(columns) for columns in zip(*readings, strict=True))
    order = np.argsort(text_list, kind="stable")
    texts_in_order = Strings(fields.data, begin[order], end[order], np.ones(len(order), np.bool_))
    places = starts(np.bincount(text_list, minlength=lists)).tolist()
    return [TextList(texts_in_order.slice(low, high)) for low, high in pairwise(places)]


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
        """Read some columns, in one go through the rows."""
        (columns,) = self.groups(np.zeros(len(self), np.int32), [names])
        return columns

    def groups(self, group: npt.NDArray[np.int32], names: Sequence[Sequence[str]]) -> list[tuple[TextColumn, ...]]:
        """Read some columns of each of several groups of rows, in one go; group: of each row, negative if in none."""
        lists = [[self.column_names.index(name) for name in each] for each in names]
        group_fields = [[(offset, ANY) for offset in each] for each in lists]
        read = read_groups(self.fields, self._begin, group, group_fields, self.quoted, nullable=True, lists=lists)
        return [each.columns for each in read]

    def take(self, rows: Ints) -> TextTable:
        return replace(self, rows=self.rows[rows])

    def first_text(self, name: str) -> str | None:
        """Return the first field of a column that is not empty."""
        offset = self.column_names.index(name)
        for rows in (np.arange(min(1, len(self))), np.arange(len(self))):
            present = _strings(self.fields, self._begin, rows, offset, self.quoted).array().drop_null()
            if len(present):
                return cast(str, present[0].as_py())
        return None

    @property
    def _begin(self) -> Ints:
        """Return the first field of each row."""
        first = self.fields.first
        return first if len(self.rows) == len(first) else first[self.rows]
