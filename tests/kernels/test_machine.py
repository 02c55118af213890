"""The state machines against a simulation point by point, written from the definitions of DESIGN's semantics."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor.kernels.intervals.bits import Rules, bit_machine
from holdsfor.kernels.intervals.machine import OPEN, Actions, Deadlines, MachineResult, MachineStart, machine

LAST = 24
BITS = 8
NONE = np.empty(0, np.int64)


@dataclass(frozen=True)
class Rule:
    times: tuple[tuple[int, int], ...]  # (key, time)
    slot: int
    action: int
    conditions: tuple[tuple[int, bool, int], ...]  # slot, wanted, distance


@dataclass(frozen=True)
class Deadline:
    source: int
    target: int
    after: int
    extensible: bool


Drawn = tuple[list[int], list[Rule], list[Deadline], list[tuple[int, int]]]

jitters = st.lists(st.integers(0, 4), min_size=1, max_size=20)
groups_of = st.lists(st.integers(1, 3), min_size=1, max_size=3)


@st.composite
def programs(
    draw: st.DrawFn, plain: bool = False
) -> tuple[list[int], list[Rule], list[Deadline], list[tuple[int, int]]]:
    """Which group each slot is in, rules, deadlines, and what holds at first: (key, slot)."""
    sizes = draw(groups_of)
    group_of = [g for g, size in enumerate(sizes) for _ in range(size)]
    slots = st.integers(0, len(group_of) - 1)
    distance = st.just(0) if plain else st.integers(-3, 0)
    points = st.lists(st.tuples(st.integers(0, 2), st.integers(1, LAST)), max_size=8)
    actions = st.sampled_from((1, 1, -1) if plain else (1, 1, 1, -1, -2, 2))
    rules = draw(
        st.lists(
            st.builds(
                Rule,
                points.map(lambda p: tuple(sorted(p))),
                slots,
                actions,
                st.lists(st.tuples(slots, st.booleans(), distance), max_size=2).map(tuple),
            ),
            max_size=6,
        )
    )
    pairs = [(a, b) for a, g in enumerate(group_of) for b, h in enumerate(group_of) if g == h and a != b]
    deadlines: list[Deadline] = []
    if pairs and not plain:
        made = st.builds(lambda p, d, e: Deadline(*p, d, e), st.sampled_from(pairs), st.integers(1, 6), st.booleans())
        deadlines = draw(st.lists(made, max_size=2, unique_by=lambda d: d.source))
    first: dict[tuple[int, int], int] = {}
    for key, slot in draw(st.lists(st.tuples(st.integers(0, 2), slots), max_size=3)):
        first.setdefault((key, group_of[slot]), slot)
    return group_of, rules, deadlines, [(key, slot) for (key, _), slot in first.items()]


def simulated(
    group_of: list[int], rules: list[Rule], deadlines: list[Deadline], first: list[tuple[int, int]]
) -> set[tuple[int, int, int, int | None]]:
    """(key, slot, start, end), by going through all points of time."""
    found: set[tuple[int, int, int, int | None]] = set()
    for key in range(3):
        held: list[list[bool]] = [[(key, s) in first for s in range(len(group_of))] for _ in range(2)]  # at 0 and 1
        begun: dict[int, list[int]] = {s: [] for s in range(len(group_of))}  # initiations that had an effect
        for time in range(1, LAST + 1):
            state = held[time]
            on, off, maybe = set[int](), set[int](), set[int]()
            for rule in rules:
                if (key, time) not in rule.times or not all(
                    (held[max(time + d, 0)][s] if time + d >= 0 else False) == wanted
                    for s, wanted, d in rule.conditions
                ):
                    continue
                mates = {s for s, g in enumerate(group_of) if g == group_of[rule.slot]}
                if rule.action == 1:
                    on.add(rule.slot)
                elif rule.action == 2:
                    maybe.add(rule.slot)
                else:
                    off |= {rule.slot} if rule.action == -1 else mates
            named = set(on)  # by rules that bind all arguments
            for s in maybe:
                mates = {m for m, g in enumerate(group_of) if g == group_of[s]}
                if any(state[m] for m in mates) or named & mates:
                    on.add(s)
            for due in deadlines:
                made = time - due.after
                if made not in begun[due.source] or not all(held[t][due.source] for t in range(made + 1, time + 1)):
                    continue
                again = any(made < t < time for t in begun[due.source]) or (due.source in on and due.source not in off)
                if not (due.extensible and again):
                    on.add(due.target)
            after = list(state)
            for s, g in enumerate(group_of):
                rivals = {m for m, h in enumerate(group_of) if h == g and m != s}
                if s in off or rivals & on:
                    after[s] = False
                elif s in on:
                    after[s] = True
                    begun[s].append(time)
            held.append(after)
        for s in range(len(group_of)):
            runs = [t for t in range(1, LAST + 2) if held[t][s] and (t == 1 or not held[t - 1][s])]
            for start in runs:
                end = next((t for t in range(start, LAST + 2) if not held[t][s]), None)
                found.add((key, s, start, end))
    return found


def listed(rules: list[Rule]) -> Actions:
    orders = [np.array([(k << BITS) | t for k, t in rule.times], np.int64) for rule in rules]
    counts = [len(rule.conditions) for rule in rules]
    high = np.cumsum(counts, dtype=np.int64) if counts else NONE
    conditions = [(s, int(w), d) for rule in rules for s, w, d in rule.conditions]
    columns = np.array(conditions, np.int64).reshape(-1, 3)
    return Actions(
        np.concatenate([NONE, *orders]),
        np.cumsum([0, *map(len, orders)], dtype=np.int64),
        np.repeat(np.arange(len(rules)), [len(o) for o in orders]),
        np.array([rule.slot for rule in rules], np.int64),
        np.array([rule.action for rule in rules], np.int64),
        high - np.array(counts, np.int64),
        high,
        columns[:, 0].copy(),
        columns[:, 1].copy(),
        columns[:, 2].copy(),
    )


@given(programs())
@settings(deadline=None, max_examples=400)
def test_machine(program: Drawn) -> None:
    group_of, rules, deadlines, first = program
    out = machine(
        listed(rules), np.array(group_of), max(group_of) + 1, table_of(deadlines, group_of), begun(first), BITS, 1, LAST
    )
    assert intervals(out) == simulated(group_of, rules, deadlines, first)


def intervals(out: MachineResult) -> set[tuple[int, int, int, int | None]]:
    return {
        (int(k), int(s), max(int(a), 1), None if e == OPEN else int(e))
        for k, s, a, e in zip(out.component, out.slot, out.start, out.end, strict=True)
    }


def table_of(deadlines: list[Deadline], group_of: list[int]) -> Deadlines:
    ordered = sorted(deadlines, key=lambda d: d.source)
    return Deadlines(
        np.searchsorted([d.source for d in ordered], np.arange(len(group_of) + 1)).astype(np.int64),
        *(
            np.array(column, np.int64)
            for column in (
                [d.source for d in ordered],
                [d.target for d in ordered],
                [d.after for d in ordered],
                [int(d.extensible) for d in ordered],
            )
        ),
    )


def begun(first: list[tuple[int, int]]) -> MachineStart:
    """What holds at first."""
    start = sorted(first)
    return MachineStart(
        np.array([k for k, _ in start], np.int64),
        np.array([s for _, s in start], np.int64),
        np.zeros(len(start), np.int64),
        np.full(len(start), OPEN),
        NONE,
        NONE,
        NONE,
    )


# ---------------------------------------------------------------- a coarser grid


def scaled(rules: list[Rule], tick: int, jitter: list[int]) -> list[Rule]:
    """The same on a grid of `tick`, each time moved a little inside its cell."""
    moves = iter(jitter * 100)
    return [
        replace(
            rule,
            times=tuple(sorted((k, t * tick + next(moves) % tick) for k, t in rule.times)),
            conditions=tuple((s, wanted, d * tick) for s, wanted, d in rule.conditions),
        )
        for rule in rules
    ]


@given(programs(), st.sampled_from((2, 5)))
@settings(deadline=None, max_examples=150)
def test_on_the_points_of_a_coarser_grid_all_is_as_on_a_fine_one(program: Drawn, tick: int) -> None:
    group_of, rules, deadlines, first = program
    longer = [replace(d, after=d.after * tick) for d in deadlines]
    out = machine(
        listed(scaled(rules, tick, [0])),
        np.array(group_of),
        max(group_of) + 1,
        table_of(longer, group_of),
        begun(first),
        BITS,
        tick,
        LAST * tick,
    )
    assert intervals(out) == stretched(simulated(group_of, rules, deadlines, first), tick)


@given(programs(plain=True), st.sampled_from((2, 5)), jitters)
@settings(deadline=None, max_examples=150)
def test_where_in_a_cell_something_happens_does_not_matter(program: Drawn, tick: int, jitter: list[int]) -> None:
    group_of, rules, _, first = program
    actions, none = listed(scaled(rules, tick, jitter)), table_of([], group_of)
    out = machine(actions, np.array(group_of), max(group_of) + 1, none, begun(first), BITS, tick, LAST * tick + tick)
    assert intervals(out) == stretched(simulated(group_of, rules, [], first), tick)


def stretched(found: set[tuple[int, int, int, int | None]], tick: int) -> set[tuple[int, int, int, int | None]]:
    """What holds at first began before the grid: its start is 1 on any."""
    return {(k, s, 1 if a == 1 else a * tick, None if e is None else e * tick) for k, s, a, e in found}


# ---------------------------------------------------------------- carried from one run to the next


@given(
    programs(), st.sampled_from((1, 2, 5)), st.lists(st.integers(0, 4), min_size=1, max_size=20), st.integers(0, LAST)
)
@settings(deadline=None, max_examples=300)
def test_a_run_may_be_cut_between_any_two_cells(program: Drawn, tick: int, jitter: list[int], cut: int) -> None:
    """With deadlines that run across the cut, which is what is carried."""
    group_of, rules, deadlines, first = program
    between = [replace(d, after=max(1, d.after * tick - 1)) for d in deadlines]
    groups, table = max(group_of) + 1, table_of(between, group_of)
    rules, point = scaled(rules, tick, jitter), cut * tick + tick - 1
    last = LAST * tick + tick
    whole = machine(listed(rules), np.array(group_of), groups, table, begun(first), BITS, tick, last)
    early, late = (
        [replace(rule, times=tuple(kt for kt in rule.times if (kt[1] > point) == after)) for rule in rules]
        for after in (False, True)
    )
    one = machine(listed(early), np.array(group_of), groups, table, begun(first), BITS, tick, point)
    runs = (one.made <= point) & (one.due > point) & (one.dropped > point)
    carried = MachineStart(
        one.component, one.slot, one.start, one.end, one.deadline_component[runs], one.deadline[runs], one.due[runs]
    )
    other = machine(listed(late), np.array(group_of), groups, table, carried, BITS, tick, last)
    assert intervals(other) == intervals(whole)


@given(programs(plain=True))
@settings(deadline=None, max_examples=300)
def test_bit_machine(program: Drawn) -> None:
    group_of, rules, _, first = program
    points = [np.array([(k << BITS) | t for k, t in rule.times], np.int64) for rule in rules]
    bits = [
        (
            sum({1 << s for s, wanted, _ in rule.conditions if wanted}),
            sum({1 << s for s, wanted, _ in rule.conditions if not wanted}),
            1 << rule.slot if rule.action == 1 else 0,
            1 << rule.slot if rule.action == -1 else 0,
        )
        for rule in rules
    ]
    columns = [np.array(column, np.int64) for column in zip(*bits, strict=True)] if bits else [NONE] * 4
    table = Rules(
        np.concatenate([NONE, *points]),
        np.cumsum([0, *map(len, points)], dtype=np.int64),
        np.arange(len(rules) + 1),
        *columns,
    )
    keys = sorted({key for key, _ in first})
    state = np.array([sum(1 << s for k, s in first if k == key) for key in keys], np.int64)
    sizes = [sum(1 << s for s, h in enumerate(group_of) if h == g) for g in range(max(group_of) + 1)]
    several = np.array([m for m in sizes if m & (m - 1)], np.int64)
    room = np.arange(len(group_of) + 1) * 64
    s, e, count = bit_machine(
        table, several, room, np.array(keys, np.int64), state, np.ones(len(keys), np.int64), BITS, 1
    )
    mask = (1 << BITS) - 1
    got = {
        (int(s[i]) >> BITS, slot, int(s[i]) & mask, None if int(e[i]) & mask == mask else int(e[i]) & mask)
        for slot in range(len(group_of))
        for i in range(room[slot], room[slot] + count[slot])
    }
    assert got == simulated(group_of, rules, [], first)
