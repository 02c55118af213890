"""Evaluation of a plan over one window: definitions in the order of their strata."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from holdsfor.engine.column import Selection
from holdsfor.engine.derived import evaluate_derived
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.domain import Allowed, allowed, within
from holdsfor.engine.facts import Facts
from holdsfor.engine.relation import Intervals
from holdsfor.engine.simple import evaluate_simple
from holdsfor.engine.static import evaluate_static
from holdsfor.engine.world import World
from holdsfor.kernels import compress
from holdsfor.language.description import Signature
from holdsfor.plan.operators import Chain, Definition, Derived, Plan, Relation, Simple, Static
from holdsfor.plan.walk import conclusions, defines


@dataclass(frozen=True, slots=True)
class Program:
    """A plan made ready to run: which beginnings of chains several rules share."""

    plan: Plan
    prefixes: frozenset[Chain]


def program(plan: Plan) -> Program:
    counts: Counter[Chain] = Counter()
    for definition in plan.definitions:
        for rule in conclusions(definition):
            counts.update(rule.chain[:length] for length in range(1, len(rule.chain) + 1))
    return Program(plan, frozenset(prefix for prefix, uses in counts.items() if uses > 1))


def facts(plan: Plan, dictionary: Dictionary) -> dict[Signature, Facts]:
    return {signature: Facts(dictionary, signature.arity, rows) for signature, rows in plan.facts}


def evaluate(ready: Program, world: World, definitions: tuple[int, ...] | None = None) -> int:
    """Adds all defined relations to the world; gives the number of groundings left out by declared domains."""
    plan = ready.plan
    domains = {domain.relation: allowed(domain, world) for domain in plan.domains}
    left_out = 0
    for number in range(len(plan.definitions)) if definitions is None else definitions:
        definition = plan.definitions[number]
        _define(definition, world, domains, ready.prefixes)
        for relation in defines(definition):
            if relation in domains:
                left_out += _restrict(relation, world, domains[relation])
    return left_out


def _define(
    definition: Definition, world: World, domains: dict[Relation, tuple[Allowed, ...]], prefixes: frozenset[Chain]
) -> None:
    match definition:
        case Simple():
            evaluate_simple(definition, world, domains, prefixes)
        case Static():
            evaluate_static(definition, world, domains.get(definition.relation, ()))
        case Derived():
            evaluate_derived(definition, world, prefixes)


def _restrict(relation: Relation, world: World, clauses: tuple[Allowed, ...]) -> int:
    """Keeps what the declared domain allows; gives the number of groundings outside it."""
    if relation in world.points:
        points = world.points[relation]
        mask = within(points, clauses, world)
        world.points[relation] = points.select(Selection(mask))
        return int(np.count_nonzero(~mask))
    found = world.intervals[relation]
    mask = within(found, clauses, world)
    if mask.all():
        return 0
    outside = len(np.unique(found.keys()[~mask]))
    s, e = compress(found.s, mask), compress(found.e, mask)
    world.intervals[relation] = Intervals(world.axis, world.dictionary, found.arity, s, e)
    return outside
