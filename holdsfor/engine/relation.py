"""Relations in memory: Points (what happened) and Intervals (what held), each with the views that joins ask for.

What all relations can do, whatever they hold: `where` (some of their rows), `groundings_of_rows`, `beyond` (what is not
over at an edge), `until` (what is settled at a boundary) and `after` (put behind what is settled), `known_times`.
Times there are relative to the origin of the axis.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from holdsfor.engine.axis import Axis, Ints
from holdsfor.engine.column import Column, Mask, Selection, concatenated
from holdsfor.engine.dictionary import Dictionary, Numbers
from holdsfor.engine.structure import cut_columns, take_apart
from holdsfor.kernels import (
    change_intervals,
    compress,
    continue_from,
    distinct_rows,
    divide_at,
    normalise,
    order_changed,
    places_lingering,
    places_unlike,
    rekey,
    sort_packed,
    time_span,
    union2,
    unique_sorted,
)
from holdsfor.language.description import EdgeKind
from holdsfor.plan.structures import Forms

EMPTY = np.empty(0, np.int64)
#: A table of all terms costs more than to search where there are so many times more terms than rows.
MANY_TERMS = 8


@dataclass(frozen=True, slots=True)
class Picks:
    """What a literal asks of a relation's columns: constants, and columns that must be equal."""

    constants: tuple[tuple[int, int], ...]  # (position, code)
    equal: tuple[tuple[int, int], ...]  # (position, an earlier position)


