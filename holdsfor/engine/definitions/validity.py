"""When facts that change are valid: rows, cut where they are ended or replaced by what began after them."""

from __future__ import annotations

import numpy as np

from holdsfor.engine.data.axis import Axis, Ints
from holdsfor.engine.data.intervals import Intervals
from holdsfor.engine.data.world import World
from holdsfor.engine.definitions.algebra import NOTHING, Pair
from holdsfor.kernels.intervals.algebra import normalise
from holdsfor.kernels.rows.moving import compress
from holdsfor.kernels.rows.sorting import sort_packed
from holdsfor.plan.operators import Valid


def find_validity(expression: Valid, world: World) -> Pair:
    """Return the intervals of the facts whose rows are known."""
    of_rows, *of_endings = expression.parts
    rows, axis = world.intervals_of(of_rows.relation), world.axis
    if not len(rows):
        return NOTHING
    columns = of_rows.args[:-1]
    start, end = rows.s & axis.mask, rows.e & axis.mask
    for part in of_endings:
        endings = world.intervals_of(part.relation)
        if len(endings):
            positions = [columns.index(arg) for arg in part.args[:-1]]
            end = np.minimum(end, _find_next(rows, endings, positions, axis))
    kept = end > start
    base = _key(rows, range(len(columns)), axis)[kept] << axis.time_bits
    s, order = sort_packed(base | compress(start, kept), axis.time_bits)
    return normalise(s, (base | compress(end, kept))[order])


def _find_next(rows: Intervals, endings: Intervals, positions: list[int], axis: Axis) -> Ints:
    """Return for each row the first point of the endings that are about it and began after it did."""
    groups = np.concatenate([_key(rows, positions, axis), _key(endings, range(endings.arity - 1), axis)])
    begun = np.concatenate([_begun(rows), _begun(endings)])
    never = np.full(len(rows), axis.mask)
    order = np.lexsort((np.arange(len(groups)), -begun, groups))  # of those that began together, rows come first
    ordered = groups[order]
    group = np.cumsum(np.append(False, ordered[1:] != ordered[:-1])) * (axis.mask + 1)
    first = np.minimum.accumulate(np.concatenate([never, endings.s & axis.mask])[order] - group) + group
    points = np.empty(len(order), np.int64)
    points[order] = np.minimum(first, axis.mask)
    return points[: len(rows)]


def _key(intervals: Intervals, positions: list[int] | range, axis: Axis) -> Ints:
    codes = [intervals.codes(position) for position in positions]
    return axis.key(codes) if codes else np.zeros(len(intervals), np.int64)


def _begun(intervals: Intervals) -> Ints:
    """Return when each row began, on whatever side of the window."""
    return np.asarray(intervals.dictionary.numbers(intervals.codes(intervals.arity - 1)), np.int64)
