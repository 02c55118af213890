"""Groundings that a change touches, with the time of the change, and points that contradict what is known."""

from __future__ import annotations

import numpy as np

from holdsfor.kernels.kernel import AFTER_ALL, Ints, Mask, kernel
from holdsfor.kernels.rows.searching import seek


@kernel
def _put_time(keys: Ints, times: Ints, k: int, key: int, time: int) -> int:
    """A key with its time behind the others, of which there are k: but once where it comes again at once."""
    if k and keys[k - 1] == key:
        times[k - 1] = min(times[k - 1], time)
        return k
    keys[k], times[k] = key, time
    return k + 1


@kernel
def touch_by_points(packed: Ints, after: int, bits: int, before: int) -> tuple[Ints, Ints]:
    """The keys of sorted points that are after a time, each with the time of its first such point, less `before`."""
    mask, last = (np.int64(1) << bits) - 1, np.int64(-1)
    keys, times, k = np.empty(packed.size + 1, np.int64), np.empty(packed.size + 1, np.int64), 0
    for i in range(packed.size):
        key, time = packed[i] >> bits, packed[i] & mask
        keys[k], times[k] = key, time - before
        is_first = (time > after) & (key != last)
        k += is_first
        last = key if is_first else last
    return keys[:k], times[:k]


@kernel
def touch_by_intervals(a_s: Ints, a_e: Ints, b_s: Ints, b_e: Ints, bits: int, before: int) -> tuple[Ints, Ints]:
    """The keys for which two lists of intervals are not the same, each with the first time of that, less `before`.

    Up to that time both have the same intervals: so it is where one begins that only one list has, or the earlier end
    of two that begin together.
    """
    mask, n, m = (np.int64(1) << bits) - 1, a_s.size, b_s.size
    keys, times = np.empty(n + m, np.int64), np.empty(n + m, np.int64)
    i, j, k = 0, 0, 0
    while i < n or j < m:
        in_a = j == m or (i < n and a_s[i] <= b_s[j])
        in_b = i == n or (j < m and b_s[j] <= a_s[i])
        first = a_s[i] if in_a else b_s[j]
        if in_a and in_b:
            first = min(a_e[i], b_e[j])
        if not in_a or not in_b or a_e[i] != b_e[j]:
            k = _put_time(keys, times, k, first >> bits, (first & mask) - before)
        i += in_a
        j += in_b
    return keys[:k], times[:k]


@kernel
def find_lingering_keys(s: Ints, e: Ints, edge: int, now: int, bits: int) -> tuple[Ints, int]:
    """The keys of sorted intervals that begin or end after the edge, and have begun; and the last time that one does.

    That is the edge if there are none. What only goes on neither begins nor ends. Points begin and end at once.
    """
    mask = (np.int64(1) << bits) - 1
    keys, k, latest, known = np.empty(s.size + 1, np.int64), 0, np.int64(edge), np.int64(-1)
    for i in range(s.size):
        start, end, key = s[i] & mask, e[i] & mask, s[i] >> bits
        last = start if end == mask else max(start, end)
        is_one = (start <= now) & (last > edge)
        latest = max(latest, last) if is_one else latest
        keys[k] = key
        k += is_one & (key != known)
        known = key if is_one else known
    return keys[:k], int(latest)


@kernel
def find_followers(codes: Ints, lasts: Ints, earliest: Ints, reach: int, near: int, mask: int) -> tuple[Ints, Ints]:
    """The rows with an argument that has a time in a table of all codes, and the earliest time of each row's arguments.

    Without rows whose last time, and `reach` more, is not after that, or not after `near` if that is earlier. codes: of
    each argument, one row after the other.
    """
    rows, times, k = np.empty(lasts.size + 1, np.int64), np.empty(lasts.size + 1, np.int64), 0
    for i in range(lasts.size):
        time = earliest[codes[0, i]]
        for argument in range(1, codes.shape[0]):
            time = min(time, earliest[codes[argument, i]])
        rows[k], times[k] = i, time
        k += time != AFTER_ALL and (lasts[i] & mask) + reach > min(time, near)
    return rows[:k], times[:k]


@kernel
def mark_lasting(is_marked: Mask, codes: Ints, lasts: Ints, edge: int, mask: int) -> None:
    """Marks the codes of rows that are not over at the edge, in a table of all codes."""
    for i in range(codes.size):
        if (lasts[i] & mask) > edge:
            is_marked[codes[i]] = True


@kernel
def unite_touched(keys: Ints, times: Ints) -> tuple[Ints, Ints]:
    """Sorted keys, each once, with the earliest of its times."""
    distinct, earliest, k = np.empty(keys.size, np.int64), np.empty(keys.size, np.int64), 0
    for i in range(keys.size):
        k = _put_time(distinct, earliest, k, keys[i], times[i])
    return distinct[:k], earliest[:k]


@kernel
def find_contradictions(
    out: Ints,
    runs: Ints,
    value: int,
    floor: int,
    base_s: Ints,
    base_e: Ints,
    gone: Ints,
    more_s: Ints,
    more_e: Ints,
    bits: int,
    before: int,
) -> tuple[Ints, Ints]:
    """The points of a value's runs that do not agree with whether it holds right after them; none up to the floor.

    Gives their keys, and their times less `before`: of a key's points that come one after the other, the earliest.
    An initiation agrees with a value that holds, a termination with one that does not: neither changes anything.
    out, runs: as `follow_script` gives them. It holds by the base, without the places that are gone, and by the rest.
    """
    room = 0
    for run in range(runs.shape[0]):
        room += runs[run, 2] - runs[run, 1] if runs[run, 0] >> 1 == value else 0
    mask = (np.int64(1) << bits) - 1
    keys, times, k = np.empty(room, np.int64), np.empty(room, np.int64), 0
    for run in range(runs.shape[0]):
        if runs[run, 0] >> 1 != value:
            continue
        i, j, g = 0, 0, 0
        for place in range(runs[run, 1], runs[run, 2]):
            after = out[place] + 1
            i = seek(base_s, after + 1, i)
            holds = i > 0 and after < base_e[i - 1]
            if holds:
                g = seek(gone, i - 1, g)
                holds = g == gone.size or gone[g] != i - 1
            if not holds:
                j = seek(more_s, after + 1, j)
                holds = j > 0 and after < more_e[j - 1]
            time = out[place] & mask
            if holds == (runs[run, 0] & 1 == 1) and time > floor:
                k = _put_time(keys, times, k, out[place] >> bits, time - before)
    return keys[:k], times[:k]
