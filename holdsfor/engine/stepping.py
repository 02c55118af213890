"""Stepping through the query times: at each one only what may still change is evaluated, on top of what is settled.

After query time Q no input at or before Q + step - window can change, so conclusions up to `cut` (that, less how far
conditions look ahead) are settled: they are kept as they are, input further back than conditions look is forgotten, and
simple fluents go on from what holds at the cut. The law of windows says that the outcome is that of one pass.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from holdsfor.engine.axis import Ints
from holdsfor.engine.column import Column, Mask, Selection
from holdsfor.engine.evaluate import Program, evaluate
from holdsfor.engine.inputs import add_block, encoded, source_of
from holdsfor.engine.quiet import next_known_time
from holdsfor.engine.relation import Intervals, Points
from holdsfor.engine.window import NEVER, Windows, standing, take
from holdsfor.engine.world import Running, World
from holdsfor.io.events import Block
from holdsfor.io.join import join_blocks
from holdsfor.kernels import union2
from holdsfor.plan.operators import Definition, Due, Plan, Relation, Simple, Source, Static
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
class Scope:
    """What is evaluated: the whole plan, or one stage of it on one bucket.

    sources: what comes from earlier stages. restrict: drops what a bucket concludes about the entities of others.
    forgets: whether results go as soon as no condition looks at them any more, or stay for the whole history.
    """

    definitions: tuple[int, ...]
    sources: tuple[Source, ...] = ()
    restrict: Callable[[Relation, World], None] = lambda relation, world: None
    forgets: bool = False

    def relations(self, plan: Plan) -> tuple[Relation, ...]:
        return tuple(relation for number in self.definitions for relation in defines(plan.definitions[number]))


def everything(plan: Plan) -> Scope:
    return Scope(tuple(range(len(plan.definitions))))


@dataclass(frozen=True, slots=True)
class Arrived:
    """Rows of one input that count, with the query time at which each is first there."""

    block: Block
    seen: Ints


@dataclass(frozen=True, slots=True)
class Moment:
    """A query time: what was known before it (None: nothing yet), and what is known now, with the cuts of both.

    until: the last query time that it speaks for; those between are passed over, because nothing changes at them.
    """

    query_time: int
    until: int
    before: World | None
    settled: int  # what was concluded up to here had been settled before
    now: World
    state: State
    left_out: int  # groundings outside declared domains


class Upstream(Protocol):
    """What earlier stages have concluded."""

    def at(self, query_time: int) -> Iterable[Block]: ...

    def next_change(self, query_time: int) -> int | None:
        """The first later query time for which an earlier stage speaks anew."""


class NoUpstream:
    """All is evaluated in one place: there is no earlier stage."""

    def at(self, query_time: int) -> Iterable[Block]:
        return ()

    def next_change(self, query_time: int) -> int | None:
        return None


def moments(
    ready: Program,
    asked: Windows,
    scope: Scope,
    due: Sequence[int],
    arrived: Sequence[Arrived],
    upstream: Upstream,
    state: State,
    before: World | None,
    world: World,
    sent_on: Sequence[Arrived] = (),
) -> Iterator[Moment]:
    """The query times that are due, one after the other. world: gives axis, dictionary and facts.

    A stretch of query times at which nothing can change is passed over; the last one that is due never is.
    sent_on: rows that are not evaluated here, but that later stages must hear of in time.
    """
    coming = [*arrived, *sent_on]
    place = 0
    while place < len(due):
        query_time = due[place]
        now = _begin(ready, asked, scope, query_time, arrived, upstream.at(query_time), state, world)
        left_out = evaluate(ready, now, scope.definitions, _Settler(state, now, scope))
        settled, state = state.cut, settle(ready.plan, asked, scope, state, query_time, now)
        place += 1
        if place + 1 < len(due):
            wake = next_activity(query_time, due[place], now, forgotten(ready.plan, asked, state.cut), coming, upstream)
            place = max(place, min(bisect_left(due, wake), len(due) - 1))
        yield Moment(query_time, due[place - 1], before, settled, now, state, left_out)
        before = now


def next_activity(
    query_time: int, following: int, now: World, horizon: int, arrived: Sequence[Arrived], upstream: Upstream
) -> int:
    """When something may change after a query time: a row or an earlier stage's word comes in, or a time is reached.

    following: the next query time, which is the answer as long as something known lies within reach of conditions.
    """
    comes = [int(item.seen[item.seen > query_time].min(initial=NEVER)) for item in arrived]
    spoken = upstream.next_change(query_time)
    wake = min([*comes, NEVER if spoken is None else spoken])
    if wake <= following:
        return following
    ahead = [int(item.block.start[item.block.start > query_time].min(initial=NEVER)) for item in arrived]
    known = next_known_time(now, horizon, query_time)
    return following if known is None else min([wake, known, *ahead])


def _begin(
    ready: Program,
    asked: Windows,
    scope: Scope,
    query_time: int,
    arrived: Iterable[Arrived],
    given: Iterable[Block],
    state: State,
    world: World,
) -> World:
    """The world at a query time, before evaluation: the input that is there and not forgotten, and the state."""
    fresh = World(
        world.axis,
        world.dictionary,
        world.facts,
        asked.start,
        min(query_time, asked.end),
        state.cut,
        state.holding,
        state.settled_intervals,
        state.running,
    )
    sources = (*ready.plan.sources, *scope.sources)
    for block in join_blocks([*there(ready.plan, asked, state.cut, query_time, arrived), *given]):
        source = source_of(block, sources)
        if source is not None and len(block):
            add_block(block, encoded(block, source.identities, world.dictionary), source, fresh)
    return fresh


def there(plan: Plan, asked: Windows, cut: int, query_time: int, arrived: Iterable[Arrived]) -> Iterator[Block]:
    """The input that is there at a query time and may still be looked at."""
    horizon = forgotten(plan, asked, cut)
    for item in arrived:
        mask = (item.seen <= query_time) & (item.block.start <= min(query_time, asked.end))
        yield standing(take(item.block, mask & remembered(item.block, horizon)), asked)


def remembered(block: Block, horizon: int) -> Mask:
    """Which rows are not wholly before the horizon."""
    last = block.start if block.end is None else block.end - 1
    return np.greater(last, horizon)


def forgotten(plan: Plan, asked: Windows, cut: int) -> int:
    """No condition looks at this point or further back any more."""
    back = plan.reach.back
    return asked.start - 1 if back is None else cut - back - joining(plan, asked)


def joining(plan: Plan, asked: Windows) -> int:
    """Point-wise input is joined over gaps of a tick, which is so much to look ahead and back for."""
    return asked.tick if any(source.input.kind != "event" for source in plan.sources) else 0


@dataclass(frozen=True, slots=True)
class _Settler:
    """Puts what is settled in front of what has just been evaluated."""

    state: State
    world: World
    scope: Scope

    def __call__(self, relation: Relation) -> None:
        self.scope.restrict(relation, self.world)
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


def settle(plan: Plan, asked: Windows, scope: Scope, state: State, query_time: int, world: World) -> State:
    """The state after a query time."""
    ahead = plan.reach.ahead
    if ahead is None or plan.reach.back is None:
        return state
    ahead += plan.reach.ticks * asked.tick + joining(plan, asked)
    raw = min(query_time, query_time + asked.step - asked.window) - ahead
    cut = (raw + 1) // asked.tick * asked.tick - 1
    if cut <= state.cut:
        return state
    horizon = forgotten(plan, asked, cut) if scope.forgets else None
    return settled_at(cut, plan, scope, world, world.running, horizon)


def settled_at(
    cut: int, plan: Plan, scope: Scope, world: World, running: dict[Due, Running], horizon: int | None
) -> State:
    """The state at a cut, out of what is known; what was over at the horizon is forgotten."""
    boundary = cut + 1 - world.axis.origin
    edge = None if horizon is None else horizon - world.axis.origin
    relations = scope.relations(plan)
    within = [plan.definitions[number] for number in scope.definitions]
    simple = {r for d in within for fluent in (*simple_of(d), *_proved(d)) for r in fluent.relations}
    return State(
        cut,
        {r: _until(world.intervals[r], boundary, edge) for r in relations if r.kind != "event"},
        {r: _points_until(world.points[r], boundary, edge) for r in relations if r.kind == "event"},
        {r: _holding(world.intervals[r], boundary) for r in simple},
        {due: still_running(found, boundary - 1) for due, found in running.items()},
    )


def _proved(definition: Definition) -> tuple[Simple, ...]:
    """The rules of a fluent that are evaluated in place of its patterns if the history begins between two ticks."""
    return (definition.proved,) if isinstance(definition, Static) and definition.proved else ()


def still_running(found: Running, cut: int) -> Running:
    """The deadlines that were set by then, neither due nor dropped yet."""
    kept = (found.made <= cut) & (found.due > cut) & (found.dropped > cut)
    return Running(found.keys[kept], found.made[kept], found.due[kept], found.dropped[kept])


def _until(found: Intervals, boundary: int, edge: int | None) -> Intervals:
    """The part before the boundary, without what was over at the edge."""
    axis = found.axis
    chosen = (found.s & axis.mask) < boundary
    if edge is not None:
        chosen &= (found.e & axis.mask) > edge
    s, e = found.s[chosen], found.e[chosen]
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
    holds = ((found.s & axis.mask) <= boundary) & ((found.e & axis.mask) > boundary)
    return found.keys()[holds]


def _points_until(points: Points, boundary: int, edge: int | None) -> Points:
    time = points.packed & points.axis.mask
    return points.select(Selection((time < boundary) if edge is None else (time < boundary) & (time > edge)))


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
