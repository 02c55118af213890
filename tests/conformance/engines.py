"""The ways to recognise: one list, so that every case and every law is held against each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession

import holdsfor
import holdsfor.spark
from holdsfor.engine.definitions.evaluate import make_program
from holdsfor.engine.input.window import Ticks
from holdsfor.engine.output.changes import Report
from holdsfor.job.batch import run_batch
from holdsfor.job.parts import parts_of
from holdsfor.language import EventDescription
from holdsfor.plan import plan
from tests.conformance import sessions, streamed
from tests.job.alone_in_batch import AloneInBatch
from tests.naive import evaluate
from tests.naive.evaluate import Answer
from tests.naive.rows import Horizon, line_format, read_lines, read_terms

#: A description, the lines of a stream in RTEC's CSV or as terms, and the windows.
Recognise = Callable[[EventDescription, Sequence[str], Horizon], Answer]


@dataclass(frozen=True)
class Engine:
    name: str
    recognise: Recognise

    def __str__(self) -> str:
        return self.name


def naive(description: EventDescription, lines: Sequence[str], horizon: Horizon) -> Answer:
    read = read_terms if line_format(lines) == "terms" else read_lines
    description = description.with_input()
    return evaluate.recognise(description, read(lines, description), horizon)


def in_process(description: EventDescription, lines: Sequence[str], horizon: Horizon) -> Answer:
    return _in_process(description, lines, horizon, changes=False)


def stepped(description: EventDescription, lines: Sequence[str], horizon: Horizon) -> Answer:
    """Every window is really gone through, with carried state."""
    return _in_process(description, lines, horizon, changes=True)


def _in_process(description: EventDescription, lines: Sequence[str], horizon: Horizon, changes: bool) -> Answer:
    events = holdsfor.read_events(list(lines), format=line_format(lines))
    result = holdsfor.recognise(
        description,
        events,
        window=horizon.window,
        step=horizon.step,
        start=horizon.start,
        end=horizon.end,
        sample_every=horizon.sample_every,
        changes=changes,
    )
    return answer(result.intervals, result.occurrences)


def in_tasks(buckets: int, alone: type[AloneInBatch] = AloneInBatch) -> Engine:
    """What the workers of Spark do, without Spark: cheap enough for every case."""

    def recognise(description: EventDescription, lines: Sequence[str], horizon: Horizon) -> Answer:
        description = description.with_input()
        size = -(-len(lines) // buckets)
        cut = [list(lines[number * size : (number + 1) * size]) for number in range(buckets)]
        crew = alone(parts_of(holdsfor.read_events(cut, format=line_format(lines))), description.inputs)
        times = Ticks(horizon.window, horizon.step, horizon.start, horizon.end, horizon.sample_every)
        run_batch(make_program(plan(description)), times, buckets, crew)
        return answer(crew.table("intervals"), crew.table("occurrences"))

    return Engine(f"tasks, {buckets} buckets", recognise)


def in_stream(buckets: int, report: Report = "eager") -> Engine:
    """What the streaming job does, batch by batch, without Spark."""

    def recognise(description: EventDescription, lines: Sequence[str], horizon: Horizon) -> Answer:
        return answer(*streamed.recognise(description, lines, horizon, buckets, report))

    return Engine(f"stream, {buckets} buckets" + (f", {report}" if report != "eager" else ""), recognise)


def in_session(report: Report = "eager") -> Engine:
    """A live session in this process."""

    def recognise(description: EventDescription, lines: Sequence[str], horizon: Horizon) -> Answer:
        return answer(*sessions.recognise(description, lines, horizon, report))

    return Engine(f"session, {report}", recognise)


def on_spark(session: SparkSession, buckets: int) -> Engine:
    def recognise(description: EventDescription, lines: Sequence[str], horizon: Horizon) -> Answer:
        result = holdsfor.spark.recognise(
            session,
            description,
            holdsfor.read_events(list(lines), format=line_format(lines)),
            window=horizon.window,
            step=horizon.step,
            start=horizon.start,
            end=horizon.end,
            sample_every=horizon.sample_every,
            buckets=buckets,
        )
        return answer(result.intervals.toArrow(), result.occurrences.toArrow())

    return Engine(f"spark, {buckets} buckets", recognise)


def answer(intervals: pa.Table, occurrences: pa.Table) -> Answer:
    """Arrow tables with the columns of the contract, as plain dictionaries and sets."""
    found = Answer()
    for row in _rows(intervals, ("fluent", "args", "value", "start", "end")):
        fluent, args, value, start, end = row
        found.intervals.setdefault((fluent, tuple(args), value), []).append((start, end))
    for times in found.intervals.values():
        times.sort(key=lambda interval: (interval[0], interval[1] is None, interval[1]))  # duplicates are shown
    for event, args, start, end in _rows(occurrences, ("event", "args", "start", "end")):
        found.occurrences.add((event, tuple(args), end))
        found.spans.add((event, tuple(args), start, end))
    return found


def _rows(table: pa.Table, columns: Sequence[str]) -> Iterable[tuple[Any, ...]]:
    return zip(*(table.column(name).to_pylist() for name in columns), strict=True)


LOCAL = (Engine("in-process", in_process), Engine("stepped", stepped))
TASKS = tuple(map(in_tasks, (1, 2, 7)))
STREAMS = tuple(map(in_stream, (1, 3)))
NAIVE = Engine("naive", naive)
