"""What the figures of a run say about slips in how it was asked for: told as warnings, with what was probably meant."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from typing import Any

from holdsfor.duration import TickUnit

_log = logging.getLogger(__name__)

#: As seconds since 1970 these are the years 5138 and beyond; as milliseconds, 1973 and beyond.
_MILLISECONDS, _MICROSECONDS = 10**11, 10**14


def warn_of_doubts(metrics: Mapping[str, Any], unit: TickUnit) -> None:
    for doubt in find_doubts(metrics, unit):
        _log.warning("%s", doubt)


def find_doubts(metrics: Mapping[str, Any], unit: TickUnit) -> Iterator[str]:
    """metrics: of a run over a whole history. unit: of a tick."""
    window, step, end = (metrics.get(name) for name in ("window", "step", "end"))
    if window is not None and step is not None and window < step:
        yield (
            f"the window ({window}) is shorter than the step ({step}): what happens between two windows does not "
            "count. Give a window of at least the step."
        )
    if unit == "s" and end is not None and end >= _MILLISECONDS:
        finer = "ms" if end < _MICROSECONDS else "us"
        yield (
            f"times such as {end} are no seconds since 1970, but may be {finer}: then give tick_unit='{finer}' "
            f"(--tick-unit {finer}), and durations mean what they say."
        )
    yield from _find_lost_rows(metrics)


def _find_lost_rows(metrics: Mapping[str, Any]) -> Iterator[str]:
    rows, rejected, late = (metrics.get(name, 0) for name in ("events_in", "events_rejected", "events_late"))
    if rows and rejected == rows:
        yield f"all {rows:,} rows were rejected: see the table of rejects for the reasons, and check the mapping."
    elif rows and rejected + late == rows:
        yield f"no row counts: {late:,} of {rows:,} came too late. Give a longer window, or check the arrival times."
