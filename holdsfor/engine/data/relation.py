"""Relations in memory: what Points (what happened) and Intervals (what held) have in common.

Times are relative to the origin of the axis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Self

from holdsfor.engine.data.axis import EMPTY, Axis, Ints
from holdsfor.engine.data.column import Mask
from holdsfor.engine.data.dictionary import Dictionary
from holdsfor.engine.data.memo import Memo

Codes = Callable[[int], Ints]
"""The codes of the arguments at a position."""


class Data:
    """Rows of a relation, sorted by the arguments at `key` and by time. Views are made once and kept."""

    __slots__ = ("_views", "arity", "axis", "dictionary", "key")

    def __init__(self, axis: Axis, dictionary: Dictionary, arity: int, key: tuple[int, ...]) -> None:
        self.axis, self.dictionary, self.arity, self.key = axis, dictionary, arity, key
        self._views = Memo()

    def __len__(self) -> int:
        return len(self.begins())

    def begins(self) -> Ints:
        """Return when each row begins, packed."""
        raise NotImplementedError

    def lasts(self) -> Ints:
        """Return until when each row is looked at, packed."""
        raise NotImplementedError

    def latest(self) -> int:
        """Return the last time of all rows."""
        raise NotImplementedError

    def known_times(self) -> Iterator[Ints]:
        """Yield the times of all rows, without the ends of what goes on."""
        raise NotImplementedError

    def codes(self, position: int) -> Ints:
        raise NotImplementedError

    def groundings_of_rows(self) -> Ints:
        """Return the key of all arguments of each row."""
        raise NotImplementedError

    def count_open(self) -> int:
        """Count the rows that have no end yet."""
        return 0

    def count_equal(self) -> int:
        """Count the rows that are equal to an earlier one."""
        return 0

    def leading_shift(self, position: int) -> int | None:
        """By how many bits the code of an argument stands before the rest; None if it does not lead."""
        return self.axis.leading_shift(len(self.key)) if self.key[:1] == (position,) else None

    # ---------------------------------------------------------------- some of the rows

    def none(self) -> Self:
        raise NotImplementedError

    def where(self, mask: Mask) -> Self:
        raise NotImplementedError

    def take(self, rows: Ints) -> Self:
        """Return the rows at these places, which must not decrease."""
        raise NotImplementedError

    def distinct(self) -> Self:
        """Return each row once."""
        return self

    def beyond(self, edge: int) -> Self:
        """Return the rows that are not over at the edge."""
        return self.where((self.lasts() & self.axis.mask) > edge)

    def lingering(self, edge: int) -> Self:
        """Return the rows that begin or end after the edge, without those that only go on."""
        raise NotImplementedError

    def starts_after(self, time: int) -> Ints:
        """Return the starts of intervals that are later."""
        return EMPTY

    def divide_at(self, boundary: Ints) -> tuple[Self, Ints]:
        """Return the parts before the boundary (of each row, or one for all), and the keys that hold at it."""
        raise NotImplementedError

    def until(self, boundary: int, edge: int | None) -> Self:
        """Return the part before the boundary, without what was over at the edge."""
        raise NotImplementedError

    # ---------------------------------------------------------------- with rows of another

    def differing(self, other: Self) -> tuple[Ints, Ints]:
        """Return the places of the rows of each that the other has not."""
        raise NotImplementedError

    def find_equal(self, wanted: Self) -> Ints:
        """Return the places of the rows that are equal to one of these."""
        raise NotImplementedError

    def after(self, settled: Self | None, find_cuts: Callable[[Codes], Ints]) -> Self:
        """Return what was concluded after the cut of each row, with what was settled before it."""
        raise NotImplementedError

    def unite(self, other: Self) -> Self:
        """Return the rows of both, sorted again."""
        raise NotImplementedError

    def change(self, removed: Ints, more: Self) -> Self:
        """Return the rows without those at these places, which are sorted, and with others, which it has not."""
        raise NotImplementedError

    def merge(self, other: Self) -> tuple[Self, Ints]:
        """Return the rows of both, which have none in common, and the order that sorts one after the other."""
        raise NotImplementedError

    def join_in_order(self, other: Self, order: Ints) -> Self:
        """Return rows of both, one set after the other, in an order that sorts them."""
        raise NotImplementedError
