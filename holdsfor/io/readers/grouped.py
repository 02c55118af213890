"""Rows of several kinds, each with fields of its own, read into columns in one go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from holdsfor.io.events import Ints
from holdsfor.io.readers.fields import Fields
from holdsfor.io.strings import Column, Strings
from holdsfor.kernels.texts import Layout, Texts, read_rows

#: Fields of a row that are read: the place of each after the row's first, and what it is (`kernels.texts`).
Wanted = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class GroupColumns:
    """The rows of a group, by their places among all rows, and the columns that are wanted of it."""

    rows: Ints
    columns: tuple[Column, ...]


def read_groups(
    fields: Fields, begin: Ints, group: npt.NDArray[np.int32], wanted: Sequence[Wanted]
) -> list[GroupColumns]:
    """Row i begins with field `begin[i]` and belongs to group `group[i]`; if that is negative, to none."""
    sizes = np.bincount(group + 1, minlength=len(wanted) + 1)[1:]
    widths = np.array([len(each) for each in wanted], np.int64)
    columns = [column for each in wanted for column in each]
    offset, kind = np.array(columns, np.int64).reshape(-1, 2).T.copy()
    place = starts(np.repeat(sizes, widths))
    layout = Layout(starts(widths), offset, place, starts(sizes))
    values, rows = np.empty(place[-1], np.int64), np.empty(sizes.sum(), np.int64)
    texts = read_rows(fields.data, fields.cuts, begin, group, layout, kind, values, values.view(np.float64), rows)
    distinct = _split_texts(fields, texts, len(columns))
    groups = []
    for g, size in enumerate(sizes.tolist()):
        chosen = rows[layout.first_row[g] : layout.first_row[g + 1]]
        numbers = range(layout.first_column[g], layout.first_column[g + 1])
        read = (
            Column(
                int(kind[c]),
                values[place[c] :][:size],
                distinct[c],
                partial(_strings, fields, begin, chosen, offset[c]),
            )
            for c in numbers
        )
        groups.append(GroupColumns(chosen, tuple(read)))
    return groups


def starts(sizes: Ints) -> Ints:
    """Where each of some things begins that stand one after the other, and where the last ends."""
    places = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=places[1:])
    return places


def _strings(fields: Fields, begin: Ints, rows: Ints, offset: int) -> Strings:
    return fields.column(begin[rows] + offset)


def _split_texts(fields: Fields, texts: Texts, columns: int) -> list[Strings]:
    """The different texts of each column."""
    order = np.argsort(texts.column, kind="stable")
    found = Strings(fields.data, texts.begin[order], texts.end[order], np.ones(len(order), np.bool_))
    places = starts(np.bincount(texts.column, minlength=columns))
    return [found.slice(low, high) for low, high in zip(places[:-1].tolist(), places[1:].tolist(), strict=True)]
