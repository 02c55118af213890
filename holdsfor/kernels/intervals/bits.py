"""The state of a grounding as bits: fluents that depend on each other, without deadlines, grounding by grounding.

The same meaning as `machine`, for the common case that every rule is about one grounding at one time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from holdsfor.kernels.kernel import NO_POINT, Ints, kernel


class Rules(NamedTuple):
    """Points in sorted lists, `begin` their offsets in `points`; the rules of list n are first[n]..first[n+1].

    needs: bits that must be set; forbids: bits that must not; starts, stops: bits that it initiates or terminates.
    """

    points: Ints
    begin: Ints
    first: Ints
    needs: Ints
    forbids: Ints
    starts: Ints
    stops: Ints


@kernel
def bit_machine(
    rules: Rules,
    groups: Ints,
    capacity: Ints,
    carried_key: Ints,
    carried: Ints,
    carried_start: Ints,
    bits: int,
    after: int,
) -> tuple[Ints, Ints, Ints]:
    """Intervals of slot f from capacity[f] on, and how many of them there are.

    groups: the bits of each fluent with several values. capacity: room for the intervals of each slot, as offsets.
    carried: the bits that hold by key, from its carried_start on. Points are packed; an edge is a point + after.
    """
    lists, slots = rules.begin.size - 1, capacity.size - 1
    mask = (np.int64(1) << bits) - 1
    start, end, count = np.empty(capacity[-1], np.int64), np.empty(capacity[-1], np.int64), capacity[:-1].copy()
    at, head = rules.begin[:lists].copy(), np.empty(lists, np.int64)
    for n in range(lists):
        head[n] = rules.points[at[n]] if at[n] < rules.begin[n + 1] else NO_POINT
    state, key, c = np.int64(0), np.int64(-1), 0
    while True:
        point = np.int64(NO_POINT)
        for n in range(lists):
            point = min(point, head[n])
        here = point >> bits
        if point == NO_POINT or here != key:
            for f in range(slots):  # what holds at the end of a grounding is open
                if (state >> f) & 1:
                    end[count[f] - 1] = (key << bits) | mask
            state = np.int64(0)
            while c < carried_key.size and (point == NO_POINT or carried_key[c] <= here):
                for f in range(slots):
                    if (carried[c] >> f) & 1:
                        start[count[f]] = (carried_key[c] << bits) | carried_start[c]
                        end[count[f]] = (carried_key[c] << bits) | mask
                        count[f] += 1
                if point != NO_POINT and carried_key[c] == here:
                    state = carried[c]
                c += 1
            if point == NO_POINT:
                break
            key = here
        on, off = np.int64(0), np.int64(0)
        for n in range(lists):
            if head[n] != point:
                continue
            for r in range(rules.first[n], rules.first[n + 1]):
                if (state & rules.needs[r]) == rules.needs[r] and (state & rules.forbids[r]) == 0:
                    on |= rules.starts[r]
                    off |= rules.stops[r]
            while at[n] < rules.begin[n + 1] and rules.points[at[n]] == point:
                at[n] += 1
            head[n] = rules.points[at[n]] if at[n] < rules.begin[n + 1] else NO_POINT
        for g in range(groups.size):  # one value ends the others, two cancel each other
            begun = on & groups[g]
            if begun:
                several = (begun & (begun - 1)) != 0
                off |= groups[g] if several else groups[g] & ~begun
        on &= ~off
        begins, ends = on & ~state, off & state
        if begins | ends:
            edge = point + after
            for f in range(slots):
                if (begins >> f) & 1:
                    start[count[f]] = edge
                    count[f] += 1
                elif (ends >> f) & 1:
                    end[count[f] - 1] = edge
            state = (state | begins) & ~ends
    return start, end, count - capacity[:-1]
