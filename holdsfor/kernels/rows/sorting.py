"""Rows in the order of a packed column, and the distinct among rows of many columns.

Sorting is most of the time of a sequence, so a cheap way is taken where the rows allow it: none if they are sorted,
counting by key if they are in order of time, and else one sort of values that carry their row number in their low bits.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from holdsfor.kernels.kernel import Ints, kernel

#: Counting by key pays while the places of the keys stay in the cache, or are fewer than the rows.
CACHED_KEYS = 1 << 14
INFINITE = (1 << 63) - 1
#: Multiplies a hash after each column, then mixes the high bits into the low ones that choose a slot.
SPREAD = np.uint64(0x9E3779B97F4A7C15)
HALF = np.uint64(32)
LOW = np.uint64(0xFFFFFFFF)


def sort_packed(values: Ints, bits: int, in_time: bool = False) -> tuple[Ints, Ints]:
    """The values in order, and the stable order of their rows: sorted is values[order]. No value is negative.

    Times are the low `bits`; rows that come in order of time are found and sorted by key alone. in_time: the rows of
    each key are known to come in order of time.
    """
    result, order = sort_rows(values, bits, in_time)
    return result, np.arange(values.size) if order is None else order


def sort_rows(values: Ints, bits: int, in_time: bool = False) -> tuple[Ints, Ints | None]:
    """Sort rows as `sort_packed` does; no order where the rows are in order already."""
    rows = values.size
    falls, ascends, low, high = _examine(values, bits)
    if not falls:
        return values, None
    least, greatest = int(low) >> bits, int(high) >> bits
    if (in_time or ascends) and greatest - least < max(CACHED_KEYS, rows):
        result, order = np.empty(rows, np.int64), np.empty(rows, np.int64)
        _count_keys(values, bits, least, greatest - least + 1, result, order)
        return result, order
    index = rows.bit_length()
    if (int(high) - int(low)).bit_length() + index <= 63:
        packed = _add_places(values, int(low), index)
        packed.sort()
        return _take_in_order(values, packed, index)
    order = np.argsort(values)
    _order_equal(values, order)
    return values[order], order


@kernel
def _add_places(values: Ints, low: int, index: int) -> Ints:
    result = np.empty(values.size, np.int64)
    for i in range(values.size):
        result[i] = (values[i] - low << index) | i
    return result


@kernel
def _examine(values: Ints, bits: int) -> tuple[int, bool, int, int]:
    """How often a value is less than the one before; whether times never are; the least and the greatest value."""
    mask = (np.int64(1) << bits) - 1
    falls, ascends, low, high = 0, True, INFINITE, 0
    for i in range(values.size):
        low, high = min(low, values[i]), max(high, values[i])
    for i in range(1, values.size):
        falls += values[i - 1] > values[i]
        ascends &= values[i - 1] & mask <= values[i] & mask
    return falls, ascends, low, high


@kernel
def _order_equal(values: Ints, order: Ints) -> None:
    """Put rows with the same value in their order, in an order of all rows by value."""
    begin = 0
    for i in range(1, order.size + 1):
        if i == order.size or values[order[i]] != values[order[begin]]:
            order[begin:i].sort()
            begin = i


@kernel
def _count_keys(values: Ints, bits: int, least: int, keys: int, result: Ints, order: Ints) -> None:
    place = np.zeros(keys + 1, np.int64)
    for i in range(values.size):
        place[(values[i] >> bits) - least + 1] += 1
    for k in range(keys):
        place[k + 1] += place[k]
    for i in range(values.size):
        k = (values[i] >> bits) - least
        result[place[k]], order[place[k]] = values[i], i
        place[k] += 1


@kernel
def _take_in_order(values: Ints, packed: Ints, index: int) -> tuple[Ints, Ints]:
    """packed: with the row number in its low bits."""
    result, order = np.empty(values.size, np.int64), np.empty(values.size, np.int64)
    mask = (np.int64(1) << index) - 1
    for i in range(values.size):
        order[i] = packed[i] & mask
        result[i] = values[order[i]]
    return result, order


def distinct_rows(columns: tuple[Ints, ...]) -> Ints:
    """The row numbers, ascending, of the first occurrence of each distinct row; all columns have the same length."""
    rows = columns[0].size
    slots = 1 << max(2 * rows - 1, 1).bit_length()
    return _first_occurrences(np.stack(columns, axis=1), np.zeros(slots, np.uint64))


@kernel
def _first_occurrences(rows: NDArray[np.int64], slots: NDArray[np.uint64]) -> Ints:
    """A slot holds half of a row's hash, then the row number + 1: rows are compared only where half of a hash is."""
    last = np.uint64(slots.size - 1)
    result = np.empty(rows.shape[0], np.int64)
    kept = 0
    for i in range(rows.shape[0]):
        h = np.uint64(0)
        for c in range(rows.shape[1]):
            h = (h ^ np.uint64(rows[i, c])) * SPREAD
            h ^= h >> HALF
        h *= SPREAD
        slot, known = (h >> HALF) & last, False
        while slots[slot] and not known:
            if (slots[slot] ^ h) & LOW == np.uint64(0):
                other, known = np.int64(slots[slot] >> HALF) - 1, True
                for c in range(rows.shape[1]):
                    known &= rows[i, c] == rows[other, c]
            slot = (slot + np.uint64(not known)) & last
        if not known:
            slots[slot] = (np.uint64(i + 1) << HALF) | (h & LOW)
            result[kept] = i
            kept += 1
    return result[:kept].copy()
