"""Warn of slips that the figures of a run show, with what was probably meant."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from typing import Any

import pyarrow as pa

from holdsfor.duration import PER_SECOND, TickUnit, has_unit
from holdsfor.engine.data.world import FAILED
from holdsfor.io.events import NOT_NUMBERS, TIMES_CUT
from holdsfor.io.readers.mapping import UNITS
from holdsfor.io.tables.wide import NANOSECONDS, SECOND
from holdsfor.job.argument_kinds import find_clashes, find_unequal_constants
from holdsfor.language.description import EventDescription
from holdsfor.language.nodes import find_all
from holdsfor.language.patterns import Instant

_log = logging.getLogger(__name__)

#: As seconds since 1970 these are the years 5138 and beyond; as milliseconds, 1973 and beyond.
_MILLISECONDS, _MICROSECONDS = 10**11, 10**14


#: In the figures of a run: why rows were rejected, and how many for each reason; what kinds of arguments were read.
REASONS, KINDS = "reject_reasons", "argument_kinds"
#: Calls of functions that raised exceptions, and for how many rows.
FAILURES = "function_failures"
#: The first and last time of the rows.
SPAN = "span_of_rows"
#: So many reasons are kept, and so many told.
_KEPT, _TOLD = 100, 3
#: So many rows at one time are doubtful.
_MANY = 10


def count_reasons(rejects: pa.Table) -> dict[str, int]:
    """The most frequent reasons first."""
    counts = rejects["reason"].value_counts().to_pylist()
    return dict(most_frequent({row["values"]: row["counts"] for row in counts}, _KEPT))


def join_reasons(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    return dict(most_frequent(Counter(one) + Counter(other), _KEPT))


def most_frequent(reasons: Mapping[str, int], most: int) -> list[tuple[str, int]]:
    return sorted(reasons.items(), key=lambda reason: (-reason[1], reason[0]))[:most]


def warn_of_doubts(
    metrics: dict[str, Any], unit: TickUnit, description: EventDescription, amounts: Iterable[object]
) -> None:
    """Tells what is doubtful, and takes out of the figures what is of no other use.

    amounts: of time, as the user gave them.
    """
    kinds, span = metrics.pop(KINDS, {}), metrics.pop(SPAN, None)
    if failures := take_failures(metrics):
        metrics[FAILURES] = failures
        warn_of_failures(failures)
    inputs = [str(each.signature) for each in description.inputs if each.read]
    lost = (*find_unread(metrics, inputs), *find_other_times(metrics, span))
    has_durations = uses_durations(description, amounts)
    units = find_units_that_differ(metrics.get(NANOSECONDS), unit) if has_durations else ()
    unequal = (*find_clashes(description, kinds), *find_unequal_constants(description, kinds))
    outside = find_times_outside(description, metrics.get("start"), metrics.get("end"))
    in_rules = bool(description.texts.tick_units)
    doubts = (*find_doubts(metrics, unit, in_rules), *lost, *units, *unequal, *outside)
    for doubt in dict.fromkeys(doubts):
        _log.warning("%s", doubt)


def take_failures(metrics: MutableMapping[str, Any]) -> dict[str, int]:
    """Take the calls of functions that raised exceptions out of metrics: each with the rows that it was for."""
    names = [name for name in metrics if name.startswith(FAILED)]
    return {name.removeprefix(FAILED): int(metrics.pop(name)) for name in names}


def warn_of_failures(failures: Mapping[str, int]) -> None:
    """Tell which calls of functions raised exceptions."""
    total = sum(failures.values())
    times = "once" if total == 1 else f"{total:,} times"
    _log.warning("functions failed %s; these conditions are not true%s.", times, reasons_text(failures))


def warn_of_units(
    unit_of_dates: str | None, unit: TickUnit, description: EventDescription, amounts: Iterable[object]
) -> None:
    """For a stream, before there are rows: where the mapping says how dates are counted, there will be dates."""
    if unit_of_dates is not None and uses_durations(description, amounts):
        for doubt in find_units_that_differ(UNITS[unit_of_dates], unit):
            _log.warning("%s", doubt)


def warn_of_times_outside(description: EventDescription, start: int | None, end: int | None) -> None:
    """For what is live: as far as start and end are known."""
    for doubt in find_times_outside(description, start, end):
        _log.warning("%s", doubt)


def find_times_outside(description: EventDescription, start: int | None, end: int | None) -> Iterator[str]:
    """Points in time of patterns that the history never comes to."""
    for rule in description.patterns:
        for part in find_all(rule.pattern, Instant):
            if not is_inside(part.time, start, end):
                history = f"begins after {start}" + ("" if end is None else f" and ends at {end}")
                place = f"{part.place.file}:{part.place.line}:{part.place.column}"
                yield (
                    f"the time {part.time} ({place}) is not in the history, which {history}: nothing can occur then. "
                    "Give another start or end, or write a duration with its unit, such as 5 min or 300 ticks."
                )


def is_inside(time: int, start: int | None, end: int | None) -> bool:
    return (start is None or time > start) and (end is None or time <= end)


def uses_durations(description: EventDescription, amounts: Iterable[object]) -> bool:
    """Whether it matters how long a tick is. amounts: of time, as the user gave them."""
    return bool(description.texts.tick_units) or any(map(has_unit, amounts))


def find_doubts(metrics: Mapping[str, Any], unit: TickUnit, has_durations: bool = False) -> Iterator[str]:
    """metrics: of a run over a whole history. unit: of a tick. has_durations: the rules have some."""
    window, step, end = (metrics.get(name) for name in ("window", "step", "end"))
    if window is not None and step is not None and window < step:
        yield (
            f"the window ({window}) is shorter than the step ({step}): what happens between two windows does not "
            "count. Give a window of at least the step."
        )
    if unit == "s" and end is not None and end >= _MILLISECONDS:
        finer = "ms" if end < _MICROSECONDS else "us"
        way = f"write `:- tick({finer}).` above the rules"
        if not has_durations:
            way = f"give tick_unit='{finer}' (--tick-unit {finer})"
        yield (
            f"times such as {end} are no seconds since 1970, but may be {finer}: then {way}, "
            "and durations mean what they say."
        )
    yield from find_cut_times(metrics.get(TIMES_CUT, 0), metrics.get(NANOSECONDS))
    if count := metrics.get(NOT_NUMBERS, 0):
        have = "row has" if count == 1 else "rows have"
        yield f"{count:,} {have} NaN where a number should be: it is taken for no value."
    yield from _find_lost_rows(metrics)
    yield from _find_constant_time(metrics)


def find_unread(metrics: Mapping[str, Any], inputs: Sequence[str]) -> Iterator[str]:
    """Rows of which no rule reads a single one. inputs: what rules read."""
    rows = metrics.get("events_in", 0)
    if rows and inputs and metrics.get("events_unused", 0) == rows:
        named = ", ".join(inputs[:_TOLD]) + (", ..." if len(inputs) > _TOLD else "")
        advice = "Check the names in the mapping or the table."
        yield f"no rule reads any of the {rows:,} rows: rules read {named}. {advice}"


def find_other_times(metrics: Mapping[str, Any], span: tuple[int, int] | None) -> Iterator[str]:
    """span: the first and last time of the rows."""
    start, end = metrics.get("start"), metrics.get("end")
    if span is not None and start is not None and end is not None and (span[1] <= start or span[0] > end):
        yield f"no row lies in the history, after {start} up to {end}: rows are from {span[0]} to {span[1]}."


def find_units_that_differ(counted: int | None, unit: TickUnit) -> Iterator[str]:
    """Durations are reckoned in ticks of the run; dates are counted in those of the mapping.

    counted: how many nanoseconds those have; None: there are no dates.
    """
    if counted in (None, SECOND // PER_SECOND[unit]):
        return
    of_dates = next(name for name, nanoseconds in UNITS.items() if nanoseconds == counted)
    yield (
        f"the mapping counts dates in ticks of 1 {of_dates}, and durations and dates in rules and options are reckoned "
        f'in ticks of 1 {unit}: they do not mean what they say. Write tick_unit = "{unit}" in the mapping.'
    )


def warn_of_cut_times(count: float, length: int | None) -> None:
    """Warn of times with parts of a tick. length: of a tick, in nanoseconds; None: times are ticks."""
    for doubt in find_cut_times(int(count), length):
        _log.warning("%s", doubt)


def find_cut_times(count: int, length: int | None) -> Iterator[str]:
    if not count or length is None:
        return
    units = list(UNITS)
    coarse = next(name for name, nanoseconds in UNITS.items() if nanoseconds == length)
    finer = units[units.index(coarse) - 1]
    have = "row has" if count == 1 else "rows have"
    yield (
        f"{count:,} {have} parts of a tick, which is 1 {coarse} here: they are cut, and what happens within one tick "
        f'is at the same time. Write tick_unit = "{finer}" in the mapping'
        + (f", and `:- tick({finer}).` above rules that have durations." if finer in PER_SECOND else ".")
    )


def _find_lost_rows(metrics: Mapping[str, Any]) -> Iterator[str]:
    rows = metrics.get("events_in")
    why = reasons_text(metrics.get(REASONS, {}))
    rejected, late = (metrics.get(name, 0) for name in ("events_rejected", "events_late"))
    if rows == 0:
        yield "there are no rows: the events are empty."
    elif rejected == rows:
        all_rows = f"all {rows:,} rows were" if rows > 1 else "the only row was"
        yield f"{all_rows} rejected{why}. Check the mapping; the table of rejects has the rows."
    elif rejected:
        were = "was" if rejected == 1 else "were"
        yield f"{rejected:,} of {rows:,} rows {were} rejected{why}. The table of rejects has the rows."
    if late and rejected + late == rows:
        yield f"no row counts: {late:,} of {rows:,} came too late. Give a longer window, or check the arrival times."


def reasons_text(reasons: Mapping[str, int]) -> str:
    """The most frequent ones, where they are known."""
    texts = [f"{reason} ({count:,})" for reason, count in most_frequent(reasons, _TOLD)]
    if not texts:
        return ""
    more = len(reasons) - len(texts)
    return f": {'; '.join(texts)}" + (f"; and for {more} other reason{'s' if more > 1 else ''}" if more else "")


def _find_constant_time(metrics: Mapping[str, Any]) -> Iterator[str]:
    """Find rows that all have one time; start and end are those of the rows where none are given."""
    used = metrics.get("events_in", 0) - sum(metrics.get(f"events_{why}", 0) for why in ("unused", "rejected", "late"))
    start, end = metrics.get("start"), metrics.get("end")
    if used >= _MANY and start is not None and end is not None and end - start <= metrics.get("sample_every", 1):
        yield f"all {used:,} rows happen at the same time ({end}). Is the right column the time? See the mapping."
