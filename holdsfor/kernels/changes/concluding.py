"""Kernels around the evaluation of a definition by changes: several steps over the same intervals in one.

A query time does this for each relation, whatever few rows it has, so that each call counts.
"""

from __future__ import annotations

import numpy as np

from holdsfor.kernels.kernel import Ints, kernel
from holdsfor.kernels.rows.gathering import change_intervals


@kernel
def conclude_after_cuts(
    before_s: Ints,
    before_e: Ints,
    origin: Ints,
    s: Ints,
    e: Ints,
    edges: Ints,
    shift: int,
    delay: int,
    floor: int,
    start: int,
    bits: int,
) -> tuple[Ints, Ints, Ints, Ints, Ints, Ints, Ints]:
    """Unite intervals before the cut of each leading code with those concluded after: see `cuts_of_codes`.

    Then the intervals that were there before and are not now, with their origins, and those that are only there now.
    It goes from key to key: of most there is one interval, which is over, or goes on as it did.
    """
    mask = (np.int64(1) << bits) - 1
    n, m = before_s.size, s.size
    starts, ends = np.empty(n + m, np.int64), np.empty(n + m, np.int64)
    gone, come = np.empty(n + 1, np.int64), np.empty(n + m + 1, np.int64)
    i, j, k, g, c = 0, 0, 0, 0, 0
    while i < n or j < m:
        a, b = i, k
        key = (before_s[i] if j == m or (i < n and before_s[i] < s[j]) else s[j]) & ~mask
        code, last = key >> shift, key | mask
        cut = min(max(edges[code] - delay, floor), mask - 1) if code < edges.size else mask - 1
        settled = key + (cut + 1 if cut >= start else -1)
        if i < n and before_s[i] < settled:
            has_more = j < m and s[j] <= last
            is_over = not has_more and before_e[i] <= settled
            goes_on = has_more and s[j] <= settled <= before_e[i] == e[j]
            if is_over or goes_on:
                starts[k], ends[k] = before_s[i], before_e[i]
                i, j, k = i + 1, j + has_more, k + 1
                continue
        while i < n and before_s[i] <= last:
            starts[k], ends[k] = before_s[i], min(before_e[i], settled)
            k += before_s[i] < settled
            i += 1
        while j < m and s[j] <= last:
            begin = max(s[j], key + cut + 1)
            if k > b and begin <= ends[k - 1]:
                ends[k - 1] = max(ends[k - 1], e[j])
            elif begin < e[j]:
                starts[k], ends[k] = begin, e[j]
                k += 1
            j += 1
        while a < i or b < k:
            is_old = b == k or (a < i and before_s[a] <= starts[b])
            is_new = a == i or (b < k and starts[b] <= before_s[a])
            is_same = is_old and is_new and before_e[a] == ends[b]
            gone[g], come[c] = a, b
            g += is_old and not is_same
            c += is_new and not is_same
            a += is_old
            b += is_new
    gone, come = gone[:g], come[:c]
    return starts[:k], ends[:k], before_s[gone], before_e[gone], origin[gone], starts[come], ends[come]


@kernel
def change_added(
    gone: Ints, more_s: Ints, more_e: Ints, removed: Ints, added_s: Ints, added_e: Ints
) -> tuple[Ints, Ints, Ints]:
    """Return the places gone from a list, and the intervals added to it, after another change. All is sorted.

    removed: origins as `Gathered` has them: places in the list, and -1 minus places in what was added.
    """
    of_more = 0
    for i in range(removed.size):
        of_more += removed[i] < 0
    all_gone = np.empty(gone.size + removed.size - of_more, np.int64)
    places = np.empty(of_more, np.int64)
    g, k, m = 0, 0, 0
    for i in range(removed.size):
        if removed[i] < 0:
            places[m] = -1 - removed[i]
            m += 1
            continue
        while g < gone.size and gone[g] < removed[i]:
            all_gone[k] = gone[g]
            g += 1
            k += 1
        all_gone[k] = removed[i]
        k += 1
    all_gone[k:] = gone[g:]
    return all_gone, *change_intervals(more_s, more_e, places, added_s, added_e, -1, 0)
