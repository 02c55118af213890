"""Simple fluents: what is initiated holds until it is terminated, or until another value is initiated."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from holdsfor.engine.bodies.heads import Open, concluded, joined, merged, merged_since, spread_since
from holdsfor.engine.bodies.rulebook import Rulebook
from holdsfor.engine.data.axis import EMPTY, Ints
from holdsfor.engine.data.world import World
from holdsfor.engine.definitions.domain import Domains, admits_all, whole_keys, within
from holdsfor.engine.definitions.initial import initial_keys
from holdsfor.engine.definitions.valued import evaluate_valued, make_exclusive
from holdsfor.engine.scripts.following import follow, put_values
from holdsfor.kernels.intervals.inertia import INITIATE, INITIATE_IF_ALIVE, TERMINATE
from holdsfor.kernels.rows.moving import compress, distinct, unique_sorted
from holdsfor.plan.definitions import Simple
from holdsfor.plan.operators import Conclude, Relation


@dataclass(frozen=True, slots=True)
class ValueChanges:
    """Initiations and terminations of a value, as sorted points; alive: those that count only while a value holds."""

    initiated: Ints
    terminated: Ints
    alive: Ints


def evaluate_simple(fluent: Simple, world: World, domains: Domains, rulebook: Rulebook) -> int:
    """Adds the fluent to the world; gives the number of groundings that its declared domain leaves out."""
    if follow(fluent, world, domains, rulebook):
        return 0
    begun, ended = (
        [_conclude(rules, relation, world, rulebook) for rules, relation in zip(tables, fluent.relations, strict=True)]
        for tables in (fluent.initiations, fluent.terminations)
    )
    initial = initial_keys(fluent, world, domains)
    allowed = [
        _allowed(merged([*_carried(relation, initial, world), *full]), relation, domains, world)
        for (full, _), relation in zip(begun, fluent.relations, strict=True)
    ]
    initiated = [points for points, _ in allowed]
    if fluent.relations[0].kind == "valued":
        evaluate_valued(fluent.relations[0], initiated[0], begun[0][1], ended[0], world, domains)
    else:
        _split(fluent, initiated, [opens for _, opens in begun], ended, world, domains)
    return sum(left_out for _, left_out in allowed)


def _conclude(
    rules: Iterable[Conclude], relation: Relation, world: World, rulebook: Rulebook
) -> tuple[list[Ints], list[Open]]:
    """Points with wildcards are after the earliest cut: after that of their key only once it is known."""
    full, wild = concluded(rules, world, rulebook)
    return [merged_since(full, relation, world)], wild


def _carried(relation: Relation, initial: dict[Relation, Ints], world: World) -> list[Ints]:
    """Return the keys that hold when conclusions begin, as if they were initiated just before."""
    known_keys = [distinct(keys) for keys in (world.cut.holding(relation), initial.get(relation, EMPTY)) if len(keys)]
    return [(keys << world.axis.time_bits) | world.cut_of_keys(relation, keys) for keys in known_keys]


def _allowed(points: Ints, relation: Relation, domains: Domains, world: World) -> tuple[Ints, int]:
    """Drop initiations outside the declared domain, which have no effect on any value; count their groundings."""
    if relation not in domains or admits_all(domains[relation]):
        return points, 0
    keys = points >> world.axis.time_bits
    mask = within(keys, relation.arity, domains[relation], world)
    if mask.all():
        return points, 0
    return compress(points, mask), len(distinct(compress(keys, ~mask)))


def _split(
    fluent: Simple,
    initiated: list[Ints],
    begun_open: list[list[Open]],
    ended: list[tuple[list[Ints], list[Open]]],
    world: World,
    domains: Domains,
) -> None:
    """One relation per constant value."""
    wild = any(begun_open) or any(opens for _, opens in ended)
    seen = _seen(initiated, world) if wild else EMPTY
    changes: list[ValueChanges] = []
    for i, relation in enumerate(fluent.relations):
        declared = whole_keys(domains[relation], relation.arity) if relation in domains else None
        keys = declared if declared is not None else seen
        same = fluent.terminations.index(fluent.terminations[i])  # values often end together
        if same < i and declared is None:
            terminated = changes[same].terminated
        else:
            terminated = merged([*ended[i][0], *(spread_since(o, keys, relation, world) for o in ended[i][1])])
        more = merged(spread_since(o, keys, relation, world) for o in begun_open[i])
        if declared is not None:
            changes.append(ValueChanges(merged([initiated[i], more]), terminated, EMPTY))
        else:
            changes.append(ValueChanges(initiated[i], terminated, more))
    _values(fluent.relations, changes, world)


def _seen(initiated: list[Ints], world: World) -> Ints:
    """The groundings that some rule initiates by name."""
    return unique_sorted(merged([unique_sorted(points >> world.axis.time_bits) for points in initiated]))


def _values(relations: tuple[Relation, ...], changes: list[ValueChanges], world: World) -> None:
    if any(len(change.alive) for change in changes):
        _by_machine(relations, changes, world)
        return
    after, moved = _moved(changes, world)
    tables = [points for change in moved for points in (change.initiated, change.terminated)]
    ends = np.cumsum([len(points) for points in tables])
    runs = np.stack([np.arange(len(tables)), np.array([0, *ends[:-1]]), ends], axis=1)
    put_values(relations, joined(tables), runs, after, world)


def _moved(changes: list[ValueChanges], world: World) -> tuple[int, list[ValueChanges]]:
    """With a clock tick above 1 points move to the next grid point before they meet."""
    axis = world.axis
    if axis.tick == 1:
        return 1, changes
    return 0, [
        ValueChanges(axis.following(c.initiated), axis.following(c.terminated), axis.following(c.alive))
        for c in changes
    ]


def _by_machine(relations: tuple[Relation, ...], changes: list[ValueChanges], world: World) -> None:
    """All values of a grounding together, in the order of time."""
    after, moved = _moved(changes, world)
    parts = [
        (points, i, action)
        for i, change in enumerate(moved)
        for points, action in (
            (change.initiated, INITIATE),
            (change.terminated, TERMINATE),
            (change.alive, INITIATE_IF_ALIVE),
        )
    ]
    s, e, v = make_exclusive(parts, world, after)
    for i, relation in enumerate(relations):
        world.put_intervals(relation, s[v == i], e[v == i])
