"""Facts as columns of terms and numbers: from a file to the engine no row of them is a Python object.

A rule file may have them by the ten thousand; a kernel reads those.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.io.columns.names import shorten_terms
from holdsfor.io.columns.strings import Places, Strings, strings_of
from holdsfor.io.columns.text import Mask, as_text, number_text
from holdsfor.io.readers.ground import read_ground
from holdsfor.kernels.text.plain_facts import DECIMAL, INTEGER, NAME, FactPlaces, read_plain_facts
from holdsfor.language.description import Signature
from holdsfor.language.diagnostics import Source
from holdsfor.language.facts import FactTable, JoinedTables, Row, TermRows, TextColumns
from holdsfor.language.reading.prefixes import Leads
from holdsfor.language.terms import Atom, Float, Int, Items, Place, Term

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

    def lists_at(self, position: int) -> Iterable[Items]:
        column = self.columns[position]
        if not pa.types.is_dictionary(column.type):
            return ()
        terms = map(read_ground, column.dictionary.filter(pc.starts_with(column.dictionary, "[")).to_pylist())
        return (term for term in terms if isinstance(term, Items))

    def shortened(self, leads: Leads) -> FactColumns:
        columns = tuple(shorten_terms(column, leads) for column in self.columns)
        return self if columns == self.columns else replace(self, columns=once(columns))

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


_LARGEST = 2**31 - 1  # places are counted with 32 bits


class RuleFacts:
    """The facts of some names in one text, read a stretch at a time. Other facts and clauses may stand between."""

    def __init__(self, text: str, data: bytes) -> None:
        """Take a text. data: the same in UTF-8."""
        self._text = text
        self._data = np.frombuffer(data, np.uint8)
        self._at = self._byte = 0  # the same place of the text, as a character and as a byte
        self._names: dict[str, Place] = {}
        self._joined_names, self._name_ends = np.frombuffer(b"", np.uint8), _places(0)
        facts = data.count(b"(")
        arguments = facts + data.count(b",")  # at most
        self._places = FactPlaces(
            _places(facts), _places(facts), _places(arguments), _places(arguments), _kinds(arguments)
        )
        self._facts = self._arguments = 0

    def expect(self, name: str, place: Place) -> None:
        self._names[name] = place
        self._joined_names = np.frombuffer("".join(self._names).encode(), np.uint8)
        self._name_ends = np.cumsum([len(each.encode()) for each in self._names], dtype=np.int32)

    def read(self, position: int) -> int:
        begin = self._byte_at(position)
        self._byte, self._facts, self._arguments = read_plain_facts(
            self._data, begin, self._joined_names, self._name_ends, self._places, self._facts, self._arguments
        )
        self._at = position + self._characters(begin, self._byte)
        return self._at

    def _byte_at(self, position: int) -> int:
        if len(self._data) == len(self._text):
            return position
        return self._byte + len(self._text[self._at : position].encode())

    def _characters(self, begin: int, end: int) -> int:
        if len(self._data) == len(self._text):
            return end - begin
        return int(np.count_nonzero((self._data[begin:end] & 0xC0) != 0x80))  # each byte but those that continue one

    def tables(self) -> Iterator[FactColumns]:
        name = self._places.name[: self._facts]
        bounds = np.append(self._places.first[: self._facts], np.int32(self._arguments))
        first, arity = bounds[:-1], np.diff(bounds)
        for number, (each, place) in enumerate(self._names.items()):
            for size in np.unique(arity[name == number]).tolist():
                rows = first[(name == number) & (arity == size)]
                columns = once(tuple(self._column(rows + position) for position in range(size)))
                yield FactColumns(Signature(each, size), columns, place)

    def _column(self, arguments: Places) -> pa.Array:
        """Return a column of arguments: integers if all are, floats if all are, else terms as Holdsfor writes them."""
        places, kind = self._places, self._places.kind[arguments]
        is_valid = np.ones(len(kind), np.bool_)
        strings = Strings(self._data, places.begin[arguments], places.end[arguments], is_valid)
        kinds = np.flatnonzero(np.bincount(kind)).tolist()
        if kinds == [NAME]:
            return strings.encode()
        if len(kinds) == 1:
            return _numbers(strings, kinds[0])
        texts = strings.array()
        for number in {INTEGER, DECIMAL}.intersection(kinds):
            rows = np.flatnonzero(kind == number)
            texts = pc.replace_with_mask(
                texts, pa.array(kind == number), number_text(_numbers(strings.take(rows), number))
            )
        return texts.dictionary_encode()


def open_rule_facts(source: Source) -> RuleFacts | None:
    """Return a reader of the facts in rules; None: the text cannot be read in this way."""
    try:
        data = source.text.encode()
    except UnicodeEncodeError:  # half a character
        return None
    return RuleFacts(source.text, data) if len(data) <= _LARGEST else None


def _numbers(strings: Strings, kind: int) -> pa.Array:
    numbers = strings.numbers()
    if numbers is not None:
        return numbers
    return strings.array().cast(pa.int64() if kind == INTEGER else pa.float64())  # floats of many digits


def _places(size: int) -> Places:
    return np.empty(size, np.int32)


def _kinds(size: int) -> npt.NDArray[np.uint8]:
    return np.empty(size, np.uint8)
