"""Statically determined fluents that are made of each other: each round from what the last one added (semi-naive).

At each point in time the answer is the least that satisfies the rules there. Intervals are evaluated as a whole: a
round joins the newest intervals with all others, and what of the result is not known yet is newest in the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
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

LeftOut = dict[Relation, list[Ints]]
"""The groundings that are not declared, for each relation."""


def evaluate_fixpoint(
    circle: Fixpoint,
    world: World,
    domains: Domains,
    beside: Mapping[Relation, Intervals] | None = None,
    tell: Callable[[dict[Relation, Intervals]], None] = lambda known: None,
) -> int:
    """Add the intervals of all that the circle defines; return how many groundings declared domains left out.

    beside: what is known of groundings that the rules of the circle are not asked for. tell: called after each round
    with all that is known.
    """
    own, rules = frozenset(circle.defines), {part.relation: part.rules for part in circle.parts}
    known = {r: no_intervals(world.axis, world.dictionary, r.arity) for r in rules}
    known |= beside or {}
    seen = world.with_relations(known)  # what was concluded before does not count: it may not hold any more
    left_out: LeftOut = {}
    for number in count():
        concluded = {relation: _conclude(relation, mine, seen, domains, left_out) for relation, mine in rules.items()}
        new = {relation: _subtract(intervals, known[relation]) for relation, intervals in concluded.items()}
        grown = {relation for relation, intervals in new.items() if len(intervals)}
        if not grown:
            break
        if number == ROUNDS and circle.endless is not None:
            raise DescriptionError([circle.endless])
        known |= {relation: known[relation].unite(new[relation]) for relation in grown}
        tell(dict(known))
        seen = world.with_relations({**known, **{newest(relation): new[relation] for relation in grown}})
        rules = {part.relation: tuple(_grow(part.rules, own, grown)) for part in circle.parts}
    world.relations.update(known)
    return sum(len(distinct(np.concatenate(keys))) for keys in left_out.values())


def _grow(rules: tuple[HoldsForRule, ...], own: frozenset[Relation], grown: Set[Relation]) -> Iterator[HoldsForRule]:
    return (variant for rule in rules for relation, variant in find_growth(rule, own) if relation in grown)


def _conclude(
    relation: Relation, rules: tuple[HoldsForRule, ...], seen: World, domains: Domains, left_out: LeftOut
) -> Intervals:
    """Return what rules give for the groundings that are declared, if any are; the others are left_out."""
    clauses = domains.get(relation, ())
    intervals = Intervals(seen.axis, seen.dictionary, relation.arity, *unite_rules(rules, relation, seen, clauses))
    if relation not in domains or admits_all(clauses):
        return intervals
    keys = intervals.groundings_of_rows()
    mask = within(keys, relation.arity, clauses, seen)
    left_out.setdefault(relation, []).append(compress(keys, ~mask))
    return intervals.where(mask)


def _subtract(intervals: Intervals, known: Intervals) -> Intervals:
    return intervals.of(*minus2(*as_columns(intervals), *as_columns(known)))
