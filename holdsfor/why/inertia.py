"""Reasons of fluents with inertia: what initiated a value, and what ended it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from holdsfor.engine.bodies.chain import run
from holdsfor.plan.definitions import Due, Group, Simple
from holdsfor.plan.operators import Conclude, Let, Relation
from holdsfor.why.bodies import Solution, Steps, agreeing, at_times, bind_head, grounding_text, solve
from holdsfor.why.derivation import Derivation
from holdsfor.why.influence import OPPOSITE, Effect, fluent_of
from holdsfor.why.replay import HeldInterval, Key, PartialKey

if TYPE_CHECKING:
    from holdsfor.why.walk import Walk

AFTER = "after"


@dataclass(frozen=True, slots=True)
class Reached:
    """A deadline that was reached: the interval of its source, when that was initiated, and how long it took."""

    due: Due
    source: HeldInterval
    initiated: int
    duration: int


def explain_inertia(
    fact: Derivation, definition: Simple | Group, relation: Relation, one: HeldInterval, walk: Walk
) -> Steps:
    """Explain a value of a fluent by what initiated it."""
    fluent = fluent_of(relation, definition)
    place = fluent.relations.index(relation)
    fact = replace(fact, considered=walk.influence.rows_for(walk.influence.endings(definition, relation, one.key)))
    if one.start <= walk.replay.world.start_on_axis:
        return (yield _initially(fact, fluent, place, one, walk))
    tick = walk.replay.world.axis.tick
    for rule in sorted(fluent.initiations[place], key=lambda rule: None in rule.args):
        for at, solution in _changes(rule, one.key, one.start - tick, one.start - 1, walk):
            fact = replace(fact, notes=(f"initiated at {walk.replay.time(at)}",))
            if None in rule.args:
                alive = yield _alive(fluent, relation, one, walk)
                fact = replace(fact, causes=(alive,))
            return (yield walk.by_rule(fact, solution, rule.place))
    for reached in find_reached(definition, relation, one.key, one.start - tick, one.start - 1, walk):
        return (yield explain_reached(fact, reached, walk))
    return replace(fact, causes=(walk.lost("what initiated it"),))


def _initially(fact: Derivation, fluent: Simple, place: int, one: HeldInterval, walk: Walk) -> Steps:
    for declared in fluent.initially[place] if fluent.initially else ():
        rows = solve(declared, one.key, walk.replay)
        if rows.size:
            fact = replace(fact, notes=("initially",))
            solution = Solution(declared.chain, rows.take(np.array([0])), declared.names)
            return (yield walk.by_rule(fact, solution, declared.place))
    return replace(fact, causes=(walk.lost("what holds initially"),))


def _changes(rule: Conclude, key: PartialKey, low: int, high: int, walk: Walk) -> Iterator[tuple[int, Solution]]:
    """Iterate over the times low..high at which a rule is true for a grounding, each with a solution."""
    rows = at_times(solve(rule, key, walk.replay), rule.time, low, high, walk.replay)
    for place in range(rows.size):
        row = rows.take(np.array([place]))
        yield int(row.times(rule.time)[0]) - row.axis.origin, Solution(rule.chain, row, rule.names)


def _other_values(fluent: Simple, relation: Relation, key: Key) -> Iterator[tuple[Relation, PartialKey]]:
    """Iterate over the other values of a grounding; where the value is a column, over all."""
    if relation.kind == "valued":
        yield relation, (*key[:-1], None)
    else:
        yield from ((other, key) for other in fluent.relations if other != relation)


def _alive(fluent: Simple, relation: Relation, one: HeldInterval, walk: Walk) -> Steps:
    """Explain that a grounding had a value when a rule about all groundings gave it another."""
    point = one.start - 1
    for other, key in _other_values(fluent, relation, one.key):
        for before in walk.replay.intervals_of_key(other, key, point, point + 1):
            return (yield walk.holds(other, before.key, point, point + 1))
    return Derivation("condition", "the grounding is declared")


# ---------------------------------------------------------------- deadlines


def find_reached(
    definition: Simple | Group, target: Relation, key: Key, low: int, high: int, walk: Walk
) -> Iterator[Reached]:
    """Iterate over the deadlines that initiate a value at low..high."""
    for due in definition.deadlines if isinstance(definition, Group) else ():
        if due.target != target or (due.values is not None and walk.replay.code(due.values[1]) != key[-1]):
            continue
        args = key if due.values is None else key[:-1]
        source = key if due.values is None else (*args, walk.replay.code(due.values[0]))
        for duration in _durations(due, args, walk):
            for held in walk.replay.intervals_of_key(due.source, source, low, low + 1):
                for at in _initiations(definition, due.source, held, low - duration, high - duration, walk):
                    yield Reached(due, held, at, duration)


def _durations(due: Due, args: Key, walk: Walk) -> list[int]:
    """Return after how long a deadline is reached for a grounding; none if it is not for it."""
    replay = walk.replay
    rows = run((*due.conditions, Let(AFTER, due.after)), replay.world, bind_head(due.args, args, replay))
    rows = agreeing(rows, due.args, args, replay).timely(AFTER)
    return rows.times(AFTER).tolist() if rows.size else []


def _initiations(
    definition: Simple | Group, relation: Relation, held: HeldInterval, low: int, high: int, walk: Walk
) -> Iterator[int]:
    """Iterate over the times low..high at which a value was initiated that began or went on to hold by that."""
    axis = walk.replay.world.axis
    first, last = max(low, held.start - axis.tick), min(high, held.end - 1)
    fluent = fluent_of(relation, definition)
    for rule in fluent.initiations[fluent.relations.index(relation)]:
        yield from (at for at, _ in _changes(rule, held.key, first, last, walk))
    for time in range(first, last + 1):
        for _ in find_reached(definition, relation, held.key, time, time, walk):
            yield time


def explain_reached(fact: Derivation, reached: Reached, walk: Walk) -> Steps:
    """Explain what a deadline does: its source was initiated so long before, and went on to hold."""
    replay, due, held = walk.replay, reached.due, reached.source
    end = reached.initiated + reached.duration
    cause = yield walk.holds(due.source, held.key, max(held.start, min(end, held.end - 1)), min(end + 1, held.end))
    effects = (Effect(one, held.key, way) for one in (due.source, due.target) for way in OPPOSITE)
    again = walk.influence.rows_for(effects)
    at = replay.time(reached.initiated)
    text = f"initiated at {at}, deadline after {reached.duration}"
    return replace(fact, notes=(*fact.notes, text), causes=(cause,), considered=(*fact.considered, *again))


# ---------------------------------------------------------------- the end of an interval


def explain_end(definition: Simple | Group, relation: Relation, one: HeldInterval, walk: Walk) -> Steps:
    """Explain what ended a value: a termination, or another value that was initiated."""
    fluent = fluent_of(relation, definition)
    low, high = one.end - walk.replay.world.axis.tick, one.end - 1
    for rule in fluent.terminations[fluent.relations.index(relation)]:
        for at, solution in _changes(rule, one.key, low, high, walk):
            ending = Derivation("condition", "terminated", at=walk.replay.time(at))
            return (yield walk.by_rule(ending, solution, rule.place))
    for other, key in _other_values(fluent, relation, one.key):
        for rule in fluent.initiations[fluent.relations.index(other)]:
            for at, solution in _changes(rule, key, low, high, walk):
                text = f"{_grounding(other, rule, solution, key, walk)} was initiated"
                ending = Derivation("condition", text, at=walk.replay.time(at))
                return (yield walk.by_rule(ending, solution, rule.place))
    for reached in _reached_of_others(definition, fluent, relation, one, walk):
        at = walk.replay.time(reached.initiated + reached.duration)
        return (yield explain_reached(Derivation("condition", "a deadline was reached", at=at), reached, walk))
    return walk.lost(f"what ended it at {walk.replay.time(one.end)}")


def _reached_of_others(
    definition: Simple | Group, fluent: Simple, relation: Relation, one: HeldInterval, walk: Walk
) -> Iterator[Reached]:
    """Iterate over the deadlines that lead from a value to another, and were reached when it ended."""
    low, high = one.end - walk.replay.world.axis.tick, one.end - 1
    for due in definition.deadlines if isinstance(definition, Group) else ():
        if due.source == relation:
            key = one.key if due.values is None else (*one.key[:-1], walk.replay.code(due.values[1]))
            yield from find_reached(definition, due.target, key, low, high, walk)


def _grounding(other: Relation, rule: Conclude, solution: Solution, key: PartialKey, walk: Walk) -> str:
    """Write another value of a grounding; where the value is a column, the rule says which."""
    if other.kind != "valued":
        return walk.replay.name(other, tuple(code for code in key if code is not None))
    return grounding_text(other, rule.args, solution.row, walk.replay)
