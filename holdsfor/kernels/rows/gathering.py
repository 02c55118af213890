"""Rows of some keys, and how two lists of intervals differ: what evaluation by changes is made of."""

from __future__ import annotations

import numpy as np

from holdsfor.kernels.kernel import AFTER_ALL, Ints, kernel


@kernel
def places_of_codes(codes: Ints, last: Ints, edges: Ints, mask: int, reach: int) -> Ints:
    """The places of rows whose last time, and `reach` more, is after the edge of their code, if it has one."""
    result = np.empty(codes.size + 1, np.int64)
    k = 0
    for i in range(codes.size):
        result[k] = i
        k += codes[i] < edges.size and (last[i] & mask) + reach > edges[codes[i]]
    return result[:k].copy()


@kernel
def places_unlike(as_: Ints, ae: Ints, bs: Ints, be: Ints) -> tuple[Ints, Ints]:
    """The places of the intervals of each sorted list that are not in the other."""
    n, m = as_.size, bs.size
    a, b = np.empty(n + 1, np.int64), np.empty(m + 1, np.int64)
    i, j, k, c = 0, 0, 0, 0
    while i < n and j < m:
        from_a, from_b = as_[i] <= bs[j], bs[j] <= as_[i]
        is_same = as_[i] == bs[j] and ae[i] == be[j]
        a[k], b[c] = i, j
        k += from_a and not is_same
        c += from_b and not is_same
        i += from_a
        j += from_b
    for place in range(i, n):
        a[k] = place
        k += 1
    for place in range(j, m):
        b[c] = place
        c += 1
    return a[:k].copy(), b[:c].copy()


@kernel
def divide_at(s: Ints, e: Ints, boundary: Ints, bits: int) -> tuple[Ints, Ints, Ints]:
    """The parts of intervals before a boundary, and the keys that hold at it. boundary: of each, or one for all."""
    mask = (np.int64(1) << bits) - 1
    step = 0 if boundary.size == 1 else 1
    starts, ends, keys = np.empty(s.size + 1, np.int64), np.empty(s.size + 1, np.int64), np.empty(s.size + 1, np.int64)
    k, m = 0, 0
    for i in range(s.size):
        edge, start, end = boundary[i * step], s[i] & mask, e[i] & mask
        starts[k], ends[k] = s[i], e[i] - end + min(end, edge)
        k += start < edge
        keys[m] = s[i] >> bits
        m += start <= edge and end > edge
    return starts[:k], ends[:k], keys[:m].copy()


@kernel
def continue_from(s: Ints, e: Ints, boundary: Ints, mask: int) -> tuple[Ints, Ints]:
    """The parts of intervals from a boundary on. boundary: of each, or one for all."""
    step = 0 if boundary.size == 1 else 1
    starts, ends = np.empty(s.size + 1, np.int64), np.empty(s.size + 1, np.int64)
    k = 0
    for i in range(s.size):
        edge, start = boundary[i * step], s[i] & mask
        starts[k], ends[k] = s[i] - start + max(start, edge), e[i]
        k += (e[i] & mask) > edge
    return starts[:k], ends[:k]


@kernel
def order_changed(packed: Ints, removed: Ints, added: Ints) -> Ints:
    """The order of sorted rows without some, and with others: places in one list after the other.

    removed: sorted places.
    """
    n, m = packed.size, added.size
    order = np.empty(n + m, np.int64)
    i, j, r, k = 0, 0, 0, 0
    while i < n or j < m:
        if r < removed.size and i == removed[r]:
            i += 1
            r += 1
        elif j == m or (i < n and packed[i] <= added[j]):
            order[k] = i
            i += 1
            k += 1
        else:
            order[k] = n + j
            j += 1
            k += 1
    return order[:k].copy()


@kernel
def change_intervals(s: Ints, e: Ints, removed: Ints, added_s: Ints, added_e: Ints) -> tuple[Ints, Ints]:
    """Return sorted intervals without those at some sorted places, and with others, which are sorted, too."""
    n, m = s.size, added_s.size
    starts, ends = np.empty(n - removed.size + m, np.int64), np.empty(n - removed.size + m, np.int64)
    i, j, r, k = 0, 0, 0, 0
    while i < n or j < m:
        if r < removed.size and i == removed[r]:
            i += 1
            r += 1
            continue
        if j == m or (i < n and s[i] <= added_s[j]):
            starts[k], ends[k] = s[i], e[i]
            i += 1
        else:
            starts[k], ends[k] = added_s[j], added_e[j]
            j += 1
        k += 1
    return starts, ends


@kernel
def cuts_of_codes(codes: Ints, edges: Ints, delay: int, floor: int) -> Ints:
    """So long before the edge of each code, or at the floor; of a code without an edge, after all times."""
    cuts = np.empty(codes.size, np.int64)
    for i in range(codes.size):
        cuts[i] = max(edges[codes[i]] - delay, floor) if codes[i] < edges.size else AFTER_ALL
    return cuts


@kernel
def find_earliest_of_codes(earliest: Ints, codes: Ints, times: Ints) -> None:
    """Each code has the earliest of its times. times: of each, or one for all."""
    step = 0 if times.size == 1 else 1
    for i in range(codes.size):
        earliest[codes[i]] = min(earliest[codes[i]], times[i * step])
