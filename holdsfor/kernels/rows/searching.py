"""Rows of some keys in sorted columns: by where the rows of each key begin, or by search."""

from __future__ import annotations

import numpy as np

from holdsfor.kernels.kernel import Ints, kernel

#: A search costs as much as a look at so many rows.
SEARCH = 32
#: The rows of a key are looked at one by one if there are no more than that.
FEW = 8


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
def seek(values: Ints, wanted: int, first: int) -> int:
    """The first place from `first` on with a value that is not less: near places are found sooner."""
    low, step = first, 1
    while low + step < values.size and values[low + step] < wanted:
        low += step
        step *= 2
    return seek_between(values, wanted, low, min(low + step, values.size))


@kernel
def _find_ranges(rows: Ints, keys: Ints, shift: int) -> tuple[Ints, Ints]:
    """Return the places where the rows of each key begin and end."""
    starts, stops = np.empty(keys.size, np.int64), np.empty(keys.size, np.int64)
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
def _list_places(rows: Ints, lasts: Ints, keys: Ints, until: Ints, shift: int, bits: int, reach: int) -> Ints:
    """The places of the rows of sorted keys in a sorted list: see `gather_rows`."""
    mask = (np.int64(1) << bits) - 1
    if rows.size < keys.size:
        places, k, key = np.empty(rows.size + 1, np.int64), 0, 0
        for place in range(rows.size):
            code = rows[place] >> shift
            key = seek(keys, code, key)
            if key == keys.size:
                break
            places[k] = place
            k += keys[key] == code and (lasts[place] & mask) > until[key] - reach
        return places[:k]
    starts, stops = _find_ranges(rows, keys, shift)
    room = 1
    for key in range(keys.size):
        room += stops[key] - starts[key]
    places, k = np.empty(room, np.int64), 0
    for key in range(keys.size):
        i, stop, edge = starts[key], stops[key], until[key] - reach
        if shift == bits and stop - i > FEW:  # they are in the order of their times
            i = seek_between(lasts, (keys[key] << shift) | min(max(edge + 1, 0), mask), i, stop)
        for place in range(i, stop):
            places[k] = place
            k += (lasts[place] & mask) > edge
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
    base: Ints,
    base_lasts: Ints,
    gone: Ints,
    more: Ints,
    more_lasts: Ints,
    keys: Ints,
    until: Ints,
    shift: int,
    bits: int,
    reach: int,
) -> tuple[Ints, Ints, Ints]:
    """The rows of sorted keys in two sorted lists: places in each, and the order that sorts one after the other.

    Rows whose last time, and `reach` more, is after the time of their key. shift: by which the key is left of a row;
    where it is that of times, rows of a key are in the order of their times. gone: places in the base that are left
    out. No order is given where only one of the lists has rows.
    """
    in_base = _list_places(base, base_lasts, keys, until, shift, bits, reach)
    in_base = _leave_out(in_base, gone)
    in_more = _list_places(more, more_lasts, keys, until, shift, bits, reach)
    return in_base.copy(), in_more.copy(), _find_order(base, in_base, more, in_more)
