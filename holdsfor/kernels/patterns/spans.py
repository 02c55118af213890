"""Pairs of spans that stand in a relation of Figure 2 (ETALIS), of the same key, within a window.

A span is packed points `start <= end`, both of the same key and both of it: a point event has start = end. Every
relation is a range of one side in the order of its starts or ends, and at most one bound on its other end, so a join
takes the time of sorting and of the pairs that it gives, however long the spans are and however much they overlap.

Absence between two spans: no block starts after the first ends and ends before the second starts. A block that starts
later and still ends in time may follow one that starts earlier and ends too late, so of all blocks after a point only
the least end counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from holdsfor.kernels.kernel import Ints, Mask, Pairs, kernel
from holdsfor.kernels.patterns.ranges import (
    count_below,
    count_below_in,
    move_times,
    pairs_below,
    pairs_in,
    pairs_of_points,
)
from holdsfor.kernels.rows.sorting import sort_packed, sort_rows

Kind: TypeAlias = Literal["seq", "and", "par", "equals", "meets", "during", "starts", "finishes"]
SPAN_KINDS: tuple[Kind, ...] = get_args(Kind)


class Side(NamedTuple):
    """Spans, in any order or in that of their starts or ends, and the rows that they are of; None: all, in order."""

    start: Ints
    end: Ints
    row: Ints | None

    def are_points(self) -> bool:
        return self.start is self.end

    def select(self, mask: Mask) -> Side:
        start = self.start[mask]
        row = np.flatnonzero(mask) if self.row is None else self.row[mask]
        return Side(start, start if self.are_points() else self.end[mask], row)

    def order(self, start: Ints, end: Ints, order: Ints | None) -> Side:
        """Sorted: the columns are so already. order: of the rows; None: as they are."""
        if order is None:
            return self
        return Side(start, end, order if self.row is None else self.row[order])

    def rows(self, places: Ints) -> Ints:
        return places if self.row is None else self.row[places]


class Bounds(NamedTuple):
    """bits: of the time; within: how long the result may be, at most; most: how many pairs may be made."""

    bits: int
    within: int
    most: int

    def are_open(self) -> bool:
        return self.within >= (1 << self.bits) - 1


def join_spans(
    kind: Kind,
    bits: int,
    left_start: Ints,
    left_end: Ints,
    right_start: Ints,
    right_end: Ints,
    within: int,
    most: int,
    until: Ints | None = None,
) -> Pairs:
    """The rows (i, j) of left and right with `left kind right` whose result lasts at most `within`, in any order.

    until: for seq, of each left row the last start that its right row may have, packed as a start is.
    Raises TooManyPairs, before they are made, where there are more than `most`.
    """
    left, right = make_side(left_start, left_end), make_side(right_start, right_end)
    bounds = Bounds(bits, min(within, (1 << bits) - 1), most)
    i, j = _seq(left, right, bounds, until) if kind == "seq" else JOINS[kind](left, right, bounds)
    return i, j


def make_side(start: Ints, end: Ints) -> Side:
    """All rows; where each is a point, both columns are the same."""
    points = start is end or np.array_equal(start, end)
    return Side(start, start if points else end, None)


def sort_by_start(spans: Side, bits: int) -> Side:
    start, order = sort_rows(spans.start, bits)
    end = start if spans.are_points() else spans.end if order is None else spans.end[order]
    return spans.order(start, end, order)


def sort_by_end(spans: Side, bits: int) -> Side:
    end, order = sort_rows(spans.end, bits)
    start = end if spans.are_points() else spans.start if order is None else spans.start[order]
    return spans.order(start, end, order)


def _pair_rows(left: Side, right: Side, places: Pairs) -> Pairs:
    """The rows of pairs of places."""
    return left.rows(places[0]), right.rows(places[1])


def _no_longer(side: Side, bounds: Bounds) -> Side:
    """Select the spans that are no longer than the window."""
    if bounds.are_open() or side.are_points():
        return side
    return side.select(side.end - side.start <= bounds.within)


def _lasting(side: Side) -> Side:
    """The spans that are no points."""
    return side.select(side.start < side.end)


def _nearly_by_end(side: Side, bounds: Bounds) -> Side:
    """By end, or as they are if that is by start: then a window bounds how far their ends are from being in order.

    That is how a sequence gives its pairs, so the next one need not sort them (619,544 pairs: a fifth of its time).
    """
    if bounds.are_open() or side.row is not None or (side.start[1:] < side.start[:-1]).any():
        return sort_by_end(side, bounds.bits)
    return side


def _seq(left_side: Side, right_side: Side, bounds: Bounds, until: Ints | None) -> Pairs:
    left, right = _nearly_by_end(left_side, bounds), sort_by_start(right_side, bounds.bits)
    if until is None and left.are_points() and right.are_points():
        places = pairs_of_points(left.end, right.start, bounds.within, bounds.bits, bounds.most)
        return _pair_rows(left, right, places)
    limit = move_times(left.start, bounds.within, bounds.bits)
    last = limit if until is None else np.minimum(limit, until if left.row is None else until[left.row])
    return _followers(left, right, count_below(right.start, left.end, 1), last, limit, bounds)


def _meets(left_side: Side, right_side: Side, bounds: Bounds) -> Pairs:
    left, right = sort_by_end(left_side, bounds.bits), sort_by_start(right_side, bounds.bits)
    limit = move_times(left.start, bounds.within, bounds.bits)
    last = np.minimum(left.end, limit)
    return _followers(left, right, count_below(right.start, left.end, 0), last, limit, bounds)


def _and(left_side: Side, right_side: Side, bounds: Bounds) -> Pairs:
    left = sort_by_start(_no_longer(left_side, bounds), bounds.bits)
    right = sort_by_start(_no_longer(right_side, bounds), bounds.bits)
    first = move_times(left.end, -bounds.within, bounds.bits)
    limit = move_times(left.start, bounds.within, bounds.bits)
    return _followers(left, right, count_below(right.start, first, 0), limit, limit, bounds)


def _followers(left: Side, right: Side, low: Ints, last: Ints, limit: Ints, bounds: Bounds) -> Pairs:
    """The right spans from `low` on that start by `last` and end by `limit`, for each left one."""
    high = count_below(right.start, last, 1)
    if bounds.are_open() or right.are_points():
        return _pair_rows(left, right, pairs_in(low, high, bounds.most))
    return _pair_rows(left, right, pairs_below(low, high, right.end, limit, bounds.most))


def _during(left_side: Side, right_side: Side, bounds: Bounds) -> Pairs:
    left = sort_by_start(_lasting(left_side), bounds.bits)
    right = sort_by_start(_no_longer(right_side, bounds), bounds.bits)
    first = move_times(left.end, -bounds.within, bounds.bits)
    low, high = count_below(right.start, first, 0), count_below(right.start, left.start, 0)
    return _pair_rows(left, right, pairs_below(low, high, -right.end, -left.end - 1, bounds.most))


def _starts(left_side: Side, right_side: Side, bounds: Bounds) -> Pairs:
    left = sort_by_start(left_side, bounds.bits)
    right = sort_by_start(_no_longer(_lasting(right_side), bounds), bounds.bits)
    low, high = count_below(right.start, left.start, 0), count_below(right.start, left.start, 1)
    return _pair_rows(left, right, pairs_below(low, high, -right.end, -left.end - 1, bounds.most))


def _finishes(left_side: Side, right_side: Side, bounds: Bounds) -> Pairs:
    left = sort_by_end(left_side, bounds.bits)
    right = sort_by_end(_no_longer(_lasting(right_side), bounds), bounds.bits)
    low, high = count_below(right.end, left.end, 0), count_below(right.end, left.end, 1)
    return _pair_rows(left, right, pairs_below(low, high, right.start, left.start - 1, bounds.most))


def _equals(left_side: Side, right_side: Side, bounds: Bounds) -> Pairs:
    left = sort_by_start(_no_longer(left_side, bounds), bounds.bits)
    right = sort_by_start(sort_by_end(right_side, bounds.bits), bounds.bits)
    low, high = count_below(right.start, left.start, 0), count_below(right.start, left.start, 1)
    first = count_below_in(right.end, low, high, left.end)
    beyond = count_below_in(right.end, first, high, left.end + 1)
    return _pair_rows(left, right, pairs_in(first, beyond, bounds.most))


def _par(left_side: Side, right_side: Side, bounds: Bounds) -> Pairs:
    """Pair left rows with right ones that start in their span, and end in time, or reach into it from before.

    The latter are in time: they start before the left one and are not longer than the window.
    """
    left = sort_by_start(_no_longer(_lasting(left_side), bounds), bounds.bits)
    right = sort_by_start(_no_longer(_lasting(right_side), bounds), bounds.bits)
    begin = count_below(right.start, left.start, 0)
    limit = move_times(left.start, bounds.within, bounds.bits)
    inside = _followers(left, right, begin, left.end - 1, limit, bounds)
    low = count_below(right.start, move_times(left.end, -bounds.within, bounds.bits), 0)
    room = bounds.most - inside[0].size
    before = _pair_rows(left, right, pairs_below(low, begin, -right.end, -left.start - 1, room))
    return np.concatenate([inside[0], before[0]]), np.concatenate([inside[1], before[1]])


JOINS: Mapping[str, Callable[[Side, Side, Bounds], Pairs]] = {
    "and": _and,
    "par": _par,
    "equals": _equals,
    "meets": _meets,
    "during": _during,
    "starts": _starts,
    "finishes": _finishes,
}


def first_block(bits: int, left_end: Ints, block_start: Ints, block_end: Ints) -> Ints:
    """For each left end the least end of a block of its key that starts after it; the last time of the key if none.

    A right span is free of blocks if it starts at or before that end: it is the `until` of a sequence.
    """
    start, order = sort_packed(block_start, bits)
    sorted_left, left_order = sort_packed(left_end, bits)
    nearest = _least_ends(block_end[order], count_below(start, sorted_left, 1), sorted_left, bits)
    result = np.empty(left_end.size, np.int64)
    result[left_order] = nearest
    return result


@kernel
def _least_ends(end: Ints, first: Ints, left_end: Ints, bits: int) -> Ints:
    """The least of end[first[i]:], if it is of the key of left_end[i]; keys are in order, and later keys greater."""
    mask = (np.int64(1) << bits) - 1
    least = end.copy()
    for b in range(end.size - 2, -1, -1):
        least[b] = min(end[b], least[b + 1])
    result = np.empty(first.size, np.int64)
    for i in range(first.size):
        last = left_end[i] | mask
        result[i] = min(least[first[i]], last) if first[i] < end.size else last
    return result


def is_blocked(bits: int, gap_low: Ints, gap_high: Ints, block_start: Ints, block_end: Ints) -> Mask:
    """For each gap whether a block of its key starts after `gap_low` and ends before `gap_high`."""
    mask: Mask = first_block(bits, gap_low, block_start, block_end) < gap_high
    return mask
