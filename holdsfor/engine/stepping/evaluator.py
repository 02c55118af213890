"""An evaluation that goes on from call to call: its state stays in memory, on one axis, as long as that has room."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np

from holdsfor.engine.data.axis import AxisFull
from holdsfor.engine.data.dictionary import DictionaryFull, with_room
from holdsfor.engine.data.memo import Memo
from holdsfor.engine.data.world import World
from holdsfor.engine.definitions.evaluate import Program
from holdsfor.engine.incremental.known import KnownWorld, know
from holdsfor.engine.incremental.stepping import changing_moments, count_light
from holdsfor.engine.incremental.units import SessionSetting, make_setting
from holdsfor.engine.input.arrived import Arrived
from holdsfor.engine.input.inputs import first_begin, span
from holdsfor.engine.input.kept_input import KeptInput, keep_input, rows_after, without_forgotten
from holdsfor.engine.input.window import Windows
from holdsfor.engine.stepping.carried import (
    NOTHING_YET,
    Carried,
    Opened,
    carried_from,
    on_used_terms,
    opened,
    world_after,
)
from holdsfor.engine.stepping.frontier import Frontier, find_frontier
from holdsfor.engine.stepping.query_times import QueryMoment, moments
from holdsfor.engine.stepping.settling import Scope, settle
from holdsfor.engine.stepping.upstream_changes import NO_WORDS, Words
from holdsfor.engine.tuning import Tuning
from holdsfor.io.events import OPEN, Block
from holdsfor.io.join import join_blocks

Answer = TypeVar("Answer")
Reached = TypeVar("Reached")
Blocks = tuple[Block, ...]
NOTHING_KEPT = KeptInput()


@dataclass
class Ongoing:
    """A program on a stream. fired: the last query time; carried: what a saved session starts from.

    Rows that have not arrived by the last query time wait: the axis does not reach for them.
    lasts: whether there is more than one call, so that a new axis has room for windows to come.
    is_incremental: whether a query time looks only at what changes; if not, at all that is not settled.
    """

    program: Program
    windows: Windows
    scope: Scope
    carried: Carried = NOTHING_YET
    waiting: tuple[Block, ...] = ()
    lasts: bool = True
    is_incremental: bool = False
    _inputs: KeptInput = NOTHING_KEPT
    _last: QueryMoment | None = None
    _known: KnownWorld | None = None
    _ahead: tuple[Block, ...] = ()  # rows of the input that have arrived and begin only later
    words: Words = NO_WORDS

    def __post_init__(self) -> None:
        tuning = self.program.tuning
        fired = self.windows.start if self.carried.fired is None else self.carried.fired
        seen, unseen = divide_by_sight(self.carried.inputs, self.windows, fired)
        self._inputs, self.waiting = keep_input(join_blocks(seen)), (*unseen, *self.waiting)
        self.words = Words(self.carried.words, left=sum(map(len, self.carried.words)), tuning=tuning)

    @cached_property
    def _setting(self) -> SessionSetting:
        return make_setting(self.program, self.windows, self.scope)

    @property
    def fired(self) -> int | None:
        if self._known is not None:
            return self._known.query_time
        return self.carried.fired if self._last is None else self._last.query_time

    def go_on_from(self, moment: QueryMoment, inputs: Sequence[Block]) -> None:
        """Go on from a query time that was evaluated elsewhere. inputs: the rows that were there."""
        self._last, self._known = moment, None
        self._inputs = keep_input(without_forgotten(inputs, moment.state.frontier))
        self._ahead = ()

    @property
    def inputs(self) -> tuple[Block, ...]:
        """All rows, those that wait too: a retraction must be with what it takes back."""
        return join_blocks([*self._inputs.blocks, *self.waiting])

    @property
    def kept_inputs(self) -> tuple[Block, ...]:
        """The blocks of input that do not wait."""
        return self._inputs.blocks

    @property
    def frontier(self) -> Frontier:
        """The frontier of the last query time: what is settled, and how far back definitions still look."""
        if self._known is not None:
            return self._known.frontier
        if self._last is None:
            return find_frontier(self.program.plan, self.windows, self.carried.fired)
        return self._last.state.frontier

    def last_world(self) -> World | None:
        """Return the world of the last query time; None if there was none yet."""
        if self._known is not None:
            return self._known.world()
        if self._last is not None:
            return self._last.now
        if self.carried.fired is None:
            return None
        return with_room(lambda room: world_after(self.carried, self.program, self.windows, self.scope, room))

    def count_open(self) -> Counter[str]:
        """Count the intervals that have no end yet, for each fluent that is defined here."""
        counts: Counter[str] = Counter()
        if self._known is None and self._last is None:
            for block in self.carried.known:
                if block.end is not None:
                    counts[block.name] += int(np.count_nonzero(block.end == OPEN))
            return counts
        for relation in self.scope.relations(self.program.plan):
            if relation.kind == "event":
                continue
            if self._known is None:
                assert self._last is not None
                counts[relation.name] += self._last.now.intervals_of(relation).count_open()
            elif relation in self._known.stores:
                counts[relation.name] += self._known.stores[relation].count_open()
        return counts

    def add(self, blocks: Sequence[Block]) -> None:
        """Rows that count, whenever they have arrived."""
        self.waiting = (*self.waiting, *(block for block in blocks if len(block)))

    def add_words(self, blocks: Sequence[Block]) -> None:
        """Add messages of earlier stages about query times to come."""
        self.words = self.words.add(blocks)

    def advance(self, due: range, tell: Callable[[QueryMoment], Answer]) -> list[Answer]:
        """Evaluate the query times that are due, and answer each; if one fails, it is as if none had been tried.

        tell: may be called from the first one on again, if terms or times turn out to need more room.
        """
        before = (self.waiting, self._inputs, self._last, self._known, self._ahead, self.words)
        try:
            if not self.is_incremental:
                return self._evaluate(due, tell, self._take(due[-1]))
            answers: list[Answer] = []
            while due:
                light = due[: count_light(self.waiting, self._inputs.count, due, self.windows, self.program.tuning)]
                by_changes = self._go_on(light, tell) if light and self._goes_by_changes() else None
                if by_changes is None:
                    answers += self._evaluate(due[:1], tell, self._take(due[0]), until=due[-1])
                    due = due[1:]
                else:
                    answers += by_changes
                    due = due[len(light) :]
            return answers
        except BaseException:
            self.waiting, self._inputs, self._last, self._known, self._ahead, self.words = before
            raise

    def _take(self, until: int) -> tuple[Block, ...]:
        """All rows that are seen by a query time; they wait no longer."""
        seen, self.waiting = self.divide_waiting(until)
        return join_blocks([*self._inputs.blocks, *seen])

    def divide_waiting(self, until: int) -> tuple[tuple[Block, ...], tuple[Block, ...]]:
        """The rows that wait and are seen by a query time, and the others."""
        return divide_by_sight(self.waiting, self.windows, until)

    # ------------------------------------------------------------ by what changes

    def _goes_by_changes(self) -> bool:
        """Whether the query times go by what changes; if so, what is known is made ready for that.

        If not, it may be that many facts have ended, which are forgotten now.
        """
        if self._known is not None and self._inputs.has_many_endings(self.program.tuning):
            self._inputs = keep_input(without_forgotten(self._inputs.blocks, self._known.frontier))
            return False
        if self._last is not None:
            self._known, self._last = know(self._last, self._setting), None
            self._ahead = rows_after(self._inputs.blocks, self._known.query_time)
        return self._known is not None

    def _go_on(self, due: range, tell: Callable[[QueryMoment], Answer]) -> list[Answer] | None:
        """On the axis that is there; None if it has no room."""
        assert self._known is not None
        known, answers = self._known, []
        fresh, waiting = self.divide_waiting(due[-1])
        joined = join_blocks(fresh)
        words = tuple(self.words.between(known.query_time, due[-1]))
        if not self._has_room(known.bare, known.frontier, (*joined, *words), due[-1]):
            return None
        coming = join_blocks([*joined, *self._ahead])
        # Rows may have arrived, and been elsewhere, before the last query time: here they are new.
        arrived = [Arrived(block, self.windows, due[0]) for block in joined]
        arrived += [Arrived(block, self.windows) for block in self._ahead]
        try:
            for moment, following in changing_moments(self._setting, known, due, arrived, self._inputs, self.words):
                answers.append(tell(moment))
                known = following
        except (AxisFull, DictionaryFull):
            return None  # with the terms that are still in use there may be room
        self._known, self.waiting = known, waiting
        self._ahead = rows_after(coming, known.query_time)
        self._inputs = self._inputs.add(joined, known.frontier)
        self.words = self.words.pass_by(known.query_time, known.frontier)
        return answers

    # ------------------------------------------------------------ from what is settled on

    def _evaluate(
        self,
        due: range,
        tell: Callable[[QueryMoment], Answer],
        inputs: tuple[Block, ...],
        until: int | None = None,
    ) -> list[Answer]:
        """until: the last query time that a new axis must have room for, if there are more to come."""

        def step_through(start: Opened, inputs: Blocks) -> tuple[QueryMoment, list[Answer], Blocks]:
            moment, answers = None, []
            arrived = [Arrived(block, self.windows) for block in inputs]
            steps = (due, arrived, self.words, start.state, start.before, start.world)
            for moment in moments(self.program, self.windows, self.scope, *steps, self.fired):
                answers.append(tell(moment))
            assert moment is not None, "there is a query time"
            return moment, answers, inputs

        coming = () if until is None else self.divide_waiting(until)[0]
        last, answers, inputs = self._reach(inputs, coming, due[-1] if until is None else until, step_through)
        self._inputs = keep_input(without_forgotten(inputs, last.state.frontier))
        self._last = replace(last, before=None, now=replace(last.now, shared=Memo()))
        self._known = None  # made again when a query time goes by what changes
        self.words = self.words.shorten(last.query_time, last.state.frontier)
        return answers

    def _reach(
        self,
        inputs: tuple[Block, ...],
        coming: tuple[Block, ...],
        until: int,
        step_through: Callable[[Opened, Blocks], Reached],
    ) -> Reached:
        """Steps through the query times up to `until`: on the axis that is there, or on a new one."""
        last = self._last if self._known is None else self._look_back(self._known)
        blocks = (*inputs, *self.words.blocks, *coming)
        if last is not None and self._has_room(last.now, last.state.frontier, blocks, until):
            kept = Opened(last.state, last.now, last.now)
            try:
                return step_through(kept, inputs)
            except (AxisFull, DictionaryFull):
                pass  # with the terms that are still in use there may be room
        start = replace(self.save(), inputs=inputs, words=())
        if last is not None:  # the dictionary begins anew, and with it the lists of terms
            start, self.words = on_used_terms(start), self.words.on_used_terms()
        more, ahead = (*self.words.blocks, *coming), self.program.tuning.windows_ahead if self.lasts else 0

        def step_with_room(until: int) -> Reached:
            return with_room(lambda room: step_through(self._open(start, more, until, room), start.inputs))

        try:
            return step_with_room(until + ahead * self.windows.window)
        except AxisFull:
            if not ahead:
                raise
            return step_with_room(until)  # it must just do for this call

    def _look_back(self, known: KnownWorld) -> QueryMoment:
        """Return what is known by changes as the moment that an evaluation from scratch goes on from."""
        world, plan = known.world(), self.program.plan
        state = settle(plan, self.scope, known.frontier, world, known.running)
        return QueryMoment(known.query_time, None, known.frontier, world, state, left_out=0)

    def _open(self, start: Carried, more: tuple[Block, ...], until: int, room: int) -> Opened:
        return opened(start, self.program, self.windows, self.scope, more, until, room)

    def _has_room(self, world: World, frontier: Frontier, blocks: Sequence[Block], until: int) -> bool:
        low, high = span(blocks, frontier.lowest, min(until, self.windows.end))
        low = first_begin(blocks, max(low, frontier.nothing))
        dictionary = world.dictionary
        tuning = dictionary.tuning
        has_few_terms = len(dictionary) < max(tuning.most_terms, tuning.most_grown * dictionary.first_count)
        return world.axis.covers(low, high) and dictionary.arrays < tuning.most_arrays and has_few_terms

    def save(self) -> Carried:
        """Return the state that another evaluation can go on from, without the rows that wait."""
        inputs, words = join_blocks(self._inputs.blocks), join_blocks(self.words.blocks)
        if self._known is not None:
            known = self._known
            carried = carried_from(known.query_time, known.frontier, known.world(), self.program, self.scope, inputs)
        elif self._last is None:
            carried = replace(self.carried, inputs=inputs)
        else:
            last = self._last
            carried = carried_from(last.query_time, last.state.frontier, last.now, self.program, self.scope, inputs)
        return replace(carried, words=words)


def pays_off(windows: Windows, tuning: Tuning) -> bool:
    """Whether windows overlap so much that it is worth while to look only at what changes."""
    return windows.window >= tuning.fewest_steps * windows.step


def divide_by_sight(
    blocks: Sequence[Block], windows: Windows, until: int
) -> tuple[tuple[Block, ...], tuple[Block, ...]]:
    """The rows that are seen by a query time, and the others."""
    seen, unseen = [], []
    for block in filter(len, blocks):
        first, last = map(windows.first_seen_of, block.span()[2:])
        if last <= until:
            seen.append(block)
        elif first > until:
            unseen.append(block)
        else:
            here = windows.first_seen(block.arrival) <= until
            seen.append(block.filter(here))
            unseen.append(block.filter(~here))
    return tuple(seen), tuple(unseen)
