"""Kernels around the evaluation of a definition by changes: several steps over the same intervals in one.

A query time does this for each relation, whatever few rows it has, so that each call counts.
"""

from __future__ import annotations

import numpy as np

from holdsfor.kernels.kernel import Ints, kernel
from holdsfor.kernels.rows.gathering import AFTER_ALL, change_intervals


@kernel
def _leave_out(s: Ints, e: Ints, origin: Ints, count: int, gone: Ints) -> int:
    """Moves the intervals that stay to where others have gone, by origin; gives how many there are."""
    k, g = 0, 0
    for i in range(count):
        while g < gone.size and gone[g] < origin[i]:
            g += 1
        s[k], e[k], origin[k] = s[i], e[i], origin[i]
        k += g == gone.size or gone[g] != origin[i]
    return k


@kernel
def gather_intervals(
    base_s: Ints,
    base_e: Ints,
    gone: Ints,
    more_s: Ints,
    more_e: Ints,
    edges: Ints,
    ends: Ints,
    shift: int,
    mask: int,
    reach: int,
) -> tuple[Ints, Ints, Ints]:
    """The intervals of two sorted lists that `gather_from_all` finds, as one, and where each comes from.

    That is its place in the first list, or -1 minus its place in the second. gone: places in the first list that are
    left out.
    """
    step = 0 if ends.size == 1 else 1
    n, m = base_s.size, more_s.size
    s, e, origin = np.empty(n + m + 1, np.int64), np.empty(n + m + 1, np.int64), np.empty(n + m + 1, np.int64)
    k, added = 0, np.empty(m + 1, np.int64)
    for i in range(n):
        code = base_s[i] >> shift
        s[k], e[k], origin[k] = base_s[i], base_e[i], i
        k += code < edges.size and (base_e[i] & mask) + reach > edges[code] and (base_s[i] & mask) <= ends[code * step]
    if gone.size:
        k = _leave_out(s, e, origin, k, gone)
    count = 0
    for j in range(m):
        code = more_s[j] >> shift
        added[count] = j
        count += (
            code < edges.size and (more_e[j] & mask) + reach > edges[code] and (more_s[j] & mask) <= ends[code * step]
        )
    i, place = k - 1, k + count - 1
    for each in range(count - 1, -1, -1):  # from the last on, so that what comes before all that is added stays
        j = added[each]
        while i >= 0 and s[i] > more_s[j]:
            s[place], e[place], origin[place] = s[i], e[i], origin[i]
            i -= 1
            place -= 1
        s[place], e[place], origin[place] = more_s[j], more_e[j], -1 - j
        place -= 1
    return s[: k + count], e[: k + count], origin[: k + count].copy()


@kernel
def divide_at_cuts(
    s: Ints, e: Ints, edges: Ints, shift: int, delay: int, floor: int, start: int, bits: int
) -> tuple[Ints, Ints, Ints]:
    """Divide intervals right after the cut of each leading code: see `cuts_of_codes`. Nothing is before the start."""
    mask = (np.int64(1) << bits) - 1
    starts, ends, keys = np.empty(s.size + 1, np.int64), np.empty(s.size + 1, np.int64), np.empty(s.size + 1, np.int64)
    k, m = 0, 0
    for i in range(s.size):
        code = s[i] >> shift
        cut = max(edges[code] - delay, floor) if code < edges.size else AFTER_ALL
        edge, begin, end = cut + 1 if cut >= start else -1, s[i] & mask, e[i] & mask
        starts[k], ends[k] = s[i], e[i] - end + min(end, edge)
        k += begin < edge
        keys[m] = s[i] >> bits
        m += begin <= edge and end > edge
    return starts[:k], ends[:k], keys[:m].copy()


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
    """Unite intervals before the cut of each leading code with those concluded after: see `divide_at_cuts`.

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

    removed: origins as `gather_intervals` gives them: places in the list, and -1 minus places in what was added.
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
