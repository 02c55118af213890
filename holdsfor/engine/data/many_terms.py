"""Terms that have come in great numbers: they stay in Arrow, and are looked up by kernels, not as Python objects."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from holdsfor.io.columns.strings import strings_of
from holdsfor.kernels.text.strings import KnownStrings, find_strings, index_strings

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
