"""Points inside intervals, and points among other points.

A point p is an interval [p, p + 1), so both questions share a kernel, and its compilation.
"""

from __future__ import annotations

import numpy as np

from holdsfor.kernels.kernel import Ints, Mask, kernel

#: One side this many times longer than the other: runs are long, and the CPU predicts branches well.
SKEWED = 8
#: Searches that go on side by side, so that the CPU waits for their memory at the same time.
ABREAST = 16


@kernel
def _mark_runs(points: Ints, s: Ints, e: Ints, shift: int, result: Mask) -> None:
    j = 0
    for i in range(points.size):
        while j < s.size and e[j] + shift <= points[i]:
            j += 1
        if j == s.size:
            break
        result[i] = s[j] <= points[i]


@kernel
def _passed(e: Ints, p: int) -> int:
    """How many of the sorted e are <= p."""
    low, high = 0, e.size
    while low < high:
        middle = (low + high) >> 1
        if e[middle] <= p:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def _mark_mixed(points: Ints, s: Ints, e: Ints, shift: int, result: Mask) -> None:
    """Without branches on the data, and in two halves at once: each step of a half waits for the one before it."""
    middle, n, m = points.size // 2, points.size, s.size
    i, j = 0, 0
    i2, j2 = middle, _passed(e, points[middle] - shift) if n else 0
    while i < middle and j < m and i2 < n and j2 < m:
        passed, passed2 = e[j] + shift <= points[i], e[j2] + shift <= points[i2]
        result[i] = (s[j] <= points[i]) & (not passed)
        result[i2] = (s[j2] <= points[i2]) & (not passed2)
        i, j = i + (not passed), j + passed
        i2, j2 = i2 + (not passed2), j2 + passed2
    _mark_runs(points[i:middle], s[j:], e[j:], shift, result[i:middle])
    _mark_runs(points[i2:], s[j2:], e[j2:], shift, result[i2:])


@kernel
def _mark(points: Ints, s: Ints, e: Ints, shift: int) -> Mask:
    """Mark the points in [s, e + shift) of some row; both are sorted."""
    result = np.zeros(points.size, np.bool_)
    if points.size * SKEWED < s.size or s.size * SKEWED < points.size:
        _mark_runs(points, s, e, shift, result)
    else:
        _mark_mixed(points, s, e, shift, result)
    return result


def holds_mask(points: Ints, s: Ints, e: Ints) -> Mask:
    """Mark the sorted points that lie in one of the intervals."""
    return _mark(points, s, e, 0)


def member_mask(a: Ints, b: Ints) -> Mask:
    """Mark the sorted a that occur in the sorted b."""
    return _mark(a, b, b, 1)


@kernel
def _search(points: Ints, s: Ints, e: Ints, shift: int) -> Mask:
    """Mark points by binary search; all searches take the same number of steps, whatever they find."""
    result = np.zeros(points.size, np.bool_)
    if s.size == 0:
        return result
    base = np.empty(ABREAST, np.int64)
    for first in range(0, points.size, ABREAST):
        block = points[first : first + ABREAST]
        base[:] = 0
        size = s.size
        while size > 1:
            half = size >> 1
            for q in range(block.size):
                middle = base[q] + half
                base[q] = middle if s[middle] <= block[q] else base[q]
            size -= half
        for q in range(block.size):
            result[first + q] = (s[base[q]] <= block[q]) & (block[q] < e[base[q]] + shift)
    return result


def holds_search(points: Ints, s: Ints, e: Ints) -> Mask:
    """Mark the points in one of the intervals: for points in any order, or few against many intervals."""
    return _search(points, s, e, 0)


def member_search(a: Ints, b: Ints) -> Mask:
    """Mark the a that occur in the sorted b: for a in any order, or few against many b."""
    return _search(a, b, b, 1)
