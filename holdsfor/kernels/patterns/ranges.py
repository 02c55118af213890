"""Ranges of a sorted column, and what of a range lies below a bound: the two questions that joins of spans ask.

`lowest` is a pyramid over a column: of each group of 8 values the least, of each 8 of those the least, and so on. A
range is read by leaping over groups that hold nothing below the bound, so the time is that of what is reported.
"""

from __future__ import annotations

import numpy as np

from holdsfor.kernels.kernel import Ints, Pairs, kernel
from holdsfor.kernels.rows.joining import TooManyPairs

#: log2 of the values in a group of a pyramid.
GROUP = 3


def count_below(axis: Ints, points: Ints, after: int) -> Ints:
    """For each point p how many of the sorted axis are less than p + after; quick where points are nearly in order.

    Columns are made by NumPy, which asks for huge pages: new memory of Numba's costs more than what is done with it.
    """
    result = np.empty(points.size, np.int64)
    _count_below_each(axis, points, after, result)
    return result


@kernel
def _count_below_each(axis: Ints, points: Ints, after: int, result: Ints) -> None:
    at = 0
    for i in range(points.size):
        p, step = points[i] + after, 1
        if at < axis.size and axis[at] < p:
            low, high = at + 1, at + 1
            while high < axis.size and axis[high] < p:
                low, high, step = high + 1, high + step, step * 2
            high = min(high, axis.size)
        else:
            low, high = at - 1, at
            while low >= 0 and axis[low] >= p:
                low, high, step = low - step, low, step * 2
            low = max(low + 1, 0)
        while low < high:
            middle = (low + high) >> 1
            if axis[middle] < p:
                low = middle + 1
            else:
                high = middle
        result[i] = at = low


@kernel
def count_below_in(values: Ints, low: Ints, high: Ints, points: Ints) -> Ints:
    """For each point the first place in low..high, where the values are sorted, that is not less; high if none is."""
    result = np.empty(points.size, np.int64)
    for i in range(points.size):
        first, last = low[i], high[i]
        while first < last:
            middle = (first + last) >> 1
            if values[middle] < points[i]:
                first = middle + 1
            else:
                last = middle
        result[i] = first
    return result


def move_times(values: Ints, by: int, bits: int) -> Ints:
    """Packed points moved later, or earlier if `by` is negative, as far as the times of their key go."""
    result = np.empty(values.size, np.int64)
    _move_each(values, by, bits, result)
    return result


@kernel
def _move_each(values: Ints, by: int, bits: int, result: Ints) -> None:
    mask = (np.int64(1) << bits) - 1
    for i in range(values.size):
        time = values[i] & mask
        result[i] = values[i] - time + min(max(time + by, 0), mask - 1)


@kernel
def make_pyramid(values: Ints) -> tuple[Ints, Ints]:
    """The least of each group on each level, one level after the other, and where each level begins."""
    levels, width = 1, values.size
    begin = np.zeros(64, np.int64)
    while width > 1:
        width = (width + (1 << GROUP) - 1) >> GROUP
        begin[levels + 1] = begin[levels] + width
        levels += 1
    lowest = np.empty(begin[levels], np.int64)
    for level in range(1, levels):
        width = begin[level + 1] - begin[level]
        below = values if level == 1 else lowest[begin[level - 1] : begin[level]]
        for g in range(width):
            least = below[g << GROUP]
            for v in below[(g << GROUP) + 1 : (g + 1) << GROUP]:
                least = min(least, v)
            lowest[begin[level] + g] = least
    return lowest, begin[: levels + 1]


@kernel
def _leap(at: int, lowest: Ints, begin: Ints, bound: int) -> int:
    """The next place after `at`, where the value is above the bound, that may have one that is not."""
    level = 0
    while level + 2 < begin.size and at & ((1 << (GROUP * (level + 1))) - 1) == 0:
        if lowest[begin[level + 1] + (at >> (GROUP * (level + 1)))] <= bound:
            break
        level += 1
    return at + (1 << (GROUP * level))


