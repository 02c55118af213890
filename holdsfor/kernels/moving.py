"""Rows from one place to another: choosing, merging, re-keying, ordering."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from holdsfor.kernels.kernel import Intervals, Ints, Mask, kernel

Scalar = TypeVar("Scalar", bound=np.generic)
DENSE = 4  # keys for each point, up to which a table of all keys is quicker than sorting
LAST = np.iinfo(np.int64).max


@kernel
def compress(values: NDArray[Scalar], mask: Mask) -> NDArray[Scalar]:
    """values[mask] without a branch; for any numeric dtype."""
    total = 0
    for i in range(mask.size):
        total += mask[i]
    result = np.empty(total + 1, values.dtype)
    k = 0
    for i in range(mask.size):
        result[k] = values[i]
        k += mask[i]
    return result[:total]


@kernel
def time_span(points: Ints, mask: int) -> tuple[np.int64, np.int64]:
    """The least and the greatest time of the points; 0 and 0 if there is none."""
    if points.size == 0:
        return np.int64(0), np.int64(0)
    low = high = points[0] & mask
    for i in range(points.size):
        time = points[i] & mask
        low, high = min(low, time), max(high, time)
    return low, high


@kernel
def merge_sorted(a: Ints, b: Ints) -> Ints:
    """All of a and b in order, duplicates kept."""
    n, m = a.size, b.size
    result = np.empty(n + m, np.int64)
    i, j = 0, 0
    while i < n and j < m:
        first = a[i] <= b[j]
        result[i + j] = min(a[i], b[j])
        i += first
        j += not first
    for r in range(i, n):
        result[r + j] = a[r]
    for r in range(j, m):
        result[n + r] = b[r]
    return result


@kernel
def lift(s: Ints, e: Ints, offsets_lo: Ints, offsets_hi: Ints, bits: int) -> Intervals:
    """Re-key: row i of the new axis gets the intervals offsets_lo[i]..offsets_hi[i] of the old one."""
    mask = (np.int64(1) << bits) - 1
    total = 0
    for i in range(offsets_lo.size):
        total += max(offsets_hi[i] - offsets_lo[i], 0)
    starts, ends = np.empty(total, np.int64), np.empty(total, np.int64)
    k = 0
    for i in range(offsets_lo.size):
        key = np.int64(i) << bits
        for j in range(offsets_lo[i], offsets_hi[i]):
            starts[k], ends[k] = key | (s[j] & mask), key | (e[j] & mask)
            k += 1
    return starts, ends


@kernel
def order_by_key(key: NDArray[np.signedinteger[Any]], n: int) -> Ints:
    """The stable order of rows by dense key 0..n-1: rows in time order come out in (key, time) order."""
    place = np.zeros(n + 1, np.int64)
    for i in range(key.size):
        place[key[i] + 1] += 1
    for k in range(n):
        place[k + 1] += place[k]
    order = np.empty(key.size, np.int64)
    for i in range(key.size):
        order[place[key[i]]] = i
        place[key[i]] += 1
    return order


@kernel
def number_sorted(keys: Ints) -> tuple[Ints, Ints]:
    """The distinct keys, and which of them each key is; nothing at all if the keys are not sorted."""
    distinct, numbers = np.empty(keys.size, np.int64), np.empty(keys.size, np.int64)
    k = -1
    for i in range(keys.size):
        if i == 0 or keys[i] > keys[i - 1]:
            k += 1
            distinct[k] = keys[i]
        elif keys[i] < keys[i - 1]:
            return distinct[:0], numbers[:0]
        numbers[i] = k
    return distinct[: k + 1], numbers


def earliest_of_keys(points: Ints, bits: int, in_order: bool) -> Ints:
    """The earliest point of each key, sorted; in_order: whether the points are."""
    if not in_order and len(points):
        least, greatest = int(points.min()) >> bits, int(points.max()) >> bits
        if greatest - least < DENSE * len(points):
            return _earliest(points, bits, least, greatest - least + 1)
        points = np.sort(points)
    return _first_of_keys(points, bits)


@kernel
def _earliest(points: Ints, bits: int, least: int, keys: int) -> Ints:
    """By a table of all keys, which need not be many times as many as the points."""
    earliest = np.full(keys, LAST)
    for i in range(points.size):
        key = (points[i] >> bits) - least
        earliest[key] = min(earliest[key], points[i])
    k = 0
    for key in range(keys):
        earliest[k] = earliest[key]
        k += earliest[key] != LAST
    return earliest[:k]


@kernel
def _first_of_keys(points: Ints, bits: int) -> Ints:
    result = np.empty(points.size, np.int64)
    k, last = 0, np.int64(-1)
    for i in range(points.size):
        result[k] = points[i]
        key = points[i] >> bits
        k += key != last
        last = key
    return result[:k]


@kernel
def unique_sorted(points: Ints) -> Ints:
    """Sorted points without duplicates."""
    n = points.size
    result = np.empty(n, np.int64)
    if n == 0:
        return result
    k = 0
    for i in range(n - 1):
        result[k] = points[i]
        k += points[i] != points[i + 1]
    result[k] = points[n - 1]
    return result[: k + 1]
