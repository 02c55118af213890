"""Intervals: where a fluent holds.

Times are relative to the origin of the axis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from holdsfor.engine.bodies.structure import take_apart
from holdsfor.engine.data.axis import EMPTY, Axis, Ints
from holdsfor.engine.data.column import Mask
from holdsfor.engine.data.dictionary import Dictionary
from holdsfor.engine.data.points import Picks, Points
from holdsfor.engine.data.relation import Codes, Data
from holdsfor.kernels.intervals.algebra import keep_lingering, normalise, starts_after, union2
from holdsfor.kernels.rows.gathering import change_intervals, continue_from, divide_at, places_unlike
from holdsfor.kernels.rows.holding import member_search
from holdsfor.kernels.rows.joining import expand
from holdsfor.kernels.rows.moving import compress, time_span, unique_sorted
from holdsfor.kernels.rows.sorting import sort_packed
from holdsfor.language.literals import EdgeKind
from holdsfor.plan.structures import Forms


class Intervals(Data):
    """The intervals of a fluent: sorted, disjoint, not touching; the key is made of all columns."""

    __slots__ = ("e", "s")

    def __init__(self, axis: Axis, dictionary: Dictionary, arity: int, s: Ints, e: Ints) -> None:
        super().__init__(axis, dictionary, arity, tuple(range(arity)))
        self.s, self.e = s, e

    def __len__(self) -> int:
        return len(self.s)

    def count_open(self) -> int:
        return int(np.count_nonzero((self.e & self.axis.mask) == self.axis.mask))

    def none(self) -> Intervals:
        return no_intervals(self.axis, self.dictionary, self.arity)

    def of(self, s: Ints, e: Ints) -> Intervals:
        """Other intervals of the same relation."""
        return Intervals(self.axis, self.dictionary, self.arity, s, e)

    def where(self, mask: Mask) -> Intervals:
        return self if mask.all() else self.of(compress(self.s, mask), compress(self.e, mask))

    def take(self, rows: Ints) -> Intervals:
        return self if rows.size == self.s.size else self.of(self.s[rows], self.e[rows])

    def change(self, removed: Ints, more: Intervals) -> Intervals:
        if not more.s.size and not removed.size:
            return self
        return self.of(*change_intervals(self.s, self.e, removed, more.s, more.e)) if self.s.size else more

    def merge(self, other: Intervals) -> tuple[Intervals, Ints]:
        _, order = sort_packed(np.concatenate([self.s, other.s]), self.axis.time_bits)
        return self.join_in_order(other, order), order

    def join_in_order(self, other: Intervals, order: Ints) -> Intervals:
        return self.of(np.concatenate([self.s, other.s])[order], np.concatenate([self.e, other.e])[order])

    def unite(self, other: Intervals) -> Intervals:
        return self.of(*union2(self.s, self.e, other.s, other.e))

    def find_equal(self, wanted: Intervals) -> Ints:
        place = np.minimum(np.searchsorted(self.s, wanted.s), len(self) - 1)
        return np.asarray(place[(self.s[place] == wanted.s) & (self.e[place] == wanted.e)], np.int64)

    def groundings_of_rows(self) -> Ints:
        return self.keys()

    def divide_at(self, boundary: Ints) -> tuple[Intervals, Ints]:
        s, e, keys = divide_at(self.s, self.e, boundary, self.axis.time_bits)
        return self.of(s, e), keys

    def until(self, boundary: int, edge: int | None) -> Intervals:
        mask = self.axis.mask
        chosen = (self.s & mask) < boundary
        if edge is not None:
            chosen &= (self.e & mask) > edge
        s, e = self.s[chosen], self.e[chosen]
        return self.of(s, np.where((e & mask) > boundary, (e & ~mask) | boundary, e))

    def after(self, settled: Intervals | None, find_cuts: Callable[[Codes], Ints]) -> Intervals:
        later = self.of(*continue_from(self.s, self.e, find_cuts(self.codes) + 1, self.axis.mask))
        return later if settled is None else settled.unite(later)

    def holding_at(self, point: int) -> Ints:
        """The keys that hold there."""
        mask = self.axis.mask
        return self.keys()[((self.s & mask) <= point) & ((self.e & mask) > point)]

    def known_times(self) -> Iterator[Ints]:
        mask = self.axis.mask
        yield self.s & mask
        ends = self.e & mask
        yield ends[ends != mask]

    def begins(self) -> Ints:
        return self.s

    def lasts(self) -> Ints:
        return self.e

    def latest(self) -> int:
        return self._views.find("latest", lambda: int(time_span(self.e, self.axis.mask)[1]))

    def lingering(self, edge: int) -> Intervals:
        return self.of(*keep_lingering(self.s, self.e, edge, self.axis.mask))

    def starts_after(self, time: int) -> Ints:
        return starts_after(self.s, time, self.axis.mask)

    def differing(self, other: Intervals) -> tuple[Ints, Ints]:
        return places_unlike(self.s, self.e, other.s, other.e)

    def keys(self) -> Ints:
        """The key of each interval."""
        return self._views.find("keys", lambda: self.s >> self.axis.time_bits)

    def codes(self, position: int) -> Ints:
        return self.keys() if self.arity == 1 else self.axis.code(self.keys(), position, self.arity)

    def by_parts(self, forms: Forms) -> Intervals:
        """With a column for each part of the arguments; without the intervals whose arguments have other forms."""
        return self._views.find(forms, lambda: self._by_parts(forms))

    def _by_parts(self, forms: Forms) -> Intervals:
        axis = self.axis
        kept, columns = take_apart([self.codes(p) for p in range(self.arity)], forms, self.dictionary)
        base = axis.key(columns) << axis.time_bits
        s, e = base | (self.s[kept] & axis.mask), base | (self.e[kept] & axis.mask)
        s, order = sort_packed(s, axis.time_bits)
        return Intervals(axis, self.dictionary, len(columns), s, e[order])

    def edges(self, which: EdgeKind) -> Points:
        """Return the points at which intervals begin or end (startI, endI), or those one tick before (start, end)."""
        return self._views.find(which, lambda: self._edges(which))

    def _edges(self, which: EdgeKind) -> Points:
        begins = which in ("start", "startI")
        points = self.s if begins else compress(self.e, (self.e & self.axis.mask) != self.axis.mask)
        points = points if which in ("startI", "endI") else self.axis.preceding(points)
        return Points(self.axis, self.dictionary, self.arity, self.key, points, {})

    def places_of_keys(self, keys: Ints, edge: int) -> Ints:
        """Return the places of the intervals of sorted keys that are not over at the edge."""
        return self._places_between(keys, self.axis.time_bits, edge)

    def places_of_codes(self, codes: Mapping[int, Ints], edge: int) -> Ints:
        """Return the places of the intervals that have these codes, sorted, and are not over at the edge."""
        position = min(codes, key=lambda place: (len(codes[place]), place))
        shift = self.leading_shift(position)
        if shift is not None:
            places = self._places_between(codes[position], shift, edge)
        else:
            order, ordered = self._views.find(("by code", position), lambda: self._order_by(position))
            low, high = (np.searchsorted(ordered, codes[position], side) for side in ("left", "right"))
            places = np.sort(order[expand(low, high)[1]])
            places = places[(self.e[places] & self.axis.mask) > edge]
        for other, wanted in codes.items():
            if other != position:
                places = places[member_search(self.codes_at(places, other), wanted)]
        return places

    def codes_at(self, places: Ints, position: int) -> Ints:
        """Return the codes of an argument of the intervals at these places."""
        return self.axis.code(self.s[places] >> self.axis.time_bits, position, self.arity)

    def _places_between(self, leading: Ints, shift: int, edge: int) -> Ints:
        first = leading << shift
        low = np.searchsorted(self.s, first, "left")
        high = np.searchsorted(self.s, first | ((1 << shift) - 1), "right")
        places = expand(low, high)[1]
        return places[(self.e[places] & self.axis.mask) > edge]

    def _order_by(self, position: int) -> tuple[Ints, Ints]:
        codes = self.codes(position)
        order = np.argsort(codes, kind="stable")
        return order, codes[order]

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
        if not picks.constants and not picks.equal and positions == self.key:
            return self.s, self.e
        return self._views.find(("project", picks, positions), lambda: self._project(picks, positions))

    def _project(self, picks: Picks, positions: tuple[int, ...]) -> tuple[Ints, Ints]:
        s, e, _ = self._rekeyed(picks, positions)
        fixed = {p for p, _ in picks.constants} | {p for p, _ in picks.equal}
        one_to_one = fixed | set(positions) == set(range(self.arity))
        in_order = list(positions) == sorted(positions) and not self.axis.is_wide(self.arity)
        if one_to_one and in_order:
            return s, e
        s, order = sort_packed(s, self.axis.time_bits)
        return normalise(s, e[order])

    def spread(self, picks: Picks, positions: tuple[int, ...]) -> tuple[Ints, Ints, Ints]:
        """The intervals on the axis of these columns, sorted by start, not united, with the rows they come from."""
        return self._views.find(("spread", picks, positions), lambda: self._spread(picks, positions))

    def _spread(self, picks: Picks, positions: tuple[int, ...]) -> tuple[Ints, Ints, Ints]:
        s, e, rows = self._rekeyed(picks, positions)
        s, order = sort_packed(s, self.axis.time_bits)
        return s, e[order], rows[order]

    def _rekeyed(self, picks: Picks, positions: tuple[int, ...]) -> tuple[Ints, Ints, Ints]:
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
        return self._views.find("groundings", lambda: unique_sorted(self.keys()))


def no_intervals(axis: Axis, dictionary: Dictionary, arity: int) -> Intervals:
    return Intervals(axis, dictionary, arity, EMPTY, EMPTY)
