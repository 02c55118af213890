"""Recognition in process: a description and events give the history."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from holdsfor.engine.axis import AxisFull, fit
from holdsfor.engine.carried import NOTHING_YET, opened
from holdsfor.engine.changes import changes
from holdsfor.engine.dictionary import with_room
from holdsfor.engine.evaluate import Program, evaluate, program
from holdsfor.engine.fence import narrowed, sample_of
from holdsfor.engine.inputs import add_block, encoded, source_of, span
from holdsfor.engine.outliers import set_aside
from holdsfor.engine.result import Result, intervals_table, occurrences_table
from holdsfor.engine.settling import everything
from holdsfor.engine.stepping import Arrived, NoUpstream, moments
from holdsfor.engine.window import LATE_SCHEMA, Counted, Windows, check_ticks, counted, standing, windows
from holdsfor.engine.world import World
from holdsfor.io.events import Block, Events
from holdsfor.io.readers.read import EventSource, read_events
from holdsfor.io.storage.fold import INTERVAL_LOG
from holdsfor.language.description import EventDescription
from holdsfor.language.diagnostics import DescriptionError, Refusal
from holdsfor.plan import plan
from holdsfor.plan.operators import Relation, Source
from holdsfor.plan.walk import defines


def recognise(
    description: EventDescription,
    events: Any,
    *,
    window: int | None = None,
    step: int | None = None,
    start: int | None = None,
    end: int | None = None,
    tick: int = 1,
    stepped: bool = False,
) -> Result:
    """What the description recognises in the events, over the whole history, in this process.

    stepped: go through the query times one by one, which gives the same history and the log of changes.
    """
    begun = time.perf_counter()
    check_ticks(window, step, start, end, tick)
    made = plan(description)
    try:
        ready = program(made)
        source = events if isinstance(events, EventSource) else read_events(events)
        read = source.read(description.inputs)
        loaded = time.perf_counter()
        fence = None
        while True:
            asked = windows(read.blocks, window, step, start, end, tick, fence)
            try:
                return _history(ready, read, asked, stepped, begun, loaded)
            except AxisFull as full:  # perhaps only because some rows are far off all others
                fence = narrowed(asked.fence, sample_of(read.blocks), full.left)
                if fence is None:
                    raise
    except Refusal as refusal:
        raise DescriptionError([refusal.diagnostic(description.sources)]) from None


def _history(ready: Program, read: Events, asked: Windows, stepped: bool, begun: float, loaded: float) -> Result:
    inside = [set_aside(block, asked.fence) for block in read.blocks]
    rejects = pa.concat_tables([read.rejects, *(table for _, table in inside)])
    kept = [counted(block, asked) for block, _ in inside]
    late = pa.concat_tables([LATE_SCHEMA.empty_table(), *(item.late for item in kept)])
    defined = (relation for definition in ready.plan.definitions for relation in defines(definition))
    outputs = [relation for relation in defined if not relation.internal]

    def attempt(room: int) -> tuple[pa.Table, pa.Table, pa.Table, int, int]:
        if stepped:
            return _step_through(ready, kept, asked, room)
        world = prepare(ready, [standing(item.block, asked) for item in kept], asked, room=room)
        left_out = evaluate(ready, world)
        return (*tables(outputs, world), INTERVAL_LOG.empty_table(), left_out, world.counts["overflows"])

    intervals, occurrences, log, left_out, overflows = with_room(attempt)
    ended = time.perf_counter()
    metrics = {
        "events_in": read.read,
        "events_unused": read.unused,
        "events_rejected": rejects.num_rows,
        "events_late": late.num_rows,
        "groundings_outside_domain": left_out,
        "arithmetic_overflows": overflows,
        "intervals_out": intervals.num_rows,
        "occurrences_out": occurrences.num_rows,
        "query_times": len(asked.query_times()),
        "window": asked.window,
        "step": asked.step,
        "start": asked.start,
        "end": asked.end,
        "tick": asked.tick,
        "seconds_reading": round(loaded - begun, 6),
        "seconds_recognising": round(ended - loaded, 6),
    }
    return Result(intervals, occurrences, log, rejects, late, metrics)


def _step_through(
    ready: Program, kept: Sequence[Counted], asked: Windows, room: int
) -> tuple[pa.Table, pa.Table, pa.Table, int, int]:
    """The whole history at the last query time, the log of changes, what domains left out, and overflows."""
    scope = everything(ready.plan)
    relations = [relation for relation in scope.relations(ready.plan) if not relation.internal]
    start = opened(NOTHING_YET, ready, asked, scope, [item.block for item in kept], asked.last, room)
    arrived = [Arrived(item.block, item.seen) for item in kept]
    log, left_out, overflows, moment = [INTERVAL_LOG.empty_table()], 0, 0, None
    due = asked.query_times()
    for moment in moments(ready, asked, scope, due, arrived, NoUpstream(), start.state, None, start.world):
        log.append(changes(moment, relations).intervals)
        left_out = max(left_out, moment.left_out)
        overflows += moment.now.counts["overflows"]
    assert moment is not None
    return (*tables(relations, moment.now), pa.concat_tables(log), left_out, overflows)


def prepare(
    ready: Program, blocks: Sequence[Block], asked: Windows, more: Sequence[Source] = (), room: int = 2
) -> World:
    """The world before evaluation: facts and input on one axis.

    more: what earlier stages have defined. room: for so many times more terms than there are now.
    """
    dictionary, known = ready.begin()
    sources = (*ready.plan.sources, *more)
    found = [(block, source) for block in blocks if (source := source_of(block, sources)) is not None]
    columns = [encoded(block, source.identities, dictionary) for block, source in found]
    low, high = span((block for block, _ in found), asked.start, asked.end)
    axis = fit(low, high, asked.tick, len(dictionary), room)
    dictionary.limit = axis.codes
    world = World(axis, dictionary, known, asked.start, asked.end, asked.start - 1)
    for (block, source), values in zip(found, columns, strict=True):
        add_block(block, values, source, world)
    return world


def tables(relations: Sequence[Relation], world: World) -> tuple[pa.Table, pa.Table]:
    fluents = [relation for relation in relations if relation.kind != "event"]
    events = [relation for relation in relations if relation.kind == "event"]
    return intervals_table(fluents, world), occurrences_table(events, world)