class Points:
    """Occurrences: sorted by (code of the key columns, time); duplicates allowed. Views are made once and kept.

    What takes time has its end as its time; begun: when each began, relative to the origin (None: at its time).
    """

    __slots__ = ("_columns", "_views", "arity", "axis", "begun", "dictionary", "key", "packed")

    def __init__(
        self,
        axis: Axis,
        dictionary: Dictionary,
        arity: int,
        key: tuple[int, ...],
        packed: Ints,
        columns: dict[int, Column],
        begun: Ints | None = None,
    ) -> None:
        self.axis, self.dictionary, self.arity = axis, dictionary, arity
        self.key, self.packed, self.begun = key, packed, begun
        self._columns = columns
        self._views: dict[object, object] = {}

    def __len__(self) -> int:
        return len(self.packed)

    def column(self, position: int) -> Column:
        column = self._columns.get(position)
        if column is None:
            key = self.packed >> self.axis.time_bits
            column = Column(self.dictionary, self.axis.code(key, self.key.index(position), len(self.key)))
            self._columns[position] = column
        return column

    def codes(self, position: int) -> Ints:
        return self.column(position).codes()

    def times(self) -> Ints:
        return self.axis.time(self.packed)

    def span(self) -> tuple[int, int]:
        """Between what times they lie, relative to the origin."""
        span = self._views.get("span")
        if not isinstance(span, tuple):
            span = self._views["span"] = time_span(self.packed, self.axis.mask)
        return span

    def starts(self) -> Ints:
        """When each began."""
        return self.times() if self.begun is None else self.begun + self.axis.origin

    def select(self, selection: Selection) -> Points:
        columns = {p: c.select(selection) for p, c in self._columns.items() if p not in self.key}
        packed = np.asarray(selection.of(self.packed), np.int64)
        begun = None if self.begun is None else np.asarray(selection.of(self.begun), np.int64)
        return Points(self.axis, self.dictionary, self.arity, self.key, packed, columns, begun)

    def where(self, mask: Mask) -> Points:
        return self if mask.all() else self.select(Selection(mask))

    def take(self, rows: Ints) -> Points:
        """The rows at these places, which must not decrease."""
        return self if rows.size == self.packed.size else self.select(Selection(index=rows))

    def none(self) -> Points:
        return no_points(self.axis, self.dictionary, self.arity)

    def groundings_of_rows(self) -> Ints:
        """The key of all arguments of each row."""
        columns = [self.column(p).codes() for p in range(self.arity)]
        return self.axis.key(columns) if columns else np.zeros(len(self), np.int64)

    def beyond(self, edge: int) -> Points:
        return self.where(self.packed & self.axis.mask > edge)

    def divide_at(self, boundary: Ints) -> tuple[Points, Ints]:
        """What happened before the boundary: of each row, or one for all. No key holds at it."""
        return self.where((self.packed & self.axis.mask) < boundary), EMPTY

    def until(self, boundary: int, edge: int | None) -> Points:
        """What was settled before the boundary, without what was over at the edge."""
        time = self.packed & self.axis.mask
        return self.where((time < boundary) if edge is None else (time < boundary) & (time > edge))

    def after(self, settled: Points | None, boundary: int | Ints) -> Points:
        """With what was settled before."""
        return self if settled is None else united([settled, self])

    def known_times(self) -> Iterator[Ints]:
        yield self.packed & self.axis.mask

    def lasts(self) -> Ints:
        """Until when each row is looked at, packed."""
        return self.packed

    def latest(self) -> int:
        """The last time of all, relative to the origin."""
        return self.span()[1]

    def lingering(self, edge: int) -> Points:
        """What happened after the edge."""
        return self.beyond(edge)

    def distinct(self) -> Points:
        """Each occurrence once."""
        rows = find_distinct([self.packed, *self._begun_column(), *map(_values, self._all_columns())])
        return self if len(rows) == len(self) else self.select(Selection(index=rows))

    def unlike(self, other: Points) -> tuple[Points, Points]:
        """Of two without duplicates, what each has that the other has not; they may be sorted by different keys."""
        mine, others = self.differing(other)
        return self.take(mine), other.take(others)

    def differing(self, other: Points) -> tuple[Ints, Ints]:
        """Of two without duplicates, the places of the rows of each that the other has not."""
        if not len(self) or not len(other):
            return np.arange(len(self)), np.arange(len(other))
        columns = merge_columns(self, other)
        order = np.lexsort(columns)
        twin = np.ones(max(len(order) - 1, 0), np.bool_)
        for column in columns:
            ordered = column[order]
            twin &= ordered[1:] == ordered[:-1]
        alone = np.ones(len(order), np.bool_)
        alone[order[1:][twin]] = alone[order[:-1][twin]] = False
        return np.flatnonzero(alone[: len(self)]), np.flatnonzero(alone[len(self) :])

    def equal_to(self, others: Points) -> Mask:
        """Which rows are equal to one of the others."""
        mask = np.isin(self.times(), others.times())
        if not mask.any():
            return mask
        rows = np.flatnonzero(mask)
        candidates, wanted = self.take(rows), others.distinct()
        count = len(candidates)
        both = merge_columns(candidates, wanted)
        order = np.lexsort([np.arange(len(both[0])) < count, *both])  # of equal rows a wanted one comes first
        fresh = np.ones(len(order), np.bool_)
        fresh[1:] = False
        for column in both:
            ordered = column[order]
            fresh[1:] |= ordered[1:] != ordered[:-1]
        first = order[np.flatnonzero(fresh)[np.cumsum(fresh) - 1]]
        equal = np.zeros(len(order), np.bool_)
        equal[order] = first >= count
        mask[rows] = equal[:count]
        return mask

    def _all_columns(self) -> list[Column]:
        return [self.column(p) for p in range(self.arity)]

    def _begun_column(self) -> tuple[Ints, ...]:
        return () if self.begun is None else (self.begun,)

    def pick(self, picks: Picks, read: tuple[int, ...] = ()) -> Points:
        """The rows with these constants and equal columns, and with a value wherever one is read."""
        nulls = [missing for position in read if (missing := self._nulls(position)) is not None]
        if not picks.constants and not picks.equal and not nulls:
            return self
        view = (picks, read) if nulls else picks
        picked = self._views.get(view)
        if not isinstance(picked, Points):
            mask = ~np.logical_or.reduce(nulls) if nulls else np.ones(len(self), np.bool_)
            for position, code in picks.constants:
                mask &= self.column(position).codes() == code
            for position, other in picks.equal:
                mask &= self.column(position).codes() == self.column(other).codes()
            picked = self._views[view] = self.select(Selection(mask))
        return picked

    def _nulls(self, position: int) -> Mask | None:
        """Which rows have no value there; None: all have one."""
        column = self._columns.get(position)
        if self.dictionary.null_code is None and (column is None or not column.is_number):
            return None
        return self.column(position).nulls()

    def by_parts(self, forms: Forms) -> Points:
        """With a column for each part of the arguments; without the rows whose arguments have other forms."""
        points = self._views.get(forms)
        if not isinstance(points, Points):
            points = self._views[forms] = self._by_parts(forms)
        return points

    def _by_parts(self, forms: Forms) -> Points:
        columns = {p: self.column(p) for p in range(self.arity)}
        kept, cut = cut_columns(columns, forms, self.dictionary)
        key = tuple(position for p in self.key for position in cut.positions[p])
        axis = self.axis
        packed = axis.pack([cut.columns[p].codes() for p in key], axis.time(self.packed[kept]))
        packed, order = sort_packed(packed, axis.time_bits)
        chosen = Selection(index=order)
        parts = {p: column.select(chosen) for p, column in cut.columns.items()}
        begun = None if self.begun is None else self.begun[kept][order]
        return Points(axis, self.dictionary, len(parts), key, packed, parts, begun)

    def ordered(self, positions: tuple[int, ...]) -> tuple[Ints, Ints | None]:
        """Sorted by (these columns, time): packed values, and the rows they come from (None: as they are)."""
        if positions == self.key:
            return self.packed, None
        ordering = self._views.get(positions)
        if not isinstance(ordering, tuple):
            packed = self.axis.pack([self.column(p).codes() for p in positions], self.times())
            ordering = self._views[positions] = sort_packed(packed, self.axis.time_bits)
        return ordering


