"""Aggregates over the last occurrences of a group, or over those of the last so many time units."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from holdsfor.engine.data.axis import Ints
from holdsfor.engine.data.column import Column
from holdsfor.engine.data.rows import Rows
from holdsfor.engine.data.world import OVERFLOWS, World
from holdsfor.engine.patterns.aggregates import (
    Amounts,
    WindowValues,
    call_function,
    find_amounts,
    has_any,
    measure_windows,
)
from holdsfor.engine.patterns.policies import distinct
from holdsfor.kernels.patterns.sliding import last_events, last_time, slide_extremes
from holdsfor.kernels.rows.sorting import sort_packed
from holdsfor.language.terms import Term
from holdsfor.plan.patterns import Measured, Sliding

START, END = "start~", "end~"


def slide(pattern: Sliding, rows: Rows, world: World) -> Rows:
    """One row a group and end, over all that had ended by then; an occurrence that is there twice counts once."""
    rows, together = _sort_by_end(pattern, rows, world)
    if together:
        rows, _ = _sort_by_end(pattern, distinct(rows), world)
    terms = dict.fromkeys(term for measure in pattern.measures for term in measure.terms)
    amounts = {term: find_amounts(term, rows, world) for term in terms}
    if together and _order_counts(pattern):
        order = _order(pattern, rows, amounts, world)
        rows, amounts = rows.reorder(order), {term: each.reorder(order) for term, each in amounts.items()}
    last_rows, first, last = _windows(pattern, rows, amounts, world)
    columns = {name: rows.column(name) for name in (*pattern.group, END)}
    start = Column(world.dictionary, numbers=slide_extremes(rows.times(START), first, last, False))
    result = Rows(world.axis, rows.size, columns).take(last_rows).bind({START: start})
    return _measured(pattern, result, amounts, first, last, world)


def _windows(pattern: Sliding, rows: Rows, amounts: Mapping[Term, Amounts], world: World) -> tuple[Ints, Ints, Ints]:
    """The rows that end windows with a result, and the first and the last row of each window."""
    end = _packed_end(pattern, rows, world)
    if pattern.events is not None:
        first, last = last_events(world.axis.time_bits, end, pattern.events)
    else:
        assert pattern.duration is not None
        first, last = last_time(world.axis.time_bits, end, pattern.duration)
    kept = np.ones(rows.size, np.bool_)
    kept[:-1] = end[1:] != end[:-1]  # the last of those that end together speaks for all
    if pattern.events is not None and not pattern.is_partial:
        kept &= last - first + 1 == pattern.events
    for each in amounts.values():
        if each.unknown is not None:
            kept &= ~has_any(each.unknown, first, last)
    return np.flatnonzero(kept), first[kept], last[kept]


def _measured(
    pattern: Sliding, rows: Rows, amounts: Mapping[Term, Amounts], first: Ints, last: Ints, world: World
) -> Rows:
    """The windows with their measures, where all of these are numbers that can be told."""
    kept = np.ones(rows.size, np.bool_)
    columns = {}
    for measure in pattern.measures:
        outcome = _measure(measure, [amounts[term] for term in measure.terms], first, last)
        columns[measure.variable] = outcome.as_column(world)
        if outcome.absent is not None:
            kept &= ~outcome.absent
        world.counts[OVERFLOWS] += outcome.overflows
    return rows.bind(columns).filter(kept)


def _measure(measure: Measured, amounts: list[Amounts], first: Ints, last: Ints) -> WindowValues:
    if measure.registered is not None:
        return call_function(measure.function, measure.registered, amounts, first, last)
    return measure_windows(measure.function, amounts[0] if amounts else None, first, last)


def _order_counts(pattern: Sliding) -> bool:
    """Whether it matters which of those that end together is the last."""
    return pattern.events is not None or any(measure.registered for measure in pattern.measures)


def _sort_by_end(pattern: Sliding, rows: Rows, world: World) -> tuple[Rows, bool]:
    """By group and end, and whether some of a group end together: only these can be there twice."""
    ends, order = sort_packed(_packed_end(pattern, rows, world), world.axis.time_bits)
    return rows.reorder(order), bool((ends[1:] == ends[:-1]).any())


def _order(pattern: Sliding, rows: Rows, amounts: Mapping[Term, Amounts], world: World) -> Ints:
    """Order rows by end, start and measured values, so that the last so many are always the same."""
    keys = [key for each in reversed(list(amounts.values())) for key in each.sort_keys()]
    return np.lexsort([*keys, rows.times(START), _packed_end(pattern, rows, world)])


def _packed_end(pattern: Sliding, rows: Rows, world: World) -> Ints:
    return world.axis.pack([rows.codes(name) for name in pattern.group], rows.times(END))
