"""Numbers for values, in the order in which they first come: a hash table that is kept and grows."""

from __future__ import annotations

import numpy as np

from holdsfor.kernels.kernel import Ints, kernel

SMALLEST = 64
#: Multiplies a value, so that its high bits depend on all of it: they choose a slot.
SPREAD = np.uint64(0x9E3779B97F4A7C15)
HALF = np.uint64(32)


class Numbering:
    """values: those that have a number, in the order of their numbers. At most half of the slots are taken."""

    __slots__ = ("_count", "_slots", "_values")

    def __init__(self) -> None:
        self._slots = np.zeros(SMALLEST, np.int64)  # a number + 1; 0: free
        self._values = np.empty(SMALLEST // 2, np.int64)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def copy(self) -> Numbering:
        other = Numbering()
        other._slots, other._values, other._count = self._slots.copy(), self._values.copy(), self._count
        return other

    def number(self, values: Ints) -> tuple[Ints, Ints]:
        """The number of each value, and the rows in which those that are new come first, in the order of numbers."""
        numbers, fresh = np.empty(values.size, np.int64), [np.empty(0, np.int64)]
        row = 0
        while row < values.size:
            first = np.empty(len(self._values) - self._count, np.int64)
            before = self._count
            row, self._count = _number(values, row, self._slots, self._values, before, numbers, first)
            fresh.append(first[: self._count - before])
            if row < values.size:
                self._grow()
        return numbers, np.concatenate(fresh)

    def _grow(self) -> None:
        self._values = np.concatenate([self._values, np.empty(3 * len(self._values), np.int64)])
        self._slots = np.zeros(4 * len(self._slots), np.int64)
        _place(self._values[: self._count], self._slots)


@kernel
def _number(
    values: Ints, row: int, slots: Ints, known: Ints, count: int, numbers: Ints, first: Ints
) -> tuple[int, int]:
    """Goes on until a new value finds no room; gives the row where that is, and how many values are known."""
    last, begin = np.uint64(slots.size - 1), count
    while row < values.size:
        value = values[row]
        slot = ((np.uint64(value) * SPREAD) >> HALF) & last
        while slots[slot] and known[slots[slot] - 1] != value:
            slot = (slot + np.uint64(1)) & last
        if slots[slot] == 0:
            if count == known.size:
                break
            known[count], first[count - begin] = value, row
            count += 1
            slots[slot] = count
        numbers[row] = slots[slot] - 1
        row += 1
    return row, count


@kernel
def _place(known: Ints, slots: Ints) -> None:
    last = np.uint64(slots.size - 1)
    for n in range(known.size):
        slot = ((np.uint64(known[n]) * SPREAD) >> HALF) & last
        while slots[slot]:
            slot = (slot + np.uint64(1)) & last
        slots[slot] = n + 1
