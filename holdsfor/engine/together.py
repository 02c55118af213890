"""A group whose groundings depend on each other: all of them go through the state machine together, by time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from holdsfor.engine.actions import Action, Condition, carried_intervals, placed, shift_of
from holdsfor.engine.axis import Ints
from holdsfor.engine.chain import Shape, run, shape, step
from holdsfor.engine.column import Column
from holdsfor.engine.conclude import head_codes
from holdsfor.engine.domain import whole_keys, within
from holdsfor.engine.expression import value as value_of
from holdsfor.engine.limits import OnBehalfOf
from holdsfor.engine.relation import EMPTY
from holdsfor.engine.rows import Rows
from holdsfor.engine.simple import Domains
from holdsfor.engine.world import Running, World
from holdsfor.io.events import MOST_TIME
from holdsfor.kernels import INITIATE, INITIATE_IF_ALIVE, TERMINATE, expand
from holdsfor.kernels.machine import Actions, Carried, Deadlines, machine
from holdsfor.plan.operators import Arg, Due, Group, Relation, Without

KEY = "key"
BITS = 62  # all in one component: the order is that of time


@dataclass(slots=True)
class Slots:
    """The groundings that the members of a group can have: sorted keys, numbered one relation after the other."""

    world: World
    keys: dict[Relation, Ints]
    base: dict[Relation, int] = field(default_factory=dict)
    size: int = 0

    def number(self) -> None:
        self.size = 0
        for relation, keys in self.keys.items():
            self.base[relation] = self.size
            self.size += len(keys)

    def of(self, relation: Relation, keys: Ints) -> Ints:
        """The slots of keys; `size`, a slot that never holds, for one that is not there."""
        known = self.keys[relation]
        if not len(known):
            return np.full(len(keys), self.size, np.int64)
        place = np.minimum(np.searchsorted(known, keys), len(known) - 1)
        return np.where(known[place] == keys, self.base[relation] + place, self.size)

    def add(self, relation: Relation, keys: Ints) -> bool:
        """Whether there was one among the keys that was not known."""
        together = np.union1d(self.keys[relation], keys)
        grown = len(together) > len(self.keys[relation])
        self.keys[relation] = together
        return grown

    def matching(self, relation: Relation, wanted: Shape, rows: Rows) -> tuple[Ints, Ints]:
        """For each row the slots with its bound arguments: (row, place among the relation's keys)."""
        low, high, order = self.ranges(relation, wanted, rows)
        i, j = expand(low, high)
        return i, order[j]

    def ranges(self, relation: Relation, wanted: Shape, rows: Rows) -> tuple[Ints, Ints, Ints]:
        axis, keys = self.world.axis, self.keys[relation]
        codes = [axis.code(keys, p, relation.arity) for p in range(relation.arity)]
        mask = np.ones(len(keys), np.bool_)
        for position, code in wanted.picks.constants:
            mask &= codes[position] == code
        for position, other in wanted.picks.equal:
            mask &= codes[position] == codes[other]
        kept = np.flatnonzero(mask)
        if not wanted.positions:
            return np.zeros(rows.size, np.int64), np.full(rows.size, len(kept), np.int64), kept
        part = axis.key([codes[p][kept] for p in wanted.positions])
        order = np.argsort(part, kind="stable")
        part, kept = part[order], kept[order]
        key = axis.key([rows.codes(name) for name in wanted.names])
        low = np.searchsorted(part, key, "left").astype(np.int64)
        return low, np.searchsorted(part, key, "right").astype(np.int64), kept


@dataclass(frozen=True, slots=True)
class Asked:
    """A condition on the state, for all rows of an action: one slot each (column), or none of several (ranges)."""

    condition: Condition
    column: str | None
    low: str = ""
    high: str = ""
    slots: Ints = field(default_factory=lambda: EMPTY)


def all_together(
    group: Group, actions: tuple[Action, ...], relations: tuple[Relation, ...], world: World, domains: Domains
) -> int:
    slots = Slots(world, {relation: EMPTY for relation in relations})
    carried = list(carried_intervals(group, world, domains))
    for relation, keys, _, _ in carried:
        slots.add(relation, keys)
    left_out = _find_keys(group, actions, slots, world, domains)
    slots.number()
    listed = _listed([_compiled(action, slots, world, domains) for action in actions])
    group_of, groups = _groups(group, slots, world)
    deadlines, dues, keys_of = _deadlines(group, slots, world, domains)
    start = _carried(carried, dues, keys_of, slots, world)
    now = world.now - world.axis.origin
    outcome = machine(listed, group_of, groups, deadlines, start, BITS, world.axis.tick, now)
    for relation in relations:
        base = slots.base[relation]
        mine = (outcome.slot >= base) & (outcome.slot < base + len(slots.keys[relation]))
        keys = slots.keys[relation][outcome.slot[mine] - base]
        world.intervals[relation] = placed(relation, keys, outcome.start[mine], outcome.end[mine], world)
    for due in group.deadlines:
        mine = (
            np.array([dues[d] is due for d in outcome.deadline], np.bool_)
            if len(outcome.deadline)
            else np.zeros(0, bool)
        )
        keys = keys_of[outcome.deadline[mine]]
        world.running[due] = Running(keys, outcome.made[mine], outcome.due[mine], outcome.dropped[mine])
    return left_out


# ---------------------------------------------------------------- which groundings there can be


def _find_keys(group: Group, actions: tuple[Action, ...], slots: Slots, world: World, domains: Domains) -> int:
    """All keys that some rule can initiate, whatever the state; rules that range over such keys are asked again."""
    left_out: dict[Relation, int] = {}
    grown = True
    while grown:
        grown = False
        slots.number()
        for action in actions:
            if not action.initiates:
                continue
            with OnBehalfOf(action.rule):
                rows, _ = _rows(action, slots, world)
            for keys in _head_keys(action.rule.args, action.relation, rows, slots, world, domains):
                allowed = keys
                if action.relation in domains:
                    mask = within(keys, action.relation.arity, domains[action.relation], world)
                    allowed = keys[mask]
                    left_out[action.relation] = len(np.unique(keys[~mask]))
                grown |= slots.add(action.relation, np.unique(allowed))
        for due in group.deadlines:
            grown |= slots.add(due.target, _ends(due, slots.keys[due.source], world, domains)[1])
    return sum(left_out.values())


def _head_keys(
    args: tuple[Arg, ...], relation: Relation, rows: Rows, slots: Slots, world: World, domains: Domains
) -> Iterator[Ints]:
    if None not in args:
        columns = [head_codes(rows, arg, world) for arg in args]
        yield world.axis.key(columns) if columns else np.zeros(min(rows.size, 1), np.int64)
        return
    declared = whole_keys(domains[relation], relation.arity) if relation in domains else None
    if declared is not None:
        yield declared
    elif relation.kind == "fluent":  # a value that only a wildcard gives: for the groundings that other values have
        for other, keys in list(slots.keys.items()):
            if other.signature == relation.signature and other != relation:
                yield keys
    elif args[-1] is not None:  # the same where the value is a column
        axis, arity = world.axis, relation.arity
        for value in np.unique(head_codes(rows, args[-1], world)):
            known = slots.keys[relation]
            columns = [axis.code(known, p, arity) for p in range(arity - 1)]
            yield axis.key([*columns, np.full(len(known), value, np.int64)])


# ---------------------------------------------------------------- the rows of an action


def _rows(action: Action, slots: Slots, world: World) -> tuple[Rows, list[Asked]]:
    """The rows for which all other conditions are true, with the slots that the state is asked for."""
    rows: Rows | None = None
    asked: list[Asked] = []
    waiting = {id(condition.holding): condition for condition in action.conditions}
    for op in action.rule.chain:
        inner = op.chain if isinstance(op, Without) else (op,)
        condition = next((waiting[id(one)] for one in inner if id(one) in waiting), None)
        if condition is None:
            rows = step(op, rows, world)
            continue
        rows = rows if rows is not None else Rows(world.axis, 1, {})
        ask = _ask if condition.wanted else _ask_no_solution if condition.inside else _ask_not
        rows, one = ask(condition, len(asked), rows, slots, world)
        asked.append(one)
    return rows if rows is not None else Rows(world.axis, 1, {}), asked


def _ask(condition: Condition, number: int, rows: Rows, slots: Slots, world: World) -> tuple[Rows, Asked]:
    relation, name = condition.holding.relation, f"slot {number}"
    wanted = shape(condition.holding.args, rows.names, world.dictionary)
    i, j = slots.matching(relation, wanted, rows)
    columns = {
        new: Column(world.dictionary, world.axis.code(slots.keys[relation], p, relation.arity)[j])
        for p, new in wanted.new
    }
    columns[name] = Column(world.dictionary, numbers=slots.base[relation] + j)
    return rows.take(i).bind(columns), Asked(condition, name)


def _ask_not(condition: Condition, number: int, rows: Rows, slots: Slots, world: World) -> tuple[Rows, Asked]:
    """None of the slots with the bound arguments may hold."""
    relation = condition.holding.relation
    wanted = shape(condition.holding.args, rows.names, world.dictionary)
    low, high, order = slots.ranges(relation, wanted, rows)
    columns = {
        f"low {number}": Column(world.dictionary, numbers=low),
        f"high {number}": Column(world.dictionary, numbers=high),
    }
    return rows.bind(columns), Asked(condition, None, f"low {number}", f"high {number}", slots.base[relation] + order)


def _ask_no_solution(condition: Condition, number: int, rows: Rows, slots: Slots, world: World) -> tuple[Rows, Asked]:
    """None of the slots may hold for which the rest of a negated conjunction is true."""
    found = rows.bind({KEY: Column(world.dictionary, numbers=np.arange(rows.size))})
    name = ""
    for op in condition.inside:
        if op is condition.holding:
            found, one = _ask(condition, number, found, slots, world)
            name = one.column or ""
        else:
            found = step(op, found, world)
    row, slot = found.times(KEY), found.times(name)
    order = np.argsort(row, kind="stable")
    edges = np.searchsorted(row[order], np.arange(rows.size + 1)).astype(np.int64)
    columns = {
        f"low {number}": Column(world.dictionary, numbers=edges[:-1].copy()),
        f"high {number}": Column(world.dictionary, numbers=edges[1:].copy()),
    }
    return rows.bind(columns), Asked(condition, None, f"low {number}", f"high {number}", slot[order])


@dataclass(frozen=True, slots=True)
class _Compiled:
    """The rows of one action by time: slot, and conditions (row, slot, wanted, shift) in the order of the rows."""

    time: Ints
    slot: Ints
    action: int
    conditions: Ints  # four columns


def _compiled(action: Action, slots: Slots, world: World, domains: Domains) -> _Compiled:
    with OnBehalfOf(action.rule):
        rows, asked = _rows(action, slots, world)
    rows = rows.timely(action.rule.time)
    times = rows.times(action.rule.time)
    rows = rows.filter((times > world.after) & (times <= world.now))
    wanted = shape(action.rule.args, rows.names, world.dictionary)
    kind = INITIATE if action.initiates else TERMINATE
    if None in action.rule.args:
        declared = (
            action.relation in domains and whole_keys(domains[action.relation], action.relation.arity) is not None
        )
        kind = kind if declared or not action.initiates else INITIATE_IF_ALIVE
        i, place = slots.matching(action.relation, wanted, rows)
        rows, slot = rows.take(i), slots.base[action.relation] + place
    else:
        columns = [head_codes(rows, arg, world) for arg in action.rule.args]
        keys = world.axis.key(columns) if columns else np.zeros(rows.size, np.int64)
        slot = slots.of(action.relation, keys)
        there = slot < slots.size
        rows, slot = rows.filter(there), slot[there]
    time = rows.times(action.rule.time) - world.axis.origin
    order = np.argsort(time, kind="stable")
    conditions = _conditions(asked, action, rows)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    conditions[:, 0] = rank[conditions[:, 0]]
    conditions = conditions[np.argsort(conditions[:, 0], kind="stable")]
    return _Compiled(time[order], slot[order], kind, conditions)


def _conditions(asked: list[Asked], action: Action, rows: Rows) -> Ints:
    parts = [np.empty((0, 4), np.int64)]
    for one in asked:
        shift = shift_of(action, one.condition)
        if one.column is not None:
            row, slot = np.arange(rows.size), rows.times(one.column)
        else:
            row, place = expand(rows.times(one.low).copy(), rows.times(one.high).copy())
            slot = one.slots[place]
        same = np.ones(len(row), np.int64)
        parts.append(np.stack([row, slot, same * int(one.condition.wanted), same * shift], axis=1))
    return np.concatenate(parts)


def _listed(compiled: list[_Compiled]) -> Actions:
    sizes = [len(one.time) for one in compiled]
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    conditions = np.concatenate(
        [
            np.empty((0, 4), np.int64),
            *(one.conditions + np.array([o, 0, 0, 0]) for one, o in zip(compiled, offsets, strict=False)),
        ]
    )
    edges = np.searchsorted(conditions[:, 0], np.arange(offsets[-1] + 1)).astype(np.int64)
    return Actions(
        np.concatenate([EMPTY, *(one.time for one in compiled)]),
        offsets,
        np.arange(offsets[-1]),
        np.concatenate([EMPTY, *(one.slot for one in compiled)]),
        np.concatenate([EMPTY, *(np.full(len(one.time), one.action, np.int64) for one in compiled)]),
        edges[:-1].copy(),
        edges[1:].copy(),
        conditions[:, 1].copy(),
        conditions[:, 2].copy(),
        conditions[:, 3].copy(),
    )


# ---------------------------------------------------------------- groups, deadlines, what is carried


def _groups(group: Group, slots: Slots, world: World) -> tuple[Ints, int]:
    """The slots of one fluent and grounding exclude each other; the slot that never holds is by itself."""
    group_of = np.zeros(slots.size + 1, np.int64)
    count = 0
    for fluent in group.fluents:
        groundings = [_arguments(r, slots.keys[r], world) for r in fluent.relations]
        known = np.unique(np.concatenate(groundings))
        for relation, keys in zip(fluent.relations, groundings, strict=True):
            base = slots.base[relation]
            group_of[base : base + len(keys)] = count + np.searchsorted(known, keys)
        count += len(known)
    group_of[-1] = count
    return group_of, count + 1


def _arguments(relation: Relation, keys: Ints, world: World) -> Ints:
    """The key of the arguments, without a value that is a column."""
    if relation.kind != "valued":
        return keys
    columns = [world.axis.code(keys, p, relation.arity) for p in range(relation.arity - 1)]
    return world.axis.key(columns) if columns else np.zeros(len(keys), np.int64)


def _ends(due: Due, keys: Ints, world: World, domains: Domains) -> tuple[Ints, Ints, Ints]:
    """The keys that have the deadline, what they turn into, and after how long; not what is outside the domain."""
    source, target, after = _all_ends(due, keys, world)
    if due.target not in domains:
        return source, target, after
    mask = within(target, due.target.arity, domains[due.target], world)
    return source[mask], target[mask], after[mask]


def _all_ends(due: Due, keys: Ints, world: World) -> tuple[Ints, Ints, Ints]:
    axis, dictionary, size = world.axis, world.dictionary, len(due.args)
    if due.values is not None:
        value, other = (dictionary.code_of(term) for term in due.values)
        keys = keys[axis.code(keys, size, size + 1) == value]
    columns: dict[str, Ints] = {}
    mask = np.ones(len(keys), np.bool_)
    for position, arg in enumerate(due.args):
        codes = axis.code(keys, position, due.source.arity)
        if isinstance(arg, str):
            mask &= columns.setdefault(arg, codes) == codes
        elif arg is not None:
            mask &= codes == dictionary.code_of(arg)
    named = {name: Column(dictionary, codes) for name, codes in columns.items()}
    named[KEY] = Column(dictionary, numbers=keys)
    rows = run(due.conditions, world, Rows(axis, len(keys), named).filter(mask))
    given = np.broadcast_to(value_of(due.after, rows), (rows.size,))
    rows = rows.filter(~np.isnan(given))  # no number, no deadline
    after = np.clip(given[~np.isnan(given)], -MOST_TIME, MOST_TIME).astype(np.int64)
    keys = rows.times(KEY)
    if due.values is None:
        return keys, keys, after
    parts = [axis.code(keys, p, size + 1) for p in range(size)]
    return keys, axis.key([*parts, np.full(len(keys), other, np.int64)]), after


def _deadlines(group: Group, slots: Slots, world: World, domains: Domains) -> tuple[Deadlines, list[Due], Ints]:
    """By source slot, with the deadline and the key of each."""
    rows: list[tuple[Ints, Ints, Ints, Due, Ints]] = []
    for due in group.deadlines:
        source, target, after = _ends(due, slots.keys[due.source], world, domains)
        rows.append((slots.of(due.source, source), slots.of(due.target, target), after, due, source))
    slot = np.concatenate([EMPTY, *(row[0] for row in rows)])
    order = np.argsort(slot, kind="stable")
    dues = [row[3] for row in rows for _ in row[0]]
    columns = [
        np.concatenate([EMPTY, *(row[1] for row in rows)])[order],
        np.concatenate([EMPTY, *(row[2] for row in rows)])[order],
        np.array([int(due.extensible) for due in dues], np.int64)[order],
    ]
    first = np.searchsorted(slot[order], np.arange(slots.size + 2)).astype(np.int64)
    keys = np.concatenate([EMPTY, *(row[4] for row in rows)])[order]
    return Deadlines(first, slot[order], *columns), [dues[i] for i in order], keys


def _carried(
    found: list[tuple[Relation, Ints, Ints, Ints]], dues: list[Due], keys_of: Ints, slots: Slots, world: World
) -> Carried:
    slot = np.concatenate([EMPTY, *(slots.of(relation, keys) for relation, keys, _, _ in found)])
    start = np.concatenate([EMPTY, *(s for _, _, s, _ in found)])
    end = np.concatenate([EMPTY, *(e for _, _, _, e in found)])
    order = np.argsort(start, kind="stable")
    number = {(due, int(key)): n for n, (due, key) in enumerate(zip(dues, keys_of, strict=True))}
    running = [
        (number[due, int(key)], int(when))
        for due, known in world.carried_running.items()
        for key, when in zip(known.keys, known.due, strict=True)
        if (due, int(key)) in number
    ]
    which = np.array([n for n, _ in running], np.int64)
    due_at = np.array([when for _, when in running], np.int64)
    zero, none = np.zeros(len(slot), np.int64), np.zeros(len(which), np.int64)
    return Carried(zero, slot[order], start[order], end[order], none, which, due_at)
