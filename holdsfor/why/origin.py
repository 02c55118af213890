"""The origin of a history: kept with its result, and looked at when somebody asks why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from holdsfor.duration import TimePoint
    from holdsfor.engine.input.window import Windows
    from holdsfor.io.readers.read import EventSource
    from holdsfor.language.description import EventDescription
    from holdsfor.why.changed import RevisionCause
    from holdsfor.why.derivation import Derivation
    from holdsfor.why.reach import ReachableRows
    from holdsfor.why.request import Request
    from holdsfor.why.walk import Walk
    from holdsfor.why.why_not.refutation import Refutation

Answer = TypeVar("Answer")


@dataclass(eq=False)
class Origin:
    """The rules, the source and the windows of a history: its input is read when the first question is asked.

    read_rows: does so, if not by reading the source.
    """

    description: EventDescription
    source: EventSource
    windows: Windows
    unit: str
    read_rows: Callable[[], ReachableRows] | None = None

    def why(self, fact: str, at: TimePoint) -> Derivation:
        """Explain why a fluent holds, or an event happens, at a time."""
        from holdsfor.why.request import answer

        request = self.read(fact, at)
        return self.with_walk(request, lambda walk: answer(request, walk))

    def why_not(self, fact: str, at: TimePoint) -> Refutation:
        """Tell why a fluent does not hold, or an event does not happen, at a time."""
        from holdsfor.why.why_not.refutation import refute

        request = self.read(fact, at)
        return self.with_walk(request, lambda walk: refute(request, self, walk))

    def why_changed(self, fact: str) -> tuple[RevisionCause, ...]:
        """Tell for each line of the log of changes about a fluent which rows caused it."""
        from holdsfor.why.changed import explain_changes

        return explain_changes(self.reach, self.read(fact, self.windows.end))

    def as_of(self, arrival: TimePoint) -> Origin:
        """Return the history as the last query time at or before an arrival knew it."""
        from holdsfor.duration import ticks_at
        from holdsfor.errors import HoldsforError

        due = [time for time in self.windows.query_times() if time <= ticks_at("as_of", arrival, self.unit)]
        if not due:
            raise HoldsforError(f"as_of={arrival} is before the first query time, {self.windows.query_times()[0]}.")
        windows = replace(self.windows, end=due[-1])
        return Origin(self.description, self.source, windows, self.unit, lambda: self.reach.with_windows(windows))

    def read(self, fact: str, at: TimePoint) -> Request:
        """Read a question about the history."""
        from holdsfor.why.request import read_request

        return read_request(fact, at, self.windows, self.unit)

    @cached_property
    def reach(self) -> ReachableRows:
        """Return what finds the rows that facts depend on; the input is read for it."""
        from holdsfor.why.reach import ReachableRows
        from holdsfor.why.replay import read_history

        if self.read_rows is not None:
            return self.read_rows()
        return ReachableRows(read_history(self.description, self.source, self.windows))

    def with_walk(self, request: Request, answer: Callable[[Walk], Answer]) -> Answer:
        """Answer a question by what it depends on, evaluated again; with more room if terms are too many."""
        from holdsfor.engine.data.dictionary import with_room

        return with_room(lambda room: answer(self.reach.walk(request, room)))
