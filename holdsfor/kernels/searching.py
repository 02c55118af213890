"""Rows of some keys in sorted columns: by where the rows of each key begin, or by search."""

from __future__ import annotations

import numpy as np

from holdsfor.kernels.kernel import Ints, kernel

#: A search costs as much as a look at so many rows.
SEARCH = 32
#: Codes have a table where there are no more of them than so many times the keys.
DENSE = 4
#: Rows that are moved one by one are moved so many places each at most, in the mean.
MOST_MOVES = 8


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
def seek_within(values: Ints, wanted: int, low: int, high: int) -> int:
    """As `seek_between`: near places are found sooner."""
    step = 1
    while low + step < high and values[low + step] < wanted:
        low += step
        step *= 2
    return seek_between(values, wanted, low, min(low + step, high))


@kernel
def seek(values: Ints, wanted: int, first: int) -> int:
    """The first place from `first` on with a value that is not less: near places are found sooner."""
    return seek_within(values, wanted, first, values.size)


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


@kernel
def gather_from_all(
    base: Ints,
    base_lasts: Ints,
    gone: Ints,
    more: Ints,
    more_lasts: Ints,
    edges: Ints,
    ends: Ints,
    shift: int,
    mask: int,
    reach: int,
) -> tuple[Ints, Ints, Ints]:
    """As `gather_rows`, by a look at each row: for many keys. edges: the time of each leading code, if it has one.

    ends: of each code, or one for all. No order is given where only one of the lists has rows.
    """
    step = 0 if ends.size == 1 else 1
    in_base, in_more = np.empty(base.size + 1, np.int64), np.empty(more.size + 1, np.int64)
    k, m, g = 0, 0, 0
    for i in range(base.size):
        in_base[k] = i
        code = base[i] >> shift
        k += (
            code < edges.size and (base_lasts[i] & mask) + reach > edges[code] and (base[i] & mask) <= ends[code * step]
        )
    if gone.size:
        kept = 0
        for i in range(k):
            while g < gone.size and gone[g] < in_base[i]:
                g += 1
            in_base[kept] = in_base[i]
            kept += g == gone.size or gone[g] != in_base[i]
        k = kept
    for j in range(more.size):
        in_more[m] = j
        code = more[j] >> shift
        m += (
            code < edges.size and (more_lasts[j] & mask) + reach > edges[code] and (more[j] & mask) <= ends[code * step]
        )
    order = np.empty(k + m if k and m else 0, np.int64)
    i, j = 0, 0
    for place in range(order.size):
        is_first = j == m or (i < k and base[in_base[i]] <= more[in_more[j]])
        order[place] = i if is_first else k + j
        i += is_first
        j += not is_first
    return in_base[:k].copy(), in_more[:m].copy(), order


@kernel
def _sort_places(packed: Ints, places: Ints, ranks: Ints, keys: int) -> Ints:
    """The places in the order that sorts their rows, which come in sorted lists: by counting the rows of each key.

    ranks: of the key of each row, among all. Rows of a key that are not in order, which are few where the lists follow
    each other in time, are moved.
    """
    first = np.zeros(keys + 1, np.int64)
    for i in range(places.size):
        first[ranks[i] + 1] += 1
    for rank in range(keys):
        first[rank + 1] += first[rank]
    result = np.empty(places.size, np.int64)
    for i in range(places.size):
        result[first[ranks[i]]] = places[i]
        first[ranks[i]] += 1
    moves = 0
    for i in range(1, places.size):
        place, row = i, packed[result[i]]
        moved = result[i]
        while place and packed[result[place - 1]] > row:
            result[place] = result[place - 1]
            place -= 1
            moves += 1
        result[place] = moved
        if moves > MOST_MOVES * places.size:
            return result[np.argsort(packed[result], kind="mergesort")]
    return result


@kernel
def gather_from_runs(
    packed: Ints,
    starts: Ints,
    stops: Ints,
    latest: Ints,
    keys: Ints,
    until: Ints,
    ends: Ints,
    shift: int,
    bits: int,
    reach: int,
) -> Ints:
    """As `gather_rows`, of points in runs, each of which is sorted: places, in the order that sorts their rows.

    starts, stops: where the runs begin and end; latest: the last time in each, by which they are passed by. A run that
    may have rows of many of the keys is looked at row by row, others are searched.
    """
    mask = (np.int64(1) << bits) - 1
    is_in_time = shift == bits
    step = 0 if ends.size == 1 else 1
    places, ranks = np.empty(64, np.int64), np.empty(64, np.int64)
    rank_of = np.empty(0, np.int64)
    if keys.size and keys[-1] < DENSE * keys.size:
        rank_of = np.full(keys[-1] + 1, -1)
        for key in range(keys.size):
            rank_of[keys[key]] = key
    k, some = 0, 0
    for run in range(starts.size):
        wanted = 0
        for key in range(keys.size):
            wanted += latest[run] > until[key] - reach
        rows = stops[run] - starts[run]
        if not wanted or not rows:
            continue
        if k + rows >= places.size:
            wider = np.empty((2, k + 2 * rows), np.int64)
            wider[0, :k], wider[1, :k] = places[:k], ranks[:k]
            places, ranks = wider[0], wider[1]
        i, before = starts[run], k
        if wanted * SEARCH > rows and rank_of.size:
            for i in range(starts[run], stops[run]):
                code, time = packed[i] >> shift, packed[i] & mask
                rank = rank_of[code] if code < rank_of.size else -1
                places[k], ranks[k] = i, rank
                k += rank >= 0 and time > until[rank] - reach and time <= ends[rank * step]
            some += k > before
            continue
        if wanted * SEARCH > rows:
            key = 0
            for i in range(starts[run], stops[run]):
                code, time = packed[i] >> shift, packed[i] & mask
                while key < keys.size and keys[key] < code:
                    key += 1
                if key == keys.size:
                    break
                places[k], ranks[k] = i, key
                k += keys[key] == code and time > until[key] - reach and time <= ends[key * step]
            some += k > before
            continue
        for key in range(keys.size):
            edge, end = until[key] - reach, ends[key * step]
            if latest[run] > edge:
                low = (keys[key] << shift) | (min(max(edge + 1, 0), mask) if is_in_time else 0)
                i = seek_within(packed, low, i, stops[run])
                while i < stops[run] and packed[i] >> shift == keys[key]:
                    places[k], ranks[k] = i, key
                    k += (packed[i] & mask) > edge and (packed[i] & mask) <= end
                    i += 1
        some += k > before
    return places[:k].copy() if some <= 1 else _sort_places(packed, places[:k], ranks[:k], keys.size)
