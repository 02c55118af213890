"""Check what a user gives for a stream, the same on every host."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from holdsfor.engine.input.window import check_ticks
from holdsfor.engine.output.changes import REPORTS
from holdsfor.errors import HoldsforError
from holdsfor.io.readers.mapping import did_you_mean
from holdsfor.plan.printing.bounds import describe_unbounded, find_unbounded
from holdsfor.plan.whole_plan import Plan

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Times:
    """In ticks. start, end: None where the stream has to tell."""

    window: int
    step: int
    start: int | None = None
    end: int | None = None
    tick: int = 1


def check_times(window: object, step: object, start: object, end: object, tick: object, unit: str) -> Times:
    times = check_ticks(window, step, start, end, tick, unit)
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


def check_report(report: str) -> None:
    if report not in REPORTS:
        raise HoldsforError(f"unknown report {report!r}.{did_you_mean(report, REPORTS)} Reports: {', '.join(REPORTS)}.")


def warn_if_unbounded(compiled: Plan) -> None:
    for signature, one in find_unbounded(compiled).items():
        also = "" if one.is_final else ", and its results are never final"
        _log.warning("what it looks at is kept for ever%s: %s", also, describe_unbounded(signature, one))
