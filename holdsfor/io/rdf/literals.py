"""Nodes of triples as terms: names of resources in their one form, literals as numbers and text.

Whole numbers are integers, other numbers floats, dates and time stamps seconds from 1970, booleans true and false; all
else, and what is not written as its type asks, is text. A text's language is apart.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.io.columns.names import shorten
from holdsfor.io.columns.strings import Strings, strings_of
from holdsfor.io.columns.text import Mask, atom_text, mask, number_text
from holdsfor.io.events import Ints
from holdsfor.io.rdf.reading import Codes
from holdsfor.io.readers.times import times
from holdsfor.language.reading.prefixes import BUILT_IN, Leads

_INTEGERS = (
    "integer int long short byte nonNegativeInteger positiveInteger nonPositiveInteger negativeInteger "
    "unsignedLong unsignedInt unsignedShort unsignedByte"
)
_SHORT_INTEGER = r"^[+-]?[0-9]{1,18}$"
_FLOAT = r"^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$"
_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}"
#: A backslash that stands for itself is hidden while the others are read.
_HIDDEN = "\ue000"
_ESCAPES = (("\\\\", _HIDDEN), ("\\n", "\n"), ("\\r", "\r"), ("\\t", "\t"), ('\\"', '"'), (_HIDDEN, "\\"))
_TEXT, _INTEGER, _FLOATING = 0, 1, 2
#: Which texts are numbers, and those.
Read = tuple[Mask, pa.Array]


def term_column(resources: pa.Array, codes: Codes, leads: Leads) -> pa.Array:
    """Return an argument column of nodes, by their numbers."""
    used, place = _used(resources, codes)
    return _NodeReader(resources.take(pa.array(used)), leads).column(place)


def language_column(resources: pa.Array, codes: Codes) -> tuple[Mask, pa.Array]:
    """Mark the texts that have a language, and return the languages of these as an argument column."""
    used, place = _used(resources, codes)
    matches = pc.extract_regex(resources.take(pa.array(used)), r'"@(?P<language>[A-Za-z0-9-]+)$')
    languages = pc.struct_field(matches, 0).take(pa.array(place))
    return mask(languages.is_valid()), atom_text(languages.drop_null()).dictionary_encode()


def _used(resources: pa.Array, codes: Codes) -> tuple[Ints, Codes]:
    """Return the numbers that are used, and for each code its place among them."""
    used = np.flatnonzero(np.bincount(codes, minlength=len(resources)))
    place = np.empty(len(resources), np.int32)
    place[used] = np.arange(len(used), dtype=np.int32)
    return used, place[codes]


class _NodeReader:
    """Nodes as terms, kind by kind."""

    def __init__(self, resources: pa.Array, leads: Leads) -> None:
        self._leads = leads
        self._kinds = np.zeros(len(resources), np.int8)
        self._integers = np.zeros(len(resources), np.int64)
        self._floats = np.zeros(len(resources), np.float64)
        self._texts = pa.array(np.full(len(resources), ""), pa.string())
        strings = strings_of(resources)
        if not len(resources):
            return
        first, last = strings.data[strings.begin], strings.data[strings.end - 1]
        is_literal = first == ord('"')
        are_plain, are_typed = is_literal & (last == ord('"')), is_literal & (last == ord(">"))
        self._put(first == ord("<"), strings, self._names)
        self._put(first == ord("_"), strings, lambda labels: atom_text(labels.array()))
        self._put(are_plain, strings, lambda texts: _text(_inside(texts)))
        self._put(is_literal & ~are_plain & ~are_typed, strings, lambda texts: _text(_cut(texts, '"@')[0]))
        self._put_typed(are_typed, strings)

    def column(self, codes: Codes) -> pa.Array:
        """Return an argument column: numbers if all are of one kind, else terms, each once."""
        kinds = np.unique(self._kinds).tolist()
        if kinds == [_INTEGER]:
            return pa.array(self._integers[codes])
        if kinds == [_FLOATING]:
            return pa.array(self._floats[codes])
        texts = self._texts
        for kind, numbers in ((_INTEGER, self._integers), (_FLOATING, self._floats)):
            if kind in kinds:
                are = self._kinds == kind
                texts = pc.replace_with_mask(texts, pa.array(are), number_text(pa.array(numbers[are])))
        encoded = texts.dictionary_encode()
        return pa.DictionaryArray.from_arrays(encoded.indices.take(pa.array(codes)), encoded.dictionary)

    def _put(self, are: Mask, strings: Strings, make: Callable[[Strings], pa.Array]) -> None:
        if are.any():
            made = make(strings.take(np.flatnonzero(are)))
            self._texts = pc.replace_with_mask(self._texts, pa.array(are), made)

    def _names(self, strings: Strings) -> pa.Array:
        return atom_text(shorten(_inside(strings), self._leads))

    def _put_typed(self, are: Mask, strings: Strings) -> None:
        rows = np.flatnonzero(are)
        if not len(rows):
            return
        texts, types = _cut(strings.take(rows), '"^^<')
        encoded = types.dictionary_encode()
        number = encoded.indices.to_numpy()
        for each, name in enumerate(encoded.dictionary.to_pylist()):
            mine = np.flatnonzero(number == each)
            self._put_type(name.removesuffix(">"), rows[mine], texts.take(pa.array(mine)))

    def _put_type(self, datatype: str, rows: Ints, texts: pa.Array) -> None:
        name = datatype.removeprefix(BUILT_IN["xsd"]) if datatype.startswith(BUILT_IN["xsd"]) else ""
        good = np.zeros(len(rows), np.bool_)
        if name in _READERS:
            kind, read = _READERS[name]
            good, numbers = read(texts)
            (self._integers if kind == _INTEGER else self._floats)[rows[good]] = numbers
            self._kinds[rows[good]] = kind
        elif name == "boolean":
            texts = pc.if_else(pc.equal(texts, "1"), "true", pc.if_else(pc.equal(texts, "0"), "false", texts))
        if not good.all():
            are = np.zeros(len(self._kinds), np.bool_)
            are[rows[~good]] = True
            self._texts = pc.replace_with_mask(self._texts, pa.array(are), _text(texts.filter(pa.array(~good))))


def _inside(strings: Strings) -> pa.Array:
    """Return strings without their first and last byte."""
    return Strings(strings.data, strings.begin + 1, strings.end - 1, strings.valid).array()


def _cut(strings: Strings, separator: str) -> tuple[pa.Array, pa.Array]:
    """Cut literals at the last separator, without their first quote."""
    rest = Strings(strings.data, strings.begin + 1, strings.end, strings.valid).array()
    parts = pc.split_pattern(rest, separator, max_splits=1, reverse=True).flatten()
    places = np.arange(0, len(parts), 2)
    return parts.take(pa.array(places)), parts.take(pa.array(places + 1))


def _text(texts: pa.Array) -> pa.Array:
    """Write literals as Prolog text."""
    if pc.any(pc.match_substring(texts, "\\"), min_count=0).as_py():
        for written, meant in _ESCAPES:
            texts = pc.replace_substring(texts, written, meant)
    return atom_text(texts)


def _integers(texts: pa.Array) -> Read:
    good = mask(pc.match_substring_regex(texts, _SHORT_INTEGER))
    return good, pc.ascii_ltrim(texts.filter(pa.array(good)), "+").cast(pa.int64()).to_numpy()


def _floats(texts: pa.Array) -> Read:
    good = mask(pc.match_substring_regex(texts, _FLOAT))
    numbers = pc.ascii_ltrim(texts.filter(pa.array(good)), "+").cast(pa.float64()).to_numpy()
    good[good] = np.isfinite(numbers)
    return good, numbers[np.isfinite(numbers)] + 0.0


def _seconds(texts: pa.Array) -> Read:
    read = times(texts, "s", "")
    good = read.good & mask(pc.match_substring_regex(texts, _DATE))
    return good, read.ticks[good]


_READERS: dict[str, tuple[int, Callable[[pa.Array], Read]]] = {
    **dict.fromkeys(_INTEGERS.split(), (_INTEGER, _integers)),
    **dict.fromkeys(("decimal", "double", "float"), (_FLOATING, _floats)),
    **dict.fromkeys(("dateTime", "dateTimeStamp", "date"), (_INTEGER, _seconds)),
}
