"""Explanations from kept input: in a live session, in one that was saved, and from the checkpoint of a stream.

Reasons are looked for in the world of the last query time. What was settled before the input that is still kept is
said to be so. While nothing has been forgotten, the kept input is the whole history, and any question can be asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from holdsfor.duration import TimePoint
from holdsfor.engine.data.world import World
from holdsfor.engine.definitions.evaluate import make_program
from holdsfor.engine.input.window import Windows, standing
from holdsfor.engine.stepping.evaluator import Ongoing
from holdsfor.errors import HoldsforError
from holdsfor.io.events import Block
from holdsfor.io.join import join_blocks
from holdsfor.language.description import EventDescription
from holdsfor.plan.compiler.compile import compiled
from holdsfor.plan.operators import Relation
from holdsfor.why.changed import RevisionCause
from holdsfor.why.derivation import Derivation, SomeEvents
from holdsfor.why.origin import Origin
from holdsfor.why.replay import Replay
from holdsfor.why.request import Request, answer, read_request, refuse_settled
from holdsfor.why.walk import Walk
from holdsfor.why.why_not.refutation import Refutation, refute


@dataclass(frozen=True, eq=False)
class KeptHistory:
    """Answers questions from what an evaluation that goes on still knows of its history."""

    description: EventDescription
    evaluation: Ongoing
    unit: str

    def why(self, fact: str, at: TimePoint) -> Derivation:
        """Explain a fact as the last query time knows it."""
        return answer(self._read(fact, at), self._walk)

    def why_not(self, fact: str, at: TimePoint) -> Refutation:
        """Tell why something is not so as the last query time knows it; without changes, if input is forgotten."""
        if self._gap is None:
            return self._whole.why_not(fact, at)
        request, walk = self._read(fact, at), self._walk
        refuse_settled(request, walk.replay)
        denied = refute(request, self._whole, walk)
        tree = replace(denied.tree, notes=(*denied.tree.notes, f"{self._gap}; so no change was tried"))
        return replace(denied, tree=tree, proposals=())

    def why_changed(self, fact: str) -> tuple[RevisionCause, ...]:
        """Tell for each line of the log of changes about a fluent which rows caused it, if all input is kept."""
        return self._need_all("what changed at earlier query times").why_changed(fact)

    def as_of(self, arrival: TimePoint) -> Origin:
        """Return the history as the last query time at or before an arrival knew it, if all input is kept."""
        return self._need_all("what was known at an earlier query time").as_of(arrival)

    def _need_all(self, what: str) -> Origin:
        if self._gap is not None:
            raise HoldsforError(f"{what} cannot be evaluated again: {self._gap}. Ask with the events of the history.")
        return self._whole

    @cached_property
    def _gap(self) -> str | None:
        """Return what keeps the input from being the whole history, if anything does."""
        if any(look.since is not None for look in self.evaluation.program.plan.looks):
            return "other rules were in force before"
        forgotten = max(self.evaluation.frontier.inputs.values(), default=self.evaluation.windows.start)
        return f"input up to {forgotten} is no longer kept" if forgotten > self.evaluation.windows.start else None

    @cached_property
    def _world(self) -> World:
        world = self.evaluation.last_world()
        if world is None:
            raise HoldsforError("there was no query time yet: advance the session, or the stream, before you ask why.")
        return world

    @cached_property
    def _windows(self) -> Windows:
        return replace(self.evaluation.windows, end=self._world.now)

    @cached_property
    def _rows(self) -> tuple[Block, ...]:
        """Return the rows that are kept: one block of each input, so that a retraction is with what it takes back."""
        return join_blocks(self.evaluation.kept_inputs)

    @cached_property
    def _whole(self) -> Origin:
        """Return the history of the input that is kept."""
        source = SomeEvents((), self._rows)
        names, defined = {block.name for block in source.blocks}, self.description.defined.all
        inputs = (one for one in self.description.inputs if one.signature not in defined or one.stored_as.name in names)
        description = replace(self.description, inputs=tuple(inputs))  # without the rows of what rules define
        return Origin(description, source, self._windows, self.unit)

    @cached_property
    def _walk(self) -> Walk:
        program = make_program(compiled(self.description))
        blocks = tuple(standing(block, self._windows) for block in self._rows)
        return Walk(Replay(program, self._world, blocks, self._windows, (), self.description, self._cuts))

    @cached_property
    def _cuts(self) -> Mapping[Relation, int]:
        """Return the times up to which what is defined is settled, and rows of inputs may be gone."""
        frontier = self.evaluation.frontier
        cuts = dict(frontier.cuts)
        for source in self.evaluation.program.plan.sources:
            key = source.input.signature, source.input.kind == "event"
            cuts |= {one: frontier.inputs[key] for one in source.relations if one not in frontier.cuts}
        return {relation: cut - self._world.axis.origin for relation, cut in cuts.items()}

    def _read(self, fact: str, at: TimePoint) -> Request:
        return read_request(fact, at, self._windows, self.unit)
