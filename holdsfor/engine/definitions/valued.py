"""Simple fluents whose values come from the data: one relation, whose last column is the value."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from holdsfor.engine.bodies.heads import Open, joined, spread_over, spread_since
from holdsfor.engine.data.axis import EMPTY, Ints
from holdsfor.engine.data.world import World
from holdsfor.engine.definitions.domain import Domains, admits_all, whole_keys, within
from holdsfor.kernels.intervals.inertia import INITIATE, INITIATE_IF_ALIVE, TERMINATE, TERMINATE_ANY, exclusive
from holdsfor.kernels.rows.moving import add_last_code, compress, cut_last_code, distinct, take, unique_sorted
from holdsfor.kernels.rows.sorting import sort_packed
from holdsfor.plan.operators import Relation


def evaluate_valued(
    relation: Relation,
    initiated: Ints,
    begun_open: list[Open],
    ended: tuple[list[Ints], list[Open]],
    world: World,
    domains: Domains,
) -> None:
    """One relation whose last column is the value; the other columns are the grounding.

    initiated: sorted where a wildcard ranges over values.
    """
    axis, arity = world.axis, relation.arity
    declared = whole_keys(domains[relation], arity) if relation in domains else None
    begin = _sort_without_value(initiated, arity, world)
    keys = groundings = EMPTY
    if declared is not None:
        keys, groundings = declared, distinct(_split_key(declared, arity, world)[0])
    elif begun_open or ended[1]:
        keys, groundings = (unique_sorted(points >> axis.time_bits) for points in (initiated, begin[0]))
    parts = [(joined(ended[0]), TERMINATE)]

    def keep_allowed(keys: Ints) -> Ints:
        """Wildcards range over what is declared, with its values."""
        if declared is not None:
            return compress(keys, np.isin(keys, declared))
        clauses = domains.get(relation)
        return keys if clauses is None or admits_all(clauses) else compress(keys, within(keys, arity, clauses, world))

    for opened in begun_open:
        mine = _with_values(opened, groundings, relation, world) if opened.binds_last(arity) else keys
        spread = spread_since(opened, keep_allowed(mine), relation, world)
        parts.append((spread, INITIATE if declared is not None else INITIATE_IF_ALIVE))
    cut: list[tuple[Ints, Ints | int, int]] = [(*begin, INITIATE)]
    for opened in ended[1]:
        if opened.binds_last(arity):
            mine = _with_values(opened, groundings, relation, world)
            parts.append((spread_since(opened, mine, relation, world), TERMINATE))
        elif opened.cuts_last():  # values of one form, also those that only a wildcard gave
            alive = distinct(joined([keys, *(points >> axis.time_bits for points, _ in parts)]))
            parts.append((spread_since(opened, alive, relation, world), TERMINATE))
        else:  # any value, also one that only a wildcard gave
            among = opened.without_last(opened.positions, opened.packed)
            points = world.choose_later(relation, spread_over(among, groundings, arity - 1, world), arity - 1)
            cut.append((points, 0, TERMINATE_ANY))
    cut += [(*_without_value(points, arity, world), action) for points, action in parts]
    after = 1 if axis.tick == 1 else 0
    moved = [(points if after else axis.following(points), value, action) for points, value, action in cut]
    s, e, v = make_exclusive(moved, world, after)
    s, order = sort_packed(_with_value(s, v, arity, world), axis.time_bits, in_time=True)
    world.put_intervals(relation, s, take(_with_value(e, v, arity, world), order))


def _sort_without_value(points: Ints, arity: int, world: World) -> tuple[Ints, Ints]:
    """The points of the groundings in order, and the value at each."""
    rest, value = _without_value(points, arity, world)
    rest, order = sort_packed(rest, world.axis.time_bits)
    return rest, take(value, order)


def _with_values(opened: Open, groundings: Ints, relation: Relation, world: World) -> Ints:
    """Wildcards among the arguments, the value given: the keys of every grounding with each value that is given."""
    bits, arity = world.axis.time_bits, relation.arity
    _, values = _split_key(opened.packed >> bits, len(opened.positions), world)
    points = (
        _with_value(groundings << bits, np.full(len(groundings), value), arity, world) for value in np.unique(values)
    )
    return distinct(joined(points) >> bits)


def _split_key(key: Ints, arity: int, world: World) -> tuple[Ints, Ints]:
    """The key of all columns but the last, and the last."""
    axis = world.axis
    if not axis.is_wide(arity):
        return cut_last_code(key, 0, axis.code_bits)
    codes = [axis.code(key, p, arity) for p in range(arity)]
    return axis.key(codes[:-1]) if arity > 1 else np.zeros(len(key), np.int64), codes[-1]


def _with_value(points: Ints, value: Ints, arity: int, world: World) -> Ints:
    """The points with the value as one more column."""
    axis = world.axis
    if not axis.is_wide(arity):
        return add_last_code(points, value, axis.time_bits, axis.code_bits)
    key = points >> axis.time_bits
    key = axis.key([*(axis.code(key, p, arity - 1) for p in range(arity - 1)), value])
    return (key << axis.time_bits) | (points & axis.mask)


def _without_value(points: Ints, arity: int, world: World) -> tuple[Ints, Ints]:
    axis = world.axis
    if not axis.is_wide(arity):
        return cut_last_code(points, axis.time_bits, axis.code_bits)
    rest, value = _split_key(points >> axis.time_bits, arity, world)
    return (rest << axis.time_bits) | (points & axis.mask), value


def make_exclusive(parts: Sequence[tuple[Ints, Ints | int, int]], world: World, after: int) -> tuple[Ints, Ints, Ints]:
    """Hold one value at a time. parts: points in any order, the value of each or one for all, and what they do."""
    points, order = sort_packed(joined(points for points, _, _ in parts), world.axis.time_bits)
    values = [np.full(len(points), value) if isinstance(value, int) else value for points, value, _ in parts]
    actions = [np.full(len(points), action, np.int8) for points, _, action in parts]
    value, action = (take(np.concatenate(each), order) for each in (values, actions))
    return exclusive(points, value, action, world.axis.mask, after)


def find_grounding(keys: Ints, relation: Relation, world: World) -> Ints:
    """The keys without the value, where it is a column."""
    return _split_key(keys, relation.arity, world)[0] if relation.kind == "valued" else keys
