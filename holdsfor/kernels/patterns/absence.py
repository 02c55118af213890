"""Absence between two spans: no block starts after the first ends and ends before the second starts.

A block that starts later and still ends in time may follow one that starts earlier and ends too late, so of all blocks
after a point only the least end counts.
"""

from __future__ import annotations

import numpy as np

from holdsfor.kernels.kernel import Ints, Mask, kernel
from holdsfor.kernels.patterns.ranges import count_below
from holdsfor.kernels.rows.sorting import sort_packed


def first_block(bits: int, left_end: Ints, block_start: Ints, block_end: Ints) -> Ints:
    """For each left end the least end of a block of its key that starts after it; the last time of the key if none.

    A right span is free of blocks if it starts at or before that end: it is the `until` of a sequence.
    """
    start, order = sort_packed(block_start, bits)
    sorted_left, left_order = sort_packed(left_end, bits)
    nearest = _least_ends(block_end[order], count_below(start, sorted_left, 1), sorted_left, bits)
    result = np.empty(left_end.size, np.int64)
    result[left_order] = nearest
    return result


@kernel
def _least_ends(end: Ints, first: Ints, left_end: Ints, bits: int) -> Ints:
    """The least of end[first[i]:], if it is of the key of left_end[i]; keys are in order, and later keys greater."""
    mask = (np.int64(1) << bits) - 1
    least = end.copy()
    for b in range(end.size - 2, -1, -1):
        least[b] = min(end[b], least[b + 1])
    result = np.empty(first.size, np.int64)
    for i in range(first.size):
        last = left_end[i] | mask
        result[i] = min(least[first[i]], last) if first[i] < end.size else last
    return result


def is_blocked(bits: int, gap_low: Ints, gap_high: Ints, block_start: Ints, block_end: Ints) -> Mask:
    """For each gap whether a block of its key starts after `gap_low` and ends before `gap_high`."""
    mask: Mask = first_block(bits, gap_low, block_start, block_end) < gap_high
    return mask
