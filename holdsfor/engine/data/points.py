"""Points: what happened, sorted by the arguments that most rules ask for it by, and by time.

Times are relative to the origin of the axis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from holdsfor.engine.bodies.structure import cut_columns
from holdsfor.engine.data.axis import EMPTY, Axis, Ints
from holdsfor.engine.data.column import Column, Mask, Selection, concatenated
from holdsfor.engine.data.dictionary import Dictionary, Numbers
from holdsfor.engine.data.relation import Codes, Data
from holdsfor.kernels.rows.gathering import order_changed
from holdsfor.kernels.rows.holding import member_search
from holdsfor.kernels.rows.moving import merge_sorted, time_span
from holdsfor.kernels.rows.sorting import distinct_rows, sort_packed
from holdsfor.plan.structures import Forms


@dataclass(frozen=True, slots=True)
class Picks:
    """The tests of a literal on a relation's columns: constants, and columns that must be equal."""

    constants: tuple[tuple[int, int], ...]  # (position, code)
    equal: tuple[tuple[int, int], ...]  # (position, an earlier position)


class Points(Data):
    """Occurrences: sorted by (code of the key columns, time); duplicates allowed.

    What takes time has its end as its time; begun: when each began, relative to the origin (None: at its time).
    """

    __slots__ = ("_columns", "begun", "packed")

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
        super().__init__(axis, dictionary, arity, key)
        self.packed, self.begun, self._columns = packed, begun, columns

    def __len__(self) -> int:
        return len(self.packed)

    @property
    def is_packed(self) -> bool:
        """Whether all that is known of a row is in its key and time."""
        return len(self.key) == self.arity and self.begun is None

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
        return self._views.find("span", self._span)

    def _span(self) -> tuple[int, int]:
        low, high = time_span(self.packed, self.axis.mask)
        return int(low), int(high)

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

    def count_equal(self) -> int:
        """How many rows are equal to an earlier one. Only rows that share key and time with another are looked at."""
        same = self.packed[1:] == self.packed[:-1]
        if not same.any():
            return 0
        rows = self.select(Selection(np.append(same, False) | np.append(False, same)))
        others = [_comparable(rows.column(p)) for p in range(self.arity) if p not in self.key]
        return len(rows) - len(find_distinct([rows.packed, *rows._begun_column(), *others]))

    def take(self, rows: Ints) -> Points:
        return self if rows.size == self.packed.size else self.select(Selection(index=rows))

    def none(self) -> Points:
        return no_points(self.axis, self.dictionary, self.arity)

    def groundings_of_rows(self) -> Ints:
        columns = [self.column(p).codes() for p in range(self.arity)]
        return self.axis.key(columns) if columns else np.zeros(len(self), np.int64)

    def divide_at(self, boundary: Ints) -> tuple[Points, Ints]:
        """Return the points before the boundary, and no keys: points hold at none."""
        return self.where((self.packed & self.axis.mask) < boundary), EMPTY

    def until(self, boundary: int, edge: int | None) -> Points:
        time = self.packed & self.axis.mask
        return self.where((time < boundary) if edge is None else (time < boundary) & (time > edge))

    def after(self, settled: Points | None, find_cuts: Callable[[Codes], Ints]) -> Points:
        """Return the points with what was settled before."""
        return self if settled is None else self.unite(settled)

    def unite(self, other: Points) -> Points:
        return united([other, self])

    def change(self, removed: Ints, more: Points) -> Points:
        if not len(self):
            return more
        if not len(more) or more.key != self.key:
            kept = np.ones(len(self), np.bool_)
            kept[removed] = False
            return united([self.where(kept), more])
        if not removed.size and self.is_packed and more.is_packed:
            return Points(self.axis, self.dictionary, self.arity, self.key, merge_sorted(self.packed, more.packed), {})
        return self.join_in_order(more, order_changed(self.packed, removed, more.packed))

    def merge(self, other: Points) -> tuple[Points, Ints]:
        if not len(self) or not len(other):
            return (self if len(self) else other), np.arange(len(self) + len(other))
        return unite_parts([self, other])

    def join_in_order(self, other: Points, order: Ints) -> Points:
        return rows_in_order([self, other], order, self.key, np.concatenate([self.packed, other.packed])[order])

    def known_times(self) -> Iterator[Ints]:
        yield self.packed & self.axis.mask

    def begins(self) -> Ints:
        return self.packed

    def lasts(self) -> Ints:
        return self.packed

    def latest(self) -> int:
        return self.span()[1]

    def lingering(self, edge: int) -> Points:
        return self.none() if self.latest() <= edge else self.beyond(edge)

    def distinct(self) -> Points:
        if self.packed.size < 2:
            return self
        rows = find_distinct([self.packed, *self._begun_column(), *map(_values, self._all_columns())])
        return self if len(rows) == len(self) else self.select(Selection(index=rows))

    def unlike(self, other: Points) -> tuple[Points, Points]:
        """Return what each has that the other has not; both without duplicates, and sorted by any key."""
        mine, others = self.differing(other)
        return self.take(mine), other.take(others)

    def differing(self, other: Points) -> tuple[Ints, Ints]:
        """Return the places of the rows that only one of them has; both are without duplicates."""
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

    def find_equal(self, wanted: Points) -> Ints:
        return np.flatnonzero(self._equal_to(wanted))

    def _equal_to(self, others: Points) -> Mask:
        """Mark the rows that are equal to one of the others."""
        if self.key == others.key:  # rows of other keys are unlike
            mask = member_search(self.packed, others.packed)
        else:
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
        return self._views.find((picks, read) if nulls else picks, lambda: self._pick(picks, nulls))

    def _pick(self, picks: Picks, nulls: Sequence[Mask]) -> Points:
        mask = ~np.logical_or.reduce(nulls) if nulls else np.ones(len(self), np.bool_)
        for position, code in picks.constants:
            mask &= self.column(position).codes() == code
        for position, other in picks.equal:
            mask &= self.column(position).codes() == self.column(other).codes()
        return self.select(Selection(mask))

    def _nulls(self, position: int) -> Mask | None:
        """Mark the rows that have no value at a position; None: all have one."""
        column = self._columns.get(position)
        if self.dictionary.null_code is None and (column is None or not column.is_number):
            return None
        return self.column(position).nulls()

    def by_parts(self, forms: Forms) -> Points:
        """With a column for each part of the arguments; without the rows whose arguments have other forms."""
        return self._views.find(forms, lambda: self._by_parts(forms))

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
        return self._views.find(positions, lambda: sort_packed(self._pack(positions), self.axis.time_bits))

    def _pack(self, positions: tuple[int, ...]) -> Ints:
        return self.axis.pack([self.column(p).codes() for p in positions], self.times())


def no_points(axis: Axis, dictionary: Dictionary, arity: int) -> Points:
    """Nothing is in the order of any key."""
    return Points(axis, dictionary, arity, tuple(range(arity)), EMPTY, {})


def united(parts: Sequence[Points]) -> Points:
    """The occurrences of all of them, sorted again."""
    parts = [part for part in parts if len(part)] or parts[:1]
    return parts[0] if len(parts) == 1 else unite_parts(parts)[0]


def unite_parts(parts: Sequence[Points]) -> tuple[Points, Ints]:
    first = parts[0]
    key = first.key if all(part.key == first.key for part in parts) else ()
    packed = np.concatenate([part.packed if part.key == key else part.packed & part.axis.mask for part in parts])
    packed, order = sort_packed(packed, first.axis.time_bits)
    return rows_in_order(parts, order, key, packed), order


def rows_in_order(parts: Sequence[Points], order: Ints, key: tuple[int, ...], packed: Ints) -> Points:
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
    """Return the columns that say whether rows are equal: times and arguments, one set of rows after the other."""
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
