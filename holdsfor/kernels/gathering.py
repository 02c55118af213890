"""Rows of some keys, and how two lists of intervals differ: what evaluation by changes is made of."""

from __future__ import annotations

import numpy as np

from holdsfor.kernels.kernel import Ints, Mask, kernel


@kernel
def places_of_keys(packed: Ints, last: Ints, shift: int, edges: Ints, mask: int, reach: int) -> Ints:
    """The places of rows whose last time, and `reach` more, is after the edge of their leading code.

    shift: of the packed rows, by which the leading code is left.
    """
    result = np.empty(packed.size + 1, np.int64)
    k = 0
    for i in range(packed.size):
        result[k] = i
        k += (last[i] & mask) + reach > edges[packed[i] >> shift]
    return result[:k].copy()


@kernel
def places_of_codes(codes: Ints, last: Ints, edges: Ints, mask: int, reach: int) -> Ints:
    """The places of rows whose last time, and `reach` more, is after the edge of their code."""
    result = np.empty(codes.size + 1, np.int64)
    k = 0
    for i in range(codes.size):
        result[k] = i
        k += (last[i] & mask) + reach > edges[codes[i]]
    return result[:k].copy()


@kernel
def places_in_ranges(low: Ints, high: Ints, last: Ints, edges: Ints, mask: int, reach: int) -> Ints:
    """The places low[i]..high[i] (high not included) of rows whose last time, and `reach` more, is after edges[i]."""
    total = 0
    for i in range(low.size):
        total += high[i] - low[i]
    result = np.empty(total + 1, np.int64)
    k = 0
    for i in range(low.size):
        for j in range(low[i], high[i]):
            result[k] = j
            k += (last[j] & mask) + reach > edges[i]
    return result[:k].copy()


@kernel
def unlike_intervals(as_: Ints, ae: Ints, bs: Ints, be: Ints) -> tuple[Mask, Mask]:
    """Which intervals of each sorted list are not in the other."""
    a, b = np.ones(as_.size, np.bool_), np.ones(bs.size, np.bool_)
    i, j = 0, 0
    while i < as_.size and j < bs.size:
        if as_[i] == bs[j]:
            same = ae[i] == be[j]
            a[i] = b[j] = not same
            i += 1
            j += 1
        elif as_[i] < bs[j]:
            i += 1
        else:
            j += 1
    return a, b
