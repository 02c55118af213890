"""An evaluation that goes on from call to call: its state stays in memory, on one axis, as long as that has room."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from holdsfor.engine.axis import AxisFull
from holdsfor.engine.carried import NOTHING_YET, Carried, Opened, carried_after, opened, world_after
from holdsfor.engine.dictionary import DictionaryFull, with_room
from holdsfor.engine.evaluate import Program
from holdsfor.engine.frontier import Frontier, find_frontier
from holdsfor.engine.inputs import first_begin, span
from holdsfor.engine.settling import Scope
from holdsfor.engine.stepping import Arrived, Moment, NoUpstream, Upstream, moments, remembered
from holdsfor.engine.window import Windows
from holdsfor.engine.world import World
from holdsfor.io.events import Block
from holdsfor.io.join import join_blocks

Told = TypeVar("Told")
Reached = TypeVar("Reached")
NO_UPSTREAM = NoUpstream()

#: A new axis has room for so many more windows, so that most calls find one that they can use.
WINDOWS_AHEAD = 8
#: Each batch of rows may bring terms in arrays of its own. After so many the dictionary begins anew.
MOST_ARRAYS = 400
#: Rows that nothing looks at any more are dropped when they are one in so many.
DROPPED_SHARE = 4


@dataclass(slots=True)
class Ongoing:
    """A program on a stream. fired: the last query time; carried: what a saved session starts from.

    Rows that have not arrived by the last query time wait: the axis does not reach for them.
    windows_ahead: for how many windows to come a new axis has room; 0 where nothing is called twice.
    """

    program: Program
    windows: Windows
    scope: Scope
    carried: Carried = NOTHING_YET
    waiting: tuple[Block, ...] = ()
    windows_ahead: int = WINDOWS_AHEAD
    _inputs: tuple[Block, ...] = ()
    _last: Moment | None = None

    def __post_init__(self) -> None:
        self._inputs = self.carried.inputs

    @property
    def fired(self) -> int | None:
        return self.carried.fired if self._last is None else self._last.query_time

    @property
    def inputs(self) -> tuple[Block, ...]:
        """All rows, those that wait too: a retraction must be with what it takes back."""
        return join_blocks([*self._inputs, *self.waiting])

    @property
    def frontier(self) -> Frontier:
        """What is settled, and how far back is still looked."""
        if self._last is None:
            return find_frontier(self.program.plan, self.windows, self.carried.fired)
        return self._last.state.frontier

    def last_world(self) -> World | None:
        """What is known at the last query time; None if there was none yet."""
        if self._last is not None:
            return self._last.now
        if self.carried.fired is None:
            return None
        return with_room(lambda room: world_after(self.carried, self.program, self.windows, self.scope, room))

    def add(self, blocks: Sequence[Block]) -> None:
        """Rows that count, whenever they have arrived."""
        self.waiting = join_blocks([*self.waiting, *(block for block in blocks if len(block))])

    def advance(
        self,
        due: range,
        tell: Callable[[Moment], Told],
        upstream: Upstream = NO_UPSTREAM,
        sent_on: Sequence[Arrived] = (),
    ) -> list[Told]:
        """What there is to tell of each query time. If one of them fails, it is as if none had been tried.

        tell: may be called from the first one on again, if terms or times turn out to need more room.
        upstream, sent_on: see `moments`.
        """
        waiting = [(block, self.windows.first_seen(block.arrival) <= due[-1]) for block in self.waiting]
        inputs = join_blocks([*self._inputs, *(block.filter(here) for block, here in waiting if here.any())])
        arrived = [Arrived(block, self.windows.first_seen(block.arrival)) for block in inputs]

        def step_through(start: Opened) -> tuple[Moment, list[Told]]:
            moment, told = None, []
            steps = (due, arrived, upstream, start.state, start.before, start.world, sent_on)
            for moment in moments(self.program, self.windows, self.scope, *steps):
                told.append(tell(moment))
            assert moment is not None, "there is a query time"
            return moment, told

        last, told = self._reach(inputs, tuple(upstream.blocks()), due[-1], step_through)
        self._last = replace(last, before=None, now=replace(last.now, shared={}))
        self.waiting = tuple(block.filter(~here) for block, here in waiting if not here.all())
        self._inputs = _without_forgotten(inputs, last)
        return told

    def _reach(
        self, inputs: tuple[Block, ...], more: tuple[Block, ...], until: int, step_through: Callable[[Opened], Reached]
    ) -> Reached:
        """Steps through the query times up to `until`: on the axis that is there, or on a new one."""
        if self._last is not None and self._has_room(self._last, (*inputs, *more), until):
            kept = Opened(self._last.state, self._last.now, self._last.now)
            try:
                return step_through(kept)
            except (AxisFull, DictionaryFull):
                pass  # with the terms that are still in use there may be room
        start = replace(self.save(), inputs=inputs)

        def step_with_room(until: int) -> Reached:
            return with_room(lambda room: step_through(self._open(start, more, until, room)))

        try:
            return step_with_room(until + self.windows_ahead * self.windows.window)
        except AxisFull:
            if not self.windows_ahead:
                raise
            return step_with_room(until)  # it must just do for this call

    def _open(self, start: Carried, more: tuple[Block, ...], until: int, room: int) -> Opened:
        return opened(start, self.program, self.windows, self.scope, more, until, room)

    def _has_room(self, last: Moment, blocks: tuple[Block, ...], until: int) -> bool:
        axis = last.now.axis
        low, high = span(blocks, last.state.frontier.lowest, min(until, self.windows.end))
        low = first_begin(blocks, max(low, last.state.frontier.nothing))
        return axis.covers(low, high) and last.now.dictionary.arrays < MOST_ARRAYS

    def save(self) -> Carried:
        """What another evaluation can go on from, without the rows that wait."""
        if self._last is None:
            return self.carried
        return carried_after(self._last, self.program, self.scope, self._inputs)


def _without_forgotten(inputs: tuple[Block, ...], last: Moment) -> tuple[Block, ...]:
    """Without rows that nothing looks at any more, where these are many: they do no harm, and copying takes long."""
    kept = []
    for block in inputs:
        mask = remembered(block, last.state.frontier.horizon_of_input(block))
        dropped = len(block) - int(np.count_nonzero(mask))
        kept.append(block.filter(mask) if dropped * DROPPED_SHARE >= len(block) else block)
    return tuple(block for block in kept if len(block))
