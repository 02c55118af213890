"""A group in which every rule is about one grounding: the machine goes through one grounding after the other."""

from __future__ import annotations

import numpy as np

from holdsfor.engine.bodies.chain import run
from holdsfor.engine.bodies.heads import head_points
from holdsfor.engine.data.axis import EMPTY, Ints
from holdsfor.engine.data.cut import Running
from holdsfor.engine.data.limits import OnBehalfOf
from holdsfor.engine.data.world import World
from holdsfor.engine.definitions.domain import Domains, within
from holdsfor.engine.groups.actions import Action, carried_intervals, placed, shift_of
from holdsfor.io.events import MOST_TIME
from holdsfor.kernels.intervals.bits import Rules, bit_machine
from holdsfor.kernels.intervals.machine import OPEN, Actions, Deadlines, MachineStart, machine
from holdsfor.kernels.rows.moving import compress, unique_sorted
from holdsfor.language.terms import Int
from holdsfor.plan.definitions import Due, Group
from holdsfor.plan.operators import Relation

Spec = tuple[int, int, list[tuple[int, int, int]]]  # slot, action, conditions: slot, wanted, distance in time
MOST_BITS = 62


def one_by_one(
    group: Group, actions: tuple[Action, ...], relations: tuple[Relation, ...], world: World, domains: Domains
) -> int:
    axis = world.axis
    slot = {relation: i for i, relation in enumerate(relations)}
    orders: list[Ints] = []
    specs: list[Spec] = []
    left_out = 0
    made: dict[object, Ints] = {}  # rules often begin alike
    for action in actions:
        same = (action.chain, action.rule.args, action.rule.time)
        if same not in made:
            with OnBehalfOf(action.rule):
                rows = run(action.chain, world).timely(action.rule.time)
            points = head_points(rows, tuple(action.rule.args), action.rule.time, world)
            made[same] = world.choose_later(action.relation, points)
        order = made[same]
        if action.initiates and action.relation in domains:
            mask = within(order >> axis.time_bits, action.relation.arity, domains[action.relation], world)
            if not mask.all():
                left_out += len(unique_sorted(compress(order, ~mask) >> axis.time_bits))
                order = compress(order, mask)
        orders.append(order)
        conditions = [(slot[c.holding.relation], int(c.wanted), shift_of(action, c)) for c in action.conditions]
        specs.append((slot[action.relation], 1 if action.initiates else -1, conditions))
    if (
        not group.deadlines
        and len(relations) < MOST_BITS
        and all(s == 0 for _, _, conditions in specs for _, _, s in conditions)
    ):
        by_bits(group, relations, orders, specs, list(carried_intervals(group, world, domains)), world)
        return left_out
    listed = _listed(orders, specs)
    groups = [i for i, fluent in enumerate(group.fluents) for _ in fluent.relations]
    deadlines = _deadlines([(slot[d.source], slot[d.target], d) for d in group.deadlines], len(relations))
    numbers = {due: n for n, due in enumerate(deadlines[1])}
    carried = _carried(group, slot, numbers, world, domains)
    outcome = machine(
        listed,
        np.array(groups),
        len(group.fluents),
        deadlines[0],
        carried,
        axis.time_bits,
        axis.tick,
        world.now_on_axis,
    )
    for relation, number in slot.items():
        mine = outcome.slot == number
        keys, start, end = (compress(column, mine) for column in (outcome.component, outcome.start, outcome.end))
        world.relations[relation] = placed(relation, keys, start, end, world)
    for due, number in numbers.items():
        mine = outcome.deadline == number
        columns = (outcome.deadline_component, outcome.made, outcome.due, outcome.dropped)
        world.running[due] = Running(*(compress(column, mine) for column in columns))
    return left_out


def by_bits(
    group: Group,
    relations: tuple[Relation, ...],
    orders: list[Ints],
    specs: list[Spec],
    carried: list[tuple[Relation, Ints, Ints, Ints]],
    world: World,
) -> None:
    """The machine on bits: rules with the same points share a list."""
    axis, slot = world.axis, {relation: i for i, relation in enumerate(relations)}
    after = 1 if axis.tick == 1 else 0
    shared: dict[int, list[Spec]] = {}
    for order, spec in zip(orders, specs, strict=True):
        shared.setdefault(id(order), []).append(spec)
    points = [next(order for order in orders if id(order) == one) for one in shared]
    flat_specs = [spec for each in shared.values() for spec in each]
    needs, forbids, starts, ends = np.array([*map(_bits, flat_specs)], np.int64).reshape(-1, 4).T.copy()
    rules = Rules(
        np.concatenate([EMPTY, *(p if after else axis.following(p) for p in points)]),
        np.cumsum([0, *map(len, points)]),
        np.cumsum([0, *map(len, shared.values())]),
        needs,
        forbids,
        starts,
        ends,
    )
    keys, bits, begin = _open_bits(carried, slot)
    room = [
        sum(len(o) for o, (s, a, _) in zip(orders, specs, strict=True) if s == i and a > 0) for i in range(len(slot))
    ]
    several = _groups_of_several(group)
    start, end, count = bit_machine(
        rules, several, np.cumsum([0, *(n + len(keys) for n in room)]), keys, bits, begin, axis.time_bits, after
    )
    low = 0
    for relation, number in slot.items():
        s, e = start[low : low + count[number]], end[low : low + count[number]]
        world.put_intervals(relation, s, e)
        low += room[number] + len(keys)


