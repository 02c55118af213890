"""Times and texts as a person reads them on a terminal."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Literal as OneOf

from holdsfor.duration import PER_SECOND

Clock = OneOf["ticks", "s", "ms", "us"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DATES = range(10 * 365 * 86400, 8000 * 365 * 86400)  # seconds since 1970 that are dates; smaller ones count from 0


def clock_text(tick: int, clock: Clock) -> str:
    """Write a tick as a number, a time of day since tick 0 (`1d 02:55:00`), or a date and a time (UTC)."""
    if clock == "ticks":
        return str(tick)
    seconds, rest = divmod(tick, PER_SECOND[clock])
    fraction = {"s": "", "ms": f".{rest:03d}", "us": f".{rest:06d}"}[clock]
    if seconds in _DATES:
        return f"{_EPOCH + timedelta(seconds=seconds):%Y-%m-%d %H:%M:%S}{fraction}"
    if seconds < 0:
        return str(tick)
    days, of_day = divmod(seconds, 86400)
    hours, minutes = divmod(of_day // 60, 60)
    return f"{f'{days}d ' if days else ''}{hours:02d}:{minutes:02d}:{of_day % 60:02d}{fraction}"


def clock_of(nanoseconds: int | None) -> Clock:
    """Choose how times are shown by the length of a tick; ticks of other lengths stay numbers."""
    clocks: dict[int | None, Clock] = {10**9: "s", 10**6: "ms", 10**3: "us"}
    return clocks.get(nanoseconds, "ticks")
