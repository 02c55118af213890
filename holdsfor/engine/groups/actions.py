"""The rules of a group as actions: what is worked out beforehand, and what is asked of the group's own state."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from holdsfor.engine.data.axis import EMPTY, Ints
from holdsfor.engine.data.intervals import Intervals
from holdsfor.engine.data.world import World
from holdsfor.engine.definitions.domain import Domains
from holdsfor.engine.definitions.initial import initial_keys
from holdsfor.errors import HoldsforError
from holdsfor.kernels.intervals.machine import OPEN
from holdsfor.kernels.rows.moving import ascends, take
from holdsfor.kernels.rows.sorting import sort_packed
from holdsfor.language.terms import Int
from holdsfor.plan.definitions import Due, Group
from holdsfor.plan.distances import distances
from holdsfor.plan.nodes import names_in
from holdsfor.plan.operators import At, Chain, Conclude, Holding, Let, Lookup, Match, Op, Relation, Tally, Without
from holdsfor.plan.walk import flat


@dataclass(frozen=True, slots=True)
class ActionCondition:
    """A condition of a rule on the state; inside: the negated conjunction that it is part of."""

    holding: Holding
    wanted: bool
    inside: Chain = ()


@dataclass(frozen=True, slots=True)
class Action:
    """A rule of the group: what is worked out beforehand, and the conditions on the group's own state."""

    relation: Relation
    initiates: bool
    rule: Conclude
    chain: Chain
    conditions: tuple[ActionCondition, ...]


def actions_of(group: Group) -> Iterator[Action]:
    members = {relation for fluent in group.fluents for relation in fluent.relations}
    for fluent in group.fluents:
        for initiates, tables in ((True, fluent.initiations), (False, fluent.terminations)):
            for relation, rules in zip(fluent.relations, tables, strict=True):
                for rule in rules:
                    chain, conditions = _separated(rule.chain, members)
                    yield Action(relation, initiates, rule, chain, conditions)


def _separated(chain: Chain, members: set[Relation]) -> tuple[Chain, tuple[ActionCondition, ...]]:
    rest: list[Op] = []
    conditions: list[ActionCondition] = []
    for op in chain:
        if isinstance(op, Holding) and op.relation in members:
            conditions.append(ActionCondition(op, True))
        elif isinstance(op, Without) and (holding := _asked_alone(op, members)) is not None:
            conditions.append(ActionCondition(holding, False, op.chain if len(op.chain) > 1 else ()))
        else:
            rest.append(op)
    return tuple(rest), tuple(conditions)


def _asked_alone(negation: Without, members: set[Relation]) -> Holding | None:
    """The only condition of a negation that is on a member."""
    everywhere = [op for op in flat(negation.chain) if isinstance(op, Holding) and op.relation in members]
    if len(everywhere) != 1 or not any(op is everywhere[0] for op in negation.chain):
        return None
    return everywhere[0]


def aligned(actions: tuple[Action, ...], relations: tuple[Relation, ...]) -> bool:
    """Whether every rule and condition is about one and the same grounding."""
    if any(r.kind != "fluent" or r.arity != relations[0].arity for r in relations):
        return False
    for action in actions:
        args = action.rule.args
        if not all(isinstance(arg, str) for arg in args) or len(set(args)) < len(args):
            return False
        if not set(args) <= set(_given(action.chain)):  # the state itself says who it is about
            return False
        if any(condition.holding.args != args or condition.inside for condition in action.conditions):
            return False
    return True


def _given(chain: Chain) -> Iterator[str]:
    """The variables that a chain gives a value."""
    for op in chain:
        if isinstance(op, At | Holding | Lookup):
            yield from names_in(op.args)
        elif isinstance(op, Match):
            yield from names_in((op.form,))
        elif isinstance(op, Let | Tally):
            yield op.variable


def plain(due: Due) -> bool:
    """Say whether a deadline is the same for all groundings, and has no conditions."""
    names = [arg for arg in due.args if isinstance(arg, str)]
    return not due.conditions and isinstance(due.after, Int) and len(set(names)) == len(due.args)


def shift_of(action: Action, condition: ActionCondition) -> int:
    """How long before the action a condition looks at the state."""
    known = distances(action.rule.chain, {action.rule.time: 0})
    distance = distances(condition.inside, known).get(condition.holding.time)
    if distance is None or distance > 0:
        raise HoldsforError(
            f"{condition.holding.relation.name} depends on itself at a time that is not before its own: "
            "time does not order that; look at T, or at T-k"
        )
    return distance


# ---------------------------------------------------------------- what the machine starts from and gives


def carried_intervals(group: Group, world: World, domains: Domains) -> Iterator[tuple[Relation, Ints, Ints, Ints]]:
    """Yield the intervals that the machine starts from: settled ones, those that go on, and initial ones."""
    axis = world.axis
    for fluent in group.fluents:
        initial = initial_keys(fluent, world, domains)
        for relation in fluent.relations:
            holding = world.cut.holding(relation)
            settled = world.cut.settled(relation)
            if isinstance(settled, Intervals):
                keys, start, end = settled.keys(), settled.s & axis.mask, settled.e & axis.mask
                on = (end == world.cut_of_keys(relation, keys) + 1) & np.isin(keys, holding)
                yield relation, keys, start, np.where(on, OPEN, end)
                holding = holding[~np.isin(holding, keys[on])]
            if len(holding):
                yield relation, holding, world.cut_of_keys(relation, holding) + 1, np.full(len(holding), OPEN)
            first = initial.get(relation, EMPTY)
            if len(first):
                begin = axis.following(world.cut_of_keys(relation, first))
                yield relation, first, begin, np.full(len(first), OPEN)


def placed(relation: Relation, keys: Ints, start: Ints, end: Ints, world: World) -> Intervals:
    """Intervals of the machine on the axis."""
    axis = world.axis
    base = keys << axis.time_bits
    s, e = base | start, base | np.where(end == OPEN, axis.mask, end)
    if not ascends(s):
        s, order = sort_packed(s, axis.time_bits)
        e = take(e, order)
    return Intervals(axis, world.dictionary, relation.arity, s, e)