class Intervals:
    """Where a fluent holds: sorted, disjoint, not touching; the key is made of all columns."""

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
        """What begins or ends after the edge; what only goes on does neither."""
        return self.take(places_lingering(self.s, self.e, edge, self.axis.mask))

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
        """Where intervals begin and end: at these points themselves (startI, endI), or one tick before."""
        edges = self._views.get(which)
        if not isinstance(edges, Points):
            begins = which in ("start", "startI")
            points = self.s if begins else compress(self.e, (self.e & self.axis.mask) != self.axis.mask)
            points = points if which in ("startI", "endI") else self.axis.preceding(points)
            edges = Points(self.axis, self.dictionary, self.arity, tuple(range(self.arity)), points, {})
            self._views[which] = edges
        return edges

    def mask(self, picks: Picks) -> Mask | None:
        """Which intervals have these constants and equal columns; None: all."""
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

    def ranges(self, picks: Picks, positions: tuple[int, ...], key: Ints) -> tuple[Ints, Ints, Ints, Ints]:
        """The projected intervals, and for each key where its own begin and end."""
        s, e = self.project(picks, positions)
        bits = self.axis.time_bits
        if len(positions) != 1 or MANY_TERMS * (len(key) + len(s)) < len(self.dictionary):
            return s, e, np.searchsorted(s, key << bits, "left"), np.searchsorted(s, (key + 1) << bits, "left")
        view = ("ranges", picks, positions)
        first = self._views.get(view)
        if not isinstance(first, np.ndarray) or len(first) <= len(self.dictionary):
            count = np.bincount(s >> bits, minlength=len(self.dictionary))
            first = self._views[view] = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
        return s, e, first[key], first[key + 1]

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


Data = Points | Intervals
"""What is known of a relation."""


def put_after(settled: Data | None, concluded: Data, boundary: int | Ints) -> Data:
    """What was settled before the boundary, and from there on what has been concluded since."""
    if isinstance(concluded, Points):
        return concluded.after(settled if isinstance(settled, Points) else None, boundary)
    return concluded.after(settled if isinstance(settled, Intervals) else None, boundary)


def united(parts: Sequence[Points]) -> Points:
    """The occurrences of all of them, sorted again."""
    parts = [part for part in parts if len(part)] or parts[:1]
    return parts[0] if len(parts) == 1 else _united(parts)[0]


def change_rows(data: Data, removed: Ints, added: Data) -> Data:
    """Without the rows at these places, which are sorted, and with others, which it has not."""
    if isinstance(data, Intervals):
        assert isinstance(added, Intervals)
        return data.of(*change_intervals(data.s, data.e, removed, added.s, added.e)) if data.s.size else added
    if not len(data):
        return added
    assert isinstance(added, Points)
    if not len(added) or added.key != data.key:
        kept = np.ones(len(data), np.bool_)
        kept[removed] = False
        return united([data.where(kept), added])
    order = order_changed(data.packed, removed, added.packed)
    return _in_order([data, added], order, data.key, np.concatenate([data.packed, added.packed])[order])


