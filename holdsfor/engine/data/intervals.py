"""Intervals: where a fluent holds.

Times are relative to the origin of the axis.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from holdsfor.engine.bodies.structure import take_apart
from holdsfor.engine.data.axis import Axis, Ints
from holdsfor.engine.data.column import Mask
from holdsfor.engine.data.dictionary import Dictionary
from holdsfor.engine.data.points import EMPTY, Picks, Points
from holdsfor.kernels.intervals.algebra import merge_lingering, normalise, union2
from holdsfor.kernels.rows.gathering import change_intervals, continue_from, divide_at, places_unlike
from holdsfor.kernels.rows.moving import compress, rekey, time_span, unique_sorted
from holdsfor.kernels.rows.sorting import sort_packed
from holdsfor.language.literals import EdgeKind
from holdsfor.plan.structures import Forms


class Intervals:
    """The intervals of a fluent: sorted, disjoint, not touching; the key is made of all columns."""

    __slots__ = ("_views", "arity", "axis", "dictionary", "e", "s")

    def __init__(self, axis: Axis, dictionary: Dictionary, arity: int, s: Ints, e: Ints) -> None:
        self.axis, self.dictionary, self.arity = axis, dictionary, arity
        self.s, self.e = s, e
        self._views: dict[object, object] = {}

    def __len__(self) -> int:
        return len(self.s)

    def count_open(self) -> int:
        """How many have no end yet."""
        return int(np.count_nonzero((self.e & self.axis.mask) == self.axis.mask))

    def none(self) -> Intervals:
        return no_intervals(self.axis, self.dictionary, self.arity)

    def of(self, s: Ints, e: Ints) -> Intervals:
        """Other intervals of the same relation."""
        return Intervals(self.axis, self.dictionary, self.arity, s, e)

    def where(self, mask: Mask) -> Intervals:
        return self if mask.all() else self.of(compress(self.s, mask), compress(self.e, mask))

    def take(self, rows: Ints) -> Intervals:
        """The intervals at these places, which must not decrease."""
        return self if rows.size == self.s.size else self.of(self.s[rows], self.e[rows])

    def changed(self, removed: Ints, added: Intervals, edge: int = -1) -> Intervals:
        """Without those at some places, which are sorted, and with others; without what was over at the edge."""
        return self.of(*change_intervals(self.s, self.e, removed, added.s, added.e, edge, self.axis.mask))

    def groundings_of_rows(self) -> Ints:
        return self.keys()

    def beyond(self, edge: int) -> Intervals:
        return self.where((self.e & self.axis.mask) > edge)

    def divide_at(self, boundary: Ints) -> tuple[Intervals, Ints]:
        """The parts before the boundary, and the keys that hold at it. boundary: of each row, or one for all."""
        s, e, keys = divide_at(self.s, self.e, boundary, self.axis.time_bits)
        return self.of(s, e), keys

    def until(self, boundary: int, edge: int | None) -> Intervals:
        """The part before the boundary, without what was over at the edge."""
        mask = self.axis.mask
        chosen = (self.s & mask) < boundary
        if edge is not None:
            chosen &= (self.e & mask) > edge
        s, e = self.s[chosen], self.e[chosen]
        return self.of(s, np.where((e & mask) > boundary, (e & ~mask) | boundary, e))

    def after(self, settled: Intervals | None, boundary: int | Ints) -> Intervals:
        """From the boundary on, with what was settled before it."""
        edges = boundary if isinstance(boundary, np.ndarray) else np.array([boundary])
        s, e = continue_from(self.s, self.e, edges, self.axis.mask)
        return self.of(s, e) if settled is None else self.of(*union2(settled.s, settled.e, s, e))

    def holding_at(self, point: int) -> Ints:
        """The keys that hold there."""
        mask = self.axis.mask
        return self.keys()[((self.s & mask) <= point) & ((self.e & mask) > point)]

    def known_times(self) -> Iterator[Ints]:
        """But for the ends of what goes on."""
        mask = self.axis.mask
        yield self.s & mask
        ends = self.e & mask
        yield ends[ends != mask]

    def lasts(self) -> Ints:
        """Until when each interval is looked at, packed."""
        return self.e

    def latest(self) -> int:
        """The last end of all, relative to the origin."""
        latest = self._views.get("latest")
        if not isinstance(latest, int):
            latest = self._views["latest"] = int(time_span(self.e, self.axis.mask)[1])
        return latest

    def lingering(self, edge: int) -> Intervals:
        """Return the intervals that begin or end after the edge, without those that only go on."""
        return self.of(*merge_lingering(self.s, self.e, EMPTY, EMPTY, edge, self.axis.mask))

    def distinct(self) -> Intervals:
        return self

    def differing(self, other: Intervals) -> tuple[Ints, Ints]:
        """The places of the intervals of each that the other has not."""
        return places_unlike(self.s, self.e, other.s, other.e)

    def keys(self) -> Ints:
        """The key of each interval."""
        keys = self._views.get("keys")
        if not isinstance(keys, np.ndarray):
            keys = self._views["keys"] = self.s >> self.axis.time_bits
        return keys

    def codes(self, position: int) -> Ints:
        return self.keys() if self.arity == 1 else self.axis.code(self.keys(), position, self.arity)

    def by_parts(self, forms: Forms) -> Intervals:
        """With a column for each part of the arguments; without the intervals whose arguments have other forms."""
        intervals = self._views.get(forms)
        if not isinstance(intervals, Intervals):
            axis = self.axis
            kept, columns = take_apart([self.codes(p) for p in range(self.arity)], forms, self.dictionary)
            base = axis.key(columns) << axis.time_bits
            s, e = base | (self.s[kept] & axis.mask), base | (self.e[kept] & axis.mask)
            s, order = sort_packed(s, axis.time_bits)
            intervals = Intervals(axis, self.dictionary, len(columns), s, e[order])
            self._views[forms] = intervals
        return intervals

    def edges(self, which: EdgeKind) -> Points:
        """Return the points at which intervals begin or end (startI, endI), or those one tick before (start, end)."""
        edges = self._views.get(which)
        if not isinstance(edges, Points):
            begins = which in ("start", "startI")
            points = self.s if begins else compress(self.e, (self.e & self.axis.mask) != self.axis.mask)
            points = points if which in ("startI", "endI") else self.axis.preceding(points)
            edges = Points(self.axis, self.dictionary, self.arity, tuple(range(self.arity)), points, {})
            self._views[which] = edges
        return edges

    def mask(self, picks: Picks) -> Mask | None:
        """Mark the intervals that have these constants and equal columns; None: all."""
        mask = None
        for position, code in picks.constants:
            equal = self.codes(position) == code
            mask = equal if mask is None else mask & equal
        for position, other in picks.equal:
            equal = self.codes(position) == self.codes(other)
            mask = equal if mask is None else mask & equal
        return mask

    def project(self, picks: Picks, positions: tuple[int, ...]) -> tuple[Ints, Ints]:
        """The intervals on the axis of these columns only, united over what the other columns may be."""
        if not picks.constants and not picks.equal and positions == tuple(range(self.arity)):
            return self.s, self.e
        view = ("project", picks, positions)
        projected = self._views.get(view)
        if not isinstance(projected, tuple):
            s, e, _ = self._rekeyed(picks, positions)
            fixed = {p for p, _ in picks.constants} | {p for p, _ in picks.equal}
            one_to_one = fixed | set(positions) == set(range(self.arity))
            in_order = list(positions) == sorted(positions) and not self.axis.is_wide(self.arity)
            if not (one_to_one and in_order):
                s, order = sort_packed(s, self.axis.time_bits)
                s, e = normalise(s, e[order])
            projected = self._views[view] = (s, e)
        return projected

    def spread(self, picks: Picks, positions: tuple[int, ...]) -> tuple[Ints, Ints, Ints]:
        """The intervals on the axis of these columns, sorted by start, not united, with the rows they come from."""
        view = ("spread", picks, positions)
        spread = self._views.get(view)
        if not isinstance(spread, tuple):
            s, e, rows = self._rekeyed(picks, positions)
            s, order = sort_packed(s, self.axis.time_bits)
            spread = self._views[view] = (s, e[order], rows[order])
        return spread

    def _rekeyed(self, picks: Picks, positions: tuple[int, ...]) -> tuple[Ints, Ints, Ints]:
        axis = self.axis
        if not axis.is_wide(self.arity) and len(picks.constants) <= 1 and not picks.equal:
            ((chosen, code),) = picks.constants or ((0, -1),)
            shifts = [(self.arity - 1 - p) * axis.code_bits for p in (chosen, *positions)]
            return rekey(self.s, self.e, code, np.array(shifts), axis.code_bits, axis.time_bits)
        mask = self.mask(picks)
        rows = np.arange(len(self)) if mask is None else np.flatnonzero(mask)
        s, e = self.s[rows], self.e[rows]
        if positions == tuple(range(self.arity)):
            return s, e, rows
        keys = s >> self.axis.time_bits
        codes = [self.axis.code(keys, p, self.arity) for p in positions]
        base = self.axis.key(codes) << self.axis.time_bits if codes else np.zeros(len(rows), np.int64)
        return base | (s & self.axis.mask), base | (e & self.axis.mask), rows

    def groundings(self) -> Ints:
        """The distinct keys."""
        groundings = self._views.get("groundings")
        if not isinstance(groundings, np.ndarray):
            groundings = self._views["groundings"] = unique_sorted(self.keys())
        return groundings


def no_intervals(axis: Axis, dictionary: Dictionary, arity: int) -> Intervals:
    return Intervals(axis, dictionary, arity, EMPTY, EMPTY)
