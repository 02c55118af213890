"""The origin of a history: kept with its result, and looked at when somebody asks why."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holdsfor.duration import TimePoint
    from holdsfor.engine.input.window import Windows
    from holdsfor.io.readers.read import EventSource
    from holdsfor.language.description import EventDescription
    from holdsfor.why.derivation import Derivation
    from holdsfor.why.walk import Walk


class Origin:
    """The rules, the source and the windows of a history: it is evaluated again when the first question is asked."""

    def __init__(self, description: EventDescription, source: EventSource, windows: Windows, unit: str) -> None:
        self._description, self._source = description, source
        self._windows, self._unit = windows, unit
        self._walk: Walk | None = None
        self._room = 0

    def why(self, fact: str, at: TimePoint) -> Derivation:
        """Explain why a fluent holds, or an event happens, at a time."""
        from holdsfor.engine.data.dictionary import with_room
        from holdsfor.why.replay import replay
        from holdsfor.why.request import answer, read_request
        from holdsfor.why.walk import Walk

        request = read_request(fact, at, self._windows, self._unit)

        def attempt(room: int) -> Derivation:
            if self._walk is None or self._room < room:
                self._walk = Walk(replay(self._description, self._source, self._windows, room))
                self._room = room
            return answer(request, self._walk)

        return with_room(attempt)
