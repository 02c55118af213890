"""A group whose groundings depend on each other: all of them go through the state machine together, by time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from holdsfor.engine.bodies.argument_layout import shape
from holdsfor.engine.bodies.chain import run, step
from holdsfor.engine.bodies.expression import value as value_of
from holdsfor.engine.bodies.heads import choose_current, head_codes, key_columns
from holdsfor.engine.data.axis import EMPTY, Ints
from holdsfor.engine.data.column import Column
from holdsfor.engine.data.cut import Running
from holdsfor.engine.data.limits import OnBehalfOf
from holdsfor.engine.data.rows import Rows
from holdsfor.engine.data.world import World
from holdsfor.engine.definitions.domain import Domains, matching_places, whole_keys, within
from holdsfor.engine.groups.actions import Action, ActionCondition, carried_intervals, placed, shift_of
from holdsfor.io.events import MOST_TIME
from holdsfor.kernels.intervals.inertia import INITIATE, INITIATE_IF_ALIVE, TERMINATE
from holdsfor.kernels.intervals.machine import Actions, Deadlines, MachineStart, machine
from holdsfor.kernels.rows.joining import expand
from holdsfor.kernels.rows.moving import unique_sorted
from holdsfor.plan.definitions import Due, Group
from holdsfor.plan.operators import Arg, Relation, Without
from holdsfor.plan.structures import flat, forms_of, is_open

KEY = "key"
BITS = 62  # all in one component: the order is that of time


@dataclass(frozen=True, slots=True)
class Ranges:
    """For each row its slots, from low to high, as places among a relation's keys; new: of these, what rows lack."""

    low: Ints
    high: Ints
    places: Ints
    new: dict[str, Ints]


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
        together = unique_sorted(np.sort(np.concatenate([self.keys[relation], keys])))
        grown = len(together) > len(self.keys[relation])
        self.keys[relation] = together
        return grown

    def matching(self, relation: Relation, args: tuple[Arg, ...], rows: Rows) -> tuple[Ints, Ints, dict[str, Column]]:
        """For each row the slots with its bound arguments: (row, place among the relation's keys), and what is new."""
        ranges = self.ranges(relation, args, rows)
        i, j = expand(ranges.low, ranges.high)
        return (
            i,
            ranges.places[j],
            {name: Column(self.world.dictionary, codes[j]) for name, codes in ranges.new.items()},
        )

    def ranges(self, relation: Relation, args: tuple[Arg, ...], rows: Rows) -> Ranges:
        axis = self.world.axis
        keys, codes = key_columns(self.keys[relation], relation.arity, forms_of(args), self.world)
        wanted = shape(flat(args), rows.names, self.world.dictionary)
        mask = np.ones(len(keys), np.bool_)
        for position, code in wanted.picks.constants:
            mask &= codes[position] == code
        for position, other in wanted.picks.equal:
            mask &= codes[position] == codes[other]
        kept = np.flatnonzero(mask)
        low, high = np.zeros(rows.size, np.int64), np.full(rows.size, len(kept), np.int64)
        if wanted.positions:
            part = axis.key([codes[p][kept] for p in wanted.positions])
            order = np.argsort(part, kind="stable")
            part, kept = part[order], kept[order]
            key = axis.key([rows.codes(name) for name in wanted.names])
            low, high = (np.searchsorted(part, key, side).astype(np.int64) for side in ("left", "right"))
        places = kept if len(keys) == len(self.keys[relation]) else np.searchsorted(self.keys[relation], keys[kept])
        return Ranges(low, high, places, {name: codes[p][kept] for p, name in wanted.new})


@dataclass(frozen=True, slots=True)
class Question:
    """A condition on the state, for all rows of an action: one slot each (column), or none of several (ranges)."""

    condition: ActionCondition
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
    deadlines, which, keys_of = _deadlines(group, slots, world, domains)
    running = _running(group, which, keys_of, world)
    start = _carried(carried, running, slots)
    now = world.now_on_axis
    outcome = machine(listed, group_of, groups, deadlines, start, BITS, world.axis.tick, now)
    for relation in relations:
        base = slots.base[relation]
        mine = (outcome.slot >= base) & (outcome.slot < base + len(slots.keys[relation]))
        keys = slots.keys[relation][outcome.slot[mine] - base]
        world.relations[relation] = placed(relation, keys, outcome.start[mine], outcome.end[mine], world)
    for number, due in enumerate(group.deadlines):
        mine = which[outcome.deadline] == number
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
                made = list(_head_keys(action.rule.args, action.relation, rows, slots, world, domains))
            for keys in made:
                allowed = keys
                if action.relation in domains:
                    mask = within(keys, action.relation.arity, domains[action.relation], world)
                    allowed = keys[mask]
                    left_out[action.relation] = len(np.unique(keys[~mask]))
                grown |= slots.add(action.relation, allowed)
        for due in group.deadlines:
            grown |= slots.add(due.target, _ends(due, slots.keys[due.source], world, domains)[1])
    return sum(left_out.values())


