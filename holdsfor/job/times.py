"""Check the times of streams and sessions."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from holdsfor.duration import GivenTimes
from holdsfor.engine.input.fence import Fence, fence_for
from holdsfor.engine.input.window import NEVER, Windows, check_ticks
from holdsfor.errors import HoldsforError

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Times:
    """Times of a stream or a session, in ticks. start, end: None where the stream has to tell."""

    window: int
    step: int
    start: int | None = None
    end: int | None = None
    tick: int = 1

    @property
    def fence(self) -> Fence:
        return fence_for(self.window)

    def windows(self, start: int) -> Windows:
        """Return the windows of a history that begins after a time."""
        end = NEVER if self.end is None else self.end
        return Windows(self.window, self.step, start, end, self.tick, self.fence)


def check_times(given: GivenTimes, unit: str) -> Times:
    """Count the times of a stream or a session in ticks; refuse those that cannot be used."""
    times = check_ticks(given, unit)
    if times.window is None or times.step is None:
        raise HoldsforError("a stream needs a window and a step, such as window='4h', step='1h'")
    if times.window < times.step:
        _log.warning(
            "the window (%d) is shorter than the step (%d): what happens between two windows does not count",
            times.window,
            times.step,
        )
    if times.start is not None and times.end is not None and times.end < times.start:
        raise HoldsforError(f"the end ({times.end}) is before the start ({times.start})")
    return Times(times.window, times.step, times.start, times.end, times.tick)
