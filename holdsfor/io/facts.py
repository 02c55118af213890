"""Facts as columns of terms and numbers: from a file to the engine no row of them is a Python object."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.io.columns.strings import strings_of
from holdsfor.io.columns.text import Mask, as_text
from holdsfor.io.readers.ground import read_ground
from holdsfor.language.description import Signature
from holdsfor.language.facts import FactTable, JoinedTables, Row, TermRows, TextColumns
from holdsfor.language.terms import Atom, Float, Int, Place, Term

Ints = npt.NDArray[np.int64]
Columns = tuple[pa.Array, ...]
_SHORT_INTEGER = r"^-?[0-9]{1,18}$"
_FLOAT = r"^-?[0-9]+(?:\.[0-9]+(?:e[+-]?[0-9]+)?|e[+-]?[0-9]+)$"
_NO_NAME = r"^-?[0-9]|^\[|\)$"  # a number, a list, a term with arguments


@dataclass(frozen=True, eq=False)
class FactColumns(FactTable):
    """Facts as argument columns: integers, floats, or dictionary-encoded Prolog text, without nulls."""

    signature: Signature
    columns: Columns
    place: Place

    def __len__(self) -> int:
        return len(self.columns[0])

    def rows(self) -> Iterator[Row]:
        return iter(self._terms(np.arange(len(self))))

    def matching(self, constants: Sequence[tuple[int, Term]], most: int) -> list[Row]:
        if not constants:
            return self._terms(np.arange(min(most, len(self))))
        matches = np.logical_and.reduce([_equals(self.columns[position], term) for position, term in constants])
        return self._terms(np.flatnonzero(matches)[:most])

    def name_at(self, position: int) -> Atom | None:
        column = self.columns[position]
        if not pa.types.is_dictionary(column.type) or not len(column):
            return None
        if (
            not strings_of(column.dictionary).are_words()
            and pc.any(pc.match_substring_regex(column.dictionary, _NO_NAME)).as_py()
        ):
            return None
        first = read_ground(column[0].as_py())
        return replace(first, place=self.place) if isinstance(first, Atom) else None

    def _terms(self, rows: Ints) -> list[Row]:
        columns = [_terms(column.take(pa.array(rows)), self.place) for column in self.columns]
        return list(zip(*columns, strict=True))


def _terms(column: pa.Array, place: Place) -> list[Term]:
    if pa.types.is_integer(column.type):
        return [Int(value, place) for value in column.to_pylist()]
    if pa.types.is_floating(column.type):
        return [Float(value, place) for value in column.to_pylist()]
    return [replace(read_ground(text), place=place) for text in column.to_pylist()]


def _equals(column: pa.Array, term: Term) -> Mask:
    """Mark rows that have the term: 7, 7.0 and '7' are three."""
    if pa.types.is_dictionary(column.type):
        code = pc.index(column.dictionary, str(term)).as_py()
        return np.asarray(column.indices.to_numpy() == code)
    kind = Int if pa.types.is_integer(column.type) else Float
    value = term.value if isinstance(term, kind) else None
    return np.zeros(len(column), np.bool_) if value is None else np.asarray(column.to_numpy() == value)


def fact_columns(table: FactTable) -> Columns:
    """Return the columns of any table of facts."""
    match table:
        case FactColumns():
            return table.columns
        case JoinedTables():
            parts = zip(*map(fact_columns, table.tables), strict=True)
            return once(tuple(_joined(each) for each in parts))
        case TermRows() | TextColumns():
            return tuple(map(_encoded, table.texts()))
    raise TypeError(f"not a table of facts: {type(table).__name__}")


def first_texts(table: FactTable, most: int) -> list[pa.Array]:
    """Return the columns of the first facts as Prolog text."""
    match table:
        case FactColumns():
            return [as_text(column.slice(0, most)).cast(pa.string()) for column in table.columns]
        case TermRows() | TextColumns():
            return [pa.array(texts[:most], pa.string()) for texts in table.texts()]
    raise TypeError(f"not a table of facts: {type(table).__name__}")


def _encoded(texts: Sequence[str]) -> pa.Array:
    """Type Prolog text as a column: integers if all are short ones, floats if all are floats, else terms."""
    array = pa.array(texts, pa.string())
    for pattern, kind in ((_SHORT_INTEGER, pa.int64()), (_FLOAT, pa.float64())):
        if texts and pc.all(pc.match_substring_regex(array, pattern)).as_py():
            return array.cast(kind)
    return array.dictionary_encode()


def _joined(columns: Sequence[pa.Array]) -> pa.Array:
    if len({column.type for column in columns}) > 1:
        columns = [as_text(column) for column in columns]
    whole = pa.chunked_array(columns)
    if pa.types.is_dictionary(whole.type):
        whole = whole.unify_dictionaries()
    return pa.concat_arrays(whole.chunks)


# ---------------------------------------------------------------- each fact once


def once(columns: Columns) -> Columns:
    firsts = first_rows(columns) if columns else None
    return columns if firsts is None else tuple(column.take(pa.array(firsts)) for column in columns)


def first_rows(columns: Sequence[pa.Array]) -> Ints | None:
    """Find the first of equal rows, in their order; None if no two are equal."""
    size = len(columns[0])
    key = np.zeros(size, np.int64)
    for column in columns:
        if pa.types.is_floating(column.type):
            column = pc.add(column, 0.0)  # there is one zero
        encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        codes, is_used = encoded.indices.to_numpy(), np.zeros(len(encoded.dictionary), np.bool_)
        is_used[codes] = True
        if np.count_nonzero(is_used) == size:
            return None
        key = np.unique(key * len(encoded.dictionary) + codes, return_inverse=True)[1].astype(np.int64)
    firsts = np.unique(key, return_index=True)[1]
    return None if len(firsts) == size else np.sort(firsts)