def _head_keys(
    args: tuple[Arg, ...], relation: Relation, rows: Rows, slots: Slots, world: World, domains: Domains
) -> Iterator[Ints]:
    if not any(map(is_open, args)):
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
    elif not is_open(args[-1]):  # the same where the value is a column
        axis, arity = world.axis, relation.arity
        for value in np.unique(head_codes(rows, args[-1], world)):
            known = slots.keys[relation]
            columns = [axis.code(known, p, arity) for p in range(arity - 1)]
            yield axis.key([*columns, np.full(len(known), value, np.int64)])


# ---------------------------------------------------------------- the rows of an action


def _rows(action: Action, slots: Slots, world: World) -> tuple[Rows, list[Question]]:
    """The rows for which all other conditions are true, with the slots that the state is asked for."""
    rows: Rows | None = None
    questions: list[Question] = []
    waiting = {id(condition.holding): condition for condition in action.conditions}
    for op in action.rule.chain:
        inner = op.chain if isinstance(op, Without) else (op,)
        condition = next((waiting[id(one)] for one in inner if id(one) in waiting), None)
        if condition is None:
            rows = step(op, rows, world)
            continue
        rows = rows if rows is not None else Rows(world.axis, 1, {})
        ask = _ask if condition.wanted else _ask_no_solution if condition.inside else _ask_not
        rows, one = ask(condition, len(questions), rows, slots, world)
        questions.append(one)
    return rows if rows is not None else Rows(world.axis, 1, {}), questions


def _ask(condition: ActionCondition, number: int, rows: Rows, slots: Slots, world: World) -> tuple[Rows, Question]:
    relation, name = condition.holding.relation, f"slot {number}"
    i, j, columns = slots.matching(relation, condition.holding.args, rows)
    columns[name] = Column(world.dictionary, numbers=slots.base[relation] + j)
    return rows.take(i).bind(columns), Question(condition, name)


def _ask_not(condition: ActionCondition, number: int, rows: Rows, slots: Slots, world: World) -> tuple[Rows, Question]:
    """Ask that no slot with the bound arguments holds."""
    relation = condition.holding.relation
    ranges = slots.ranges(relation, condition.holding.args, rows)
    columns = {
        f"low {number}": Column(world.dictionary, numbers=ranges.low),
        f"high {number}": Column(world.dictionary, numbers=ranges.high),
    }
    question = Question(condition, None, f"low {number}", f"high {number}", slots.base[relation] + ranges.places)
    return rows.bind(columns), question


def _ask_no_solution(
    condition: ActionCondition, number: int, rows: Rows, slots: Slots, world: World
) -> tuple[Rows, Question]:
    """Ask that no slot holds for which the rest of a negated conjunction is true."""
    solutions = rows.bind({KEY: Column(world.dictionary, numbers=np.arange(rows.size))})
    name = ""
    for op in condition.inside:
        if op is condition.holding:
            solutions, one = _ask(condition, number, solutions, slots, world)
            name = one.column or ""
        else:
            solutions = step(op, solutions, world)
    row, slot = solutions.times(KEY), solutions.times(name)
    order = np.argsort(row, kind="stable")
    edges = np.searchsorted(row[order], np.arange(rows.size + 1)).astype(np.int64)
    columns = {
        f"low {number}": Column(world.dictionary, numbers=edges[:-1].copy()),
        f"high {number}": Column(world.dictionary, numbers=edges[1:].copy()),
    }
    return rows.bind(columns), Question(condition, None, f"low {number}", f"high {number}", slot[order])


@dataclass(frozen=True, slots=True)
class _Compiled:
    """The rows of one action by time: slot, and conditions (row, slot, wanted, shift) in the order of the rows."""

    time: Ints
    slot: Ints
    action: int
    conditions: Ints  # four columns


