"""Statically determined fluents that are made of each other: each round from what the last one added (semi-naive).

At each point in time the answer is the least that satisfies the rules there. Intervals are evaluated as a whole: a
round joins the newest intervals with all others, and what of the result is not known yet is newest in the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from itertools import count

import numpy as np

from holdsfor.engine.data.axis import Ints
from holdsfor.engine.data.intervals import Intervals, no_intervals
from holdsfor.engine.data.world import World
from holdsfor.engine.definitions.algebra import as_columns
from holdsfor.engine.definitions.closure import ROUNDS
from holdsfor.engine.definitions.domain import Domains, admits_all, within
from holdsfor.engine.definitions.static import unite_rules
from holdsfor.kernels.intervals.algebra import minus2
from holdsfor.kernels.rows.moving import compress, distinct
from holdsfor.language.diagnostics import DescriptionError
from holdsfor.plan.definitions import Fixpoint
from holdsfor.plan.growth import find_growth, newest
from holdsfor.plan.operators import HoldsForRule, Relation

Outside = dict[Relation, list[Ints]]
"""The groundings that are not declared, for each relation."""


def evaluate_fixpoint(definition: Fixpoint, world: World, domains: Domains) -> int:
    """Add the intervals of all that the circle defines; return how many groundings declared domains left out."""
    own, rules = frozenset(definition.defines), {part.relation: part.rules for part in definition.parts}
    known = {r: no_intervals(world.axis, world.dictionary, r.arity) for r in rules}
    seen = world.with_relations(known)  # what was concluded before does not count: it may not hold any more
    outside: Outside = {}
    for number in count():
        found = {relation: _conclude(relation, mine, seen, domains, outside) for relation, mine in rules.items()}
        new = {relation: _find_new(intervals, known[relation]) for relation, intervals in found.items()}
        grown = {relation for relation, intervals in new.items() if len(intervals)}
        if not grown:
            break
        if number == ROUNDS and definition.endless is not None:
            raise DescriptionError([definition.endless])
        known |= {relation: known[relation].unite(new[relation]) for relation in grown}
        seen = world.with_relations({**known, **{newest(relation): new[relation] for relation in grown}})
        rules = {part.relation: tuple(_grow(part.rules, own, grown)) for part in definition.parts}
    world.relations.update(known)
    return sum(len(distinct(np.concatenate(keys))) for keys in outside.values())


def _grow(rules: Iterable[HoldsForRule], own: frozenset[Relation], grown: Set[Relation]) -> Iterator[HoldsForRule]:
    return (variant for rule in rules for relation, variant in find_growth(rule, own) if relation in grown)


def _conclude(
    relation: Relation, rules: tuple[HoldsForRule, ...], seen: World, domains: Domains, outside: Outside
) -> Intervals:
    """Return what rules give for the groundings that are declared, if any are; the others are outside."""
    clauses = domains.get(relation, ())
    intervals = Intervals(seen.axis, seen.dictionary, relation.arity, *unite_rules(rules, relation, seen, clauses))
    if relation not in domains or admits_all(clauses):
        return intervals
    keys = intervals.groundings_of_rows()
    mask = within(keys, relation.arity, clauses, seen)
    outside.setdefault(relation, []).append(compress(keys, ~mask))
    return intervals.where(mask)


def _find_new(found: Intervals, known: Intervals) -> Intervals:
    return found.of(*minus2(*as_columns(found), *as_columns(known)))
