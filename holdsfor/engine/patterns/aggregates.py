"""Measures of aggregates: the numbers of a term, and a value from them for each window of rows.

A measure is a function of the occurrences in its window alone, never of what else is evaluated with them: integers
stay integers in a window that has only these, though other windows have floats.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from holdsfor.engine.bodies.calculate import calculate
from holdsfor.engine.data.axis import Ints
from holdsfor.engine.data.column import Column, Mask, Selection
from holdsfor.engine.data.dictionary import Numbers
from holdsfor.engine.data.rows import Rows
from holdsfor.engine.data.world import World
from holdsfor.kernels.patterns.sliding import slide_extremes, slide_float_sums, slide_sums
from holdsfor.language.terms import Term

ROW = "measured~"
#: Below it, every integer is a float.
EXACT = 1 << 53
TOO_LARGE = float(1 << 63)


@dataclass(frozen=True, slots=True)
class Amounts:
    """The numbers of a term, one a row. whole: which are integers, None if all are of the kind of `numbers`;
    integers: these, exactly, and 0 elsewhere. unknown: rows without a number, None if there is none.
    """

    numbers: Numbers
    whole: Mask | None
    integers: Ints
    unknown: Mask | None

    def sort_keys(self) -> list[Numbers | Mask]:
        """From the one that decides least: a float is before the integer that it equals, and no number is last."""
        keys = (self.whole, self.numbers, self.unknown)
        return [key for key in keys if key is not None]

    def reorder(self, order: Ints) -> Amounts:
        whole = None if self.whole is None else self.whole[order]
        unknown = None if self.unknown is None else self.unknown[order]
        return Amounts(self.numbers[order], whole, self.integers[order], unknown)


@dataclass(frozen=True, slots=True)
class WindowValues:
    """A number for each window: an integer where `whole`, else a float. absent: windows that have none; overflows: how
    many of these have none because it is too large."""

    integers: Ints | None = None
    floats: Numbers | None = None
    whole: Mask | None = None
    absent: Mask | None = None
    overflows: int = 0

    def as_column(self, world: World) -> Column:
        if self.floats is None or self.integers is None:
            return Column(world.dictionary, numbers=self.integers if self.floats is None else self.floats)
        assert self.whole is not None
        integers = self.integers[self.whole]
        if (np.abs(integers) < EXACT).all():
            return Column(world.dictionary, numbers=np.where(self.whole, self.integers, self.floats), whole=self.whole)
        codes = np.empty(self.whole.size, np.int64)
        codes[self.whole] = world.dictionary.encode(integers)
        codes[~self.whole] = world.dictionary.encode(self.floats[~self.whole])
        return Column(world.dictionary, codes)


def find_amounts(term: Term, rows: Rows, world: World) -> Amounts:
    numbered = rows.bind({ROW: Column(world.dictionary, numbers=np.arange(rows.size))})
    known, column = calculate(term, numbered, world)
    amounts = _amounts_of(column)
    if known.size == rows.size:
        return amounts
    place, unknown = known.times(ROW), np.ones(rows.size, np.bool_)
    unknown[place] = False
    numbers = np.zeros(rows.size, amounts.numbers.dtype)
    integers = np.zeros(rows.size, np.int64)
    numbers[place], integers[place] = amounts.numbers, amounts.integers
    whole = amounts.whole
    if whole is not None:
        whole = np.zeros(rows.size, np.bool_)
        whole[place] = amounts.whole
    return Amounts(numbers, whole, integers, unknown)


def _amounts_of(column: Column) -> Amounts:
    numbers = column.numbers()
    if numbers.dtype.kind == "i":
        return Amounts(numbers, None, numbers.astype(np.int64, copy=False), None)
    whole = np.broadcast_to(column.whole(), numbers.shape) & (np.abs(numbers) < TOO_LARGE)
    integers = np.zeros(len(numbers), np.int64)
    if not whole.any():
        return Amounts(numbers, None, integers, None)
    integers[whole] = column.select(Selection(mask=whole)).integers()
    return Amounts(numbers, whole, integers, None)


def has_any(mask: Mask, first: Ints, last: Ints) -> Mask:
    """The windows with such a row."""
    count = np.concatenate([[0], np.cumsum(mask)])
    hits: Mask = count[last + 1] > count[first]
    return hits


def measure_windows(function: str, amounts: Amounts | None, first: Ints, last: Ints) -> WindowValues:
    """Compute count, sum, avg, min or max of each window, from first to last."""
    if amounts is None:
        return WindowValues(integers=last - first + 1)
    if function in ("min", "max"):
        return _extremes(amounts, first, last, function == "max")
    sums = _sums(amounts, first, last)
    return sums if function == "sum" else _averages(sums, last - first + 1)


def _sums(amounts: Amounts, first: Ints, last: Ints) -> WindowValues:
    if amounts.numbers.dtype.kind == "i":
        sums, fits = slide_sums(amounts.integers, first, last)
        return WindowValues(integers=sums, absent=~fits, overflows=int(np.count_nonzero(~fits)))
    totals = slide_float_sums(amounts.numbers.astype(np.float64, copy=False), first, last)
    finite = np.isfinite(totals)
    if amounts.whole is None:
        return WindowValues(floats=totals, absent=~finite, overflows=int(np.count_nonzero(~finite)))
    sums, fits = slide_sums(amounts.integers, first, last)
    whole = ~has_any(~amounts.whole, first, last)
    absent = ~np.where(whole, fits, finite)
    return WindowValues(sums, totals, whole, absent, int(np.count_nonzero(absent)))


def _averages(sums: WindowValues, count: Ints) -> WindowValues:
    """An average is what `/` makes of sum and count: of integers an integer, where it is one."""
    if sums.integers is None:
        assert sums.floats is not None
        return WindowValues(None, sums.floats / count, None, sums.absent, sums.overflows)
    whole = sums.integers % count == 0
    if sums.whole is None and whole.all():
        return WindowValues(sums.integers // count, None, None, sums.absent, sums.overflows)
    floats = sums.integers / count
    if sums.whole is not None:
        assert sums.floats is not None
        floats, whole = np.where(sums.whole, floats, sums.floats / count), whole & sums.whole
    return WindowValues(sums.integers // count, floats, whole, sums.absent, sums.overflows)


def _extremes(amounts: Amounts, first: Ints, last: Ints, greatest: bool) -> WindowValues:
    """Return the least or greatest number of each window; an integer goes before an equal float."""
    if amounts.numbers.dtype.kind == "i":
        return WindowValues(integers=slide_extremes(amounts.integers, first, last, greatest))
    if amounts.whole is None:
        return WindowValues(
            floats=slide_extremes(amounts.numbers.astype(np.float64, copy=False), first, last, greatest)
        )
    order = np.lexsort([amounts.integers, amounts.whole if greatest else ~amounts.whole, amounts.numbers])
    place = np.empty(order.size, np.int64)
    place[order] = np.arange(order.size)
    row = order[slide_extremes(place, first, last, greatest)]
    return WindowValues(amounts.integers[row], amounts.numbers[row], amounts.whole[row])
