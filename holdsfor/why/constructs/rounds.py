"""Rounds of a circle of intervals: what holds of it at a point is explained by what earlier rounds have found there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from holdsfor.engine.data.intervals import Intervals
from holdsfor.engine.definitions.evaluate import find_domains
from holdsfor.engine.definitions.fixpoint import evaluate_fixpoint
from holdsfor.plan.definitions import Fixpoint
from holdsfor.plan.operators import Relation
from holdsfor.why.replay import Key, Replay, TimedFact

Known = dict[Relation, Intervals]


def find_rounds(relation: Relation, key: Key, low: int, high: int, replay: Replay) -> Iterator[tuple[int, int, Replay]]:
    """Iterate over pieces of low..high-1, each with what was known in the round before it was found to hold.

    For what is in no circle that is all at once.
    """
    circle = replay.definitions[relation]
    if not isinstance(circle, Fixpoint):
        yield low, high, replay
        return
    before = _replays(circle, replay)
    while low < high:
        place, fact = _find_first(relation, key, low, before)
        nearer = (each.find_key(relation, key, low, high) for each in before[1:place])
        starts = [one.start for facts in nearer for one in facts if one.start > low]
        end = min([high, fact.end, *starts])
        yield low, end, before[place - 1]
        low = end


def _find_first(relation: Relation, key: Key, point: int, before: list[Replay]) -> tuple[int, TimedFact]:
    """Find the first round after which it is known to hold at a point."""
    rounds = ((place, replay.find_key(relation, key, point, point + 1)) for place, replay in enumerate(before))
    return next((place, facts[0]) for place, facts in rounds if facts)


def _replays(circle: Fixpoint, replay: Replay) -> list[Replay]:
    """Return what was known before the first round of a circle, and after each."""
    if circle not in replay.rounds:
        nothing: Known = {relation: replay.world.intervals_of(relation).none() for relation in circle.defines}
        rounds = [nothing]
        world = replay.world.with_relations(nothing)
        evaluate_fixpoint(circle, world, find_domains(replay.program, world), tell=rounds.append)
        replay.rounds[circle] = [
            replace(replay, world=replay.world.with_relations(intervals), solutions={}, rounds={})
            for intervals in rounds
        ]
    return replay.rounds[circle]
