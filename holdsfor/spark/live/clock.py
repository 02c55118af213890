"""Which query times are due: decided once a batch, the same for all buckets."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from holdsfor.engine.window import NEVER, Windows
from holdsfor.spark.live.ledger import Commit

#: How many ticks there are in a second, by the name of the unit.
PER_SECOND = {"s": 1, "ms": 1000, "us": 1_000_000}


@dataclass(frozen=True, slots=True)
class WallClock:
    """Query times by the clock on the wall: all that is there when one has come counts for it."""

    unit: str = "s"
    now_seconds: Callable[[], float] = time.time

    def now(self) -> int:
        return int(self.now_seconds() * PER_SECOND[self.unit])


@dataclass(slots=True)
class Pace:
    """Replays what was recorded no faster than so many ticks a second: a batch waits until its time has come."""

    ticks_a_second: float
    now_seconds: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    _first: tuple[int, float] | None = None  # a time of the stream, and when it was here

    def wait(self, watermark: int | None) -> None:
        if watermark is None:
            return
        now = self.now_seconds()
        if self._first is None:
            self._first = (watermark, now)
        stream, here = self._first
        ahead = here + (watermark - stream) / self.ticks_a_second - now
        if ahead > 0:
            self.sleep(ahead)


def due_by_arrival(asked: Windows, fired: int | None, watermark: int | None) -> range:
    """A query time is due when something has arrived after it: then all that arrived by it has been read."""
    if watermark is None:
        return range(0)
    if watermark > asked.end:
        return _until(asked, fired, asked.last)
    return _until(asked, fired, watermark - 1)


def due_by_clock(asked: Windows, fired: int | None, now: int) -> range:
    return _until(asked, fired, now)


def due_at_the_end(asked: Windows, fired: int | None) -> range:
    """All that are left, when nothing more comes."""
    return _until(asked, fired, asked.last)


def _until(asked: Windows, fired: int | None, last: int) -> range:
    first = asked.start + asked.step if fired is None else fired + asked.step
    if asked.end < NEVER:
        last = min(last, asked.last)
    return range(first, last + 1, asked.step)


def ended(asked: Windows, commit: Commit | None) -> Windows:
    """The windows of a stream that is over: without an end of its own it ends with the latest time there was.

    Rows of before the last query time that came after it are there for one more.
    """
    if asked.end < NEVER:
        return asked
    latest = asked.start + 1 if commit is None or commit.latest is None else commit.latest
    if commit is not None and commit.fired is not None and commit.unseen:
        latest = max(latest, commit.fired + 1)
    return replace(asked, end=max(latest, asked.start + 1))
