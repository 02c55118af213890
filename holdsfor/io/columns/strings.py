"""Strings somewhere in bytes: looked at where they are, and copied only when they are wanted as an array."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from holdsfor.io.columns.taking import coded
from holdsfor.io.events import Ints
from holdsfor.kernels.text.lines import copy_strings
from holdsfor.kernels.text.numerals import DECIMAL, INTEGER, TEXT, mark_numbers, parse_decimals, parse_integers
from holdsfor.kernels.text.strings import are_words, encode_strings

Mask = npt.NDArray[np.bool_]
Places = npt.NDArray[np.int32]
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Strings:
    """String i is `data[begin[i]:end[i]]`; one that is not valid is null. whole: the array that has just these."""

    data: npt.NDArray[np.uint8]
    begin: Places
    end: Places
    valid: Mask
    has_nulls: bool = False
    whole: pa.Array | None = None

    def __len__(self) -> int:
        return len(self.begin)

    def take(self, rows: Ints) -> Strings:
        return Strings(self.data, self.begin[rows], self.end[rows], self.valid[rows], self.has_nulls)

    def slice(self, low: int, high: int) -> Strings:
        return Strings(self.data, self.begin[low:high], self.end[low:high], self.valid[low:high], self.has_nulls)

    def array(self) -> pa.Array:
        if self.whole is not None:
            return self.whole
        offsets, text = copy_strings(self.data, self.begin, self.end, self.valid)
        missing = pa.array(self.valid).buffers()[1] if self.has_nulls else None
        return pa.Array.from_buffers(pa.string(), len(self), [missing, pa.py_buffer(offsets), pa.py_buffer(text)])

    def integers(self) -> tuple[Ints, Mask]:
        """Return integers of up to 18 digits, and a mask of the strings that are such."""
        numbers, good = np.empty(len(self), np.int64), np.empty(len(self), np.bool_)
        parse_integers(self.data, self.begin, self.end, self.valid, numbers, good)
        return numbers, good

    def numbers(self) -> pa.Array | None:
        """Return the strings as numbers if all are short integers, or all floats of few digits, and there is one."""
        if not self._begin_with_number():
            return None
        missing = ~self.valid if self.has_nulls else None
        floats = np.empty(len(self), np.float64)
        if parse_decimals(self.data, self.begin, self.end, self.valid, floats):
            return pa.array(floats, mask=missing)
        integers, good = self.integers()
        return pa.array(integers, mask=missing) if (good == self.valid).all() else None

    def _begin_with_number(self) -> bool:
        """Return whether the first string may be a number: most columns that are no numbers show it there."""
        first = int(self.valid.argmax()) if len(self) else 0
        return bool(self.valid[first : first + 1].any() and self.end[first] > self.begin[first]) and (
            self.data[self.begin[first]] in b"-0123456789"
        )

    def are_words(self) -> bool:
        """Return whether all are the atoms that most texts are, and none is null."""
        return not self.has_nulls and bool(are_words(self.data, self.begin, self.end))

    def mark_integers(self) -> Mask | None:
        """Mark integers, if all strings are numbers as Python writes them, of few digits; else return None."""
        is_integer = np.empty(len(self), np.bool_)
        are_numbers = not self.has_nulls and mark_numbers(self.data, self.begin, self.end, is_integer)
        return is_integer if are_numbers else None

    def encode(self) -> pa.DictionaryArray:
        """Encode the texts, each once in a dictionary, in the order of first occurrence."""
        codes, firsts = encode_strings(self.data, self.begin, self.end, self.valid)
        indices = pa.array(codes, mask=~self.valid) if self.has_nulls else pa.array(codes)
        texts = self if len(firsts) == len(self) else self.take(firsts)
        return coded(indices, texts.array())


class TextList:
    """The different texts of columns, and what has been made of them: once for all columns that have this list."""

    def __init__(self, strings: Strings) -> None:
        self._strings = strings
        self._array: pa.Array | None = None
        self._made: dict[Hashable, Any] = {}

    def __len__(self) -> int:
        return len(self._strings)

    def array(self) -> pa.Array:
        if self._array is None:
            self._array = self._strings.array()
        return self._array

    def make(self, work: Callable[[pa.Array], Made]) -> Made:
        """Call a function with the texts, once for all columns."""
        if work not in self._made:
            self._made[work] = work(self.array())
        return cast(Made, self._made[work])


@dataclass(frozen=True, slots=True)
class TextColumn:
    """Strings that have been read already, if they are all alike (`kind`); what else is asked is asked of the strings.

    values: integers, or the bits of floats, or numbers of texts, which have 32 bits.
    """

    kind: int
    values: Ints | Places
    valid: Mask | None  # None: all are
    texts: TextList  # the different ones, if kind is TEXT; there may be others
    strings: Callable[[], Strings]

    def __len__(self) -> int:
        return len(self.values)

    @property
    def missing(self) -> Mask | None:
        """Mark the strings that are null; None: none of them."""
        return None if self.valid is None else ~self.valid

    def take(self, rows: Ints) -> Strings:
        return self.strings().take(rows)

    def array(self) -> pa.Array:
        if self.kind == TEXT:
            return self.texts.array().take(pa.array(self.values, mask=self.missing))
        return self.strings().array()

    def integers(self) -> tuple[Ints, Mask]:
        if self.kind == INTEGER:
            values = self.values.astype(np.int64, copy=False)
            return values, np.ones(len(self), np.bool_) if self.valid is None else self.valid
        return self.strings().integers()

    def numbers(self) -> pa.Array | None:
        if self.kind in (INTEGER, DECIMAL):
            values = self.values if self.kind == INTEGER else self.values.view(np.float64)
            return pa.array(values, mask=self.missing)
        return None  # UNREAD: those after the first are not as it is

    def encode(self) -> pa.DictionaryArray:
        return coded(self.codes(), self.texts.array()) if self.kind == TEXT else self.strings().encode()

    def codes(self) -> pa.Array:
        """Return the number of each text in the list, if kind is TEXT."""
        return pa.array(self.values, mask=self.missing)


def strings_of(array: pa.Array) -> Strings:
    """Return the strings of an Arrow array, where they are."""
    if not len(array):
        none = np.empty(0, np.int32)
        return Strings(_read_only(b""), none, none, np.empty(0, np.bool_))
    _, offsets, data = array.buffers()
    places = np.frombuffer(offsets, np.int32)[array.offset :][: len(array) + 1]
    has_nulls = array.null_count > 0
    valid = array.is_valid().to_numpy(zero_copy_only=False).copy() if has_nulls else np.ones(len(array), np.bool_)
    return Strings(_read_only(data or b""), places[:-1].copy(), places[1:].copy(), valid, has_nulls, array)


def _read_only(data: pa.Buffer | bytes) -> npt.NDArray[np.uint8]:
    """View bytes as a read-only array: kernels are compiled once more for what may be written."""
    array = np.frombuffer(data, np.uint8)
    array.flags.writeable = False
    return array
