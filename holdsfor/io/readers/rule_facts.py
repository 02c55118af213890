"""Facts that a rule file has by the ten thousand, as columns: no fact of them is a Python object."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.io.columns.strings import Places, Strings
from holdsfor.io.columns.text import number_text
from holdsfor.io.facts import FactColumns, once
from holdsfor.kernels.text.plain_facts import DECIMAL, INTEGER, NAME, FactPlaces, read_plain_facts
from holdsfor.language.description import Signature
from holdsfor.language.diagnostics import Source
from holdsfor.language.terms import Place

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
