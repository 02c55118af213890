"""Interval sets the slow way: cut the axis at every end point and ask of each piece whether it belongs."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence

FOREVER = 1 << 62

#: Sorted, disjoint, not touching; an open end is FOREVER.
Intervals = list[tuple[int, int]]


def next_point(t: int, tick: int) -> int:
    """The first point of the grid after t."""
    return t if t == FOREVER else t + tick - t % tick


def previous_point(t: int, tick: int) -> int:
    """The last point of the grid before t."""
    if t == FOREVER:
        return t
    return t - tick if t % tick == 0 else t - t % tick


def holds_at(intervals: Sequence[tuple[int, int]], t: int) -> bool:
    return any(start <= t < end for start, end in intervals)


def where(lists: Sequence[Sequence[tuple[int, int]]], wanted: Callable[[list[bool]], bool]) -> Intervals:
    """The points for which `wanted` is true of their memberships in the lists."""
    cuts = sorted({point for intervals in lists for interval in intervals for point in interval})
    result: Intervals = []
    for start, end in itertools.pairwise(cuts):
        if wanted([holds_at(intervals, start) for intervals in lists]):
            if result and result[-1][1] == start:
                start = result.pop()[0]
            result.append((start, end))
    return result


def union(lists: Sequence[Sequence[tuple[int, int]]]) -> Intervals:
    return where(lists, any)


def intersection(lists: Sequence[Sequence[tuple[int, int]]]) -> Intervals:
    return where(lists, all) if lists else []


def difference(lists: Sequence[Sequence[tuple[int, int]]]) -> Intervals:
    return where(lists, lambda member: member[0] and not any(member[1:])) if lists else []


def from_points(points: Iterable[int], tick: int, last: int) -> Intervals:
    """Points at most a tick apart are joined; the last one of a run lasts until the next point of the grid.

    Where that is after the history, nobody knows yet whether a point follows: the interval is open.
    """
    runs: Intervals = []
    for point in sorted(set(points)):
        if runs and point - runs[-1][1] <= tick:
            runs[-1] = (runs[-1][0], point)
        else:
            runs.append((point, point))
    ends = [(first, next_point(final, tick)) for first, final in runs]
    return union([[(first, FOREVER if end > last else end)] for first, end in ends])
