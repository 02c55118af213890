"""Aggregates over the last occurrences of a group, or over those of the last so many time units."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from holdsfor.engine.axis import Ints
from holdsfor.engine.calculate import calculate
from holdsfor.engine.column import Column, Mask
from holdsfor.engine.dictionary import Numbers
from holdsfor.engine.distinct import distinct
from holdsfor.engine.rows import Rows
from holdsfor.engine.world import World
from holdsfor.kernels import last_events, last_time, slide_extremes, slide_float_sums, slide_sums, sort_packed
from holdsfor.plan.patterns import Measured, Sliding

START, END = "start~", "end~"


def slide(pattern: Sliding, rows: Rows, world: World) -> Rows:
    """One row a group and end, over all that had ended by then; an occurrence that is there twice counts once."""
    axis = world.axis
    rows, together = _sort_by_end(pattern, rows, world)
    if together:
        rows, _ = _sort_by_end(pattern, distinct(rows), world)
    rows, measured = _with_numbers(pattern, rows, world)
    if together and pattern.events is not None:
        order = _order(pattern, rows, measured, world)
        rows, measured = rows.reorder(order), {term: numbers[order] for term, numbers in measured.items()}
    end = _packed_end(pattern, rows, world)
    if pattern.events is not None:
        first, last = last_events(axis.time_bits, end, pattern.events)
    else:
        assert pattern.duration is not None
        first, last = last_time(axis.time_bits, end, pattern.duration)
    kept = np.ones(rows.size, np.bool_)
    kept[:-1] = end[1:] != end[:-1]  # the last of those that end together speaks for all
    if pattern.events is not None:
        kept &= last - first + 1 == pattern.events
    columns = {name: rows.column(name) for name in pattern.group}
    columns[END] = rows.column(END)
    columns[START] = Column(world.dictionary, numbers=slide_extremes(rows.times(START), first, last, False))
    for measure in pattern.measures:
        numbers, fits = _measure(measure, measured, first, last)
        columns[measure.variable] = _as_column(measure, measured, numbers, last - first + 1, world)
        if not fits.all():
            world.counts["overflows"] += int(np.count_nonzero(~fits & kept))
            kept &= fits
    return Rows(axis, rows.size, columns).filter(kept)


def _with_numbers(pattern: Sliding, rows: Rows, world: World) -> tuple[Rows, dict[object, Numbers]]:
    """The rows for which all that is measured is a number, and these numbers."""
    names: dict[object, str] = {}
    for number, measure in enumerate(pattern.measures):
        if measure.term is not None and measure.term not in names:
            rows, column = calculate(measure.term, rows, world)
            names[measure.term] = f"measure~{number}"
            rows = rows.bind({names[measure.term]: column})
    return rows, {term: rows.column(name).numbers() for term, name in names.items()}


def _sort_by_end(pattern: Sliding, rows: Rows, world: World) -> tuple[Rows, bool]:
    """By group and end, and whether some of a group end together: only these can be there twice."""
    ends, order = sort_packed(_packed_end(pattern, rows, world), world.axis.time_bits)
    return rows.reorder(order), bool((ends[1:] == ends[:-1]).any())


def _order(pattern: Sliding, rows: Rows, measured: Mapping[object, Numbers], world: World) -> Ints:
    """Those that end together by start, then by what is measured, so that the last so many are always the same."""
    return np.lexsort([*reversed(list(measured.values())), rows.times(START), _packed_end(pattern, rows, world)])


def _packed_end(pattern: Sliding, rows: Rows, world: World) -> Ints:
    return world.axis.pack([rows.codes(name) for name in pattern.group], rows.times(END))


def _measure(measure: Measured, measured: Mapping[object, Numbers], first: Ints, last: Ints) -> tuple[Numbers, Mask]:
    """The measure of each window, and whether it is a number that can be told."""
    count = last - first + 1
    fits = np.ones(len(count), np.bool_)
    if measure.function == "count":
        return count, fits
    values = measured[measure.term]
    whole, floats = values.astype(np.int64, copy=False), values.astype(np.float64, copy=False)
    is_whole = values.dtype.kind == "i"
    if measure.function in ("min", "max"):
        greatest = measure.function == "max"
        if is_whole:
            return slide_extremes(whole, first, last, greatest), fits
        return slide_extremes(floats, first, last, greatest), fits
    if is_whole:
        sums, fits = slide_sums(whole, first, last)
        return sums, fits
    totals = slide_float_sums(floats, first, last)
    return totals, np.isfinite(totals)


def _as_column(
    measure: Measured, measured: Mapping[object, Numbers], numbers: Numbers, count: Ints, world: World
) -> Column:
    """An average is what `/` makes of sum and count: of integers an integer, where it is one."""
    if measure.function != "avg":
        return Column(world.dictionary, numbers=numbers)
    if measured[measure.term].dtype.kind != "i":
        return Column(world.dictionary, numbers=numbers / count)
    sums = numbers.astype(np.int64, copy=False)
    whole = sums % count == 0
    if whole.all():
        return Column(world.dictionary, numbers=sums // count)
    return Column(world.dictionary, numbers=sums / count, whole=whole)
