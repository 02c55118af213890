"""Fluents that hold from the start of the history on."""

from __future__ import annotations

import numpy as np

from holdsfor.engine.bodies.chain import run
from holdsfor.engine.bodies.heads import head_codes, joined, key_columns
from holdsfor.engine.data.axis import EMPTY, Ints
from holdsfor.engine.data.column import Column
from holdsfor.engine.data.limits import OnBehalfOf
from holdsfor.engine.data.rows import Rows
from holdsfor.engine.data.world import World
from holdsfor.engine.definitions.domain import Allowed, Domains, allows_all_like, whole_keys, within
from holdsfor.engine.definitions.valued import find_grounding
from holdsfor.errors import HoldsforError
from holdsfor.kernels.rows.moving import ascends, compress, distinct
from holdsfor.plan.definitions import Declared, Simple
from holdsfor.plan.operators import Relation
from holdsfor.plan.structures import is_open, open_forms


def initial_keys(fluent: Simple, world: World, domains: Domains) -> dict[Relation, Ints]:
    """Return the keys that hold from the start of the history on; two values of one grounding cancel each other."""
    if world.cut.earliest >= world.start_on_axis or not any(fluent.initially):
        return {}
    keys_of: dict[Relation, Ints] = {}
    for relation, rules in zip(fluent.relations, fluent.initially, strict=True):
        keys_of[relation] = distinct(joined(_enumerated(r, relation, world, domains) for r in dict.fromkeys(rules)))
        if relation in domains and not all(_is_declared(rule, domains[relation]) for rule in rules):
            keys_of[relation] = compress(
                keys_of[relation], within(keys_of[relation], relation.arity, domains[relation], world)
            )
        is_unsettled = world.cut_of_keys(relation, keys_of[relation]) < world.start_on_axis
        keys_of[relation] = compress(keys_of[relation], is_unsettled)
    everything = joined(find_grounding(keys, relation, world) for relation, keys in keys_of.items())
    if ascends(everything) or len(distinct(everything)) == len(everything):
        return keys_of
    keys, counts = np.unique(everything, return_counts=True)
    alone = keys[counts == 1]
    return {r: k[np.isin(find_grounding(k, r, world), alone)] for r, k in keys_of.items()}


def _is_declared(rule: Declared, clauses: tuple[Allowed, ...]) -> bool:
    """Whether a declaration allows all groundings that have the constants of the rule."""
    return any(isinstance(clause, Declared) and allows_all_like(clause, rule.args) for clause in clauses)


def _enumerated(rule: Declared, relation: Relation, world: World, domains: Domains) -> Ints:
    rows = _initial_rows(rule, world)
    if not any(map(is_open, rule.args)):
        columns = [head_codes(rows, arg, world) for arg in rule.args]
        return world.axis.key(columns) if columns else np.zeros(min(rows.size, 1), np.int64)
    keys = whole_keys(domains[relation], relation.arity) if relation in domains else None
    if keys is None:
        raise HoldsforError(
            f"initially({relation.name}(_)=...) does not say for which groundings; "
            f"declare grounding({relation.name}(...)=...) :- ..., or give initially a condition"
        )
    forms, args = open_forms(rule.args)
    keys, columns = key_columns(keys, relation.arity, forms, world)
    bound = tuple(p for p, arg in enumerate(args) if arg is not None)
    if not bound:
        return keys if rows.size else EMPTY
    wanted = np.unique(world.axis.key([head_codes(rows, args[p], world) for p in bound]))
    return keys[np.isin(world.axis.key([columns[p] for p in bound]), wanted)]


def _initial_rows(rule: Declared, world: World) -> Rows:
    """Return the rows that the conditions give; fluents often share them, such as who has ever been in a domain."""
    with OnBehalfOf(rule):
        first = _first_point(rule.start, world) if rule.start else None
        return world.shared.find(("initially", rule.chain, rule.start), lambda: run(rule.chain, world, first))


def _first_point(name: str, world: World) -> Rows:
    """One row, with the first point of the history by this name."""
    _, first = world.first_points
    return Rows(world.axis, 1, {name: Column(world.dictionary, numbers=np.array([first + world.axis.origin]))})
