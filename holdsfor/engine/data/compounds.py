"""Terms with one name and number of arguments, known by their parts: put together and taken apart by columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from holdsfor.engine.data.axis import Ints, KeyTable

CODE_BITS = 31  # of a code, or of a number for several: two of them are one integer


class Compounds:
    """Each term has a number, in order of arrival. codes: of each number; place: by code the number, -1 for others."""

    __slots__ = ("_tables", "codes", "place")

    def __init__(self, arity: int) -> None:
        self._tables = [KeyTable(count) for count in range(1, arity + 1)]  # of the first so many arguments
        self.codes: Ints = np.empty(0, np.int64)
        self.place: Ints = np.empty(0, np.int64)

    def __len__(self) -> int:
        return len(self._tables[-1].columns[0])

    @property
    def columns(self) -> list[Ints]:
        """The arguments of each number."""
        return self._tables[-1].columns

    def copy(self) -> Compounds:
        other = Compounds(0)
        other._tables = [table.copy() for table in self._tables]
        other.codes, other.place = self.codes, self.place
        return other

    def number(self, columns: Sequence[Ints]) -> Ints:
        """The numbers of the terms with these arguments; those that are new get the next ones."""
        numbers = self._tables[0].encode(columns[0], columns[:1])
        for count, table in enumerate(self._tables[1:], 2):
            numbers = table.encode((numbers << CODE_BITS) | columns[count - 1], columns[:count])
        return numbers

    def add(self, columns: Sequence[Ints], codes: Ints) -> None:
        """Terms that have codes already, and are not among these yet."""
        numbers = self.number(columns)
        self.codes = np.concatenate([self.codes, np.empty(len(self) - len(self.codes), np.int64)])
        self.codes[numbers] = codes

    def spread(self, size: int) -> None:
        """Makes `place` have a row for each of so many codes."""
        if len(self.place) < size:
            self.place = np.full(size, -1, np.int64)
            self.place[self.codes] = np.arange(len(self.codes))
