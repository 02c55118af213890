"""Allen's relations between the intervals of a source and of a target, for all groundings at once.

Both lists are sorted and disjoint within a key, so that an interval has at most one partner that can matter, and it is
found by a search. For `before`, where it may have many, that is the nearest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from holdsfor.engine.data.axis import Axis, Ints
from holdsfor.engine.data.column import Mask
from holdsfor.kernels.intervals.algebra import intersect2, minus2, union2

Pair = tuple[Ints, Ints]


Partners = tuple[Ints, Mask]
"""For each interval the one of the other list that it is compared with, and whether that is its partner."""


@dataclass(frozen=True, slots=True)
class Within:
    """How long a pair may take, from the first start to the last end; what is open ends now. Relative to the axis.

    first: what began by the start of the history counts from there.
    """

    most: int
    start: int
    first: int
    now: int

    def allows(self, one: Pair, other: Pair, axis: Axis) -> Mask:
        """one, other: as many intervals each, of the same keys."""
        starts = np.minimum(one[0] & axis.mask, other[0] & axis.mask)
        ends = [np.where(_is_open(e, axis), self.now, e & axis.mask) for e in (one[1], other[1])]
        begins = np.where(starts > self.start, starts, self.first)
        short: Mask = np.less_equal(np.maximum(*ends) - begins, self.most)
        return short


def related(relation: str, source: Pair, target: Pair, mode: str, axis: Axis, within: Within | None = None) -> Pair:
    if not len(source[0]) or not len(target[0]):
        return source[0][:0], source[1][:0]
    if relation == "before":
        of_source = _kept(source, target, _first_after(source, target, axis), within, axis)
        of_target = _kept(target, source, _last_before(source, target, axis), within, axis)
    else:
        partners = RELATIONS[relation](source, target, axis)
        of_source = _kept(source, target, partners, within, axis)
        of_target = np.zeros(len(target[0]), np.bool_)
        of_target[partners[0][of_source]] = True
    one, other = (source[0][of_source], source[1][of_source]), (target[0][of_target], target[1][of_target])
    match mode:
        case "source":
            return one
        case "target":
            return other
        case "union":
            return union2(*one, *other)
        case "intersection":
            return intersect2(*one, *other)
        case "relative_complement":
            return minus2(*one, *other)
        case _:
            return minus2(*other, *one)


def _kept(intervals: Pair, others: Pair, partners: Partners, within: Within | None, axis: Axis) -> Mask:
    """Mark the intervals that have a partner near enough."""
    place, true = partners
    if within is None:
        return true
    return true & within.allows(intervals, (others[0][place], others[1][place]), axis)


def _with_start(points: Ints, target: Pair) -> tuple[Ints, Mask]:
    """The target that starts at each point, and whether there is one."""
    place = np.minimum(np.searchsorted(target[0], points), len(target[0]) - 1)
    return place, np.equal(target[0][place], points)


def _started_before(points: Ints, target: Pair, axis: Axis) -> tuple[Ints, Mask]:
    """The last target that starts before each point, and whether it is of the same key."""
    place = np.maximum(np.searchsorted(target[0], points, "left") - 1, 0)
    is_partner = (target[0][place] < points) & (target[0][place] >> axis.time_bits == points >> axis.time_bits)
    return place, is_partner


def _is_open(ends: Ints, axis: Axis) -> Mask:
    is_open: Mask = np.equal(ends & axis.mask, axis.mask)
    return is_open


def _first_after(source: Pair, target: Pair, axis: Axis) -> Partners:
    """Find for each source the first target that it is before, which is the nearest."""
    place = np.minimum(np.searchsorted(target[0], source[1]), len(target[0]) - 1)
    same = target[0][place] >> axis.time_bits == source[0] >> axis.time_bits
    return place, same & ~_is_open(source[1], axis) & (target[0][place] >= source[1])


def _last_before(source: Pair, target: Pair, axis: Axis) -> Partners:
    """Find for each target the last source that is before it."""
    place = np.maximum(np.searchsorted(source[1], target[0], "right") - 1, 0)
    same = source[0][place] >> axis.time_bits == target[0] >> axis.time_bits
    return place, same & ~_is_open(source[1][place], axis) & (source[1][place] <= target[0])


def _meets(source: Pair, target: Pair, axis: Axis) -> Partners:
    """The source's last point is the target's first; a source of one point meets nothing."""
    last = axis.preceding(source[1])
    place, is_partner = _with_start(last, target)
    return place, is_partner & ~_is_open(source[1], axis) & (source[0] != last)


def _starts(source: Pair, target: Pair, axis: Axis) -> Partners:
    place, is_partner = _with_start(source[0], target)
    return place, is_partner & (source[1] < target[1][place])


def _equal(source: Pair, target: Pair, axis: Axis) -> Partners:
    place, is_partner = _with_start(source[0], target)
    return place, is_partner & (source[1] == target[1][place])


def _finishes(source: Pair, target: Pair, axis: Axis) -> Partners:
    place, is_partner = _started_before(source[0], target, axis)
    return place, is_partner & (source[1] == target[1][place])


def _during(source: Pair, target: Pair, axis: Axis) -> Partners:
    place, is_partner = _started_before(source[0], target, axis)
    return place, is_partner & (source[1] < target[1][place])


def _overlaps(source: Pair, target: Pair, axis: Axis) -> Partners:
    last = axis.preceding(source[1])
    place, is_partner = _started_before(last, target, axis)
    true = is_partner & ~_is_open(source[1], axis) & (target[0][place] > source[0]) & (source[1] < target[1][place])
    return place, true


RELATIONS: dict[str, Callable[[Pair, Pair, Axis], Partners]] = {
    "meets": _meets,
    "starts": _starts,
    "finishes": _finishes,
    "during": _during,
    "overlaps": _overlaps,
    "equal": _equal,
}
