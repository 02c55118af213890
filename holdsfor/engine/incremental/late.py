"""Late events: those that only confirm what is known are not looked at again.

A late event that initiates what holds right after it, or terminates what does not, changes nothing: nor do several of
them. Most late events are like that. So where there are many, their conclusions are drawn first, without those of all
that has happened since; only keys for which one contradicts what is known are evaluated again, from there on.
"""

from __future__ import annotations

from holdsfor.engine.incremental.blocks import Evaluation
from holdsfor.engine.incremental.keys import Touched, TouchedKeys, Tuples, find_earliest
from holdsfor.engine.incremental.stored import Difference
from holdsfor.engine.incremental.turn import QueryTurn, TouchedBlock
from holdsfor.engine.incremental.units import Unit
from holdsfor.engine.points import Points
from holdsfor.engine.relation import Data
from holdsfor.engine.scripts.confirming import find_contradicting
from holdsfor.plan.definitions import Simple
from holdsfor.plan.operators import Relation

#: So many late rows of an event are worth a look at what they conclude, before all that follows them is evaluated.
MANY_LATE = 500


def touch_by_contradictions(
    turn: QueryTurn, unit: Unit, relation: Relation, difference: Difference, touched: Touched
) -> Difference:
    """What differs, without late rows: these touch the keys for which they conclude what is not so.

    All of it, where late rows are few, or it takes more than a script to tell.
    """
    added = difference.added
    if len(added) < MANY_LATE or len(difference.removed) or relation not in turn.setting.confirming[unit]:
        return difference
    assert isinstance(added, Points)
    is_late = (added.packed & added.axis.mask) <= turn.known.query_time - added.axis.origin
    if is_late.sum() < MANY_LATE or not _touch(turn, unit, relation, added.where(is_late), touched):
        return difference
    return Difference(difference.removed, added.where(~is_late))


def _touch(turn: QueryTurn, unit: Unit, relation: Relation, late: Points, touched: Touched) -> bool:
    """False: it cannot be told."""
    axis, (position,) = late.axis, unit.about[relation][0]
    codes, times = late.codes(position), late.packed & axis.mask
    keys, until = find_earliest([(codes, times - 1)])
    _, earliest = find_earliest([(codes, -times)])
    around = TouchedKeys(keys, until, ends=1 - earliest)  # what holds right after the last of them is all that is asked
    tuples = Tuples(axis, len(turn.bare.dictionary) + 1, {1: around})
    evaluation = Evaluation(turn, unit, TouchedBlock(tuples, tuples.earliest), frozenset())
    relations: dict[Relation, Data] = evaluation.world.relations
    relations[relation] = late
    contradictions = []
    for step in turn.setting.confirming[unit][relation]:
        for each in (*step.own, *step.reads):
            if each not in relations:
                relations[each] = evaluation.gather(each).data
        assert isinstance(step.definition, Simple)
        floor = turn.known.frontier.cuts[step.own[0]]
        points = find_contradicting(step.definition, relation, evaluation.world, floor)
        if points is None:
            return False
        contradictions.append((step.own[0], points))
    for own, points in contradictions:
        codes = axis.code(points >> axis.time_bits, unit.homes[own][0], own.arity)
        touched.touch(1, codes, (points & axis.mask) - 1 + axis.origin)
    return True
