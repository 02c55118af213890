"""Late events: those that only confirm what is known are not looked at again.

A late event that initiates what holds right after it, or terminates what does not, changes nothing: nor do several of
them. Most late events are like that. So where there are many, their conclusions are drawn first, without those of all
that has happened since; only keys for which one contradicts what is known are evaluated again, from there on.
"""

from __future__ import annotations

import numpy as np

from holdsfor.engine.data.axis import EMPTY
from holdsfor.engine.data.relation import Data
from holdsfor.engine.incremental.known import QueryTurn
from holdsfor.engine.incremental.stored import Difference
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
    late = np.flatnonzero((added.begins() & added.axis.mask) <= turn.known.query_time - added.axis.origin)
    return late.size >= many and _touch(turn, unit, relation, added.take(late), touched)


def _touch(turn: QueryTurn, unit: Unit, relation: Relation, late: Data, touched: Touched) -> bool:
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
        stored = turn.stores.get(own)
        known = (EMPTY, EMPTY, EMPTY, EMPTY, EMPTY) if stored is None else stored.lists()
        concluded = part.points, part.runs, value, floors[own] - axis.origin
        keys, until = find_contradictions(*concluded, *known, axis.time_bits, 1 - axis.origin)
        touched.touch(1, axis.code(keys, unit.homes[own][0], own.arity), until)
