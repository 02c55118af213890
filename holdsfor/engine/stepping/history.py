"""The history of a stream: out of what was read, in one pass or from query time to query time."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import pyarrow as pa

from holdsfor.engine.data.axis import fit
from holdsfor.engine.data.dictionary import with_room
from holdsfor.engine.data.world import World, WorldFrame, count_failures, sum_failures
from holdsfor.engine.definitions.evaluate import Program, evaluate
from holdsfor.engine.input.arrived import Arrived
from holdsfor.engine.input.inputs import add_block, count_equal, encoded, events_counted, source_of, span
from holdsfor.engine.input.outliers import set_aside
from holdsfor.engine.input.window import LATE_SCHEMA, Counted, Windows, counted, standing
from holdsfor.engine.output.argument_types import find_kinds
from holdsfor.engine.output.changes import changes
from holdsfor.engine.output.result import Result, intervals_table, occurrences_table
from holdsfor.engine.stepping.carried import NOTHING_YET, opened
from holdsfor.engine.stepping.query_times import moments
from holdsfor.engine.stepping.settling import everything
from holdsfor.engine.stepping.upstream_changes import NO_WORDS
from holdsfor.io.columns.text import plain_text
from holdsfor.io.events import Block, Events
from holdsfor.io.storage.fold import INTERVAL_LOG
from holdsfor.io.tables.wide import NANOSECONDS
from holdsfor.plan.definitions import InputSource
from holdsfor.plan.operators import Relation


def find_history(program: Program, read: Events, windows: Windows, stepped: bool) -> Result:
    """Recognise a program's fluents and events in what was read. stepped: also the log of changes."""
    begun = time.perf_counter()
    inside = [set_aside(block, windows.fence) for block in read.blocks]
    rejects = pa.concat_tables([read.rejects, *(table for _, table in inside)])
    kept = [counted(block, windows) for block, _ in inside]
    late = pa.concat_tables([LATE_SCHEMA.empty_table(), *(item.late for item in kept)])
    outputs = [relation for definition in program.plan.definitions for relation in definition.defines]

    def attempt(room: int) -> Recognised:
        if stepped:
            return _step_through(program, kept, windows, room)
        world = prepare(program, [standing(item.block, windows) for item in kept], windows, room=room)
        equal = count_equal(world, events_counted(program.plan.sources))
        left_out = evaluate(program, world)
        intervals, occurrences = tables(outputs, world)
        failures, kinds, log = count_failures(world), find_kinds(outputs, world), INTERVAL_LOG.empty_table()
        return Recognised(intervals, occurrences, log, left_out, failures, kinds, equal)

    return make_result(with_room(attempt), read, windows, rejects, late, begun)


class Recognised(NamedTuple):
    """Hold what an evaluation gives: tables and log, groundings outside of domains, failures, kinds, equal events."""

    intervals: pa.Table
    occurrences: pa.Table
    log: pa.Table
    left_out: int
    failures: Mapping[str, int]
    kinds: dict[str, int]
    equal: int | None  # None: not counted


def make_result(
    recognised: Recognised, read: Events, windows: Windows, rejects: pa.Table, late: pa.Table, begun: float
) -> Result:
    """With the figures of the run. begun: by the clock."""
    metrics = {
        "events_in": read.read,
        "events_unused": read.unused,
        **({} if recognised.equal is None else {"events_equal": recognised.equal}),
        **read.counts,
        "events_rejected": rejects.num_rows,
        "events_late": late.num_rows,
        "groundings_outside_domain": recognised.left_out,
        **recognised.failures,
        "intervals_out": recognised.intervals.num_rows,
        "occurrences_out": recognised.occurrences.num_rows,
        "query_times": len(windows.query_times()),
        "window": windows.window,
        "step": windows.step,
        "start": windows.start,
        "end": windows.end,
        "sample_every": windows.tick,
        "seconds_recognising": round(time.perf_counter() - begun, 6),
        **recognised.kinds,
    }
    if read.nanoseconds is not None:
        metrics[NANOSECONDS] = read.nanoseconds
    return Result(recognised.intervals, recognised.occurrences, recognised.log, rejects, late, metrics)


def _step_through(program: Program, kept: Sequence[Counted], windows: Windows, room: int) -> Recognised:
    """The whole history at the last query time, the log of changes, what domains left out, failures, and kinds."""
    scope = everything(program.plan)
    relations = scope.relations(program.plan)
    start = opened(NOTHING_YET, program, windows, scope, [item.block for item in kept], windows.last, room)
    arrived = [Arrived(item.block, windows) for item in kept]
    log, left_out, failures, moment = [INTERVAL_LOG.empty_table()], 0, list[dict[str, int]](), None
    due = windows.query_times()
    for moment in moments(program, windows, scope, due, arrived, NO_WORDS, start.state, None, start.world):
        log.append(changes(moment, relations).intervals)
        left_out = max(left_out, moment.left_out)
        failures.append(count_failures(moment.now))
    assert moment is not None
    kinds = find_kinds(relations, moment.now)
    whole = prepare(program, [standing(item.block, windows) for item in kept], windows, room=room)
    equal = count_equal(whole, events_counted(program.plan.sources))
    return Recognised(
        *tables(relations, moment.now), pa.concat_tables(log), left_out, sum_failures(failures), kinds, equal
    )


def select_standing(blocks: Iterable[Block], windows: Windows) -> tuple[Block, ...]:
    """Return the rows that count, without those that were taken back."""
    inside = (set_aside(block, windows.fence)[0] for block in blocks)
    return tuple(standing(counted(block, windows).block, windows) for block in inside)


def prepare(
    program: Program, blocks: Sequence[Block], windows: Windows, more: Sequence[InputSource] = (), room: int = 2
) -> World:
    """The world before evaluation: facts and input on one axis.

    more: what earlier stages have defined. room: for so many times more terms than there are now.
    """
    dictionary, known = program.begin()
    sources = (*program.plan.sources, *more)
    sourced = [(block, source) for block in blocks if (source := source_of(block, sources)) is not None]
    columns = [encoded(block, source.identities, dictionary) for block, source in sourced]
    low, high = span([block for block, _ in sourced], windows.start, windows.end)
    axis = fit(low, high, windows.tick, len(dictionary), room, program.columns, program.tuning)
    dictionary.limit = axis.codes
    world = WorldFrame(axis, dictionary, known, windows.start, program.plan.unreported, windows.step).at(windows.end)
    for (block, source), values in zip(sourced, columns, strict=True):
        add_block(block, values, source, world)
    return world


def tables(relations: Sequence[Relation], world: World) -> tuple[pa.Table, pa.Table]:
    fluents = [relation for relation in relations if world.reports(relation) and relation.kind != "event"]
    return intervals_table(fluents, world, plain_text), occurrences_table(_events(relations, world), world, plain_text)


def _events(relations: Sequence[Relation], world: World) -> list[Relation]:
    return [relation for relation in relations if world.reports(relation) and relation.kind == "event"]
