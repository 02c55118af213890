"""Reasons of fluents with inertia: what initiated a value, and what ended it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from holdsfor.engine.bodies.chain import run
from holdsfor.engine.data.column import Column
from holdsfor.engine.data.rows import Rows
from holdsfor.plan.definitions import Due, Simple
from holdsfor.plan.operators import Conclude, Let, Of, Relation
from holdsfor.why.constructs.bodies import Steps
from holdsfor.why.derivation import Derivation, unkept
from holdsfor.why.influence import LESS, MORE, Effect, is_about_all
from holdsfor.why.replay import Key, PartialKey, TimedFact
from holdsfor.why.solutions import Solution, agreeing, at_times, bind_head, each_row, solve

if TYPE_CHECKING:
    from holdsfor.why.walk import Walk

AFTER = "after"


@dataclass(frozen=True, slots=True)
class Reached:
    """A deadline that was reached: the interval of its source, when that was initiated, and how long it took."""

    due: Due
    source: TimedFact
    initiated: int
    duration: int


def explain_inertia(node: Derivation, fact: TimedFact, walk: Walk) -> Steps:
    """Explain a value of a fluent by what initiated it."""
    fluent = walk.replay.fluent_of(fact.relation)
    assert fluent is not None
    place = fluent.relations.index(fact.relation)
    node = replace(node, considered=walk.influence.rows_for(walk.influence.endings(fact.relation, fact.key)))
    if fact.start <= walk.replay.world.start_on_axis:
        return (yield _initially(node, fluent, place, fact, walk))
    low, high = fact.start - walk.replay.world.axis.tick, fact.start - 1
    for rule in sorted(fluent.initiations[place], key=is_about_all):
        for at, row in changes(rule, fact.key, low, high, walk):
            initiated = walk.replay.time(at)
            node = replace(node, notes=(f"initiated at {initiated}",)).having(by="initiated", initiated=initiated)
            if is_about_all(rule):
                alive = yield _alive(fluent, fact, walk)
                node = replace(node, causes=(alive,)).having(alive=True)
            return (yield walk.by_rule(node, rule, row))
    for reached in find_reached(fact.relation, fact.key, low, high, walk):
        return (yield explain_reached(node, reached, walk))
    return replace(node, causes=(walk.lost("what initiated it"),))


def _initially(node: Derivation, fluent: Simple, place: int, fact: TimedFact, walk: Walk) -> Steps:
    first = np.array([walk.replay.time(walk.replay.world.first_points[1])])
    for declared in fluent.initially[place] if fluent.initially else ():
        values = {declared.start: Column(walk.replay.world.dictionary, numbers=first)} if declared.start else {}
        for row in each_row(solve(declared, fact.key, walk.replay, values)):
            node = replace(node, notes=("initially",)).having(by="initially")
            return (yield walk.by_rule(node, declared, row))
    return replace(node, causes=(walk.lost("what holds initially"),))


def changes(rule: Conclude, key: PartialKey, low: int, high: int, walk: Walk) -> Iterator[tuple[int, Rows]]:
    """Iterate over the times low..high at which a rule is true for a grounding, each with the values of variables."""
    for row in each_row(at_times(solve(rule, key, walk.replay), rule.time, low, high)):
        yield int(row.times(rule.time)[0]) - row.axis.origin, row


def _other_values(fluent: Simple, fact: TimedFact) -> Iterator[tuple[Relation, PartialKey]]:
    """Iterate over the other values of a grounding; where the value is a column, over all."""
    if fact.relation.kind == "valued":
        yield fact.relation, (*fact.key[:-1], None)
    else:
        yield from ((other, fact.key) for other in fluent.relations if other != fact.relation)


def _alive(fluent: Simple, fact: TimedFact, walk: Walk) -> Steps:
    """Explain that a grounding had a value when a rule about all groundings gave it another."""
    for other, key in _other_values(fluent, fact):
        for before in walk.replay.find_key(other, key, fact.start - 1, fact.start):
            return (yield walk.explain(before, fact.start - 1, fact.start))
    return Derivation("declared", f"{walk.replay.name(fact)} is declared").having(fact=walk.replay.name(fact))


# ---------------------------------------------------------------- deadlines


def find_reached(target: Relation, key: Key, low: int, high: int, walk: Walk) -> Iterator[Reached]:
    """Iterate over the deadlines that initiate a value at low..high."""
    for due in walk.replay.deadlines:
        if due.target != target or (due.values is not None and walk.replay.code(due.values[1]) != key[-1]):
            continue
        args = key if due.values is None else key[:-1]
        source = key if due.values is None else (*args, walk.replay.code(due.values[0]))
        for duration in _durations(due, args, walk):
            for held in walk.replay.find_key(due.source, source, low, low + 1):
                for at in _initiations(held, low - duration, high - duration, walk):
                    yield Reached(due, held, at, duration)


def _durations(due: Due, args: Key, walk: Walk) -> list[int]:
    """Return after how long a deadline is reached for a grounding; none if it is not for it."""
    rows = run((*due.conditions, Let(AFTER, due.after)), walk.replay.world, bind_head(due, args, walk.replay))
    rows = agreeing(rows, due.args, args, walk.replay).timely(AFTER)
    return rows.times(AFTER).tolist() if rows.size else []


def _initiations(held: TimedFact, low: int, high: int, walk: Walk) -> Iterator[int]:
    """Iterate over the times low..high at which a value was initiated that began or went on to hold by that."""
    first, last = max(low, held.start - walk.replay.world.axis.tick), min(high, held.end - 1)
    fluent = walk.replay.fluent_of(held.relation)
    assert fluent is not None
    for rule in fluent.initiations[fluent.relations.index(held.relation)]:
        yield from (at for at, _ in changes(rule, held.key, first, last, walk))
    for time in range(first, last + 1):
        for _ in find_reached(held.relation, held.key, time, time, walk):
            yield time


def explain_reached(node: Derivation, reached: Reached, walk: Walk) -> Steps:
    """Explain what a deadline does: its source was initiated so long before, and went on to hold."""
    due, held = reached.due, reached.source
    end = reached.initiated + reached.duration
    cause = yield walk.explain(held, max(held.start, min(end, held.end - 1)), min(end + 1, held.end))
    effects = (Effect(one, held.key, way) for one in (due.source, due.target) for way in (MORE, LESS))
    rows = walk.influence.rows_for(effects)
    text = f"initiated at {walk.replay.time(reached.initiated)}, deadline after {reached.duration}"
    node = replace(node, notes=(*node.notes, text), causes=(cause,), considered=(*node.considered, *rows))
    initiated = walk.replay.time(reached.initiated)
    return replace(node, rule=due.place).having(by="deadline", initiated=initiated, after=reached.duration)


# ---------------------------------------------------------------- the end of an interval


def explain_end(fact: TimedFact, walk: Walk) -> Steps:
    """Explain what ended a value: a termination, or another value that was initiated."""
    fluent = walk.replay.fluent_of(fact.relation)
    assert fluent is not None
    low, high = fact.end - walk.replay.world.axis.tick, fact.end - 1
    if walk.replay.is_settled(fact.relation, low):
        return unkept(Derivation("ending", "ended", at=walk.replay.time(high)))
    for rule in fluent.terminations[fluent.relations.index(fact.relation)]:
        for at, row in changes(rule, fact.key, low, high, walk):
            ending = Derivation("ending", "terminated", at=walk.replay.time(at)).having(by="terminated")
            return (yield walk.by_rule(ending, rule, row))
    for other, key in _other_values(fluent, fact):
        for rule in fluent.initiations[fluent.relations.index(other)]:
            for at, row in changes(rule, key, low, high, walk):
                initiated = _initiated(other, rule, row, fact, walk)
                if initiated == walk.replay.name(fact):  # the same value again
                    continue
                ending = Derivation("ending", f"{initiated} was initiated", at=walk.replay.time(at)).having(
                    by="initiated"
                )
                return (yield walk.by_rule(ending, rule, row))
    for due in walk.replay.deadlines:
        if due.source == fact.relation:
            turned = fact.key if due.values is None else (*fact.key[:-1], walk.replay.code(due.values[1]))
            for reached in find_reached(due.target, turned, low, high, walk):
                at = walk.replay.time(reached.initiated + reached.duration)
                return (yield explain_reached(Derivation("ending", "a deadline was reached", at=at), reached, walk))
    return walk.lost(f"what ended it at {walk.replay.time(fact.end)}")


def _initiated(other: Relation, rule: Conclude, row: Rows, fact: TimedFact, walk: Walk) -> str:
    """Write another value of a grounding; where the value is a column, the rule says which."""
    if other.kind != "valued":
        return walk.replay.name(fact._replace(relation=other))
    return Solution(walk.replay, row).writer.grounding(Of(other, rule.args))
