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


def from_points(points: Iterable[int], tick: int) -> Intervals:
    """Points at most a tick apart are joined; the last one of a run lasts until the next point of the grid."""
    result: Intervals = []
    for point in sorted(set(points)):
        if result and point - result[-1][1] <= tick:
            result[-1] = (result[-1][0], point)
        else:
            result.append((point, point))
    return union([[(first, next_point(last, tick))] for first, last in result])
