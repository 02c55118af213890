"""Interval algebra over all groundings at once; operands and results are sorted, disjoint and not touching."""

from __future__ import annotations

import numpy as np

from holdsfor.kernels.kernel import Intervals, Ints, kernel

#: A table of all keys costs more than to search where there are so many times more keys than rows.
MANY_KEYS = 8


@kernel
def _extend(starts: Ints, ends: Ints, k: int, s: Ints, e: Ints, first: int) -> int:
    """Append s, e from `first` on, uniting what overlaps or touches; k is the last row written, -1 if none."""
    end = ends[k] if k >= 0 else np.int64(-1)
    start = starts[k] if k >= 0 else np.int64(-1)
    for i in range(first, s.size):
        if s[i] >= e[i]:
            continue
        fresh = s[i] > end
        k += fresh
        start = s[i] if fresh else start
        end = max(end, e[i])
        starts[k], ends[k] = start, end
    return k


@kernel
def normalise(s: Ints, e: Ints) -> Intervals:
    """The maximal intervals of a list that is sorted by start; empty ones vanish."""
    starts, ends = np.empty(s.size, np.int64), np.empty(s.size, np.int64)
    k = _extend(starts, ends, -1, s, e, 0) + 1
    return starts[:k], ends[:k]


@kernel
def union2(as_: Ints, ae: Ints, bs: Ints, be: Ints) -> Intervals:
    """Return the intervals in which a or b holds."""
    n, m = as_.size, bs.size
    starts, ends = np.empty(n + m, np.int64), np.empty(n + m, np.int64)
    i, j, k = 0, 0, -1
    start, end = np.int64(-1), np.int64(-1)
    while i < n and j < m:
        first = as_[i] <= bs[j]
        s = as_[i] if first else bs[j]
        end_here = ae[i] if first else be[j]
        i += first
        j += not first
        fresh = s > end
        k += fresh
        start = s if fresh else start
        end = max(end, end_here)
        starts[k], ends[k] = start, end
    k = _extend(starts, ends, k, as_, ae, i)
    k = _extend(starts, ends, k, bs, be, j) + 1
    return starts[:k], ends[:k]


@kernel
def intersect2(as_: Ints, ae: Ints, bs: Ints, be: Ints) -> Intervals:
    """Return the intervals in which a and b hold."""
    n, m = as_.size, bs.size
    starts, ends = np.empty(n + m, np.int64), np.empty(n + m, np.int64)
    i, j, k = 0, 0, 0
    while i < n and j < m:
        start, end = max(as_[i], bs[j]), min(ae[i], be[j])
        starts[k], ends[k] = start, end
        k += start < end
        first = ae[i] < be[j]
        i += first
        j += not first
    return starts[:k], ends[:k]


@kernel
def minus2(as_: Ints, ae: Ints, bs: Ints, be: Ints) -> Intervals:
    """Return the intervals in which a holds and b does not."""
    n, m = as_.size, bs.size
    starts, ends = np.empty(n + m, np.int64), np.empty(n + m, np.int64)
    i, j, k = 0, 0, 0
    floor = np.int64(-1)  # the end of the last interval of b that was passed: what remains of a begins there
    while i < n and j < m:
        start, end = max(as_[i], floor), min(ae[i], bs[j])
        starts[k], ends[k] = start, end
        k += start < end
        first = ae[i] <= be[j]
        floor = floor if first else be[j]
        i += first
        j += not first
    while i < n:
        start = max(as_[i], floor)
        starts[k], ends[k] = start, ae[i]
        k += start < ae[i]
        i += 1
    return starts[:k], ends[:k]


@kernel
def keep_lingering(s: Ints, e: Ints, edge: int, mask: int) -> Intervals:
    """Return the intervals that begin or end after the edge; what only goes on does neither."""
    starts, ends, k = np.empty(s.size + 1, np.int64), np.empty(s.size + 1, np.int64), 0
    for i in range(s.size):
        starts[k], ends[k] = s[i], e[i]
        end = e[i] & mask
        k += (s[i] & mask) > edge or (end > edge and end != mask)
    return starts[:k].copy(), ends[:k].copy()


