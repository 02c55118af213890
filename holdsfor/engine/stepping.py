"""Stepping through the query times: at each one only what may still change is evaluated, on top of what is settled.

Up to its cut (see `frontier`) a relation is settled: its conclusions are kept as they are, what lies further back than
conditions look is forgotten, and simple fluents go on from what holds at the cut. The law of windows says that the
outcome is that of one pass.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from holdsfor.engine.axis import Ints
from holdsfor.engine.column import Column, Mask, Selection
from holdsfor.engine.evaluate import Program, evaluate
from holdsfor.engine.frontier import Frontier, find_frontier
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
    """What is carried from one query time to the next. settled: what was concluded up to the cut of each relation.

    holding: the keys of simple fluents that hold right after it.
    """

    frontier: Frontier
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
    """A query time: what was known before it (None: nothing yet), and what is known now, with the frontiers of both.

    until: the last query time that it speaks for; those between are passed over, because nothing changes at them.
    """

    query_time: int
    until: int
    before: World | None
    frontier: Frontier  # what had been settled before
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
        views = Views(ready.plan, state, now, scope)
        left_out = evaluate(ready, now, scope.definitions, views.settle, views.of)
        frontier = find_frontier(ready.plan, asked, query_time)
        settled, state = state.frontier, settle(ready.plan, scope, frontier, now, now.running)
        place += 1
        if place + 1 < len(due):
            wake = next_activity(query_time, due[place], now, frontier.lowest, coming, upstream)
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
        asked.start - 1,
        state.holding,
        state.settled_intervals,
        state.running,
    )
    sources = (*ready.plan.sources, *scope.sources)
    for block in join_blocks([*visible_input(asked, state.frontier, query_time, arrived), *given]):
        source = source_of(block, sources)
        if source is not None and len(block):
            add_block(block, encoded(block, source.identities, world.dictionary), source, fresh)
    return fresh


def visible_input(windows: Windows, frontier: Frontier, query_time: int, arrived: Iterable[Arrived]) -> Iterator[Block]:
    """The input that is there at a query time and may still be looked at."""
    for item in arrived:
        mask = (item.seen <= query_time) & (item.block.start <= min(query_time, windows.end))
        mask &= remembered(item.block, frontier.horizon_of_input(item.block))
        yield standing(take(item.block, mask), windows)


def remembered(block: Block, horizon: int) -> Mask:
    """Which rows are not wholly before the horizon."""
    last = block.start if block.end is None else block.end - 1
    return np.greater(last, horizon)


class Views:
    """What each definition sees, and what becomes of its conclusions.

    Where something unbounded keeps a relation for ever, the bounded definitions see only the recent part of it: what
    they cost must not grow with the stream.
    """

    def __init__(self, plan: Plan, state: State, world: World, scope: Scope) -> None:
        self.plan, self.state, self.world, self.scope = plan, state, world, scope
        self.recent = world
        if not state.frontier.unbounded.isdisjoint(scope.relations(plan)):
            self.recent = replace(world, points={}, intervals={}, shared={})
            for relation in (*world.points, *world.intervals):
                self._show_recent(relation)

    def of(self, number: int) -> World:
        relation = defines(self.plan.definitions[number])[0]
        seen = self.world if relation in self.state.frontier.unbounded else self.recent
        return replace(seen, after=self.state.frontier.cut(relation))

    def settle(self, relation: Relation, seen: World) -> None:
        """Puts what is settled in front of what has just been concluded."""
        self.scope.restrict(relation, seen)
        if relation.kind == "event":
            settled = self.state.settled_points.get(relation)
            points = seen.points[relation]
            self.world.points[relation] = points if settled is None else _joined(settled, points)
        else:
            self.world.intervals[relation] = self._spliced(relation, seen.intervals[relation])
        if self.recent is not self.world:
            self._show_recent(relation)

    def _spliced(self, relation: Relation, concluded: Intervals) -> Intervals:
        boundary = self.state.frontier.cut(relation) + 1 - concluded.axis.origin
        s, e = _from(concluded, boundary)
        known = self.state.settled_intervals.get(relation)
        if known is not None:
            s, e = union2(known.s, known.e, s, e)
        return Intervals(concluded.axis, concluded.dictionary, concluded.arity, s, e)

    def _show_recent(self, relation: Relation) -> None:
        edge = self.state.frontier.recent - self.world.axis.origin
        if relation.kind == "event":
            points = self.world.points[relation]
            self.recent.points[relation] = points.select(Selection(points.packed & points.axis.mask > edge))
        else:
            self.recent.intervals[relation] = _lasting_beyond(self.world.intervals[relation], edge)


def settle(
    plan: Plan,
    scope: Scope,
    frontier: Frontier,
    world: World,
    running: Mapping[Due, Running],
    forgets: bool | None = None,
) -> State:
    """The state at a frontier, out of what is known. forgets: what was over at its horizon; None: as the scope says."""
    forgets = scope.forgets if forgets is None else forgets
    origin = world.axis.origin
    settled = [relation for relation in scope.relations(plan) if frontier.is_settled(relation)]
    edges = {r: frontier.horizon(r) - origin if forgets else None for r in settled}
    boundaries = {r: frontier.cut(r) + 1 - origin for r in settled}
    within = [plan.definitions[number] for number in scope.definitions]
    simple = {r for d in within for fluent in (*simple_of(d), *_proved(d)) for r in fluent.relations}
    return State(
        frontier,
        {r: _until(world.intervals[r], boundaries[r], edges[r]) for r in settled if r.kind != "event"},
        {r: _points_until(world.points[r], boundaries[r], edges[r]) for r in settled if r.kind == "event"},
        {r: _holding(world.intervals[r], boundaries[r]) for r in simple if r in boundaries},
        {
            due: still_running(d, frontier.cut(due.source) - origin)
            for due, d in running.items()
            if due.source in boundaries
        },
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


def _lasting_beyond(found: Intervals, edge: int) -> Intervals:
    chosen = (found.e & found.axis.mask) > edge
    return Intervals(found.axis, found.dictionary, found.arity, found.s[chosen], found.e[chosen])


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
