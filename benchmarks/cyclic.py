"""Fluents that depend on each other: rules against a state machine written for them.

Usage: python -m benchmarks.cyclic. 1M events of 5,000 and of 100,000 keys, three fluents, seven rules; CPU
milliseconds, medians of interleaved runs, and whether the intervals are the same.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numba import njit

import holdsfor
from benchmarks.engine import evaluate_again, interleaved
from holdsfor.engine.data.world import World
from holdsfor.engine.definitions.evaluate import make_program
from holdsfor.engine.input.window import Windows
from holdsfor.engine.stepping.history import prepare
from holdsfor.io.events import Block
from holdsfor.plan import plan

RULES = """
initiatedAt(a(X)=true, T) :- happensAt(e0(X), T), \\+ holdsAt(b(X)=true, T).
terminatedAt(a(X)=true, T) :- happensAt(e1(X), T).
initiatedAt(b(X)=true, T) :- happensAt(e2(X), T), holdsAt(a(X)=true, T).
terminatedAt(b(X)=true, T) :- happensAt(e3(X), T), \\+ holdsAt(a(X)=true, T).
initiatedAt(c(X)=true, T) :- happensAt(e0(X), T), holdsAt(b(X)=true, T).
terminatedAt(c(X)=true, T) :- happensAt(e2(X), T), \\+ holdsAt(b(X)=true, T).
terminatedAt(a(X)=true, T) :- happensAt(e3(X), T), holdsAt(c(X)=true, T).
"""
LAST = 86_400
OPEN = 1 << 40


def main() -> None:
    random = np.random.default_rng(3)
    for events, keys in ((1_000_000, 5_000), (1_000_000, 100_000)):
        points = np.unique((random.integers(0, keys, events) << 32) | random.integers(1, LAST, events))
        kind = random.integers(0, 4, points.size)
        program = make_program(plan(holdsfor.parse(RULES)))
        blocks = [block(f"e{i}", points[kind == i]) for i in range(4)]
        world = prepare(program, blocks, Windows(LAST, LAST, 0, LAST))
        hand, own = interleaved(partial(machine, points, kind), partial(evaluate_again, program, world))
        same = "the same" if digest(evaluate_again(program, world)) == sum_up(machine(points, kind)) else "OTHER"
        print(
            f"{points.size:>9,} events, {keys:>7,} keys: by hand {1000 * hand:6.1f} ms, "
            f"from rules {1000 * own:6.1f} ms of CPU, ratio {own / hand:.2f}, {same} intervals"
        )


def block(name: str, points: Any) -> Block:
    import pyarrow as pa

    time = points & 0xFFFFFFFF
    return Block(name, "event", (pa.array(points >> 32),), None, time, None, time)


@njit
def machine(points: Any, kind: Any) -> Any:
    """Follow a, b and c of one key after the other; return where intervals of each begin and end, OPEN if they do not.

    A bit for each of the three. No two events of a key are at one time here, so that nothing ties.
    """
    starts, ends = np.empty((3, points.size), np.int64), np.empty((3, points.size), np.int64)
    count = np.zeros(3, np.int64)
    state, key = 0, np.int64(-1)
    for i in range(points.size):
        if points[i] >> 32 != key:
            key, state = points[i] >> 32, 0
        a, b, c = state & 1, state >> 1 & 1, state >> 2
        begins, stops = 0, 0
        if kind[i] == 0:
            begins = 4 if b else 1
        elif kind[i] == 1:
            stops = 1
        elif kind[i] == 2:
            begins, stops = 2 * a, 0 if b else 4
        else:
            stops = (0 if a else 2) | c
        begins &= ~state
        stops &= state
        if begins | stops:
            after = (points[i] & 0xFFFFFFFF) + 1
            for fluent in range(3):
                if begins >> fluent & 1:
                    starts[fluent, count[fluent]], ends[fluent, count[fluent]] = after, OPEN
                    count[fluent] += 1
                elif stops >> fluent & 1:
                    ends[fluent, count[fluent] - 1] = after
            state = (state | begins) & ~stops
    return starts, ends, count


def sum_up(found: Any) -> list[tuple[int, int, int]]:
    """Return for each fluent how many intervals there are, and the sums of where they begin and end."""
    starts, ends, count = found
    return [(int(n), int(starts[i, :n].sum()), int(ends[i, :n].sum())) for i, n in enumerate(count)]


def digest(world: World) -> list[tuple[int, int, int]]:
    """Return the same of what the rules give."""
    sums = []
    for name in "abc":
        (found,) = (world.intervals_of(relation) for relation in world.relations if relation.name == name)
        is_open = (found.e & world.axis.mask) == world.axis.mask
        ends = np.where(is_open, OPEN, world.axis.time(found.e))
        sums.append((int(found.s.size), int(world.axis.time(found.s).sum()), int(ends.sum())))
    return sums


if __name__ == "__main__":
    main()