@kernel
def starts_after(s: Ints, time: int, mask: int) -> Ints:
    """Return the starts that are later."""
    count = 0
    for i in range(s.size):
        count += (s[i] & mask) > time
    later, k = np.empty(count, np.int64), 0
    for i in range(s.size if count else 0):
        if (s[i] & mask) > time:
            later[k] = s[i]
            k += 1
    return later


@kernel
def _leap(s: Ints, point: int, low: int) -> int:
    """Return the first place from `low` on with a start that is not before the point."""
    high, step = low, 1
    while high < s.size and s[high] < point:
        low, high, step = high + 1, high + step, 2 * step
    high = min(high, s.size)
    while low < high:
        middle = (low + high) >> 1
        before = s[middle] < point
        low, high = middle + 1 if before else low, high if before else middle
    return low


@kernel
def _find_by_table(s: Ints, keys: Ints, all_keys: int, bits: int) -> Intervals:
    """Return where the intervals of each key begin and end, by counting those of all keys."""
    begins = np.zeros(all_keys + 1, np.int64)
    for i in range(s.size):
        begins[(s[i] >> bits) + 1] += 1
    for key in range(all_keys):
        begins[key + 1] += begins[key]
    return begins[keys], begins[keys + 1]


@kernel
def _find_by_search(s: Ints, keys: Ints, bits: int) -> Intervals:
    """Return the same by searching, which is quick where keys ascend."""
    low, high = np.empty(keys.size, np.int64), np.empty(keys.size, np.int64)
    for i in range(keys.size):
        low[i] = high[i] = _leap(s, keys[i] << bits, low[i - 1] if i and keys[i] >= keys[i - 1] else 0)
        while high[i] < s.size and s[high[i]] >> bits == keys[i]:
            high[i] += 1
    return low, high


@kernel
def intervals_of_rows(s: Ints, e: Ints, keys: Ints, all_keys: int, bits: int) -> Intervals:
    """Return for each row, as key, the intervals of the row's key. all_keys: how many keys there may be."""
    if MANY_KEYS * (s.size + keys.size) < all_keys:
        low, high = _find_by_search(s, keys, bits)
    else:
        low, high = _find_by_table(s, keys, all_keys, bits)
    mask, total, k = (np.int64(1) << bits) - 1, np.sum(high - low), 0
    starts, ends = np.empty(total, np.int64), np.empty(total, np.int64)
    for i in range(keys.size):
        row = np.int64(i) << bits
        for j in range(low[i], high[i]):
            starts[k], ends[k] = row | (s[j] & mask), row | (e[j] & mask)
            k += 1
    return starts, ends


@kernel
def keep_lasting(s: Ints, e: Ints, least: int, most: int, start: int, first: int, now: int, bits: int) -> Intervals:
    """Return the intervals that last from `least` to `most`; what began by `start` counts from `first`, to `now`."""
    mask = (np.int64(1) << bits) - 1
    starts, ends, k = np.empty(s.size + 1, np.int64), np.empty(s.size + 1, np.int64), 0
    for i in range(s.size):
        end = e[i] & mask
        begin = s[i] & mask
        lasted = (now if end == mask else end) - (begin if begin > start else first)
        starts[k], ends[k] = s[i], e[i]
        k += least <= lasted <= most
    return starts[:k], ends[:k]


@kernel
def rename_rows(points: Ints, keys: Ints, bits: int) -> Ints:
    """Return the points with the key of each row in the place of the row's number."""
    mask, result = (np.int64(1) << bits) - 1, np.empty(points.size, np.int64)
    for i in range(points.size):
        result[i] = (keys[points[i] >> bits] << bits) | (points[i] & mask)
    return result
