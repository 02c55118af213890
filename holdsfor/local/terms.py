"""Terms that a live session is begun with."""

from __future__ import annotations

from dataclasses import dataclass

from holdsfor.engine.input.fence import Fence, fence_for
from holdsfor.engine.input.window import NEVER, Windows
from holdsfor.engine.output.changes import Report
from holdsfor.job.live.start.checks import Times


@dataclass(frozen=True, slots=True)
class SessionTerms:
    """Times are in ticks. keep: how long what is over stays in `current`; None: for ever."""

    times: Times
    tick_unit: str = "s"
    report: Report = "eager"
    keep: int | None = None

    @property
    def fence(self) -> Fence:
        return fence_for(self.times.window)

    def windows(self, start: int) -> Windows:
        times = self.times
        end = NEVER if times.end is None else times.end
        return Windows(times.window, times.step, start, end, times.tick, self.fence)
