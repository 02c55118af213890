"""Measures of aggregates: the numbers of a term, and a value from them for each window of rows.

A measure is a function of the occurrences in its window alone, never of what else is evaluated with them: integers
stay integers in a window that has only these, though other windows have floats. A user's own function is called for
each window, or once for all of them (`holdsfor.vectorised`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from holdsfor.engine.bodies.calculate import LEAST_INTEGER, MOST_INTEGER, calculate
from holdsfor.engine.data.axis import Ints
from holdsfor.engine.data.column import Column, Mask, Selection
from holdsfor.engine.data.dictionary import Numbers
from holdsfor.engine.data.rows import Rows
from holdsfor.engine.data.world import World
from holdsfor.errors import HoldsforError
from holdsfor.functions import Function, Registered
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


def call_function(
    name: str, registered: Registered, amounts: Sequence[Amounts], first: Ints, last: Ints
) -> WindowValues:
    """Call a registered function with the numbers of each window, from first to last."""
    if not first.size:
        return WindowValues(integers=np.empty(0, np.int64))
    call_all = _call_once if registered.is_vectorised else _call_each
    try:
        return call_all(name, registered.call, amounts, first, last)
    except HoldsforError:
        raise
    except Exception as error:
        raise HoldsforError(f"the function {name} failed: {type(error).__name__}: {error}") from error


def _call_once(name: str, function: Function, amounts: Sequence[Amounts], first: Ints, last: Ints) -> WindowValues:
    columns = [_unwriteable(each.numbers.astype(np.float64, copy=False)) for each in amounts]
    results = np.asarray(function(*columns, first, last + 1))
    if results.shape != first.shape or results.dtype.kind not in "iuf":
        raise HoldsforError(
            f"the function {name} gave {results.dtype} of shape {results.shape}; it must give a number for each of the "
            f"{first.size} windows."
        )
    if results.dtype.kind != "f":
        return WindowValues(integers=results.astype(np.int64))
    floats = results.astype(np.float64)
    return WindowValues(floats=floats, absent=~np.isfinite(floats), overflows=int(np.isinf(floats).sum()))


def _call_each(name: str, function: Function, amounts: Sequence[Amounts], first: Ints, last: Ints) -> WindowValues:
    windows = zip(*(_windows(each, first, last) for each in amounts), strict=True)
    results = [_number(name, function(*window)) for window in windows]
    whole = np.array([isinstance(number, int) for number in results])
    fits = [isinstance(number, float) or LEAST_INTEGER <= number <= MOST_INTEGER for number in results]
    integers = np.array([n if fit and isinstance(n, int) else 0 for n, fit in zip(results, fits, strict=True)])
    floats = np.array([0.0 if isinstance(number, int) else number for number in results])
    absent = ~(np.array(fits) & np.isfinite(floats))
    overflows = int(np.count_nonzero(absent & ~np.isnan(floats)))
    return WindowValues(integers.astype(np.int64), floats, whole, absent, overflows)


def _windows(amounts: Amounts, first: Ints, last: Ints) -> list[Numbers]:
    """The numbers of each window: integers, if all of the window are."""
    numbers, integers = _unwriteable(amounts.numbers), _unwriteable(amounts.integers)
    bounds = zip(first.tolist(), (last + 1).tolist(), strict=True)
    if amounts.whole is None:
        return [numbers[i:j] for i, j in bounds]
    whole = amounts.whole
    return [integers[i:j] if whole[i:j].all() else numbers[i:j] for i, j in bounds]


def _number(name: str, result: object) -> int | float:
    """NaN for none."""
    if result is None:
        return float("nan")
    if isinstance(result, np.ndarray) and result.ndim == 0:
        result = result.item()
    if isinstance(result, int | np.integer) and not isinstance(result, bool):
        return int(result)
    if isinstance(result, float | np.floating):
        return float(result)
    raise HoldsforError(f"the function {name} gave {result!r}, which is not a number; give a number, or None for none.")


def _unwriteable(numbers: Numbers) -> Numbers:
    view = numbers.view()
    view.flags.writeable = False
    return view
