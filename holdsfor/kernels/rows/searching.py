"""Rows of some keys in sorted columns: by where the rows of each key begin, or by search."""

from __future__ import annotations

import numpy as np

from holdsfor.kernels.kernel import Ints, kernel
from holdsfor.kernels.rows.gathering import AFTER_ALL

#: A search costs as much as a look at so many rows.
SEARCH = 32
#: The rows of a key are looked at one by one if there are no more than that.
FEW = 8
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
    """Seek a value between two places; near places are found sooner than by `seek_between`."""
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
    """Return the places where the rows of each leading code begin, and where the last end. packed: sorted."""
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
def _find_ranges(rows: Ints, first: Ints, keys: Ints, shift: int) -> tuple[Ints, Ints]:
    """Return the places where the rows of each key begin and end. first: as `first_places` gives it, or nothing.

    With it, one look after the other, none of which waits for another: where rows lie far apart, that is what counts.
    """
    starts, stops = np.empty(keys.size, np.int64), np.empty(keys.size, np.int64)
    if first.size:
        for key in range(keys.size):
            code = min(keys[key], first.size - 1)
            starts[key], stops[key] = first[code], first[min(code + 1, first.size - 1)]
        return starts, stops
    i, is_far = 0, rows.size > SEARCH * keys.size
    for key in range(keys.size):
        low, bound = keys[key] << shift, (keys[key] + 1) << shift
        if is_far:
            i = seek(rows, low, i)
        while i < rows.size and rows[i] < low:
            i += 1
        starts[key] = i
        if is_far:
            i = seek(rows, bound, i)
        while i < rows.size and rows[i] < bound:
            i += 1
        stops[key] = i
    return starts, stops


@kernel
def _list_places(
    rows: Ints, lasts: Ints, first: Ints, keys: Ints, until: Ints, ends: Ints, shift: int, bits: int, reach: int
) -> Ints:
    """The places of the rows of sorted keys in a sorted list: see `gather_rows`."""
    mask = (np.int64(1) << bits) - 1
    step = 0 if ends.size == 1 else 1
    if rows.size < keys.size:
        places, k, key = np.empty(rows.size + 1, np.int64), 0, 0
        for place in range(rows.size):
            code = rows[place] >> shift
            key = seek(keys, code, key)
            if key == keys.size:
                break
            places[k] = place
            is_in_time = (lasts[place] & mask) > until[key] - reach and (rows[place] & mask) <= ends[key * step]
            k += keys[key] == code and is_in_time
        return places[:k]
    starts, stops = _find_ranges(rows, first, keys, shift)
    room = 1
    for key in range(keys.size):
        room += stops[key] - starts[key]
    places, k = np.empty(room, np.int64), 0
    for key in range(keys.size):
        i, stop, edge, end = starts[key], stops[key], until[key] - reach, ends[key * step]
        if shift == bits and stop - i > FEW:  # they are in the order of their times
            low = keys[key] << shift
            stop = seek_between(rows, low + min(end, mask) + 1, i, stop)
            i = seek_between(lasts, low | min(max(edge + 1, 0), mask), i, stop)
        for place in range(i, stop):
            places[k] = place
            k += (lasts[place] & mask) > edge and (rows[place] & mask) <= end
    return places[:k]


@kernel
def _leave_out(places: Ints, gone: Ints) -> Ints:
    """Both are sorted. What stays is written over what was there."""
    kept, g, is_far = 0, 0, gone.size > SEARCH * places.size
    for i in range(places.size):
        if is_far:
            g = seek(gone, places[i], g)
        while g < gone.size and gone[g] < places[i]:
            g += 1
        places[kept] = places[i]
        kept += g == gone.size or gone[g] != places[i]
    return places[:kept]


@kernel
def _find_order(base: Ints, in_base: Ints, more: Ints, in_more: Ints) -> Ints:
    """The order that sorts the rows at places in two lists, one after the other; none where one of them has none."""
    k, m = in_base.size, in_more.size
    order = np.empty(k + m if k and m else 0, np.int64)
    i, j = 0, 0
    for place in range(order.size):
        is_first = j == m or (i < k and base[in_base[i]] <= more[in_more[j]])
        order[place] = i if is_first else k + j
        i += is_first
        j += not is_first
    return order


