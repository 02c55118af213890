"""Late events: those that only confirm what is known are not looked at again.

A late event that initiates what holds right after it, or terminates what does not, changes nothing: nor do several of
them. Most late events are like that. So where there are many, their conclusions are drawn first, without those of all
that has happened since; only keys for which one contradicts what is known are evaluated again, from there on.
"""

from __future__ import annotations

import numpy as np

from holdsfor.engine.data.axis import Ints
from holdsfor.engine.data.intervals import Intervals
from holdsfor.engine.data.points import EMPTY, Points
from holdsfor.engine.data.relation import Data
from holdsfor.engine.incremental.blocks import Evaluation
from holdsfor.engine.incremental.known import QueryTurn
from holdsfor.engine.incremental.stored import Difference, Stored
from holdsfor.engine.incremental.tuples import Touched, TouchedKeys, Tuples, leading_shift
from holdsfor.engine.incremental.units import Unit
from holdsfor.engine.scripts.confirming import Conclusions, conclude_alone
from holdsfor.kernels.changes.touching import find_contradictions, span_by_points
from holdsfor.plan.operators import Relation


def touch_by_contradictions(
    turn: QueryTurn, unit: Unit, relation: Relation, difference: Difference, touched: Touched
) -> bool:
    """Late rows touch the keys for which they conclude what is not so, and no others.

    False: not so, as late rows are few, or it takes more than a script to tell.
    """
    added, many = difference.added, turn.tuning.many_late
    if len(added) < many or len(difference.removed) or relation not in unit.confirming:
        return False
    assert isinstance(added, Points)
    late = np.flatnonzero((added.packed & added.axis.mask) <= turn.known.query_time - added.axis.origin)
    return late.size >= many and _touch(turn, unit, relation, added.take(late), touched)


def _touch(turn: QueryTurn, unit: Unit, relation: Relation, late: Points, touched: Touched) -> bool:
    """False: it cannot be told."""
    readers, floors = unit.confirming[relation], turn.known.frontier.cuts
    relations = {relation: late, **_find_conditions(turn, unit, relation, late)}
    world = turn.bare.with_only(relations)
    parts = conclude_alone(readers, world, min(floors[own] for own in readers.relations))
    for part in parts or ():
        _touch_contradicted(turn, unit, part, touched)
    return parts is not None


def _find_conditions(turn: QueryTurn, unit: Unit, relation: Relation, late: Points) -> dict[Relation, Data]:
    """Return the rows for the other conditions of the rules: whole relations where they are in one piece, else
    those about the keys of late rows.
    """
    conditions = unit.confirming[relation].conditions
    stored = {each: turn.stores[each] for each in conditions if each in turn.stores}
    known: dict[Relation, Data] = {each: some.base for each, some in stored.items() if some.is_in_one_piece()}
    if len(known) < len(stored):
        evaluation = _look_around(turn, unit, late, unit.about[relation][0][0])
        known.update({each: evaluation.gather(each).data for each in stored if each not in known})
    return known


def _look_around(turn: QueryTurn, unit: Unit, late: Points, position: int) -> Evaluation:
    """At the keys of late rows, from the first of them to the last."""
    axis, shift = late.axis, leading_shift(late, position)
    if shift is None:
        packed = np.sort(axis.pack([late.codes(position)], late.times()))
        keys, firsts, lasts = span_by_points(packed, axis.time_bits, axis.time_bits)
    else:
        keys, firsts, lasts = span_by_points(late.packed, shift, axis.time_bits)
    tuples = Tuples(
        late.axis, len(turn.bare.dictionary) + 1, {1: TouchedKeys(keys, firsts - 1, ends=lasts + 1)}, turn.tuning
    )
    return Evaluation(turn, unit, tuples, tuples.earliest, frozenset())


def _touch_contradicted(turn: QueryTurn, unit: Unit, part: Conclusions, touched: Touched) -> None:
    """The keys for which a conclusion is not what is known."""
    axis, floors = turn.bare.axis, turn.known.frontier.cuts
    for value, own in enumerate(part.readers.relations):
        known = _find_parts(turn.stores.get(own))
        concluded = part.points, part.runs, value, floors[own] - axis.origin
        keys, until = find_contradictions(*concluded, *known, axis.time_bits, 1 - axis.origin)
        touched.touch(1, axis.code(keys, unit.homes[own][0], own.arity), until)


def _find_parts(stored: Stored | None) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Starts and ends of intervals, the places of those that are gone, and starts and ends of those that were added."""
    if stored is None:
        return EMPTY, EMPTY, EMPTY, EMPTY, EMPTY
    base, more = stored.parts()
    assert isinstance(base, Intervals)
    assert isinstance(more, Intervals)
    return base.s, base.e, stored.gone, more.s, more.e