def _bits(spec: Spec) -> tuple[int, int, int, int]:
    slot, action, conditions = spec
    needs = sum({1 << s for s, wanted, _ in conditions if wanted})
    forbids = sum({1 << s for s, wanted, _ in conditions if not wanted})
    return needs, forbids, 1 << slot if action > 0 else 0, 1 << slot if action < 0 else 0


def _groups_of_several(group: Group) -> Ints:
    """The bits of each fluent that has more than one value."""
    masks, slot = [], 0
    for fluent in group.fluents:
        size = len(fluent.relations)
        if size > 1:
            masks.append(((1 << size) - 1) << slot)
        slot += size
    return np.array(masks, np.int64)


def _open_bits(carried: list[tuple[Relation, Ints, Ints, Ints]], slot: dict[Relation, int]) -> tuple[Ints, Ints, Ints]:
    """By key the bits that hold when conclusions begin, and when that is."""
    on = [(keys[end == OPEN], start[end == OPEN], slot[relation]) for relation, keys, start, end in carried]
    keys = np.unique(np.concatenate([EMPTY, *(open_keys for open_keys, _, _ in on)]))
    bits, begin = np.zeros(len(keys), np.int64), np.zeros(len(keys), np.int64)
    for open_keys, start, number in on:
        place = np.searchsorted(keys, open_keys)
        bits[place] |= 1 << number
        begin[place] = np.maximum(begin[place], start)
    return keys, bits, begin


def _listed(orders: list[Ints], specs: list[Spec]) -> Actions:
    sizes = [len(order) for order in orders]
    counts = [len(conditions) for _, _, conditions in specs]
    high = np.cumsum(counts) if counts else EMPTY
    flat_conditions = [one for _, _, conditions in specs for one in conditions]
    columns = np.array(flat_conditions, np.int64).reshape(-1, 3)
    return Actions(
        np.concatenate([EMPTY, *orders]),
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        np.repeat(np.arange(len(orders)), sizes),
        np.array([s for s, _, _ in specs], np.int64),
        np.array([a for _, a, _ in specs], np.int64),
        np.asarray(high - np.array(counts), np.int64),
        np.asarray(high, np.int64),
        columns[:, 0].copy(),
        columns[:, 1].copy(),
        columns[:, 2].copy(),
    )


def _deadlines(deadlines: list[tuple[int, int, Due]], slots: int) -> tuple[Deadlines, list[Due]]:
    """By source slot."""
    deadlines = sorted(deadlines, key=lambda one: one[0])
    first = np.searchsorted([source for source, _, _ in deadlines], np.arange(slots + 1)).astype(np.int64)
    columns = [
        np.array(column, np.int64)
        for column in (
            [source for source, _, _ in deadlines],
            [target for _, target, _ in deadlines],
            [min(due.after.value, MOST_TIME) for _, _, due in deadlines if isinstance(due.after, Int)],
            [int(due.extensible) for _, _, due in deadlines],
        )
    ]
    return Deadlines(first, *columns), [due for _, _, due in deadlines]


def _carried(
    group: Group, slot: dict[Relation, int], numbers: dict[Due, int], world: World, domains: Domains
) -> MachineStart:
    parts = [(keys, slot[r], start, end) for r, keys, start, end in carried_intervals(group, world, domains)]
    component = np.concatenate([EMPTY, *(keys for keys, _, _, _ in parts)])
    slots = np.concatenate([EMPTY, *(np.full(len(keys), s) for keys, s, _, _ in parts)])
    start = np.concatenate([EMPTY, *(s for _, _, s, _ in parts)])
    end = np.concatenate([EMPTY, *(e for _, _, _, e in parts)])
    order = np.lexsort([start, component])
    running = [(numbers[due], world.cut.running[due]) for due in numbers if due in world.cut.running]
    keys = np.concatenate([EMPTY, *(r.keys for _, r in running)])
    which = np.concatenate([EMPTY, *(np.full(len(r.keys), n) for n, r in running)])
    due_at = np.concatenate([EMPTY, *(r.due for _, r in running)])
    by_key = np.argsort(keys, kind="stable")
    return MachineStart(
        component[order], slots[order], start[order], end[order], keys[by_key], which[by_key], due_at[by_key]
    )
