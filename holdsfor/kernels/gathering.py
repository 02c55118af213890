"""Rows of some keys, and how two lists of intervals differ: what evaluation by changes is made of."""

from __future__ import annotations

import numpy as np

from holdsfor.kernels.kernel import Ints, kernel


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
def places_from(
    first: Ints, bounds: Ints, starts: Ints, last: Ints, edges: Ints, ends: Ints, mask: int, reach: int
) -> Ints:
    """The places from first[i] on of rows that start below bounds[i], and not after the time ends[i].

    Without those whose last time, and `reach` more, is not after edges[i]. ends: of each, or one for all.
    """
    step = 0 if ends.size == 1 else 1
    total = 0
    for i in range(first.size):
        j = first[i]
        while j < starts.size and starts[j] < bounds[i]:
            j += 1
        total += j - first[i]
    result = np.empty(total + 1, np.int64)
    k = 0
    for i in range(first.size):
        j = first[i]
        while j < starts.size and starts[j] < bounds[i]:
            result[k] = j
            k += (last[j] & mask) + reach > edges[i] and (starts[j] & mask) <= ends[i * step]
            j += 1
    return result[:k].copy()


@kernel
def places_unlike(as_: Ints, ae: Ints, bs: Ints, be: Ints) -> tuple[Ints, Ints]:
    """The places of the intervals of each sorted list that are not in the other."""
    a, b = np.empty(as_.size + 1, np.int64), np.empty(bs.size + 1, np.int64)
    i, j, k, m = 0, 0, 0, 0
    while i < as_.size or j < bs.size:
        from_a = j == bs.size or (i < as_.size and as_[i] <= bs[j])
        from_b = i == as_.size or (j < bs.size and bs[j] <= as_[i])
        same = from_a and from_b and ae[i] == be[j]
        if from_a:
            a[k] = i
            k += not same
            i += 1
        if from_b:
            b[m] = j
            m += not same
            j += 1
    return a[:k].copy(), b[:m].copy()


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
def points_since(packed: Ints, shift: int, edges: Ints, delay: int, floor: int, mask: int) -> Ints:
    """The points that are later than so long before the edge of their leading code, and than the floor."""
    result = np.empty(packed.size + 1, np.int64)
    k = 0
    for i in range(packed.size):
        result[k] = packed[i]
        k += (packed[i] & mask) > max(edges[packed[i] >> shift] - delay, floor)
    return result[:k].copy()


@kernel
def find_earliest_of_codes(earliest: Ints, codes: Ints, times: Ints) -> None:
    """Each code has the earliest of its times. times: of each, or one for all."""
    step = 0 if times.size == 1 else 1
    for i in range(codes.size):
        earliest[codes[i]] = min(earliest[codes[i]], times[i * step])


@kernel
def places_lingering(s: Ints, e: Ints, edge: int, mask: int) -> Ints:
    """The places of intervals that begin or end after the edge; what only goes on does neither."""
    result = np.empty(s.size + 1, np.int64)
    k = 0
    for i in range(s.size):
        end = e[i] & mask
        result[k] = i
        k += (s[i] & mask) > edge or (end > edge and end != mask)
    return result[:k].copy()


@kernel
def seek(values: Ints, wanted: int, first: int) -> int:
    """The first place from `first` on with a value that is not less: near places are found sooner."""
    low, step = first, 1
    while low + step < values.size and values[low + step] < wanted:
        low += step
        step *= 2
    high = min(low + step, values.size)
    while low < high:
        middle = (low + high) // 2
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def first_places(packed: Ints, shift: int) -> Ints:
    """Where the rows of each leading code begin, and where the last of them end. packed: sorted."""
    codes = (packed[-1] >> shift) + 1 if packed.size else 0
    first = np.empty(codes + 1, np.int64)
    code = 0
    for i in range(packed.size):
        while code <= packed[i] >> shift:
            first[code] = i
            code += 1
    first[codes] = packed.size
    return first


