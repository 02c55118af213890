"""Recognise in process: a description and events give the history."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace
from functools import cache, partial, reduce
from typing import Any, TypeAlias, Unpack

from holdsfor.duration import GivenTimes, TimeOptions, gather_times
from holdsfor.engine.data.axis import AxisFull
from holdsfor.engine.definitions.evaluate import program_once
from holdsfor.engine.input.fence import narrowed, sample_of, span_of
from holdsfor.engine.input.window import check_ticks, find_windows, find_windows_over
from holdsfor.engine.output.result import Result
from holdsfor.engine.stepping.history import find_history
from holdsfor.engine.tuning import DEFAULT, Tuning
from holdsfor.io.events import Events
from holdsfor.io.join import join_events, join_types
from holdsfor.io.readers.read import EventSource, as_source
from holdsfor.io.tables.wide import TYPES
from holdsfor.job.argument_kinds import kinds_of_blocks
from holdsfor.job.run_warnings import KINDS, REASONS, SPAN, count_reasons, warn_of_doubts
from holdsfor.job.shapes import with_shapes
from holdsfor.language.choosing import agree_on_tick_unit
from holdsfor.language.description import EventDescription, Input
from holdsfor.language.diagnostics import shown_refusals
from holdsfor.loading import Rules, as_description
from holdsfor.local.threads import choose_threads, find_history_in_threads, read_parts
from holdsfor.plan import plan
from holdsfor.why.derivation import SomeEvents
from holdsfor.why.origin import Origin

#: What has been read of some events, by the inputs that it was read for.
Readings: TypeAlias = dict[tuple[Input, ...], list[Events]]


def recognise(
    rules: Rules,
    events: Any,
    *,
    format: str | None = None,
    mapping: Any = None,
    changes: bool = False,
    threads: int | None = None,
    only: str | Iterable[str] | None = None,
    **times: Unpack[TimeOptions],
) -> Result:
    """Recognise what the rules define in the events, over the whole history, in this process.

    rules: an event description, or the path of a rule file.
    events: whatever `read_events` takes, with format and mapping.
    window, step, start, end, sample_every: ticks, or durations such as '4h', with tick_unit ('s', 'ms' or 'us') for how
    long a tick is; without it, as the rules say (`:- tick(ms).`), or a second. See `TimeOptions`.
    changes: also give the log of changes: goes through the query times one by one, and gives the same history.
    threads: how many evaluate side by side, each some of the entities; without it, as many as there are cores if there
    are rows enough. The answer is the same, its rows perhaps in another order.
    only: the definitions that the result shall have, by name or name/arity; without it, all that are not internal.
    """
    description = as_description(rules, only, events if isinstance(events, EventSource) else mapping)
    reading: dict[str, Any] = {"format": format, "mapping": mapping}
    options = gather_times(**times)
    return recognise_for(description, events, options, **reading, changes=changes, threads=threads)


def open_origin(description: EventDescription, events: Any, times: GivenTimes) -> Origin:
    """Read events so that questions about their history can be answered, without recognising anything."""
    source = as_source(events, None, None)
    unit = agree_on_tick_unit(description, times.tick_unit, source.given_unit)
    source, ticks = source.counting_in(unit), check_ticks(times, unit)
    read = join_events(read_parts(source, description.with_input().inputs, None))
    windows = find_windows(read.timed, *ticks)
    return Origin(description, SomeEvents(source.parts, read.blocks), windows, unit)


def recognise_for(
    rules: Rules,
    events: Any,
    times: GivenTimes,
    *,
    format: str | None = None,
    mapping: Any = None,
    changes: bool = False,
    threads: int | None = None,
    tuning: Tuning = DEFAULT,
    readings: Readings | None = None,
) -> Result:
    """Recognise as `recognise` does, with times as one record, and perhaps with other thresholds.

    readings: what has been read of these events, so that several descriptions read them once.
    """
    description = as_description(rules, None, events if isinstance(events, EventSource) else mapping)
    source = as_source(events, format, mapping)
    unit = agree_on_tick_unit(description, times.tick_unit, source.given_unit)
    source = source.counting_in(unit)
    ticks = check_ticks(times, unit)
    with shown_refusals(description.texts.sources):
        started = time.perf_counter()
        inputs, readings = description.with_input().inputs, {} if readings is None else readings
        if inputs not in readings:
            readings[inputs] = read_parts(source, inputs, 1 if changes else threads)
        read = readings[inputs]
        blocks = [block for part in read for block in part.blocks]
        program = program_once(plan(description.with_input({block.name for block in blocks})))
        program = program if tuning is program.tuning else replace(program, tuning=tuning)
        seconds, fence = time.perf_counter() - started, None
        types = reduce(join_types, (part.types for part in read))
        count = 1 if changes else choose_threads(threads, program, sum(map(len, blocks)))
        if count == 1:
            read = [join_events(read)]
            blocks = list(read[0].blocks)
        find_span = cache(partial(span_of, [block for part in read for block in part.timed]))
        while True:
            windows = find_windows_over(lambda fence: find_span(fence) or (1, 1), *ticks, fence)
            try:
                if count > 1:
                    result = find_history_in_threads(program, read, windows, count)
                else:
                    result = find_history(program, read[0], windows, changes)
                metrics = with_shapes(result.metrics | {TYPES: types}, description, source.columns) | {
                    "seconds_reading": round(seconds, 6)
                }
                metrics |= {REASONS: count_reasons(result.rejects), KINDS: kinds_of_blocks(blocks)}
                metrics[SPAN] = find_span(windows.fence)
                warn_of_doubts(metrics, unit, description, times.amounts)
                return replace(result, metrics=metrics, origin=Origin(description, source, windows, unit))
            except AxisFull as full:  # perhaps only because some rows are far off all others
                fence = narrowed(windows.fence, sample_of(blocks), full.left)
                if fence is None:
                    raise
