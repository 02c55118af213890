"""Decide which query times are due: once a batch, the same for all buckets."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from holdsfor.duration import PER_SECOND
from holdsfor.engine.input.window import NEVER, Windows
from holdsfor.job.live.state.ledger import Commit

logger = logging.getLogger(__name__)


def seconds_since_boot() -> float:
    """A clock that nobody sets and that goes on while the machine sleeps, where the system has one."""
    boot = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boot is None else time.clock_gettime(boot)


@dataclass(slots=True)
class WallClock:
    """Query times by the clock on the wall: all that is there when one has come counts for it.

    most_ahead: seconds. If the clock on the wall is set ahead by more, it is not believed until the next start: the
    time that has passed since this one counts. Otherwise all that comes afterwards, and says when it happened, is late.
    """

    unit: str = "s"
    now_seconds: Callable[[], float] = time.time
    most_ahead: float | None = None
    steady_seconds: Callable[[], float] = seconds_since_boot
    _began: tuple[float, float] | None = None  # on the wall, and on the steady clock

    def now(self) -> int:
        return int(self._seconds() * PER_SECOND[self.unit])

    def _seconds(self) -> float:
        wall, steady = self.now_seconds(), self.steady_seconds()
        if self._began is None:
            self._began = (wall, steady)
        reckoned = self._began[0] + steady - self._began[1]
        if self.most_ahead is None or wall - reckoned <= self.most_ahead:
            return wall
        logger.warning(
            "the clock of this machine was set ahead by %.0f s; the stream goes on by the time that has passed. "
            "Start it again to let it follow the clock.",
            wall - reckoned,
        )
        self._began = (reckoned, steady)
        self.now_seconds = lambda: reckoned + self.steady_seconds() - steady
        return reckoned


@dataclass(slots=True)
class Pace:
    """Replays what was recorded no faster than so many ticks a second: a batch waits until its time has come."""

    ticks_a_second: float
    _first: tuple[int, float] | None = None  # a time of the stream, and when it was here

    def wait(self, watermark: int | None) -> None:
        if watermark is None:
            return
        now = time.monotonic()
        if self._first is None:
            self._first = (watermark, now)
        stream, here = self._first
        ahead = here + (watermark - stream) / self.ticks_a_second - now
        if ahead > 0:
            time.sleep(ahead)


def due_by_arrival(windows: Windows, fired: int | None, watermark: int | None) -> range:
    """A query time is due when something has arrived after it: then all that arrived by it has been read."""
    if watermark is None:
        return range(0)
    if watermark > windows.end:
        return _until(windows, fired, windows.last)
    return _until(windows, fired, watermark - 1)


def due_by_clock(windows: Windows, fired: int | None, now: int) -> range:
    return _until(windows, fired, now)


def due_at_the_end(windows: Windows, fired: int | None) -> range:
    """Return the query times that are left when nothing more comes."""
    return _until(windows, fired, windows.last)


def _until(windows: Windows, fired: int | None, last: int) -> range:
    first = windows.start + windows.step if fired is None else fired + windows.step
    if windows.end < NEVER:
        last = min(last, windows.last)
    return range(first, last + 1, windows.step)


def ended(windows: Windows, commit: Commit | None, max_future: int | None = None) -> Windows:
    """Return the windows of a stream that is over: one without an end of its own ends with its latest time.

    Rows of before the last query time that came after it are there for one more. max_future: what is told of times
    further ahead of the latest arrival (a lease until the year 9999) is no reason to go there.
    """
    if windows.end < NEVER:
        return windows
    latest = windows.start + 1 if commit is None or commit.rows.latest is None else commit.rows.latest
    if commit is not None and commit.rows.watermark is not None and max_future is not None:
        latest = min(latest, commit.rows.watermark + max_future)
    if commit is not None and commit.fired is not None and commit.state.unseen:
        latest = max(latest, commit.fired + 1)
    return replace(windows, end=max(latest, windows.start + 1))
