"""Tuples of arguments that a change touches, each with the time of the change, and the rows about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from holdsfor.engine.data.axis import EMPTY, Axis, Ints
from holdsfor.engine.data.column import Mask
from holdsfor.engine.data.intervals import Intervals
from holdsfor.engine.data.relation import Data
from holdsfor.engine.incremental.stored import Gathered, Stored, keep_added
from holdsfor.engine.incremental.units import Positions, RowsWanted
from holdsfor.kernels.changes.touching import unite_touched
from holdsfor.kernels.kernel import AFTER_ALL
from holdsfor.kernels.rows.gathering import places_of_codes
from holdsfor.kernels.rows.searching import SEARCH, gather_rows


def tuple_keys(data: Data, positions: Positions) -> Ints:
    """The tuple of each row as a number; the order of its arguments does not matter."""
    if len(positions) == 1:
        return data.codes(positions[0])
    return ordered_key(data.axis, [data.codes(position) for position in positions])


def ordered_key(axis: Axis, codes: Sequence[Ints]) -> Ints:
    if len(codes) == 2:
        return axis.key([np.minimum(*codes), np.maximum(*codes)])
    return axis.key(list(np.sort(np.stack(codes), axis=0)))


@dataclass(slots=True)
class Touched:
    """Tuples that something has changed for, by their size, each with a time up to which nothing has.

    members: arguments that touch all tuples that have them. everything: a time for all tuples at once; None: not all
    are touched.
    """

    parts: dict[int, list[tuple[Ints, Ints]]] = field(default_factory=dict)
    members: list[tuple[Ints, Ints]] = field(default_factory=list)
    everything: int | None = None

    def __bool__(self) -> bool:
        return self.everything is not None or any(len(keys) for parts in self.parts.values() for keys, _ in parts)

    def touch(self, size: int, keys: Ints, until: Ints) -> None:
        """until: of each, or one for all."""
        if len(keys):
            self.parts.setdefault(size, []).append((keys, until))

    def touch_all(self, until: int) -> None:
        self.everything = until if self.everything is None else min(until, self.everything)

    def tuples(self) -> dict[int, tuple[Ints, Ints]]:
        """By size: the distinct tuples, sorted, each with the earliest of its times."""
        return {size: find_earliest(parts) for size, parts in self.parts.items()}


def find_earliest(parts: list[tuple[Ints, Ints]]) -> tuple[Ints, Ints]:
    """Sort keys, each once, with the earliest of its times."""
    if len(parts) == 1 and len(parts[0][0]) == 1:
        return parts[0]
    keys = np.concatenate([some for some, _ in parts])
    until = np.concatenate([times if len(times) == len(some) else np.repeat(times, len(some)) for some, times in parts])
    order = np.argsort(keys, kind="stable")
    return unite_touched(keys[order], until[order])


@dataclass(frozen=True)
class TouchedKeys:
    """Sorted keys, each with a time up to which nothing has changed for it."""

    keys: Ints
    until: Ints

    def until_of(self, wanted: Ints) -> Ints:
        """The time of each; AFTER_ALL if it is not one of them."""
        if not len(self.keys):
            return np.full(len(wanted), AFTER_ALL)
        place = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        return np.where(self.keys[place] == wanted, self.until[place], AFTER_ALL)

    def contain(self, wanted: Ints) -> Mask:
        if not len(self.keys):
            return np.zeros(len(wanted), np.bool_)
        place = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        return np.equal(self.keys[place], wanted)

    def by_code(self, codes: int) -> Ints:
        """The time of each code up to a number of codes."""
        table = np.full(codes, AFTER_ALL)
        table[self.keys] = self.until
        return table


NONE_TOUCHED = TouchedKeys(EMPTY, EMPTY)


@dataclass(frozen=True)
class Tuples:
    """The tuples that are evaluated together, by their size. Times are relative to the origin of the axis."""

    axis: Axis
    codes: int  # how many codes there are
    by_size: dict[int, TouchedKeys]

    def __len__(self) -> int:
        return sum(len(touched.keys) for touched in self.by_size.values())

    @cached_property
    def earliest(self) -> int:
        return min(
            (int(touched.until.min()) for touched in self.by_size.values() if len(touched.until)), default=AFTER_ALL
        )

    @cached_property
    def _members(self) -> TouchedKeys:
        """The arguments of tuples of several."""
        parts = [
            (self.axis.code(touched.keys, position, size), touched.until)
            for size, touched in self.by_size.items()
            for position in range(size)
            if size > 1 and len(touched.keys)
        ]
        return TouchedKeys(*find_earliest(parts)) if parts else NONE_TOUCHED

    @cached_property
    def until_of_codes(self) -> Ints:
        """The time of each code that is a tuple by itself."""
        return self.by_size.get(1, NONE_TOUCHED).by_code(self.codes)

    @cached_property
    def _until_of_members(self) -> Ints:
        return self._members.by_code(self.codes)

    def contain(self, data: Data, positions: Positions) -> Mask:
        """Mark the rows about one of the tuples."""
        touched = self.by_size.get(len(positions), NONE_TOUCHED)
        return touched.contain(tuple_keys(data, positions))

    def until_of(self, positions: Positions, codes: Callable[[int], Ints]) -> Ints:
        """The time of each row's tuple. codes: of the arguments at a position."""
        touched = self.by_size.get(len(positions), NONE_TOUCHED)
        if len(positions) > 1:
            return touched.until_of(ordered_key(self.axis, [codes(position) for position in positions]))
        return self.until_of_codes[codes(positions[0])]

    def gather(self, stored: Stored, wanted: RowsWanted, reach: int) -> Gathered:
        """The rows about them, as `places` says. reach: on the axis."""
        gathered = None if wanted.leader is None else self._gather(stored, wanted.leader, wanted.is_member, reach)
        if gathered is None:
            return stored.gather(lambda data: self.places(data, wanted.shares, wanted.follows, reach))
        return gathered

    def _gather(self, stored: Stored, leader: int, is_member: bool, reach: int) -> Gathered | None:
        """Gather rows by the argument that leads to them; None if they are not sorted by it."""
        touched = self._members if is_member else self.by_size.get(1, NONE_TOUCHED)
        base, more = stored.base, stored.more
        size, added = len(base), len(more)
        if not size and not added:
            return Gathered(base, EMPTY)
        shift = (base if size else more).leading_shift(leader)
        if shift is None or (size and added and more.key != base.key):
            return None
        if size > stored.tuning.few_stored and base.latest() + reach <= self.earliest:  # all of it is over
            stored = keep_added(stored)
        keys = touched.keys, touched.until
        return stored.take(*gather_rows(*stored.lists(), *keys, shift, self.axis.time_bits, reach))

    def places(self, data: Data, shares: Iterable[Positions], follows: Iterable[int], reach: int) -> Ints:
        """The rows about them that are not over so long before the time of their tuple."""
        chosen = [
            self._places(data, positions, self.by_size.get(len(positions), NONE_TOUCHED), reach) for positions in shares
        ]
        chosen += [self._places(data, (position,), self._members, reach) for position in follows]
        chosen = [places for places in chosen if len(places)]
        if len(chosen) <= 1:
            return chosen[0] if chosen else EMPTY
        return np.unique(np.concatenate(chosen))

    def _places(self, data: Data, positions: Positions, touched: TouchedKeys, reach: int) -> Ints:
        if not len(touched.keys) or not len(data):
            return EMPTY
        mask = data.axis.mask
        if isinstance(data, Intervals) and len(positions) == 1 and SEARCH * len(touched.keys) < len(data):
            places = data.places_of_codes({positions[0]: touched.keys}, -1)
            until = touched.until_of(data.codes_at(places, positions[0]))
            return places[(data.e[places] & mask) + reach > until]
        if len(positions) > 1:
            until = touched.until_of(tuple_keys(data, positions))
            return np.flatnonzero((data.lasts() & mask) + reach > until)
        edges = self.until_of_codes if touched is self.by_size.get(1) else self._until_of_members
        return places_of_codes(data.codes(positions[0]), data.lasts(), edges, mask, reach)
