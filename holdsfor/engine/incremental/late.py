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
from holdsfor.engine.incremental.known import QueryTurn
from holdsfor.engine.incremental.stored import Difference, Stored
from holdsfor.engine.incremental.tuples import Touched
from holdsfor.engine.incremental.units import Unit
from holdsfor.engine.scripts.confirming import Conclusions, conclude_alone
from holdsfor.kernels.changes.touching import find_contradictions
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
    conditions: dict[Relation, Data] = {r: turn.stores[r].whole() for r in readers.conditions if r in turn.stores}
    world = turn.bare.with_only({**conditions, relation: late})
    parts = conclude_alone(readers, world, min(floors[own] for own in readers.relations))
    for part in parts or ():
        _touch_contradicted(turn, unit, part, touched)
    return parts is not None


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
