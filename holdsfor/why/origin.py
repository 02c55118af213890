"""The origin of a history: kept with its result, and looked at when somebody asks why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from holdsfor.duration import TimePoint
    from holdsfor.engine.input.window import Windows
    from holdsfor.io.readers.read import EventSource
    from holdsfor.language.description import EventDescription
    from holdsfor.why.derivation import Derivation
    from holdsfor.why.walk import Walk
    from holdsfor.why.why_not.refutation import Refutation

Answer = TypeVar("Answer")


@dataclass(eq=False)
class Origin:
    """The rules, the source and the windows of a history: it is evaluated again when the first question is asked."""

    description: EventDescription
    source: EventSource
    windows: Windows
    unit: str
    _walk: Walk | None = field(default=None, init=False)
    _room: int = field(default=0, init=False)

    def why(self, fact: str, at: TimePoint) -> Derivation:
        """Explain why a fluent holds, or an event happens, at a time."""
        from holdsfor.why.request import answer, read_request

        request = read_request(fact, at, self.windows, self.unit)
        return self.with_walk(lambda walk: answer(request, walk))

    def why_not(self, fact: str, at: TimePoint) -> Refutation:
        """Tell why a fluent does not hold, or an event does not happen, at a time."""
        from holdsfor.why.request import read_request
        from holdsfor.why.why_not.refutation import refute

        request = read_request(fact, at, self.windows, self.unit)
        return self.with_walk(lambda walk: refute(request, self, walk))

    def with_walk(self, answer: Callable[[Walk], Answer]) -> Answer:
        """Answer a question by a walk through the evaluated history, again with more room if terms are too many."""
        from holdsfor.engine.data.dictionary import with_room
        from holdsfor.why.replay import replay
        from holdsfor.why.walk import Walk

        def attempt(room: int) -> Answer:
            if self._walk is None or self._room < room:
                self._walk = Walk(replay(self.description, self.source, self.windows, room))
                self._room = room
            return answer(self._walk)

        return with_room(attempt)
