"""Terms as text: what kind of term it is, which number, its arguments, and its place in the standard order.

Those that come in great numbers stay in Arrow, and are looked up by kernels, not as Python objects.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.io.columns.strings import strings_of
from holdsfor.io.columns.text import mask
from holdsfor.kernels.text.strings import KnownStrings, find_strings, index_strings

_MARKS = re.compile(r"'(?:[^'\\]|\\.)*'|[()\[\],]", re.DOTALL)  # what stands in quotes is no mark
_NAME = re.compile(r"('(?:[^'\\]|\\.)*'|[^'(\[]+)\(", re.DOTALL)  # of a term with arguments
_WHOLE = re.compile(r"-?[0-9]+\Z")
SHORT = 18  # integers with so many characters have at most 64 bits
FEW = 32  # terms for which columns do not pay
MOST_DIGITS = 4000  # a longer number is as good as infinite


def split_term(text: str) -> tuple[str, list[str]] | None:
    """The name of a term with arguments, as text, and these: `f(g(a,b),'x,y')` -> "f", ["g(a,b)", "'x,y'"]."""
    name = _NAME.match(text) if text.endswith(")") else None
    return None if name is None else (name[1], _arguments(text, name.end()))


def _arguments(text: str, begin: int) -> list[str]:
    arguments, depth = [], 0
    for mark in _MARKS.finditer(text, begin, len(text) - 1):
        if mark[0] in "([":
            depth += 1
        elif mark[0] in ")]":
            depth -= 1
        elif mark[0] == "," and not depth:
            arguments.append(text[begin : mark.start()])
            begin = mark.end()
    return [*arguments, text[begin:-1]]


def joined_text(name: str, arguments: Sequence[pa.Array]) -> pa.Array:
    """Terms with that name and these arguments, row by row; null where one of them is."""
    inside = pc.binary_join_element_wise(*arguments, ",")
    return pc.binary_join_element_wise(f"{name}(", inside, ")", "")


def is_whole(text: str) -> bool:
    return _WHOLE.match(text) is not None


def near_number(text: str) -> float:
    if text[0] in "-.0123456789":
        try:
            return float(text)
        except ValueError:
            return np.nan
    return float(text) if text in ("inf", "nan") else np.nan


def short_integer(text: str) -> int | None:
    """An integer of up to 64 bits."""
    number = int(text) if len(text) <= MOST_DIGITS else 1 << 64
    return number if -(1 << 63) <= number < 1 << 63 else None


@dataclass(frozen=True, slots=True)
class NumberColumns:
    """The numbers that terms are. near: NaN for a term that is none; whole: integers; fits: those of up to 64 bits."""

    near: npt.NDArray[np.float64]
    integers: npt.NDArray[np.int64]
    whole: npt.NDArray[np.bool_]
    fits: npt.NDArray[np.bool_]


def no_numbers(size: int) -> NumberColumns:
    """Return the columns for so many terms that are no numbers."""
    no = np.zeros(size, np.bool_)
    return NumberColumns(np.full(size, np.nan), np.zeros(size, np.int64), no, no)


def number_columns(texts: Sequence[str]) -> NumberColumns:
    """The numbers that texts are. Most are short integers or names, for which columns are enough."""
    return _number_each(texts) if len(texts) <= FEW else number_array(pa.array(texts, pa.string()))


def number_array(texts: pa.Array) -> NumberColumns:
    near, integers = np.full(len(texts), np.nan), np.zeros(len(texts), np.int64)
    whole, fits = np.zeros(len(texts), np.bool_), np.zeros(len(texts), np.bool_)
    likely = np.flatnonzero(_begins_like_a_number(texts))
    array = texts.take(pa.array(likely))
    whole[likely] = mask(pc.match_substring_regex(array, r"^-?[0-9]+$"))
    short = whole[likely] & mask(pc.less_equal(pc.utf8_length(array), SHORT))
    fits[likely] = short
    integers[likely[short]] = array.filter(pa.array(short)).cast(pa.int64()).to_numpy()
    near[fits] = integers[fits]
    others = likely[~short].tolist()
    for place, text in zip(others, array.filter(pa.array(~short)).to_pylist(), strict=True):
        near[place] = near_number(text)
        integer = short_integer(text) if whole[place] else None
        if integer is not None:
            fits[place], integers[place] = True, integer
    return NumberColumns(near, integers, whole, fits)


def _begins_like_a_number(texts: pa.Array) -> npt.NDArray[np.bool_]:
    """By the first byte, so that names in great numbers cost little; `inf` and `nan` are numbers, too."""
    if not len(texts):
        return np.zeros(0, np.bool_)
    _, offsets, data = texts.buffers()
    begins = np.frombuffer(offsets, np.int32)[texts.offset :][: len(texts) + 1]
    bytes_ = np.append(np.frombuffer(data or b"", np.uint8), np.uint8(0))
    firsts = np.zeros(256, np.bool_)
    firsts[list(b"-.0123456789in")] = True
    likely: npt.NDArray[np.bool_] = firsts[bytes_[begins[:-1]]] & (begins[1:] > begins[:-1])
    words = np.flatnonzero(np.isin(bytes_[begins[:-1]], list(b"in")) & likely)
    if len(words):
        likely[words] = mask(pc.is_in(texts.take(pa.array(words)), pa.array(["inf", "nan"])))
    return likely


def _number_each(texts: Sequence[str]) -> NumberColumns:
    """Read terms as numbers one after the other."""
    integers = [short_integer(text) if is_whole(text) else None for text in texts]
    return NumberColumns(
        np.array([near_number(text) for text in texts], np.float64),
        np.array([integer or 0 for integer in integers], np.int64),
        np.array([is_whole(text) for text in texts], np.bool_),
        np.array([integer is not None for integer in integers], np.bool_),
    )


def exact_number(text: str) -> int | float | None:
    if is_whole(text) and len(text) <= MOST_DIGITS:
        return int(text)
    number = near_number(text)
    return None if np.isnan(number) else number


def standard_order(text: str) -> tuple[Any, ...]:
    number = exact_number(text)
    if number is not None:
        return (0, number, "" if "." in text else "int", text)  # a float comes before the equal integer
    split = split_term(text)
    if split is not None:
        name, parts = split
        return (2, len(parts), _unquoted(name), tuple(map(standard_order, parts)))
    return (1, _unquoted(text), text)


def _unquoted(name: str) -> str:
    return name[1:-1] if name.startswith("'") else name


Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ManyTerms:
    """Terms with codes one after the other, from `first` on; each is there once."""

    first: int
    terms: pa.Array
    known: KnownStrings

    @property
    def end(self) -> int:
        """The code after the last."""
        return self.first + len(self.terms)

    def find(self, texts: pa.Array) -> Ints:
        """The codes of texts, -1 for those that are not in it."""
        if texts.equals(self.terms):
            return np.arange(self.first, self.end)
        strings = strings_of(texts)
        numbers = find_strings(strings.data, strings.begin, strings.end, self.known)
        return np.where(numbers < 0, -1, numbers + self.first)


def index_terms(first: int, terms: pa.Array) -> ManyTerms | None:
    """Index terms for look-ups by text; None if some of them are equal."""
    strings = strings_of(terms)
    slots, hashes, are_distinct = index_strings(strings.data, strings.begin, strings.end)
    if not are_distinct:
        return None
    return ManyTerms(first, terms, KnownStrings(strings.data, strings.begin, strings.end, slots, hashes))
