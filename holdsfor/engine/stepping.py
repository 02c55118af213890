"""Stepping through the query times: at each one only what may still change is evaluated, on top of what is settled.

After query time Q no input at or before Q + step - window can change, so conclusions up to `cut` (that, less how far
conditions look ahead) are settled: they are kept as they are, input further back than conditions look is forgotten, and
simple fluents go on from what holds at the cut. The law of windows says that the outcome is that of one pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from holdsfor.engine.axis import Ints
from holdsfor.engine.changes import changes_table
from holdsfor.engine.column import Column, Selection
from holdsfor.engine.evaluate import Program, evaluate
from holdsfor.engine.inputs import add_block, encoded, source_of
from holdsfor.engine.relation import Intervals, Points
from holdsfor.engine.result import CHANGES_SCHEMA
from holdsfor.engine.window import Windows, standing, take
from holdsfor.engine.world import Running, World
from holdsfor.io.events import Block
from holdsfor.kernels import union2
from holdsfor.plan.operators import Definition, Due, Plan, Relation, Simple, Static
from holdsfor.plan.walk import defines, simple_of


@dataclass(frozen=True, slots=True)
class State:
    """What is carried from one query time to the next. cut: conclusions up to it are settled.

    settled: what was concluded up to the cut. holding: the keys of simple fluents that hold right after it.
    """

    cut: int
    settled_intervals: dict[Relation, Intervals] = field(default_factory=dict)
    settled_points: dict[Relation, Points] = field(default_factory=dict)
    holding: dict[Relation, Ints] = field(default_factory=dict)
    running: dict[Due, Running] = field(default_factory=dict)  # deadlines that are not yet due


@dataclass(frozen=True, slots=True)
class Arrived:
    """Rows of one input that count, with the query time at which each is first there."""

    block: Block
    seen: Ints


def step_through(
    ready: Program, arrived: Sequence[Arrived], asked: Windows, world: World
) -> tuple[World, pa.Table, int]:
    """The world at the last query time with the whole history in it, the log of changes, and what domains left out."""
    state = State(asked.start - 1)
    log = [CHANGES_SCHEMA.empty_table()]
    before: World | None = None
    left_out = 0
    for query_time in asked.query_times():
        now = step(ready, arrived, asked, state, query_time, world)
        left_out = max(left_out, evaluate(ready, now, None, _Settler(state, now)))
        log.append(changes_table(query_time, ready.plan, before, now))
        state, before = settle(ready.plan, asked, state, query_time, now), now
    assert before is not None
    return before, pa.concat_tables(log), left_out


def step(
    ready: Program, arrived: Iterable[Arrived], asked: Windows, state: State, query_time: int, world: World
) -> World:
    """The world at a query time, before evaluation: the input that is there and not forgotten, and the state."""
    now = min(query_time, asked.end)
    back = ready.plan.reach.back
    forgotten = asked.start - 1 if back is None else state.cut - back - _joining(ready.plan, asked)
    fresh = World(
        world.axis,
        world.dictionary,
        world.facts,
        asked.start,
        now,
        state.cut,
        state.holding,
        state.settled_intervals,
        state.running,
    )
    for item in arrived:
        last = item.block.start if item.block.end is None else item.block.end - 1
        there = (item.seen <= query_time) & (item.block.start <= now) & (last > forgotten)
        block = standing(take(item.block, there))
        source = source_of(block, ready.plan.sources)
        if source is not None and len(block):
            add_block(block, encoded(block, source.identities, world.dictionary), source, fresh)
    return fresh


@dataclass(frozen=True, slots=True)
class _Settler:
    """Puts what is settled in front of what has just been evaluated."""

    state: State
    world: World

    def __call__(self, relation: Relation) -> None:
        boundary = self.state.cut + 1 - self.world.axis.origin
        if relation.kind == "event":
            settled = self.state.settled_points.get(relation)
            if settled is not None:
                self.world.points[relation] = _joined(settled, self.world.points[relation])
            return
        known = self.state.settled_intervals.get(relation)
        found = self.world.intervals[relation]
        s, e = _from(found, boundary)
        if known is not None:
            s, e = union2(known.s, known.e, s, e)
        self.world.intervals[relation] = Intervals(found.axis, found.dictionary, found.arity, s, e)


def settle(plan: Plan, asked: Windows, state: State, query_time: int, world: World) -> State:
    """The state after a query time."""
    ahead = plan.reach.ahead
    if ahead is None or plan.reach.back is None:
        return state
    ahead += plan.reach.ticks * asked.tick + _joining(plan, asked)
    raw = min(query_time, query_time + asked.step - asked.window) - ahead
    cut = (raw + 1) // asked.tick * asked.tick - 1
    if cut <= state.cut:
        return state
    axis = world.axis
    boundary = cut + 1 - axis.origin
    intervals = {relation: _until(found, boundary) for relation, found in world.intervals.items()}
    points = {relation: _points_until(found, boundary) for relation, found in world.points.items()}
    defined = {relation for definition in plan.definitions for relation in defines(definition)}
    simple = {r for d in plan.definitions for fluent in (*simple_of(d), *_proved(d)) for r in fluent.relations}
    return State(
        cut,
        {relation: found for relation, found in intervals.items() if relation in defined},
        {relation: found for relation, found in points.items() if relation in defined},
        {relation: _holding(world.intervals[relation], boundary) for relation in simple},
        {due: _still_running(found, boundary - 1) for due, found in world.running.items()},
    )


def _proved(definition: Definition) -> tuple[Simple, ...]:
    """The rules of a fluent that are evaluated in place of its patterns if the history begins between two ticks."""
    return (definition.proved,) if isinstance(definition, Static) and definition.proved else ()


def _still_running(found: Running, cut: int) -> Running:
    """The deadlines that were set by then, neither due nor dropped yet."""
    kept = (found.made <= cut) & (found.due > cut) & (found.dropped > cut)
    return Running(found.keys[kept], found.made[kept], found.due[kept], found.dropped[kept])


def _joining(plan: Plan, asked: Windows) -> int:
    """Point-wise input is joined over gaps of a tick, which is so much to look ahead and back for."""
    return asked.tick if any(source.input.kind != "event" for source in plan.sources) else 0


def _until(found: Intervals, boundary: int) -> Intervals:
    """The part before the boundary."""
    axis = found.axis
    begun = (found.s & axis.mask) < boundary
    s, e = found.s[begun], found.e[begun]
    e = np.where((e & axis.mask) > boundary, (e & ~axis.mask) | boundary, e)
    return Intervals(axis, found.dictionary, found.arity, s, e)


def _from(found: Intervals, boundary: int) -> tuple[Ints, Ints]:
    """The part from the boundary on."""
    axis = found.axis
    lasting = (found.e & axis.mask) > boundary
    s, e = found.s[lasting], found.e[lasting]
    return np.where((s & axis.mask) < boundary, (s & ~axis.mask) | boundary, s), e


def _holding(found: Intervals, boundary: int) -> Ints:
    axis = found.axis
    there = ((found.s & axis.mask) <= boundary) & ((found.e & axis.mask) > boundary)
    return found.keys()[there]


def _points_until(points: Points, boundary: int) -> Points:
    return points.select(Selection((points.packed & points.axis.mask) < boundary))


def _joined(one: Points, other: Points) -> Points:
    """The occurrences of both, sorted again."""
    packed = np.concatenate([one.packed, other.packed])
    order = np.argsort(packed, kind="stable")
    chosen = Selection(index=order)
    columns = {
        p: Column(one.dictionary, np.concatenate([one.column(p).codes(), other.column(p).codes()])).select(chosen)
        for p in range(one.arity)
    }
    return Points(one.axis, one.dictionary, one.arity, one.key, packed[order], columns)
