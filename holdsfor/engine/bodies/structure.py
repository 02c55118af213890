"""Terms inside terms, whole columns at a time: relations read by the parts of their arguments, heads put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, Self, TypeVar

import numpy as np

from holdsfor.engine.data.axis import Ints
from holdsfor.engine.data.column import Column, Selection
from holdsfor.engine.data.dictionary import Dictionary
from holdsfor.engine.data.rows import Rows
from holdsfor.language.terms import Compound, Var, is_ground
from holdsfor.plan.operators import Arg, Leaf, Structure
from holdsfor.plan.structures import Form, Forms, flat, forms_of, width


class Cuttable(Protocol):
    def by_parts(self, forms: Forms) -> Self: ...


Data = TypeVar("Data", bound=Cuttable)


def read_by_parts(data: Data, args: tuple[Arg, ...]) -> tuple[Data, tuple[Leaf, ...]]:
    """Return the rows that match these arguments, with a column for each variable inside a term, and the arguments."""
    return read_by_forms(data, forms_of(args)), flat(args)


def read_by_forms(data: Data, forms: Forms | None) -> Data:
    return data if forms is None else data.by_parts(forms)


def take_apart(columns: Sequence[Ints], forms: Forms, dictionary: Dictionary) -> tuple[Ints, list[Ints]]:
    """The rows whose terms have these forms, and the columns of their parts."""
    kept = np.arange(len(columns[0]) if columns else 0)
    parts: list[Ints] = []
    for column, form in zip(columns, forms, strict=True):
        if form is None:
            parts.append(column[kept])
            continue
        rows, more = _parts(column[kept], form, dictionary)
        kept, parts = kept[rows], [part[rows] for part in parts] + more
    return kept, parts


@dataclass(frozen=True, slots=True)
class CutColumns:
    """Columns after cutting; positions: which of them each column before has become."""

    columns: dict[int, Column]
    positions: list[tuple[int, ...]]


def cut_columns(columns: Mapping[int, Column], forms: Forms, dictionary: Dictionary) -> tuple[Ints, CutColumns]:
    """The rows whose terms have these forms, and their columns; those that stay whole are not looked into."""
    places = [position for position, form in enumerate(forms) if form is not None]
    codes = [columns[position].codes() for position in places]
    kept, parts = take_apart(codes, tuple(forms[position] for position in places), dictionary)
    chosen, cut = Selection(index=kept), CutColumns({}, [])
    for position, form in enumerate(forms):
        begin = len(cut.columns)
        if form is None:
            cut.columns[begin] = columns[position].select(chosen)
        else:
            mine, parts = parts[: width(form)], parts[width(form) :]
            cut.columns.update((begin + n, Column(dictionary, part)) for n, part in enumerate(mine))
        cut.positions.append(tuple(range(begin, len(cut.columns))))
    return kept, cut


def _parts(codes: Ints, form: Form, dictionary: Dictionary) -> tuple[Ints, list[Ints]]:
    table = dictionary.parts(form.functor, len(form.parts))
    place = table.place[codes]
    rows = np.flatnonzero(place >= 0)
    inner, parts = take_apart([column[place[rows]] for column in table.columns], form.parts, dictionary)
    return rows[inner], parts


def term_codes(term: Arg, rows: Rows, dictionary: Dictionary) -> Ints:
    """The codes of a term for each row: a constant, or put together from the variables inside, all of them bound."""
    if isinstance(term, str):
        return rows.codes(term)
    if isinstance(term, Var):
        return rows.codes(term.name)
    if isinstance(term, Structure) or (isinstance(term, Compound) and not is_ground(term)):
        return dictionary.compose(term.functor, [term_codes(part, rows, dictionary) for part in term.args])
    assert term is not None
    return np.full(rows.size, dictionary.code_of(term), np.int64)
