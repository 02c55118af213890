"""Reasons of fluents with inertia: what initiated a value, and what ended it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from holdsfor.plan.definitions import Due, Simple
from holdsfor.plan.operators import Conclude, Relation
from holdsfor.why.bodies import Solution, Steps, at_times, solve
from holdsfor.why.derivation import Derivation
from holdsfor.why.influence import endings_of
from holdsfor.why.replay import HeldInterval

if TYPE_CHECKING:
    from holdsfor.why.walk import Walk


def explain_simple(
    fact: Derivation, fluent: Simple, relation: Relation, one: HeldInterval, walk: Walk, dues: tuple[Due, ...] = ()
) -> Steps:
    """Explain a value of a fluent by what initiated it."""
    place = fluent.relations.index(relation)
    fact = replace(fact, considered=walk.influence.rows_for(endings_of(fluent, relation)))
    if one.start <= walk.replay.world.start_on_axis:
        return (yield _initially(fact, fluent, place, one, walk))
    body = next(_changes(fluent.initiations[place], one, one.start, walk), None)
    if body is not None:
        rule, solution = body
        at = int(solution.row.times(rule.time)[0])
        fact = replace(fact, notes=(f"initiated at {at}",))
        return (yield walk.by_rule(fact, solution, rule.place))
    if dues:
        return replace(fact, causes=(walk.lost("what a deadline initiates"),))
    return replace(fact, causes=(walk.lost("what initiated it"),))


def _initially(fact: Derivation, fluent: Simple, place: int, one: HeldInterval, walk: Walk) -> Steps:
    for declared in fluent.initially[place] if fluent.initially else ():
        rows = solve(declared, one.key, walk.replay)
        if rows.size:
            fact = replace(fact, notes=("initially",))
            body = Solution(declared.chain, rows.take(np.array([0])), declared.names)
            return (yield walk.by_rule(fact, body, declared.place))
    return replace(fact, causes=(walk.lost("what holds initially"),))


def _changes(
    rules: tuple[Conclude, ...], one: HeldInterval, edge: int, walk: Walk
) -> Iterator[tuple[Conclude, Solution]]:
    """Iterate over the rules that are true just before an edge of an interval, each with a solution."""
    tick = walk.replay.world.axis.tick
    for rule in rules:
        rows = at_times(solve(rule, one.key, walk.replay), rule.time, edge - tick, edge - 1, walk.replay)
        if rows.size:
            yield rule, Solution(rule.chain, rows.take(np.array([0])), rule.names)


def explain_end(fluent: Simple, relation: Relation, one: HeldInterval, walk: Walk) -> Steps:
    """Explain what ended a value: a termination, or another value that was initiated."""
    place, replay = fluent.relations.index(relation), walk.replay
    tables = [fluent.terminations[place]]
    tables += [rules for other, rules in enumerate(fluent.initiations) if other != place]
    for rules in tables:
        for rule, solution in _changes(rules, one, one.end, walk):
            at = int(solution.row.times(rule.time)[0])
            verb = "terminated" if rules is fluent.terminations[place] else "another value was initiated"
            return (yield walk.by_rule(Derivation("condition", verb, at=at), solution, rule.place))
    return walk.lost(f"what ended it at {replay.time(one.end)}")
