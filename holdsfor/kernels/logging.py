"""What is told of intervals, and how what is told changes from one query time to the next."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from holdsfor.kernels.kernel import Intervals, Ints, kernel

WITHDRAW, INSERT, EXTEND, SHORTEN = range(4)
OPS = 4


class Told(NamedTuple):
    """Which intervals are told, by times relative to the origin: all that lie within these bounds.

    first: intervals are told from this time on. last_start: the latest start; least_end, last_end: of what ends.
    """

    first: int
    last_start: int
    least_end: int
    last_end: int


@kernel
def tell_intervals(s: Ints, e: Ints, mask: int, told: Told) -> Intervals:
    """Those that are told, from the first time on."""
    starts, ends = np.empty(s.size + 1, np.int64), np.empty(s.size + 1, np.int64)
    k = 0
    for i in range(s.size):
        start, end = s[i] & mask, e[i] & mask
        starts[k] = s[i] - start + max(start, told.first)
        ends[k] = e[i]
        k += (start <= told.last_start) & (end > told.first) & (end >= told.least_end) & (end <= told.last_end)
    return starts[:k], ends[:k]


@kernel
def log_changes(old_s: Ints, old_e: Ints, new_s: Ints, new_e: Ints) -> tuple[Ints, Ints, Ints]:
    """What an interval list turns into: operations in their order, with the intervals that they are about.

    An interval is known by its start.
    """
    n, m = old_s.size, new_s.size
    before, now = np.empty(n, np.int64), np.empty(m, np.int64)
    count = np.zeros(OPS + 1, np.int64)
    i, j = 0, 0
    while i < n or j < m:
        if j == m or (i < n and old_s[i] < new_s[j]):
            before[i] = WITHDRAW
            count[WITHDRAW + 1] += 1
            i += 1
            continue
        op = INSERT
        if i < n and old_s[i] == new_s[j]:
            op = EXTEND if new_e[j] > old_e[i] else SHORTEN if new_e[j] < old_e[i] else OPS
            before[i] = OPS
            i += 1
        now[j] = op
        if op < OPS:
            count[op + 1] += 1
        j += 1
    place = np.cumsum(count)
    ops, s, e = np.empty(place[-1], np.int64), np.empty(place[-1], np.int64), np.empty(place[-1], np.int64)
    for i in range(n):
        if before[i] == WITHDRAW:
            k = place[WITHDRAW]
            ops[k], s[k], e[k] = WITHDRAW, old_s[i], old_e[i]
            place[WITHDRAW] += 1
    for j in range(m):
        if now[j] < OPS:
            k = place[now[j]]
            ops[k], s[k], e[k] = now[j], new_s[j], new_e[j]
            place[now[j]] += 1
    return ops, s, e
