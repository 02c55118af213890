"""Interval algebra over all groundings at once; operands and results are sorted, disjoint and not touching.

An expression is worked out in one call by a script: lines of integers, which begin with what to do. Lists of intervals
lie on a stack, and most lines take theirs from it and put what comes of them there.
"""

from __future__ import annotations

import numpy as np

from holdsfor.kernels.kernel import Intervals, Ints, kernel

Arrays = tuple[Ints, ...]

#: As many arrays as a script is given, and integers as a line has.
ALGEBRA_SLOTS, ALGEBRA_WIDTH = 16, 4
#: Puts the list in slots a and a + 1 on the stack.
READ = 0
#: The same of intervals by key: for each row those of its key, which is in slot b. c: the table of keys, -1 if none.
LIFT = 1
#: Makes a table of where each key begins in slot a; b: the keys that will be sought.
TABLE = 2
#: Of the last list the intervals that last from a to b.
LAST = 3
#: Of the last a lists the union, the intersection, or the first without the others.
UNITE, INTERSECT, SUBTRACT = 4, 5, 6
#: The last list, whose keys are numbers of rows, by the keys of these rows in slot a.
NAME = 7
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
    """Where a or b holds."""
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
    """Where a and b hold."""
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
    """Where a holds and b does not."""
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
def merge_lingering(a_s: Ints, a_e: Ints, b_s: Ints, b_e: Ints, edge: int, mask: int) -> Intervals:
    """The intervals of two sorted lists that begin or end after the edge, in order; what only goes on does neither."""
    starts, ends = np.empty(a_s.size + b_s.size + 1, np.int64), np.empty(a_s.size + b_s.size + 1, np.int64)
    i, j, k = 0, 0, 0
    while i < a_s.size or j < b_s.size:
        if j == b_s.size or (i < a_s.size and a_s[i] <= b_s[j]):
            starts[k], ends[k] = a_s[i], a_e[i]
            i += 1
        else:
            starts[k], ends[k] = b_s[j], b_e[j]
            j += 1
        end = ends[k] & mask
        k += (starts[k] & mask) > edge or (end > edge and end != mask)
    return starts[:k].copy(), ends[:k].copy()


@kernel
def _begins(s: Ints, keys: int, sought: int, bits: int) -> Ints:
    """Where the intervals of each key begin; nothing if it is better to search."""
    if MANY_KEYS * (s.size + sought) < keys:
        return np.empty(0, np.int64)
    begins = np.zeros(keys + 1, np.int64)
    for i in range(s.size):
        begins[(s[i] >> bits) + 1] += 1
    for key in range(keys):
        begins[key + 1] += begins[key]
    return begins


@kernel
def _leap(s: Ints, point: int, low: int) -> int:
    """The first place from `low` on with a start that is not before the point."""
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
def _lift_by_table(s: Ints, e: Ints, keys: Ints, begins: Ints, bits: int) -> Intervals:
    mask, total, k = (np.int64(1) << bits) - 1, 0, 0
    for i in range(keys.size):
        total += begins[keys[i] + 1] - begins[keys[i]]
    starts, ends = np.empty(total, np.int64), np.empty(total, np.int64)
    for i in range(keys.size):
        row = np.int64(i) << bits
        for j in range(begins[keys[i]], begins[keys[i] + 1]):
            starts[k], ends[k] = row | (s[j] & mask), row | (e[j] & mask)
            k += 1
    return starts, ends


@kernel
def _lift_by_search(s: Ints, e: Ints, keys: Ints, bits: int) -> Intervals:
    """Quick where keys ascend."""
    mask, total, k = (np.int64(1) << bits) - 1, 0, 0
    low, high = np.empty(keys.size, np.int64), np.empty(keys.size, np.int64)
    for i in range(keys.size):
        low[i] = high[i] = _leap(s, keys[i] << bits, low[i - 1] if i and keys[i] >= keys[i - 1] else 0)
        while high[i] < s.size and s[high[i]] >> bits == keys[i]:
            high[i] += 1
        total += high[i] - low[i]
    starts, ends = np.empty(total, np.int64), np.empty(total, np.int64)
    for i in range(keys.size):
        row = np.int64(i) << bits
        for j in range(low[i], high[i]):
            starts[k], ends[k] = row | (s[j] & mask), row | (e[j] & mask)
            k += 1
    return starts, ends


@kernel
def _keep_lasting(s: Ints, e: Ints, least: int, most: int, times: Ints, bits: int) -> Intervals:
    mask = (np.int64(1) << bits) - 1
    starts, ends, k = np.empty(s.size + 1, np.int64), np.empty(s.size + 1, np.int64), 0
    for i in range(s.size):
        end = e[i] & mask
        start = s[i] & mask
        lasted = (times[2] if end == mask else end) - (start if start > times[0] else times[1])
        starts[k], ends[k] = s[i], e[i]
        k += least <= lasted <= most
    return starts[:k], ends[:k]


@kernel
def _name(points: Ints, keys: Ints, bits: int) -> Ints:
    mask, result = (np.int64(1) << bits) - 1, np.empty(points.size, np.int64)
    for i in range(points.size):
        result[i] = (keys[points[i] >> bits] << bits) | (points[i] & mask)
    return result


@kernel
def _combine(op: int, starts: list[Ints], ends: list[Ints], count: int) -> None:
    """Puts what comes of the last lists in their place. Of a union the shortest are united first."""
    first = len(starts) - count
    if op != UNITE:
        starts[first:], ends[first:] = starts[first:][::-1], ends[first:][::-1]
    while len(starts) > first + 1:
        if op == UNITE:
            for last in range(len(starts) - 1, len(starts) - 3, -1):
                for other in range(first, last):
                    if starts[other].size < starts[last].size:
                        starts[other], starts[last] = starts[last], starts[other]
                        ends[other], ends[last] = ends[last], ends[other]
        s, e, other_s, other_e = starts.pop(), ends.pop(), starts.pop(), ends.pop()
        if op == UNITE:
            s, e = union2(s, e, other_s, other_e)
        elif op == INTERSECT:
            s, e = intersect2(s, e, other_s, other_e)
        else:
            s, e = minus2(s, e, other_s, other_e)
        starts.append(s)
        ends.append(e)


@kernel
def work_out(script: Ints, arrays: Arrays, times: Ints, keys: int, bits: int) -> Intervals:
    """What a script says. times: start, first tick and end of the history. keys: how many a table is for."""
    starts, ends, tables = [arrays[0]], [arrays[0]], [arrays[0]]
    for number in range(script.shape[0]):
        op, a, b, c = script[number, 0], script[number, 1], script[number, 2], script[number, 3]
        if op == READ:
            starts.append(arrays[a])
            ends.append(arrays[a + 1])
        elif op == LIFT:
            if c >= 0 and tables[c + 1].size:
                s, e = _lift_by_table(arrays[a], arrays[a + 1], arrays[b], tables[c + 1], bits)
            else:
                s, e = _lift_by_search(arrays[a], arrays[a + 1], arrays[b], bits)
            starts.append(s)
            ends.append(e)
        elif op == TABLE:
            tables.append(_begins(arrays[a], keys, arrays[b].size, bits))
        elif op == LAST:
            s, e = _keep_lasting(starts.pop(), ends.pop(), a, b, times, bits)
            starts.append(s)
            ends.append(e)
        elif op == NAME:
            starts.append(_name(starts.pop(), arrays[a], bits))
            ends.append(_name(ends.pop(), arrays[a], bits))
        else:
            _combine(op, starts, ends, a)
    return starts.pop(), ends.pop()
