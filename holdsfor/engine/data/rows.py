"""Rows: the bindings that a chain of operators has found so far."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from holdsfor.engine.data.axis import Axis, Ints
from holdsfor.engine.data.column import Column, Mask, Selection
from holdsfor.io.events import MOST_TIME
from holdsfor.kernels.rows.moving import add_last_code, compress, time_span


class Rows:
    """Named columns of equal length, selected from their parent when asked for.

    Where `packed` is there, the rows are sorted by it: the codes of the columns `order` and the time in `clock`.
    span: between what times the clock lies, relative to the origin; None: not known.
    """

    __slots__ = (
        "_columns",
        "_parent",
        "_selection",
        "axis",
        "clock",
        "names",
        "order",
        "packed",
        "shifts",
        "size",
        "span",
    )

    def __init__(self, axis: Axis, size: int, columns: Mapping[str, Column]) -> None:
        self.axis, self.size = axis, size
        self._columns = dict(columns)
        self.names: frozenset[str] = frozenset(columns)
        self._parent: Rows | None = None
        self._selection: Selection | None = None
        self.packed: Ints | None = None
        self.order: tuple[str, ...] | None = None
        self.clock: str | None = None
        self.shifts: dict[str, int] = {}  # time variables at a constant distance from the clock
        self.span: tuple[int, int] | None = None

    def sorted_by(self, order: tuple[str, ...], clock: str, packed: Ints, span: tuple[int, int] | None = None) -> Rows:
        self.order, self.clock, self.packed, self.span = order, clock, packed, span
        self.shifts = {clock: 0}
        return self

    def lies_within(self, time: str, low: int, high: int) -> bool:
        """Whether all times of this column are known to be in low..high, relative to the origin."""
        shift = self.shifts.get(time)
        if self.span is None or shift is None:
            return False
        return self.span[0] + shift >= low and self.span[1] + shift <= high

    def column(self, name: str) -> Column:
        selected = self._columns.get(name)
        if selected is None:
            assert self._parent is not None, name
            assert self._selection is not None
            column = self._parent.column(name)
            if name == self.clock and self.span is not None and self.packed is not None:
                selected = column.made_as(partial(self.axis.time, self.packed))
            else:
                selected = column.select(self._selection)
            self._columns[name] = selected
        return selected

    def codes(self, name: str) -> Ints:
        return self.column(name).codes()

    def times(self, name: str) -> Ints:
        return self.column(name).integers()

    def timely(self, name: str) -> Rows:
        """The rows whose column is a time, which is an integer: at 37.5, at a name, or at 10^30, nothing is."""
        if name in self.shifts or not self.size:
            return self
        column = self.column(name)
        if column.numbers().dtype.kind == "i":
            return self
        return self.filter(np.broadcast_to(column.whole(), (self.size,)) & (np.abs(column.numbers()) <= MOST_TIME))

    def filter(self, mask: Mask) -> Rows:
        kept = int(np.count_nonzero(mask))
        if kept == self.size:
            return self
        rows = self._child(Selection(mask=mask, size=kept))
        if self.packed is not None:
            rows._sorted_like(self, compress(self.packed, mask))
        return rows

    def take(self, index: Ints) -> Rows:
        """The rows at these positions, which must not decrease."""
        rows = self._child(Selection(index=index))
        if self.packed is not None:
            rows._sorted_like(self, self.packed[index])
        return rows

    def reorder(self, index: Ints) -> Rows:
        return self._child(Selection(index=index))

    def bind(self, columns: Mapping[str, Column]) -> Rows:
        """With more columns, or with others in place of these."""
        rows = Rows(self.axis, self.size, {**self._columns, **columns})
        rows.names = self.names.union(columns)
        rows._parent, rows._selection = self._parent, self._selection
        if self.packed is not None and self.clock not in columns:
            rows._sorted_like(self, self.packed)
        return rows

    def without(self, names: frozenset[str]) -> Rows:
        """Without these columns."""
        kept = self.names - names
        return Rows(self.axis, self.size, {name: self.column(name) for name in kept})

    def _sorted_like(self, other: Rows, packed: Ints) -> None:
        self.packed, self.order, self.clock = packed, other.order, other.clock
        self.shifts, self.span = other.shifts, other.span

    def _child(self, selection: Selection) -> Rows:
        rows = Rows(self.axis, selection.size, {})
        rows.names = self.names
        rows._parent, rows._selection = self, selection
        return rows

    def _is_sorted_by_all_but_last(self, names: tuple[str, ...], time: str) -> bool:
        """Whether the rows, sorted by all of these columns but the last and by the time, lack only that one."""
        in_order = self.packed is not None and self.order == names[:-1] and self.shifts.get(time) == 0
        return in_order and len(names) > 1 and not self.axis.is_wide(len(names))

    def pack(self, names: tuple[str, ...], time: str) -> tuple[Ints, bool]:
        """The rows on the axis of these columns at this time, and whether they are sorted there."""
        if self.packed is not None and self.order == names and time in self.shifts:
            shift = self.shifts[time]
            if not shift:
                return self.packed, True
            low, high = time_span(self.packed, self.axis.mask) if self.span is None else self.span
            if low + shift >= 0 and high + shift < self.axis.mask:
                return self.packed + shift, True
        if self._is_sorted_by_all_but_last(names, time):
            assert self.packed is not None
            return add_last_code(self.packed, self.codes(names[-1]), self.axis.time_bits, self.axis.code_bits), False
        return self.axis.pack([self.codes(name) for name in names], self.times(time)), False
