"""Stepping through the query times: at each one only what may still change is evaluated, on top of what is settled.

Up to its cut (see `frontier`) a relation is settled: its conclusions are kept as they are, what lies further back than
conditions look is forgotten, and simple fluents go on from what holds at the cut. The law of windows says that the
outcome is that of one pass.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from holdsfor.engine.data.axis import Ints
from holdsfor.engine.data.world import World
from holdsfor.engine.definitions.evaluate import Program, evaluate
from holdsfor.engine.input.arrived import Arrived, visible_input
from holdsfor.engine.input.inputs import add_block, count_equal, encoded, source_of
from holdsfor.engine.input.window import NEVER, Windows
from holdsfor.engine.stepping.frontier import Frontier, find_frontier
from holdsfor.engine.stepping.settling import Scope, State, Views, settle
from holdsfor.engine.stepping.upstream_changes import Words
from holdsfor.io.events import Block
from holdsfor.io.join import join_blocks


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


def moments(
    program: Program,
    windows: Windows,
    scope: Scope,
    due: Sequence[int],
    arrived: Sequence[Arrived],
    words: Words,
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
        now = _begin(program, windows, scope, query_time, arrived, words.at(query_time), state, world)
        equal = count_equal(now, scope.counted or ())
        if equal and fired is not None:
            there_before = now.frame.at(now.now)
            add_input(program, scope, visible_input(arrived, state.frontier, fired), there_before)
            equal -= count_equal(there_before, scope.counted or ())
        views = Views(program.plan, state, now, scope)
        left_out = evaluate(program, now, scope.definitions, views.settle, views.of)
        frontier = find_frontier(program.plan, windows, query_time)
        settled, state = state.frontier, settle(program.plan, scope, frontier, now, now.running)
        place = next_place(due, place, arrived, words, partial(next_known_time, now, frontier.quiet, query_time))
        yield QueryMoment(query_time, before, settled, now, state, left_out, equal=equal)
        before, fired = now, query_time


def next_place(
    due: Sequence[int],
    place: int,
    arrived: Iterable[Arrived],
    words: Words,
    find_known_time: Callable[[], int | None],
) -> int:
    """The place of the next query time that is due at which something may change; the last one is never passed over.

    Something may when a row or an earlier stage's word comes in, a row begins, or a known time is reached.
    find_known_time: gives the first known time to come; None: the next query time may change something.
    """
    query_time, following = due[place], place + 1
    if following + 1 >= len(due):
        return following
    wake = min([words.next_change(query_time), *(item.next_begin(query_time) for item in arrived)])
    if wake <= due[following]:
        return following
    known_time = find_known_time()
    if known_time is None:
        return following
    return max(following, min(bisect_left(due, min(wake, known_time)), len(due) - 1))


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
    add_input(program, scope, [*visible_input(arrived, state.frontier, query_time), *earlier], fresh)
    return fresh


def add_input(program: Program, scope: Scope, blocks: Iterable[Block], world: World) -> None:
    """Puts the rows that some rule reads into the world."""
    sources = (*program.plan.sources, *scope.sources)
    for block in join_blocks(blocks):
        source = source_of(block, sources)
        if source is not None and len(block):
            add_block(block, encoded(block, source.identities, world.dictionary), source, world)


def next_known_time(world: World, horizon: int, query_time: int) -> int | None:
    """The first time after the query time that the world knows of: an edge, an occurrence or a deadline.

    None if one lies between the horizon and the query time: conditions, reports and settling may still look at it, and
    what they say may change with every query time. What was over before the horizon never changes anything again.
    """
    origin = world.axis.origin
    wake = NEVER
    for times in _known_times(world):
        later = times > query_time - origin
        if np.any((times > horizon - origin) & ~later):
            return None
        wake = min(wake, int(times[later].min(initial=NEVER)))
    return NEVER if wake == NEVER else wake + origin


def _known_times(world: World) -> Iterator[Ints]:
    """All times of a world but the ends of what goes on, relative to the origin of the axis."""
    for relation in world.relations.values():
        yield from relation.known_times()
    for running in world.running.values():
        yield running.due[running.dropped > running.due]