def merge_in_order(one: Data, other: Data) -> tuple[Data, Ints]:
    """Both sets of rows, which have none in common, as one; and the order of the rows, one set after the other."""
    if not len(one) or not len(other):
        return (one if len(one) else other), np.arange(len(one) + len(other))
    if isinstance(one, Points):
        assert isinstance(other, Points)
        return _united([one, other])
    assert isinstance(other, Intervals)
    s, e = np.concatenate([one.s, other.s]), np.concatenate([one.e, other.e])
    s, order = sort_packed(s, one.axis.time_bits)
    return one.of(s, e[order]), order


def put_in_order(one: Data, other: Data, order: Ints) -> Data:
    """Rows of both, one set after the other, in an order that sorts them."""
    if isinstance(one, Points):
        assert isinstance(other, Points)
        return _in_order([one, other], order, one.key, np.concatenate([one.packed, other.packed])[order])
    assert isinstance(other, Intervals)
    return one.of(np.concatenate([one.s, other.s])[order], np.concatenate([one.e, other.e])[order])


def _united(parts: Sequence[Points]) -> tuple[Points, Ints]:
    first = parts[0]
    key = first.key if all(part.key == first.key for part in parts) else ()
    packed = np.concatenate([part.packed if part.key == key else part.packed & part.axis.mask for part in parts])
    packed, order = sort_packed(packed, first.axis.time_bits)
    return _in_order(parts, order, key, packed), order


def _in_order(parts: Sequence[Points], order: Ints, key: tuple[int, ...], packed: Ints) -> Points:
    """The rows of one part after the other, some of them, in this order. packed: as it is in that order."""
    first, chosen = parts[0], Selection(index=order)
    columns = {
        p: concatenated([part.column(p) for part in parts], first.dictionary).select(chosen)
        for p in range(first.arity)
        if p not in key
    }
    begun = None
    if any(part.begun is not None for part in parts):
        begun = np.concatenate([part.starts() for part in parts])[order] - first.axis.origin
    return Points(first.axis, first.dictionary, first.arity, key, packed, columns, begun)


def merge_columns(one: Points, other: Points) -> list[Ints]:
    """What makes rows equal or not: times and arguments, one set of rows after the other."""
    pairs = zip(one._all_columns(), other._all_columns(), strict=True)
    return [
        np.concatenate([one.times(), other.times()]),
        np.concatenate([one.starts(), other.starts()]),
        *(_comparable(concatenated(pair, one.dictionary)) for pair in pairs),
    ]


def _comparable(column: Column) -> Ints:
    """Numbers that are equal where the values are; a missing value is equal to a missing one."""
    values = _values(column)
    if values.dtype.kind != "f":
        return np.asarray(values, np.int64)
    return np.where(np.isnan(values), np.nan, values + 0.0).view(np.int64)


def find_distinct(columns: Sequence[Numbers]) -> Ints:
    """The first of the rows that are equal in all columns, in their order."""
    if all(column.dtype == np.int64 for column in columns):
        return distinct_rows(tuple(column.astype(np.int64, copy=False) for column in columns))
    order = np.lexsort(columns[::-1])
    fresh = np.zeros(len(order), np.bool_)
    fresh[:1] = True
    for column in columns:
        ordered = column[order]
        fresh[1:] |= ordered[1:] != ordered[:-1]
    return np.sort(order[fresh])


def _values(column: Column) -> Numbers:
    return column.numbers() if column.is_number else column.codes()


def no_intervals(axis: Axis, dictionary: Dictionary, arity: int) -> Intervals:
    return Intervals(axis, dictionary, arity, EMPTY, EMPTY)


def no_points(axis: Axis, dictionary: Dictionary, arity: int) -> Points:
    columns = {p: Column(dictionary, EMPTY) for p in range(arity)}
    return Points(axis, dictionary, arity, (0,) if arity else (), EMPTY, columns)
