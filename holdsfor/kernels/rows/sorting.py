"""Rows in the order of a packed column, and the distinct among rows of many columns.

Sorting is most of the time of a sequence, so the cheapest way that the rows allow is taken: none if they are sorted, a
merge if they are two sorted lists one after the other, counting by key if they are in order of time, one radix pass
over the bits in which the values differ where these are few (the codes of an argument seldom use all the bits that they
have), one sort of values that carry their row number in their low bits, of all their bits or of those that differ; and
several radix passes where value and row number need more than 63 bits together.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from holdsfor.kernels.kernel import Ints, kernel

#: Bits that a radix pass sorts by at most: the places of its 2,048 groups stay in the fastest cache.
DIGIT = 11
#: One pass over so few rows is faster than NumPy's sort of values with row numbers (27,804 rows: 223 against 278
#: microseconds, 440 with a second pass); of more rows the places that a pass writes to are not in the cache.
FEW_ROWS = 1 << 17
#: So few rows are sorted before the passes are found.
VERY_FEW_ROWS = 2048
#: Counting by key pays while the places of the keys stay in the cache, or are fewer than the rows.
CACHED_KEYS = 1 << 14
INFINITE = (1 << 63) - 1
#: Multiplies a hash after each column, then mixes the high bits into the low ones that choose a slot.
SPREAD = np.uint64(0x9E3779B97F4A7C15)
HALF = np.uint64(32)
LOW = np.uint64(0xFFFFFFFF)

Pass = tuple[int, int, int, int]  # the lowest bit and the number of bits of two pieces; the second may have none


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
    falls, fall, ascends, low, high, varying = _examine(values, bits)
    if not falls:
        return values, None
    if falls == 1:
        return _merge_halves(values, fall)
    in_time = in_time or ascends
    least, greatest = int(low) >> bits, int(high) >> bits
    if in_time and greatest - least < max(CACHED_KEYS, rows):
        result, order = np.empty(rows, np.int64), np.empty(rows, np.int64)
        _count_keys(values, bits, least, greatest - least + 1, result, order)
        return result, order
    index = rows.bit_length()
    if rows <= VERY_FEW_ROWS and (int(high) - int(low)).bit_length() + index <= 63:
        return _sort_with_places(values, int(low), index)
    passes = _find_passes(int(varying) >> bits << bits if in_time else int(varying))
    if len(passes) > 1 or rows > FEW_ROWS:
        if (int(high) - int(low)).bit_length() + index <= 63:
            return _sort_with_places(values, int(low), index)
        if sum(width + more for _, width, _, more in passes) + index <= 63:
            packed = _gather_bits(values, np.array(passes, np.int64), index)
            packed.sort()
            return _take_in_order(values, packed, index)
    return _radix(values, np.array(passes, np.int64))


def sort_parts(values: Ints, ends: Ints) -> tuple[Ints, Ints]:
    """Parts that lie one after the other, each sorted by itself, with the places of its rows, from its beginning on.

    ends: where the parts end. No value is negative. For many parts of few rows, which one sort does for all of them.
    """
    index = int(values.size).bit_length()
    low, high = _find_span(values)
    shift = index + (int(high) - int(low)).bit_length()
    if shift + int(ends.size).bit_length() <= 63:
        packed = _add_parts(values, ends, low, shift, index)
        packed.sort()
        return _take_parts(values, packed, ends, index)
    parts = [sort_packed(part, 0) for part in np.split(values, ends[:-1])]
    return np.concatenate([part for part, _ in parts]), np.concatenate([order for _, order in parts])


@kernel
def _find_span(values: Ints) -> tuple[int, int]:
    low, high = INFINITE, 0
    for i in range(values.size):
        low, high = min(low, values[i]), max(high, values[i])
    return low, high


@kernel
def _add_parts(values: Ints, ends: Ints, low: int, shift: int, index: int) -> Ints:
    """The part of each value in front of it, its place behind it."""
    result = np.empty(values.size, np.int64)
    i = 0
    for part in range(ends.size):
        while i < ends[part]:
            result[i] = (part << shift) | (values[i] - low << index) | i
            i += 1
    return result


@kernel
def _take_parts(values: Ints, packed: Ints, ends: Ints, index: int) -> tuple[Ints, Ints]:
    """packed: with places in the low bits."""
    result, order = np.empty(values.size, np.int64), np.empty(values.size, np.int64)
    mask = (np.int64(1) << index) - 1
    i = 0
    for part in range(ends.size):
        begin = i
        while i < ends[part]:
            place = packed[i] & mask
            result[i], order[i] = values[place], place - begin
            i += 1
    return result, order


def _sort_with_places(values: Ints, low: int, index: int) -> tuple[Ints, Ints]:
    """By one sort of values that carry their place in their low bits, of which there are `index`."""
    packed = _add_places(values, low, index)
    packed.sort()
    return _take_in_order(values, packed, index)


@kernel
def _add_places(values: Ints, low: int, index: int) -> Ints:
    result = np.empty(values.size, np.int64)
    for i in range(values.size):
        result[i] = (values[i] - low << index) | i
    return result


@kernel
def _examine(values: Ints, bits: int) -> tuple[int, int, bool, int, int, int]:
    """How often a value is less than the one before, and where last; whether times never are; the least and the
    greatest value, and the bits that differ."""
    mask = (np.int64(1) << bits) - 1
    falls, fall, ascends = 0, 0, True
    low, high, varying = INFINITE, 0, 0
    for i in range(values.size):
        low, high = min(low, values[i]), max(high, values[i])
        varying |= values[i] ^ values[0]
    for i in range(1, values.size):
        falls += values[i - 1] > values[i]
        ascends &= values[i - 1] & mask <= values[i] & mask
    if falls == 1:
        for i in range(1, values.size):
            fall = i if values[i - 1] > values[i] else fall
    return falls, fall, ascends, low, high, varying


@kernel
def _merge_halves(values: Ints, begin: int) -> tuple[Ints, Ints]:
    """Two sorted lists, of which the second begins there."""
    rows = values.size
    result, order = np.empty(rows, np.int64), np.empty(rows, np.int64)
    i, j = 0, begin
    for k in range(rows):
        first = j == rows or (i < begin and values[i] <= values[j])
        place = i if first else j
        result[k], order[k] = values[place], place
        i += first
        j += not first
    return result, order


def _find_passes(varying: int) -> list[Pass]:
    """The bits that each pass sorts by, the lowest first, so that all bits that differ are in one of them.

    All passes have about as many bits; what lies apart may be in one pass, in two pieces.
    """
    total = varying.bit_count()
    size = -(-total // max(-(-total // DIGIT), 1))
    passes: list[Pass] = []
    while varying:
        first, width, varying = _cut_piece(varying, size)
        second, more, varying = _cut_piece(varying, size - width)
        passes.append((first, width, second, more))
    return passes


def _cut_piece(varying: int, most: int) -> tuple[int, int, int]:
    """The lowest bits, up to so many: from where on and how many they are; and the bits that are left."""
    if not varying or not most:
        return 0, 0, varying
    shift = (varying & -varying).bit_length() - 1
    width = (varying >> shift & ((1 << most) - 1)).bit_length()
    return shift, width, varying >> (shift + width) << (shift + width)


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
def _gather_bits(values: Ints, passes: NDArray[np.int64], index: int) -> Ints:
    """The bits that the passes sort by, in their order, and below them the row number."""
    result = np.arange(values.size)
    place = index
    for p in range(passes.shape[0]):
        for piece in range(0, 4, 2):
            shift, mask = passes[p, piece], (np.int64(1) << passes[p, piece + 1]) - 1
            for i in range(values.size):
                result[i] |= ((values[i] >> shift) & mask) << place
            place += passes[p, piece + 1]
    return result


@kernel
def _take_in_order(values: Ints, packed: Ints, index: int) -> tuple[Ints, Ints]:
    """packed: with the row number in its low bits."""
    result, order = np.empty(values.size, np.int64), np.empty(values.size, np.int64)
    mask = (np.int64(1) << index) - 1
    for i in range(values.size):
        order[i] = packed[i] & mask
        result[i] = values[order[i]]
    return result, order


@kernel
def _radix(values: Ints, passes: NDArray[np.int64]) -> tuple[Ints, Ints]:
    """Stable passes, the lowest bits first."""
    rows = values.size
    source, order = values.copy(), np.arange(rows)
    target, next_order = np.empty(rows, np.int64), np.empty(rows, np.int64)
    for p in range(passes.shape[0]):
        first, width, second, more = passes[p]
        low, high = (1 << width) - 1, ((1 << more) - 1) << width
        second = max(second - width, 0)  # its bits come to stand above those of the first piece
        place = np.zeros((1 << (width + more)) + 1, np.int64)
        for i in range(rows):
            place[((source[i] >> first) & low | (source[i] >> second) & high) + 1] += 1
        for d in range(place.size - 1):
            place[d + 1] += place[d]
        for i in range(rows):
            d = (source[i] >> first) & low | (source[i] >> second) & high
            target[place[d]], next_order[place[d]] = source[i], order[i]
            place[d] += 1
        source, target = target, source
        order, next_order = next_order, order
    return source, order


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