@kernel
def _count(low: Ints, high: Ints) -> float:
    total = 0.0  # a product of large tables is beyond 64 bits
    for i in range(low.size):
        total += max(high[i] - low[i], 0)
    return total


@kernel
def _write(low: Ints, high: Ints, left: Ints, right: Ints) -> None:
    k = 0
    for i in range(low.size):
        for p in range(low[i], high[i]):
            left[k], right[k] = i, p
            k += 1


@kernel
def _count_followers(ends: Ints, starts: Ints, within: int, bits: int, most: int) -> int:
    mask, total, low, high = (np.int64(1) << bits) - 1, 0, 0, 0
    for i in range(ends.size):
        limit = ends[i] + min(within, mask - 1 - (ends[i] & mask))
        while low < starts.size and starts[low] <= ends[i]:
            low += 1
        while high < starts.size and starts[high] <= limit:
            high += 1
        total += max(high - low, 0)
        if total > most:
            break
    return total


@kernel
def _write_followers(ends: Ints, starts: Ints, within: int, bits: int, left: Ints, right: Ints) -> None:
    mask, low, k = (np.int64(1) << bits) - 1, 0, 0
    for i in range(ends.size):
        limit = ends[i] + min(within, mask - 1 - (ends[i] & mask))
        while low < starts.size and starts[low] <= ends[i]:
            low += 1
        p = low
        while p < starts.size and starts[p] <= limit:
            left[k], right[k] = i, p
            k, p = k + 1, p + 1


def pairs_of_points(ends: Ints, starts: Ints, within: int, bits: int, most: int) -> Pairs:
    """The places (i, p) of sorted points with starts[p] after ends[i], at most `within` later, of the same key.

    Two places that only move on find them: columns of bounds would take longer to make than all else.
    """
    total = _count_followers(ends, starts, within, bits, most)
    if total > most:
        raise TooManyPairs(total, most)
    left, right = np.empty(total, np.int64), np.empty(total, np.int64)
    _write_followers(ends, starts, within, bits, left, right)
    return left, right


def pairs_in(low: Ints, high: Ints, most: int) -> Pairs:
    """Each i with all places p in low[i]..high[i] (high not included)."""
    total = _count(low, high)
    if total > most:
        raise TooManyPairs(int(total), most)
    left, right = np.empty(int(total), np.int64), np.empty(int(total), np.int64)
    _write(low, high, left, right)
    return left, right


@kernel
def _count_below(low: Ints, high: Ints, values: Ints, bound: Ints, lowest: Ints, begin: Ints, most: int) -> int:
    total = 0
    for i in range(low.size):
        at = low[i]
        while at < high[i]:
            if values[at] <= bound[i]:
                total, at = total + 1, at + 1
            else:
                at = _leap(at, lowest, begin, bound[i])
        if total > most:
            break
    return total


@kernel
def _write_below(
    low: Ints,
    high: Ints,
    values: Ints,
    bound: Ints,
    lowest: Ints,
    begin: Ints,
    left: Ints,
    right: Ints,
) -> None:
    k = 0
    for i in range(low.size):
        at = low[i]
        while at < high[i]:
            if values[at] <= bound[i]:
                left[k], right[k] = i, at
                k, at = k + 1, at + 1
            else:
                at = _leap(at, lowest, begin, bound[i])


def pairs_below(low: Ints, high: Ints, values: Ints, bound: Ints, most: int) -> Pairs:
    """Return the pairs of rows and places in their ranges (see `pairs_in`) with values[p] <= bound[i]."""
    ranges = low, high, values, bound, *make_pyramid(values)
    total = _count_below(*ranges, most)
    if total > most:
        raise TooManyPairs(total, most)
    left, right = np.empty(total, np.int64), np.empty(total, np.int64)
    _write_below(*ranges, left, right)
    return left, right
