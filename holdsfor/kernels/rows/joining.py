"""Pairs of row numbers (i, j), with i ascending and j ascending within i."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from holdsfor.budget import MOST_ROWS
from holdsfor.errors import HoldsforError
from holdsfor.kernels.kernel import Ints, Pairs, kernel

PER_ROW = 10  # pairs for each row that goes into a join, which is no blow-up


class TooManyPairs(HoldsforError):
    """A join that would give more rows than memory should be taken for."""

    def __init__(self, pairs: int, most: int) -> None:
        super().__init__(pairs, most)
        self.pairs, self.most = pairs, most

    def __str__(self) -> str:
        return f"{self.pairs:,} rows at once are more than the {self.most:,} that are allowed; set HOLDSFOR_MOST_ROWS"


def most_pairs(rows: int) -> int:
    """How many pairs a join of so many rows may make."""
    return max(MOST_ROWS, PER_ROW * rows)


def _sized(write: Callable[..., int], guess: int, *columns: Ints) -> Pairs:
    """The pairs of a kernel that writes those that fit and returns how many there are; a second run if too few did.

    NumPy allocates here, not Numba: it asks for huge pages (5M pairs: 22 against 14 million rows a second).
    """
    most = most_pairs(guess)
    left, right = np.empty(guess, np.int64), np.empty(guess, np.int64)
    count = write(*columns, left, right, most)
    if count > most:
        raise TooManyPairs(count, most)
    if count > guess:
        left, right = np.empty(count, np.int64), np.empty(count, np.int64)
        write(*columns, left, right, most)
    return left[:count], right[:count]


@kernel
def _sweep(points: Ints, s: Ints, e: Ints, left: Ints, right: Ints, most: int) -> int:
    open_ = np.empty(s.size + 1, np.int64)
    opened, j, k = 0, 0, 0
    for i in range(points.size):
        p = points[i]
        while j < s.size and s[j] <= p:
            open_[opened] = j
            opened += e[j] > p
            j += 1
        kept = 0
        for r in range(opened):
            x = open_[r]
            if e[x] > p:
                open_[kept] = x
                kept += 1
                if k < left.size:
                    left[k], right[k] = i, x
                k += 1
        opened = kept
        if k > most:
            break
    return k


def interval_join(points: Ints, s: Ints, e: Ints) -> Pairs:
    """All pairs with s[j] <= points[i] < e[j]; points and s are sorted, the intervals may overlap."""
    return _sized(_sweep, points.size + s.size, points, s, e)


@kernel
def _match(a: Ints, b: Ints, left: Ints, right: Ints, most: int) -> int:
    i, j, k = 0, 0, 0
    while i < a.size and j < b.size and k <= most:
        if a[i] < b[j]:
            i += 1
        elif b[j] < a[i]:
            j += 1
        else:
            run = j
            while run < b.size and b[run] == a[i]:
                if k < left.size:
                    left[k], right[k] = i, run
                k += 1
                run += 1
            i += 1
    return k


def merge_join(a: Ints, b: Ints) -> Pairs:
    """All pairs with a[i] == b[j]; both are sorted."""
    return _sized(_match, max(a.size, b.size), a, b)


@kernel
def _ranges(lo: Ints, hi: Ints, most: int) -> tuple[Ints, Ints, float]:
    total = 0.0  # a product of large tables is beyond 64 bits
    for i in range(lo.size):
        total += max(hi[i] - lo[i], 0)
    size = np.int64(total) if total <= most else 0
    left, right = np.empty(size, np.int64), np.empty(size, np.int64)
    k = 0
    if total <= most:
        for i in range(lo.size):
            for j in range(lo[i], hi[i]):
                left[k], right[k] = i, j
                k += 1
    return left, right, total


def expand(lo: Ints, hi: Ints) -> Pairs:
    """For each i all j in lo[i]..hi[i] (hi not included)."""
    most = most_pairs(lo.size)
    left, right, total = _ranges(lo, hi, most)
    if total > most:
        raise TooManyPairs(int(total), most)
    return left, right


@kernel
def points_of_keys(keys: Ints, points: Ints, shift: int, bits: int) -> tuple[Ints, Ints]:
    """For each key between what places the points are that have its leading codes. Both are sorted.

    shift: by which the other codes of a key follow them.
    """
    low, high = np.empty(keys.size, np.int64), np.empty(keys.size, np.int64)
    begin, end = 0, 0
    for i in range(keys.size):
        key = keys[i] >> shift
        if i == 0 or key != keys[i - 1] >> shift:
            begin = end
            while begin < points.size and points[begin] >> bits < key:
                begin += 1
            end = begin
            while end < points.size and points[end] >> bits == key:
                end += 1
        low[i], high[i] = begin, end
    return low, high


@kernel
def places_of_same_keys(points: Ints, others: Ints, bits: int) -> Ints:
    """Return the places of points whose key some of the others have. Both are sorted."""
    low, high = np.empty(others.size, np.int64), np.empty(others.size, np.int64)
    keys, total = 0, 0
    for i in range(others.size):
        key = others[i] >> bits
        if i == 0 or key != others[i - 1] >> bits:
            low[keys] = np.searchsorted(points, key << bits)
            high[keys] = low[keys]
            while high[keys] < points.size and points[high[keys]] >> bits == key:
                high[keys] += 1
            total += high[keys] - low[keys]
            keys += 1
    result = np.empty(total, np.int64)
    k = 0
    for i in range(keys):
        for place in range(low[i], high[i]):
            result[k] = place
            k += 1
    return result
