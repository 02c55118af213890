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


def check_times(times: GivenTimes, unit: str) -> Times:
    """Count the times of a stream or a session in ticks; refuse those that cannot be used."""
    ticks = check_ticks(times, unit)
    if ticks.window is None or ticks.step is None:
        raise HoldsforError("a stream needs a window and a step, such as window='4h', step='1h'")
    if ticks.window < ticks.step:
        _log.warning(
            "the window (%d) is shorter than the step (%d): what happens between two windows does not count",
            ticks.window,
            ticks.step,
        )
    if ticks.start is not None and ticks.end is not None and ticks.end < ticks.start:
        raise HoldsforError(f"the end ({ticks.end}) is before the start ({ticks.start})")
    return Times(ticks.window, ticks.step, ticks.start, ticks.end, ticks.tick)