def _compiled(action: Action, slots: Slots, world: World, domains: Domains) -> _Compiled:
    with OnBehalfOf(action.rule):
        rows, questions = _rows(action, slots, world)
    rows = choose_current(rows.timely(action.rule.time), action.rule.time, world)
    kind = INITIATE if action.initiates else TERMINATE
    if any(map(is_open, action.rule.args)):
        declared = (
            action.relation in domains and whole_keys(domains[action.relation], action.relation.arity) is not None
        )
        kind = kind if declared or not action.initiates else INITIATE_IF_ALIVE
        i, place, _ = slots.matching(action.relation, action.rule.args, rows)
        rows, slot = rows.take(i), slots.base[action.relation] + place
    else:
        columns = [head_codes(rows, arg, world) for arg in action.rule.args]
        keys = world.axis.key(columns) if columns else np.zeros(rows.size, np.int64)
        slot = slots.of(action.relation, keys)
        is_known = slot < slots.size
        rows, slot = rows.filter(is_known), slot[is_known]
    keys = slots.keys[action.relation][slot - slots.base[action.relation]]
    is_later = rows.times(action.rule.time) - world.axis.origin > world.cut_of_keys(action.relation, keys)
    rows, slot = rows.filter(is_later), slot[is_later]
    time = rows.times(action.rule.time) - world.axis.origin
    order = np.argsort(time, kind="stable")
    conditions = _conditions(questions, action, rows)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    conditions[:, 0] = rank[conditions[:, 0]]
    conditions = conditions[np.argsort(conditions[:, 0], kind="stable")]
    return _Compiled(time[order], slot[order], kind, conditions)


def _conditions(questions: list[Question], action: Action, rows: Rows) -> Ints:
    parts = [np.empty((0, 4), np.int64)]
    for one in questions:
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
        known = unique_sorted(np.sort(np.concatenate(groundings)))
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
    args = due.args if due.values is None else (*due.args, None)
    places, rows = matching_places(keys, due.source.arity, [args], world)
    keys = keys[places]
    rows = run(due.conditions, world, rows.bind({KEY: Column(dictionary, numbers=keys)}))
    delays = np.broadcast_to(value_of(due.after, rows), (rows.size,))
    rows = rows.filter(~np.isnan(delays))  # no number, no deadline
    after = np.clip(delays[~np.isnan(delays)], -MOST_TIME, MOST_TIME).astype(np.int64)
    keys = rows.times(KEY)
    if due.values is None:
        return keys, keys, after
    parts = [axis.code(keys, p, size + 1) for p in range(size)]
    return keys, axis.key([*parts, np.full(len(keys), other, np.int64)]), after


def _deadlines(group: Group, slots: Slots, world: World, domains: Domains) -> tuple[Deadlines, Ints, Ints]:
    """By source slot, with the number of the deadline in the group and the key of each."""
    rows: list[tuple[Ints, ...]] = [(EMPTY,) * 6]
    for number, due in enumerate(group.deadlines):
        source, target, after = _ends(due, slots.keys[due.source], world, domains)
        both = slots.of(due.source, source), slots.of(due.target, target)
        same = np.ones(len(source), np.int64)
        rows.append((*both, after, same * due.extensible, same * number, source))
    columns = [np.concatenate(parts) for parts in zip(*rows, strict=True)]
    order = np.argsort(columns[0], kind="stable")
    slot, target, after, extensible, which, keys = (column[order] for column in columns)
    first = np.searchsorted(slot, np.arange(slots.size + 2)).astype(np.int64)
    return Deadlines(first, slot, target, after, extensible), which, keys


def _running(group: Group, which: Ints, keys_of: Ints, world: World) -> tuple[Ints, Ints]:
    """The deadlines that were set before: their places among all, and when they are due."""
    places, due_at = [EMPTY], [EMPTY]
    for number, due in enumerate(group.deadlines):
        known = world.cut.running.get(due)
        mine = np.flatnonzero(which == number)
        if known is None or not len(mine):
            continue
        mine = mine[np.argsort(keys_of[mine], kind="stable")]
        place = np.searchsorted(keys_of[mine], known.keys, "right") - 1
        matches = (place >= 0) & (keys_of[mine][place] == known.keys)
        places.append(mine[place[matches]])
        due_at.append(known.due[matches])
    return np.concatenate(places), np.concatenate(due_at)


def _carried(
    carried: list[tuple[Relation, Ints, Ints, Ints]], running: tuple[Ints, Ints], slots: Slots
) -> MachineStart:
    slot = np.concatenate([EMPTY, *(slots.of(relation, keys) for relation, keys, _, _ in carried)])
    start = np.concatenate([EMPTY, *(s for _, _, s, _ in carried)])
    end = np.concatenate([EMPTY, *(e for _, _, _, e in carried)])
    order = np.argsort(start, kind="stable")
    zero, none = np.zeros(len(slot), np.int64), np.zeros(len(running[0]), np.int64)
    return MachineStart(zero, slot[order], start[order], end[order], none, *running)
