"""Tuples of arguments that a change touches, each with the time of the change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from holdsfor.engine.data.axis import Axis, Ints
from holdsfor.engine.data.column import Mask
from holdsfor.engine.data.points import EMPTY
from holdsfor.engine.data.relation import Data
from holdsfor.engine.incremental.units import Positions
from holdsfor.kernels.changes.touching import UNTOUCHED, take_touched, unite_touched
from holdsfor.kernels.rows.gathering import find_earliest_of_codes

FOREVER = np.array([UNTOUCHED])


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

    endless: those of them for which something may change at any time after that, and not only where rows differ.
    members: arguments that touch all tuples that have them. everything: a time for all tuples at once; None: not all
    are touched.
    """

    parts: dict[int, list[tuple[Ints, Ints]]] = field(default_factory=dict)
    endless: dict[int, list[Ints]] = field(default_factory=dict)
    members: list[tuple[Ints, Ints]] = field(default_factory=list)
    everything: int | None = None

    def __bool__(self) -> bool:
        return self.everything is not None or any(len(keys) for parts in self.parts.values() for keys, _ in parts)

    def touch(self, size: int, keys: Ints, until: Ints, is_endless: bool = False) -> None:
        """until: of each, or one for all."""
        if len(keys):
            self.parts.setdefault(size, []).append((keys, until))
            if is_endless:
                self.endless.setdefault(size, []).append(keys)

    def touch_all(self, until: int) -> None:
        self.everything = until if self.everything is None else min(until, self.everything)

    def tuples(self, codes: int, dense: int) -> dict[int, tuple[Ints, Ints]]:
        """By size: the distinct tuples, sorted, each with the earliest of its times. codes: how many there are.

        dense: see `Tuning.touched_codes`.
        """
        return {size: find_earliest(parts, dense, codes if size == 1 else None) for size, parts in self.parts.items()}


def find_earliest(parts: list[tuple[Ints, Ints]], dense: int, above: int | None = None) -> tuple[Ints, Ints]:
    """The distinct keys, sorted, each with the earliest of its times. above: more than all keys, if it is known."""
    rows = sum([len(keys) for keys, _ in parts])
    if rows == 1:
        return next(part for part in parts if len(part[0]))
    if above is None:
        above = 1 + max([int(keys.max()) for keys, _ in parts if keys.size], default=0)
    if above <= dense * rows:
        earliest = np.full(above, UNTOUCHED)
        for keys, until in parts:
            find_earliest_of_codes(earliest, keys, until)
        return take_touched(earliest)
    keys = np.concatenate([some for some, _ in parts])
    until = np.concatenate([times if len(times) == len(some) else np.repeat(times, len(some)) for some, times in parts])
    order = np.argsort(keys, kind="stable")
    return unite_touched(keys[order], until[order])


@dataclass(frozen=True)
class TouchedKeys:
    """Sorted keys, each with a time up to which nothing has changed for it.

    ends: to how late rows are looked at; None: to the last.
    """

    keys: Ints
    until: Ints
    ends: Ints | None = None

    def until_of(self, wanted: Ints) -> Ints:
        """The time of each; UNTOUCHED if it is not one of them."""
        if not len(self.keys):
            return np.full(len(wanted), UNTOUCHED)
        place = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        return np.where(self.keys[place] == wanted, self.until[place], UNTOUCHED)

    def end_of(self, wanted: Ints) -> Ints:
        """The end of each, which must be one of them."""
        assert self.ends is not None
        return np.asarray(self.ends[np.searchsorted(self.keys, wanted)])

    def contain(self, wanted: Ints) -> Mask:
        if not len(self.keys):
            return np.zeros(len(wanted), np.bool_)
        place = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        return np.equal(self.keys[place], wanted)

    def limits(self) -> Ints:
        """The end of each, or one for all."""
        return FOREVER if self.ends is None else self.ends

    def by_code(self, codes: int) -> Ints:
        """The time of each code up to a number of codes."""
        table = np.full(codes, UNTOUCHED)
        table[self.keys] = self.until
        return table


NONE_TOUCHED = TouchedKeys(EMPTY, EMPTY)
