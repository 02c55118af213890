"""From points to intervals: what is initiated holds until it is terminated."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdsfor.kernels.kernel import NO_POINT, Intervals, Ints, kernel

INITIATE = 1
INITIATE_IF_ALIVE = 2
TERMINATE = -1
TERMINATE_ANY = -2


@kernel
def _outcome(
    value: Ints, action: NDArray[np.signedinteger[Any]], low: int, high: int, holding: bool, current: np.int64
) -> tuple[bool, np.int64]:
    """Whether a value holds after the rows low..high of one point, and which."""
    alive = holding
    for row in range(low, high):
        alive |= action[row] == INITIATE
    chosen, changes = current, 0
    for row in range(low, high):
        if action[row] == INITIATE or (alive and action[row] == INITIATE_IF_ALIVE):
            changes += changes == 0 or value[row] != chosen
            chosen = value[row]
    if changes > 1:
        return False, current
    for row in range(low, high):
        if action[row] == TERMINATE_ANY or (action[row] == TERMINATE and value[row] == chosen):
            return False, current
    return holding or changes == 1, chosen


@kernel
def _outcome_of_one(value: np.int64, action: int, holding: bool, current: np.int64) -> tuple[bool, np.int64]:
    """Return the outcome (see `_outcome`) of a single row, the usual case, without a branch."""
    initiated = (action == INITIATE) | (holding & (action == INITIATE_IF_ALIVE))
    chosen = value if initiated else current
    terminated = (action == TERMINATE_ANY) | ((action == TERMINATE) & (value == chosen))
    return (holding | initiated) & (not terminated), chosen


@kernel
def exclusive(
    points: Ints, value: Ints, action: NDArray[np.signedinteger[Any]], mask: int, after: int
) -> tuple[Ints, Ints, Ints]:
    """Inertia of a fluent with one value at a time; the rows of one point may come in any order.

    Two values initiated at one point cancel each other, and a value that is terminated where it is initiated does not
    start; either way nothing holds afterwards. Intervals of different values may touch.
    """
    n = points.size
    starts, ends, values = np.empty(n + 1, np.int64), np.empty(n + 1, np.int64), np.empty(n + 1, np.int64)
    low, k = 0, 0
    start, limit, current, holding = np.int64(0), np.int64(-1), np.int64(0), False
    while low < n:
        p = points[low]
        high = low + 1
        while high < n and points[high] == p:
            high += 1
        alive = holding & (p <= limit)
        if high == low + 1:
            holds, chosen = _outcome_of_one(value[low], action[low], alive, current)
        else:
            holds, chosen = _outcome(value, action, low, high, alive, current)
        continues = alive & holds & (chosen == current)
        starts[k], ends[k], values[k] = start, min(p + after, limit), current
        k += int(holding & (not continues) & (start < limit))
        fresh = holds & (not continues)
        start = p + after if fresh else start
        limit = p | mask if fresh else limit
        current = chosen if fresh else current
        holding = holds
        low = high
    starts[k], ends[k], values[k] = start, limit, current
    k += int(holding and start < limit)
    return starts[:k], ends[:k], values[:k]


@kernel
def join_points(points: Ints, mask: int, tick: int, origin: int) -> Intervals:
    """Point-wise durative input: points of one key at most `tick` apart are one interval.

    It ends at the grid point after its last point; the grid counts absolute time, which is t + origin.
    """
    n = points.size
    starts, ends = np.empty(n + 1, np.int64), np.empty(n + 1, np.int64)
    if n == 0:
        return starts[:0], ends[:0]
    starts[0], ends[0] = points[0], points[n - 1]
    k = 0
    for i in range(1, n):  # the next start and the last end are written at every row and kept where there is a gap
        p, before = points[i], points[i - 1]
        starts[k + 1], ends[k] = p, before
        k += int((p - before > tick) | (p > (before | mask)))
    ends[k] = points[n - 1]
    for r in range(k + 1):
        time = ends[r] & mask
        ends[r] += min(tick - (time + origin) % tick, mask - time)
    return starts[: k + 1], ends[: k + 1]


@kernel
def _next_of(points: Ints, runs: Ints, chosen: Ints, places: Ints, since: int) -> int:
    """The first point of some sorted runs that is not before a point; NO_POINT if there is none."""
    least = np.int64(NO_POINT)
    for each in range(chosen.size):
        run = chosen[each]
        place, end = places[each], runs[run, 2]
        while place < end and points[place] < since:
            place += 1
        places[each] = place
        if place < end:
            least = min(least, points[place])
    return int(least)


@kernel
def _hold_between(
    points: Ints,
    runs: Ints,
    initiating: Ints,
    terminating: Ints,
    mask: int,
    after: int,
    starts: Ints,
    ends: Ints,
    k: int,
) -> int:
    """Write intervals from what some runs of points initiate to what others terminate; return where they end.

    k: where they begin.
    """
    i, j = runs[:, 1][initiating], runs[:, 1][terminating]
    p = _next_of(points, runs, initiating, i, 0)
    while p != NO_POINT:
        limit = p | mask
        stop = min(_next_of(points, runs, terminating, j, p), limit)
        if stop > p:
            starts[k], ends[k] = p + after, stop + after if stop < limit else limit
            k += p + after < limit
        p = _next_of(points, runs, initiating, i, max(stop, p + 1))
    return k


@kernel
def hold_between(points: Ints, runs: Ints, values: int, mask: int, after: int) -> tuple[Ints, Ints, Ints]:
    """The intervals of each value of a fluent, one value after the other, and where each ends.

    A value holds from its initiations to its terminations, or to the initiation of another value; at one point
    termination wins. An edge lies at its point + `after`: 1 for a clock tick of 1, 0 where the points were moved to the
    next grid point. runs: of sorted points; for each its table, and where it begins and ends. Table 2v has points that
    initiate value v, table 2v+1 points that terminate it.
    """
    ends, room = np.zeros(values, np.int64), 1
    for run in range(runs.shape[0]):
        room += (runs[run, 2] - runs[run, 1]) * (1 - runs[run, 0] % 2)
    starts, stops = np.empty(room, np.int64), np.empty(room, np.int64)
    initiating, terminating = np.empty(runs.shape[0], np.int64), np.empty(runs.shape[0], np.int64)
    k = 0
    for value in range(values):
        i, j = 0, 0
        for run in range(runs.shape[0]):
            initiating[i], terminating[j] = run, run
            is_some, table = runs[run, 1] < runs[run, 2], runs[run, 0]
            i += is_some and table == 2 * value
            j += is_some and (table == 2 * value + 1 or (table % 2 == 0 and table != 2 * value))
        k = _hold_between(points, runs, initiating[:i], terminating[:j], mask, after, starts, stops, k)
        ends[value] = k
    return starts[:k], stops[:k], ends
