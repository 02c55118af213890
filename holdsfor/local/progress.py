"""Partial matches in a recorded stream: where its patterns stand at the end of it."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from holdsfor.duration import Duration, TickUnit
from holdsfor.engine.dictionary import with_room
from holdsfor.engine.evaluate import evaluate, make_program
from holdsfor.engine.history import prepare
from holdsfor.engine.outliers import set_aside
from holdsfor.engine.progress import progress_table
from holdsfor.engine.window import check_ticks, counted, find_windows, standing
from holdsfor.io.readers.read import as_source
from holdsfor.language.description import EventDescription
from holdsfor.language.diagnostics import shown_refusals
from holdsfor.language.tick_unit import agree_on_tick_unit
from holdsfor.plan import plan


def progress(
    description: EventDescription,
    events: Any,
    *,
    start: Duration | None = None,
    end: Duration | None = None,
    tick: Duration = 1,
    tick_unit: TickUnit | None = None,
    format: str | None = None,
    mapping: Any = None,
) -> pa.Table:
    """Which parts of patterns have occurred by `end`, what each waits for, and until when (null: for ever).

    events: whatever `read_events` takes. A row is a partial match: the event and the rule, the values of the rule's
    variables, when it began and when its last part was over, what has matched, what is awaited, until when.
    """
    times = check_ticks(None, None, start, end, tick, agree_on_tick_unit(description, tick_unit))
    with shown_refusals(description.sources):
        program = make_program(plan(description))
        read = as_source(events, format, mapping).read(description.inputs)
        windows = find_windows(read.blocks, *times)
        kept = [standing(counted(set_aside(block, windows.fence)[0], windows).block, windows) for block in read.blocks]

        def attempt(room: int) -> pa.Table:
            world = prepare(program, kept, windows, room=room)
            evaluate(program, world)
            return progress_table(program.plan, world)

        return with_room(attempt)
