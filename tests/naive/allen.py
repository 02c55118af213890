"""Allen's relations between two lists of intervals: every pair is looked at."""

from __future__ import annotations

from collections.abc import Callable

from tests.naive.intervals import FOREVER, Intervals, difference, intersection, previous_point, union

Interval = tuple[int, int]


def allen(
    relation: str,
    source: Intervals,
    target: Intervals,
    mode: str,
    tick: int,
    near: Callable[[Interval, Interval], bool] = lambda s, t: True,
) -> Intervals:
    """The intervals that stand in the relation to some of the other list, put together as the mode says.

    near: whether a pair is within the bound.
    """
    pairs = [
        (s, t) for s in source for t in target if _RELATIONS[relation](s, t, previous_point(s[1], tick)) and near(s, t)
    ]
    sources, targets = union([[s] for s, _ in pairs]), union([[t] for _, t in pairs])
    return _MODES[mode](sources, targets)


#: last: the last point of the source, where it ends.
_RELATIONS: dict[str, Callable[[Interval, Interval, int], bool]] = {
    "before": lambda s, t, last: s[1] <= t[0],
    "meets": lambda s, t, last: s[1] != FOREVER and s[0] != last and last == t[0],
    "starts": lambda s, t, last: s[0] == t[0] and s[1] < t[1],
    "finishes": lambda s, t, last: s[0] > t[0] and s[1] == t[1],
    "during": lambda s, t, last: s[0] > t[0] and s[1] < t[1],
    "overlaps": lambda s, t, last: s[0] < t[0] and s[1] != FOREVER and last > t[0] and s[1] < t[1],
    "equal": lambda s, t, last: s == t,
}
_MODES: dict[str, Callable[[Intervals, Intervals], Intervals]] = {
    "source": lambda s, t: s,
    "target": lambda s, t: t,
    "union": lambda s, t: union([s, t]),
    "intersection": lambda s, t: intersection([s, t]),
    "relative_complement": lambda s, t: difference([s, t]),
    "relative_complement_inverse": lambda s, t: difference([t, s]),
}
