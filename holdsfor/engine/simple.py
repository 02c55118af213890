"""Simple fluents: what is initiated holds until it is terminated, or until another value is initiated."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from holdsfor.engine.axis import Ints
from holdsfor.engine.chain import Beginnings, run
from holdsfor.engine.column import Column
from holdsfor.engine.conclude import Open, concluded, head_codes, joined, key_columns, merged, spread_over
from holdsfor.engine.domain import Allowed, admits_all, allows_all_like, whole_keys, within
from holdsfor.engine.limits import OnBehalfOf
from holdsfor.engine.relation import EMPTY
from holdsfor.engine.rows import Rows
from holdsfor.engine.world import World
from holdsfor.errors import HoldsforError
from holdsfor.kernels import (
    INITIATE,
    INITIATE_IF_ALIVE,
    TERMINATE,
    TERMINATE_ANY,
    add_last_code,
    ascends,
    compress,
    cut_last_code,
    distinct,
    exclusive,
    make_intervals,
    sort_packed,
    take,
    unique_sorted,
)
from holdsfor.plan.operators import Conclude, Declared, Relation, Simple
from holdsfor.plan.structures import is_open, open_forms

NO_ACTION = np.empty(0, np.int8)
Domains = dict[Relation, tuple[Allowed, ...]]


@dataclass(frozen=True, slots=True)
class ValueChanges:
    """What starts and ends one value, as sorted points; `alive`: initiations that count only where some value holds."""

    initiated: Ints
    terminated: Ints
    alive: Ints


def evaluate_simple(fluent: Simple, world: World, domains: Domains, beginnings: Beginnings) -> int:
    """Adds the fluent to the world; gives the number of groundings that its declared domain leaves out."""
    anyhow = _takes_any_order(fluent, world)
    begun, ended = (
        [
            _conclude(rules, relation, world, beginnings, _never_ends(fluent), anyhow)
            for rules, relation in zip(tables, fluent.relations, strict=True)
        ]
        for tables in (fluent.initiations, fluent.terminations)
    )
    initial = initial_keys(fluent, world, domains)
    together = joined if anyhow else merged
    allowed = [
        _allowed(together([*_carried(relation, initial, world), *full]), relation, domains, world)
        for (full, _), relation in zip(begun, fluent.relations, strict=True)
    ]
    initiated = [points for points, _ in allowed]
    if fluent.relations[0].kind == "valued":
        _valued(fluent.relations[0], initiated[0], begun[0][1], ended[0], world, domains)
    else:
        _split(fluent, initiated, [opens for _, opens in begun], ended, world, domains)
    return sum(left_out for _, left_out in allowed)


def _never_ends(fluent: Simple) -> bool:
    """Whether what is initiated holds for ever: then only its first initiation matters."""
    return len(fluent.relations) == 1 and fluent.relations[0].kind != "valued" and not fluent.terminations[0]


def _takes_any_order(fluent: Simple, world: World) -> bool:
    """Whether conclusions need not be sorted: those with a value are sorted without it later on.

    Cuts need them sorted with it, and so do wildcards that range over values.
    """
    if fluent.relations[0].kind != "valued" or world.cuts is not None:
        return False
    begins, ends = (
        [rule.args[-1] for table in tables for rule in table] for tables in (fluent.initiations, fluent.terminations)
    )
    return not any(map(is_open, begins)) and not any(value is not None and is_open(value) for value in ends)


def _conclude(
    rules: Iterable[Conclude], relation: Relation, world: World, beginnings: Beginnings, firsts: bool, anyhow: bool
) -> tuple[list[Ints], list[Open]]:
    """Points with wildcards are after the earliest cut: after that of their key only once it is known.

    anyhow: the points may come in any order.
    """
    full, wild = concluded(rules, world, beginnings, firsts and world.cuts is None, anyhow)
    return [world.since_cut(relation, points) for points in full], wild


def _spread(opened: Open, keys: Ints, relation: Relation, world: World) -> Ints:
    return world.since_cut(relation, spread_over(opened, keys, relation.arity, world))


def _carried(relation: Relation, initial: dict[Relation, Ints], world: World) -> list[Ints]:
    """What holds already when conclusions begin, as if it were initiated just before."""
    known_keys = [distinct(keys) for keys in (world.carried.get(relation), initial.get(relation)) if keys is not None]
    return [(keys << world.axis.time_bits) | world.cut_of_keys(relation, keys) for keys in known_keys]


def initial_keys(fluent: Simple, world: World, domains: Domains) -> dict[Relation, Ints]:
    """What holds from the start of the history on; two values of one grounding cancel each other."""
    if world.after >= world.start or not any(fluent.initially):
        return {}
    keys_of: dict[Relation, Ints] = {}
    for relation, rules in zip(fluent.relations, fluent.initially, strict=True):
        keys_of[relation] = distinct(joined(_enumerated(r, relation, world, domains) for r in dict.fromkeys(rules)))
        if relation in domains and not all(_is_declared(rule, domains[relation]) for rule in rules):
            keys_of[relation] = compress(
                keys_of[relation], within(keys_of[relation], relation.arity, domains[relation], world)
            )
        if world.cuts is not None:
            before = world.cut_of_keys(relation, keys_of[relation]) < world.start - world.axis.origin
            keys_of[relation] = compress(keys_of[relation], before)
    everything = joined(_grounding(keys, relation, world) for relation, keys in keys_of.items())
    if ascends(everything) or len(distinct(everything)) == len(everything):
        return keys_of
    keys, counts = np.unique(everything, return_counts=True)
    alone = keys[counts == 1]
    return {r: k[np.isin(_grounding(k, r, world), alone)] for r, k in keys_of.items()}


def _is_declared(rule: Declared, clauses: tuple[Allowed, ...]) -> bool:
    """Whether a declaration allows all groundings that have the constants of the rule."""
    return any(isinstance(clause, Declared) and allows_all_like(clause, rule.args) for clause in clauses)


def _grounding(keys: Ints, relation: Relation, world: World) -> Ints:
    """The keys without the value, where it is a column."""
    return _split_key(keys, relation.arity, world)[0] if relation.kind == "valued" else keys


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
    """What the conditions give; fluents often ask the same, such as who has ever been in a domain."""
    key = ("initially", rule.chain, rule.start)
    rows = world.shared.get(key)
    if not isinstance(rows, Rows):
        with OnBehalfOf(rule):
            rows = run(rule.chain, world, _first_point(rule.start, world) if rule.start else None)
        world.shared[key] = rows
    return rows


def _first_point(name: str, world: World) -> Rows:
    """One row, with the first point of the history by this name."""
    first = world.axis.following(np.array([world.start - world.axis.origin])) + world.axis.origin
    return Rows(world.axis, 1, {name: Column(world.dictionary, numbers=first)})


def _allowed(points: Ints, relation: Relation, domains: Domains, world: World) -> tuple[Ints, int]:
    """What is initiated outside the declared domain has no effect at all, not even on other values."""
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
            terminated = merged([*ended[i][0], *(_spread(o, keys, relation, world) for o in ended[i][1])])
        more = merged(_spread(o, keys, relation, world) for o in begun_open[i])
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
    axis = world.axis
    after, moved = _moved(changes, world)
    for i, relation in enumerate(relations):
        others = [change.initiated for j, change in enumerate(moved) if j != i]
        s, e = make_intervals(moved[i].initiated, merged([moved[i].terminated, *others]), axis.mask, after)
        world.put_intervals(relation, s, e)


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
    s, e, v = _exclusive(parts, world, after)
    for i, relation in enumerate(relations):
        world.put_intervals(relation, s[v == i], e[v == i])


def _exclusive(parts: Sequence[tuple[Ints, Ints | int, int]], world: World, after: int) -> tuple[Ints, Ints, Ints]:
    """Each part is sorted by itself, and then merged with the others."""
    points, value, action = EMPTY, EMPTY, NO_ACTION
    for more, of_more, kind in parts:
        if not len(more):
            continue
        ordered, order = sort_packed(more, world.axis.time_bits)
        values = np.full(len(more), of_more) if isinstance(of_more, int) else take(of_more, order)
        points, order = sort_packed(joined((points, ordered)), world.axis.time_bits)
        value = take(joined((value, values)), order)
        action = take(np.concatenate([action, np.full(len(more), kind, np.int8)]), order)
    return exclusive(points, value, action, world.axis.mask, after)


# ---------------------------------------------------------------- values that come from the data


def _valued(
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
        spread = _spread(opened, keep_allowed(mine), relation, world)
        parts.append((spread, INITIATE if declared is not None else INITIATE_IF_ALIVE))
    cut: list[tuple[Ints, Ints | int, int]] = [(*begin, INITIATE)]
    for opened in ended[1]:
        if opened.binds_last(arity):
            mine = _with_values(opened, groundings, relation, world)
            parts.append((_spread(opened, mine, relation, world), TERMINATE))
        elif opened.cuts_last():  # values of one form, also those that only a wildcard gave
            alive = distinct(joined([keys, *(points >> axis.time_bits for points, _ in parts)]))
            parts.append((_spread(opened, alive, relation, world), TERMINATE))
        else:  # any value, also one that only a wildcard gave
            among = opened.without_last(opened.positions, opened.packed)
            points = world.since_cut(relation, spread_over(among, groundings, arity - 1, world), arity - 1)
            cut.append((points, 0, TERMINATE_ANY))
    cut += [(*_without_value(points, arity, world), action) for points, action in parts]
    after = 1 if axis.tick == 1 else 0
    moved = [(points if after else axis.following(points), value, action) for points, value, action in cut]
    s, e, v = _exclusive(moved, world, after)
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