@kernel
def gather_rows(
    first: Ints,
    base: Ints,
    base_lasts: Ints,
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
    gone: places in the base that are left out. ends: of each key, or one for all. No order is given where only one of
    the lists has rows.
    """
    nothing = keys[:0]
    in_base = _list_places(base, base_lasts, first, keys, until, ends, shift, bits, reach)
    in_base = _leave_out(in_base, gone)
    in_more = _list_places(more, more_lasts, nothing, keys, until, ends, shift, bits, reach)
    return in_base.copy(), in_more.copy(), _find_order(base, in_base, more, in_more)


@kernel
def gather_intervals_of_keys(
    first: Ints,
    base_s: Ints,
    base_e: Ints,
    gone: Ints,
    more_s: Ints,
    more_e: Ints,
    keys: Ints,
    until: Ints,
    ends: Ints,
    shift: int,
    bits: int,
    reach: int,
) -> tuple[Ints, Ints, Ints]:
    """The intervals that `gather_rows` finds, as one list, and where each comes from: see `gather_intervals`."""
    in_base = _list_places(base_s, base_e, first, keys, until, ends, shift, bits, reach)
    in_base = _leave_out(in_base, gone)
    in_more = _list_places(more_s, more_e, keys[:0], keys, until, ends, shift, bits, reach)
    k, m = in_base.size, in_more.size
    s, e, origin = np.empty(k + m, np.int64), np.empty(k + m, np.int64), np.empty(k + m, np.int64)
    i, j = 0, 0
    for place in range(k + m):
        if j == m or (i < k and base_s[in_base[i]] <= more_s[in_more[j]]):
            s[place], e[place], origin[place] = base_s[in_base[i]], base_e[in_base[i]], in_base[i]
            i += 1
        else:
            s[place], e[place], origin[place] = more_s[in_more[j]], more_e[in_more[j]], -1 - in_more[j]
            j += 1
    return s, e, origin


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
    """Gather rows by a look at each, for many keys: see `gather_rows`. edges: the time of each leading code, if any.

    ends: of each code, or one for all. No order is given where only one of the lists has rows.
    """
    step = 0 if ends.size == 1 else 1
    in_base, in_more = np.empty(base.size + 1, np.int64), np.empty(more.size + 1, np.int64)
    k, m = 0, 0
    for i in range(base.size):
        in_base[k] = i
        code = base[i] >> shift
        k += (
            code < edges.size and (base_lasts[i] & mask) + reach > edges[code] and (base[i] & mask) <= ends[code * step]
        )
    in_base = _leave_out(in_base[:k], gone)
    for j in range(more.size):
        in_more[m] = j
        code = more[j] >> shift
        m += (
            code < edges.size and (more_lasts[j] & mask) + reach > edges[code] and (more[j] & mask) <= ends[code * step]
        )
    in_more = in_more[:m]
    return in_base.copy(), in_more.copy(), _find_order(base, in_base, more, in_more)


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
def _merge_places(packed: Ints, one: Ints, other: Ints) -> Ints:
    """Both in the order of their rows, as each of them is; of equal rows the one at an earlier place comes first."""
    result = np.empty(one.size + other.size, np.int64)
    i, j = 0, 0
    for place in range(result.size):
        is_first = j == other.size
        if not is_first and i < one.size:
            row, another = packed[one[i]], packed[other[j]]
            is_first = row < another or (row == another and one[i] < other[j])
        if is_first:
            result[place] = one[i]
            i += 1
        else:
            result[place] = other[j]
            j += 1
    return result


@kernel
def _look_through(
    packed: Ints,
    start: int,
    stop: int,
    looking: Ints,
    rank_of: Ints,
    keys: Ints,
    until: Ints,
    ends: Ints,
    shift: int,
    bits: int,
    after: int,
    up_to: int,
    places: Ints,
    ranks: Ints,
    k: int,
) -> int:
    """The rows of a run that are after a time and up to another, and as `gather_from_runs` wants them, behind k others.

    looking: the ranks of the keys that may have some. If they are many, the run is looked at row by row.
    """
    mask = (np.int64(1) << bits) - 1
    step = 0 if ends.size == 1 else 1
    if looking.size * SEARCH <= stop - start:
        i = start
        for rank in looking:
            edge, end = max(until[rank], after), min(ends[rank * step], up_to)
            low = keys[rank] << shift
            i = seek_within(packed, low | min(max(edge + 1, 0), mask) if shift == bits else low, i, stop)
            while i < stop and packed[i] >> shift == keys[rank]:
                places[k], ranks[k] = i, rank
                k += (packed[i] & mask) > edge and (packed[i] & mask) <= end
                i += 1
        return k
    key = 0
    for i in range(start, stop):
        time = packed[i] & mask
        if time <= after or time > up_to:
            continue
        code = packed[i] >> shift
        if rank_of.size:
            key = rank_of[code] if code < rank_of.size else keys.size
        else:
            while key < keys.size and keys[key] < code:
                key += 1
        if key < keys.size:
            places[k], ranks[k] = i, key
            k += keys[key] == code and time > until[key] and time <= ends[key * step]
    return k


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
    """Gather points of sorted runs, see `gather_rows`: return their places, in the order that sorts the rows.

    starts, stops: where the runs begin and end; latest: the last time in each, by which they are passed by. Of most
    keys only the last run has rows. The others are looked through for keys whose times are earlier, and what they have
    is put between its rows.
    """
    until = until - reach
    last = until.max() if keys.size else 0
    every, earlier = np.arange(keys.size), np.flatnonzero(until < last)
    rank_of = np.empty(0, np.int64)
    if keys.size and keys[-1] < DENSE * keys.size:
        rank_of = np.full(keys[-1] + 1, keys.size)
        for rank in range(keys.size):
            rank_of[keys[rank]] = rank
    places, ranks = np.empty(64, np.int64), np.empty(64, np.int64)
    k, begin, end = 0, 0, 0  # how many there are; where those of the run that has most of them begin and end
    for run in range(starts.size):
        start, stop, is_last = starts[run], stops[run], latest[run] > last
        looking = earlier[until[earlier] < latest[run]]
        if start == stop or not (is_last or looking.size):
            continue
        if k + stop - start >= places.size:
            wider = np.empty((2, k + 2 * (stop - start)), np.int64)
            wider[0, :k], wider[1, :k] = places[:k], ranks[:k]
            places, ranks = wider[0], wider[1]
        wanted = keys, until, ends, shift, bits
        if is_last:
            before = k
            k = _look_through(packed, start, stop, every, rank_of, *wanted, last, AFTER_ALL, places, ranks, k)
            if k - before > end - begin:
                begin, end = before, k
        if looking.size:
            up_to = last if is_last else AFTER_ALL
            k = _look_through(packed, start, stop, looking, rank_of, *wanted, -AFTER_ALL, up_to, places, ranks, k)
    most = places[begin:end].copy()
    if most.size == k:
        return most
    others, ranks = np.concatenate((places[:begin], places[end:k])), np.concatenate((ranks[:begin], ranks[end:k]))
    return _merge_places(packed, most, _sort_places(packed, others, ranks, keys.size))
