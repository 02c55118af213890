"""Allen's relations between the intervals of a source and of a target, for all groundings at once.

Both lists are sorted and disjoint within a key, so that for every relation but `before` an interval has at most one
partner that can matter, and it is found by a search.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from holdsfor.engine.axis import Axis, Ints
from holdsfor.engine.column import Mask
from holdsfor.kernels import intersect2, minus2, union2

Pair = tuple[Ints, Ints]
Masks = tuple[Mask, Mask]


def related(relation: str, source: Pair, target: Pair, mode: str, axis: Axis) -> Pair:
    if not len(source[0]) or not len(target[0]):
        return source[0][:0], source[1][:0]
    of_source, of_target = RELATIONS[relation](source, target, axis)
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


def _matched(partner: Ints, true: Mask, size: int) -> Masks:
    """true: which sources have the partner they were compared with."""
    of_target = np.zeros(size, np.bool_)
    of_target[partner[true]] = True
    return true, of_target


def _with_start(points: Ints, target: Pair) -> tuple[Ints, Mask]:
    """The target that starts at each point, and whether there is one."""
    place = np.minimum(np.searchsorted(target[0], points), len(target[0]) - 1)
    return place, np.equal(target[0][place], points)


def _started_before(points: Ints, target: Pair, axis: Axis) -> tuple[Ints, Mask]:
    """The last target that starts before each point, and whether it is of the same key."""
    place = np.maximum(np.searchsorted(target[0], points, "left") - 1, 0)
    found = (target[0][place] < points) & (target[0][place] >> axis.time_bits == points >> axis.time_bits)
    return place, found


def _is_open(ends: Ints, axis: Axis) -> Mask:
    found: Mask = np.equal(ends & axis.mask, axis.mask)
    return found


def _before(source: Pair, target: Pair, axis: Axis) -> Masks:
    following_key = ((source[0] >> axis.time_bits) + 1) << axis.time_bits
    latest = np.maximum(np.searchsorted(target[0], following_key) - 1, 0)
    of_source = ~_is_open(source[1], axis) & (target[0][latest] >= source[1]) & (target[0][latest] < following_key)
    first = np.searchsorted(source[0], (target[0] >> axis.time_bits) << axis.time_bits)
    first = np.minimum(first, len(source[0]) - 1)
    same = source[0][first] >> axis.time_bits == target[0] >> axis.time_bits
    of_target = same & ~_is_open(source[1][first], axis) & (source[1][first] <= target[0])
    return of_source, of_target


def _meets(source: Pair, target: Pair, axis: Axis) -> Masks:
    """The source's last point is the target's first; a source of one point meets nothing."""
    last = axis.preceding(source[1])
    place, found = _with_start(last, target)
    return _matched(place, found & ~_is_open(source[1], axis) & (source[0] != last), len(target[0]))


def _starts(source: Pair, target: Pair, axis: Axis) -> Masks:
    place, found = _with_start(source[0], target)
    return _matched(place, found & (source[1] < target[1][place]), len(target[0]))


def _equal(source: Pair, target: Pair, axis: Axis) -> Masks:
    place, found = _with_start(source[0], target)
    return _matched(place, found & (source[1] == target[1][place]), len(target[0]))


def _finishes(source: Pair, target: Pair, axis: Axis) -> Masks:
    place, found = _started_before(source[0], target, axis)
    return _matched(place, found & (source[1] == target[1][place]), len(target[0]))


def _during(source: Pair, target: Pair, axis: Axis) -> Masks:
    place, found = _started_before(source[0], target, axis)
    return _matched(place, found & (source[1] < target[1][place]), len(target[0]))


def _overlaps(source: Pair, target: Pair, axis: Axis) -> Masks:
    last = axis.preceding(source[1])
    place, found = _started_before(last, target, axis)
    true = found & ~_is_open(source[1], axis) & (target[0][place] > source[0]) & (source[1] < target[1][place])
    return _matched(place, true, len(target[0]))


RELATIONS: dict[str, Callable[[Pair, Pair, Axis], Masks]] = {
    "before": _before,
    "meets": _meets,
    "starts": _starts,
    "finishes": _finishes,
    "during": _during,
    "overlaps": _overlaps,
    "equal": _equal,
}
