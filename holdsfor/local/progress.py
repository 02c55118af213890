"""Partial matches in a recorded stream: where its patterns stand at the end of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from holdsfor.duration import Duration, GivenTimes, TickUnit, TimePoint
from holdsfor.engine.data.dictionary import with_room
from holdsfor.engine.definitions.evaluate import evaluate, make_program
from holdsfor.engine.input.window import check_ticks, find_windows
from holdsfor.engine.patterns.partial_matches import progress_table
from holdsfor.engine.stepping.history import prepare, select_standing
from holdsfor.errors import HoldsforError
from holdsfor.io.readers.read import as_source
from holdsfor.io.storage.store import Store
from holdsfor.job.live.state.partial_matches import progress_of_stream
from holdsfor.language.choosing import agree_on_tick_unit
from holdsfor.language.description import EventDescription
from holdsfor.language.diagnostics import shown_refusals
from holdsfor.loading import Rules, as_description
from holdsfor.local.saving import RECORD
from holdsfor.local.session import resume
from holdsfor.plan import plan


def progress(
    rules: Rules,
    events: Any = None,
    *,
    checkpoint: str | Path | None = None,
    start: TimePoint | None = None,
    end: TimePoint | None = None,
    sample_every: Duration = 1,
    tick_unit: TickUnit | None = None,
    format: str | None = None,
    mapping: Any = None,
) -> pa.Table:
    """Return which parts of patterns have occurred by `end`, what each waits for, until when (null: for ever).

    events: whatever `read_events` takes. checkpoint: instead of events, the folder of a stream's checkpoint, or of a
    saved session, as they were at their last query time.
    A row is a partial match: the event and the rule, the values of the rule's variables, when it began and when its
    last part was over, what has matched, what is awaited, until when, and which share of the pattern has matched.
    """
    description = as_description(rules, None, mapping)
    if checkpoint is not None:
        if any(option is not None for option in (events, start, end, format, mapping)):
            raise HoldsforError("a checkpoint has events and times of its own; give either events or a checkpoint.")
        return _progress_of_checkpoint(description, checkpoint)
    if events is None:
        raise HoldsforError("give events, or a checkpoint.")
    source = as_source(events, format, mapping)
    unit = agree_on_tick_unit(description, tick_unit, source.given_unit)
    times = check_ticks(GivenTimes(start=start, end=end, sample_every=sample_every), unit)
    with shown_refusals(description.texts.sources):
        description = description.with_input()
        program = make_program(plan(description))
        read = source.counting_in(unit).read(description.inputs)
        windows = find_windows(read.timed, *times)
        blocks = select_standing(read.blocks, windows)

        def attempt(room: int) -> pa.Table:
            world = prepare(program, blocks, windows, room=room)
            evaluate(program, world)
            return progress_table(program.plan, world)

        return with_room(attempt)


def _progress_of_checkpoint(description: EventDescription, folder: str | Path) -> pa.Table:
    if Store(folder).exists(RECORD):
        return resume(description, folder).progress()
    with shown_refusals(description.texts.sources):
        return progress_of_stream(make_program(plan(description.with_input())), folder)
