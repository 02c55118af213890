"""Stepping through the query times: at each one only what may still change is evaluated, on top of what is settled.

Up to its cut (see `frontier`) a relation is settled: its conclusions are kept as they are, what lies further back than
conditions look is forgotten, and simple fluents go on from what holds at the cut. The law of windows says that the
outcome is that of one pass.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from holdsfor.engine.data.axis import Ints
from holdsfor.engine.data.column import Mask
from holdsfor.engine.data.world import World
from holdsfor.engine.definitions.evaluate import Program, evaluate
from holdsfor.engine.input.inputs import add_block, count_equal, encoded, source_of
from holdsfor.engine.input.window import NEVER, Windows, standing
from holdsfor.engine.stepping.frontier import Frontier, find_frontier
from holdsfor.engine.stepping.quiet import next_known_time
from holdsfor.engine.stepping.settling import Scope, State, Views, settle
from holdsfor.io.events import Block
from holdsfor.io.join import join_blocks


@dataclass(frozen=True, slots=True)
class Arrived:
    """Rows of one input that count, with the query time at which each is first there."""

    block: Block
    seen: Ints


@dataclass(frozen=True, slots=True)
class QueryMoment:
    """A query time: what was known before it (None: nothing yet), and what is known now, with the frontiers of both.

    work: how much was looked at to find what changes; None if all that is not settled was evaluated. Otherwise `before`
    and `now` have only what differs, and `whole` gives all that is known. equal: new rows that are equal to another.
    """

    query_time: int
    before: World | None
    frontier: Frontier  # what had been settled before
    now: World
    state: State
    left_out: int  # groundings outside declared domains
    work: Mapping[str, int] | None = None
    whole: Callable[[], World] | None = None
    equal: int = 0

    def world(self) -> World:
        """All that is known."""
        return self.now if self.whole is None else self.whole()


class Upstream(Protocol):
    """The conclusions of earlier stages."""

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
    program: Program,
    windows: Windows,
    scope: Scope,
    due: Sequence[int],
    arrived: Sequence[Arrived],
    upstream: Upstream,
    state: State,
    before: World | None,
    world: World,
    fired: int | None = None,
) -> Iterator[QueryMoment]:
    """The query times that are due, one after the other. world: gives axis, dictionary and facts.

    A stretch of query times at which nothing can change is passed over; the last one that is due never is.
    fired: the last query time before these.
    """
    place = 0
    while place < len(due):
        query_time = due[place]
        now = _begin(program, windows, scope, query_time, arrived, upstream.at(query_time), state, world)
        equal = count_equal(now, scope.counted or ())
        if equal and fired is not None:
            there_before = now.frame.at(now.now)
            add_input(program, scope, visible_input(windows, state.frontier, fired, arrived), there_before)
            equal -= count_equal(there_before, scope.counted or ())
        views = Views(program.plan, state, now, scope)
        left_out = evaluate(program, now, scope.definitions, views.settle, views.of)
        frontier = find_frontier(program.plan, windows, query_time)
        settled, state = state.frontier, settle(program.plan, scope, frontier, now, now.running)
        place += 1
        if place + 1 < len(due):
            wake = next_activity(query_time, due[place], now, frontier.quiet, arrived, upstream)
            place = max(place, min(bisect_left(due, wake), len(due) - 1))
        yield QueryMoment(query_time, before, settled, now, state, left_out, equal=equal)
        before, fired = now, query_time


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
    program: Program,
    windows: Windows,
    scope: Scope,
    query_time: int,
    arrived: Iterable[Arrived],
    earlier: Iterable[Block],
    state: State,
    world: World,
) -> World:
    """The world at a query time, before evaluation: the input that is there and not forgotten, and the state."""
    fresh = world.frame.at(min(query_time, windows.end))
    add_input(program, scope, [*visible_input(windows, state.frontier, query_time, arrived), *earlier], fresh)
    return fresh


def add_input(program: Program, scope: Scope, blocks: Iterable[Block], world: World) -> None:
    """Puts the rows that some rule reads into the world."""
    sources = (*program.plan.sources, *scope.sources)
    for block in join_blocks(blocks):
        source = source_of(block, sources)
        if source is not None and len(block):
            add_block(block, encoded(block, source.identities, world.dictionary), source, world)


def visible_input(windows: Windows, frontier: Frontier, query_time: int, arrived: Iterable[Arrived]) -> Iterator[Block]:
    """The input that is there at a query time and may still be looked at."""
    for item in arrived:
        mask = (item.seen <= query_time) & (item.block.start <= min(query_time, windows.end))
        mask &= remembered(item.block, frontier.horizon_of_input(item.block))
        yield standing(item.block.filter(mask), windows)


def remembered(block: Block, horizon: int) -> Mask:
    """Mark the rows that are not wholly before the horizon."""
    return np.greater(last_times(block), horizon)


def last_times(block: Block) -> Ints:
    """When each row is over."""
    return block.start if block.end is None else block.end - 1