@kernel
def seek_between(values: Ints, wanted: int, low: int, high: int) -> int:
    """The first place from low up to high with a value that is not less; high if there is none."""
    while low < high:
        middle = (low + high) // 2
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def places_after(packed: Ints, first: Ints, codes: Ints, wanted: Ints) -> Ints:
    """For each code the first of its rows that comes after what is wanted, or the first row after its own."""
    result = np.empty(codes.size, np.int64)
    for i in range(codes.size):
        code = min(codes[i], first.size - 1)
        result[i] = seek_between(packed, wanted[i] + 1, first[code], first[min(code + 1, first.size - 1)])
    return result


@kernel
def find_ranges(lasts: Ints, first: Ints, keys: Ints, lows: Ints) -> tuple[Ints, Ints]:
    """Where the rows of each key begin and end; nowhere if the last of them is below its low.

    One look after the other, none of which waits for another: where rows lie far apart, that is what counts.
    """
    starts, stops = np.empty(keys.size, np.int64), np.empty(keys.size, np.int64)
    for i in range(keys.size):
        code = min(keys[i], first.size - 1)
        starts[i], stops[i] = first[code], first[min(code + 1, first.size - 1)]
    for i in range(keys.size):
        if stops[i] > starts[i] and lasts[stops[i] - 1] < lows[i]:
            starts[i] = stops[i]
    return starts, stops


@kernel
def gather_rows(
    base: Ints,
    base_lasts: Ints,
    first: Ints,
    gone: Ints,
    more: Ints,
    more_lasts: Ints,
    keys: Ints,
    until: Ints,
    ends: Ints,
    shift: int,
    bits: int,
    reach: int,
) -> tuple[Ints, Ints, Ints]:
    """The rows of sorted keys in two sorted lists: places in each, and the order that sorts one after the other.

    Rows whose last time, and `reach` more, is after the time of their key, and that do not start after its end. shift:
    by which the key is left of a row; where it is that of times, rows of a key are in the order of their times.
    first: where the rows of each key begin in the base, and the last of them end; none: they are searched for.
    gone: places in the base that are left out. ends: of each key, or one for all.
    """
    mask = (np.int64(1) << bits) - 1
    step = 0 if ends.size == 1 else 1
    is_in_time = shift == bits
    lows = keys << shift
    if is_in_time:
        lows |= np.minimum(np.maximum(until - reach + 1, 0), mask)
    starts, stops = find_ranges(base_lasts if is_in_time else base, first, keys, lows) if first.size else (keys, keys)
    stop = base.size
    room = 64
    in_base, in_more, order = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    i, j, g, k, m = 0, 0, 0, 0, 0
    for key in range(keys.size):
        bound, end, edge = (keys[key] + 1) << shift, ends[key * step], until[key] - reach
        low = lows[key]
        if is_in_time:
            bound = min(bound, (keys[key] << shift) + min(end, mask) + 1)
        if first.size:
            i, stop = starts[key], stops[key]
            if is_in_time and i < stop:
                i = seek_between(base_lasts, low, i, stop)
        else:
            i = seek(base_lasts if is_in_time else base, low, i)
        j = seek(more_lasts if is_in_time else more, low, j)
        if i < stop:
            g = seek(gone, i, g)
        while True:
            from_base = i < stop and base[i] < bound
            from_more = j < more.size and more[j] < bound
            if not from_base and not from_more:
                break
            if k + m + 1 >= room:
                room *= 2
                wider = np.empty((3, room), np.int64)
                wider[0, :k], wider[1, :m], wider[2, : k + m] = in_base[:k], in_more[:m], order[: k + m]
                in_base, in_more, order = wider[0], wider[1], wider[2]
            if from_base and (not from_more or base[i] <= more[j]):
                if g < gone.size and gone[g] == i:
                    g += 1
                elif (base_lasts[i] & mask) > edge and (base[i] & mask) <= end:
                    in_base[k] = i
                    order[k + m] = k
                    k += 1
                i += 1
            else:
                if (more_lasts[j] & mask) > edge and (more[j] & mask) <= end:
                    in_more[m] = j
                    order[k + m] = -1 - m
                    m += 1
                j += 1
    for place in range(k + m if m else 0):
        if order[place] < 0:
            order[place] = k - 1 - order[place]
    return in_base[:k].copy(), in_more[:m].copy(), order[: k + m].copy()
