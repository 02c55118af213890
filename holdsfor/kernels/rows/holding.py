"""Points inside intervals, and points among other points.

A point p is an interval [p, p + 1), so both questions share a kernel, and its compilation.
"""

from __future__ import annotations

import numpy as np

from holdsfor.kernels.kernel import Ints, Mask, kernel

#: Searches that go on side by side, so that the CPU waits for their memory at the same time.
ABREAST = 16


@kernel
def _mark(points: Ints, s: Ints, e: Ints, shift: int) -> Mask:
    """Mark the points in [s, e + shift) of some row; both are sorted."""
    result, j = np.zeros(points.size, np.bool_), 0
    for i in range(points.size):
        while j < s.size and e[j] + shift <= points[i]:
            j += 1
        if j == s.size:
            break
        result[i] = s[j] <= points[i]
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
