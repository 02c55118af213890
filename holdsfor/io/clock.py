"""Times and texts as a person reads them on a terminal."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal as OneOf

from holdsfor.duration import PER_SECOND, TickUnit

Clock = OneOf["ticks", "s", "ms", "us"]

_EPOCH = datetime(1970, 1, 1)  # in UTC, which is not written
_DATES = range(10 * 365 * 86400, 8000 * 365 * 86400)  # seconds since 1970 that are dates; smaller ones count from 0
_ISO_DATES = range(-62_135_596_800, 253_402_300_800)  # seconds since 1970 that lie in the years 1 to 9999


def clock_text(tick: int, clock: Clock) -> str:
    """Write a tick as a number, a time of day since tick 0 (`1d 02:55:00`), or a date and a time (UTC)."""
    if clock == "ticks":
        return str(tick)
    seconds, fraction = _split(tick, clock)
    if seconds in _DATES:
        return f"{_EPOCH + timedelta(seconds=seconds):%Y-%m-%d %H:%M:%S}{fraction}"
    if seconds < 0:
        return str(tick)
    days, of_day = divmod(seconds, 86400)
    hours, minutes = divmod(of_day // 60, 60)
    return f"{f'{days}d ' if days else ''}{hours:02d}:{minutes:02d}:{of_day % 60:02d}{fraction}"


def iso_time(tick: int, unit: TickUnit) -> str:
    """Write a tick since 1970 as `2026-03-01T09:15:25Z`; one beyond the year 9999 stays a number."""
    seconds, fraction = _split(tick, unit)
    if seconds not in _ISO_DATES:
        return str(tick)
    return f"{(_EPOCH + timedelta(seconds=seconds)).isoformat()}{fraction}Z"


def _split(tick: int, unit: TickUnit) -> tuple[int, str]:
    """Return whole seconds, and the rest as decimal places."""
    seconds, rest = divmod(tick, PER_SECOND[unit])
    return seconds, {"s": "", "ms": f".{rest:03d}", "us": f".{rest:06d}"}[unit]


def clock_of(nanoseconds: int | None) -> Clock:
    """Choose how times are shown by the length of a tick; ticks of other lengths stay numbers."""
    clocks: dict[int | None, Clock] = {10**9: "s", 10**6: "ms", 10**3: "us"}
    return clocks.get(nanoseconds, "ticks")
