"""The batch job: reading and sharing out, one shuffle and one evaluation a stage, results as DataFrames or files."""

from __future__ import annotations

import json
import operator
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from holdsfor.engine.axis import BITS, AxisFull
from holdsfor.engine.evaluate import program
from holdsfor.engine.fence import Fence, Sample, fence_for, join_samples, narrowed, sample_of, span_of
from holdsfor.engine.window import check_ticks, windows_over
from holdsfor.errors import HoldsforError
from holdsfor.io.events import Block
from holdsfor.io.readers.columns import blocks_from_table
from holdsfor.io.readers.mapping import Mapping, as_mapping
from holdsfor.io.readers.read import EventSource, read_events
from holdsfor.job.output import SCHEMAS, draft, publish
from holdsfor.job.parts import footer_span, parts_of, tables_of
from holdsfor.job.routing import router
from holdsfor.job.tasks import DONE, ROW_DDL, TIME_BITS_LEFT, Job, batches_of, heartbeats, read_part, stage_task
from holdsfor.language.description import EventDescription
from holdsfor.plan import plan
from holdsfor.spark.errors import worker_errors

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Batches = Iterator[pa.RecordBatch]
#: How the counts of tasks become one, where they are not added up.
MERGED = {"first_time": min, "last_time": max, TIME_BITS_LEFT: min}
DDL = {
    "intervals": "fluent string, args array<string>, value string, start bigint, end bigint",
    "occurrences": "event string, args array<string>, start bigint, end bigint",
    "late": "name string, args array<string>, value string, start bigint, end bigint, arrival bigint, "
    "query_time bigint, late_by bigint",
    "rejects": "source string, row bigint, text string, reason string",
}


@dataclass(frozen=True, slots=True)
class SparkResult:
    """What was recognised, as DataFrames with the columns of the contract of `run`, and counts."""

    intervals: DataFrame
    occurrences: DataFrame
    late: DataFrame
    rejects: DataFrame
    metrics: dict[str, Any] = field(default_factory=dict)


def recognise(
    spark: SparkSession,
    description: EventDescription,
    events: Any,
    *,
    window: int | None = None,
    step: int | None = None,
    start: int | None = None,
    end: int | None = None,
    tick: int = 1,
    buckets: int | None = None,
    mapping: Any = None,
    out: str | Path | None = None,
) -> SparkResult:
    """What the description recognises in the events, on Spark. events: a DataFrame, or whatever read_events takes.

    buckets: entities are shared out over so many (default: 8 a core). out: workers write the result tables there.
    """
    begun = time.perf_counter()
    check_ticks(window, step, start, end, tick)
    count = buckets or 8 * spark.sparkContext.defaultParallelism
    if count < 1:
        raise HoldsforError(f"there must be at least one bucket, not {count}")
    ready = program(plan(description))
    feed = _feed(spark, description, events, mapping)
    whole = start is None or end is None
    fence = fence_for(window)
    with worker_errors():
        span = feed.span(fence) if whole else None
    while True:
        given = windows_over(partial(_known, span), window, step, start, end, tick, fence)
        job = Job(ready, given, router(ready.plan, count), None if out is None else draft(Path(out)))
        with worker_errors():
            done, counts = _run(spark, job, feed)
        found = (counts.pop("first_time", 1), counts.pop("last_time", 1))
        if (left := counts.pop(TIME_BITS_LEFT, None)) is not None:
            with worker_errors():
                fence = _narrowed(fence, feed, left)
                span = feed.looking.span(fence) if whole else None
            continue
        if not whole or found == span:
            break
        span = found  # the span was taken from file footers, and rows that do not count reach beyond it
    metrics = {"arithmetic_overflows": 0} | counts | {"window": given.window, "step": given.step}
    metrics |= {"start": given.start, "end": given.end, "tick": given.tick}
    metrics |= {"query_times": len(given.query_times()), "buckets": count}
    if out is not None:
        publish(Path(out))
    metrics["seconds"] = round(time.perf_counter() - begun, 3)
    return SparkResult(**{name: _table(spark, name, done, out) for name in SCHEMAS}, metrics=metrics)


def _known(span: tuple[int, int] | None, fence: Fence) -> tuple[int, int]:
    return span or (1, 1)


def _narrowed(fence: Fence, feed: _Feed, left: int) -> Fence:
    """Without the rows that are far off all others, where the axis cannot hold both."""
    fence_left = narrowed(fence, feed.looking.sample(), left)
    if fence_left is None:
        raise AxisFull(1 << (BITS - left), left + 1, left)
    return fence_left


def _run(spark: SparkSession, job: Job, feed: _Feed) -> tuple[list[DataFrame], dict[str, Any]]:
    """Runs the stages; gives the rows in which results are, and the counts."""
    from pyspark.sql import functions

    shared = spark.sparkContext.broadcast((job, feed.parts))
    rows = feed.rows(lambda: shared.value)
    beats = [tuple(row.values()) for row in heartbeats(job)]
    if beats:
        rows = rows.unionByName(spark.createDataFrame(beats, ROW_DDL))
    done = []
    for number in range(len(job.ready.plan.stages)):
        rows = _evaluated(rows, number, job.router.buckets, lambda: shared.value)
        if job.sink is None:  # results are set aside at each stage; only what later stages read goes on
            done.append(rows.persist())
            rows = rows.filter(functions.col("stage") != DONE)
    done = done or [rows]
    return done, _counted(done)


# ---------------------------------------------------------------- reading


@dataclass(frozen=True, slots=True)
class _Feed:
    """How the input comes in: the parts that tasks read, and the job that reads them."""

    parts: Sequence[Any]
    rows: Callable[[Callable[[], Any]], DataFrame]
    span: Callable[[Fence], tuple[int, int]]  # perhaps more than that of the rows that count
    looking: _Looking


def _feed(spark: SparkSession, description: EventDescription, events: Any, mapping: Any) -> _Feed:
    from pyspark.sql import DataFrame

    inputs = description.inputs
    if isinstance(events, DataFrame):
        named = as_mapping(mapping)

        def reading(shared: Callable[[], Any]) -> DataFrame:
            def read(batches: Batches) -> Batches:
                return batches_of(_read_frame(shared()[0], batches, named, inputs))

            return events.mapInArrow(read, ROW_DDL)

        looking = _looking_at_frame(events, named, inputs)
        return _Feed((), reading, looking.span, looking)
    source = events if isinstance(events, EventSource) else read_events(events, mapping=mapping)
    parts = parts_of(source)

    def tasks(shared: Callable[[], Any]) -> DataFrame:
        def read(batches: Batches) -> Batches:
            return batches_of(_read_parts(shared(), batches, inputs))

        return spark.range(0, len(parts), 1, max(len(parts), 1)).mapInArrow(read, ROW_DDL)

    looking = _looking_at_parts(spark, parts, inputs)
    return _Feed(parts, tasks, lambda fence: footer_span(parts, inputs) or looking.span(fence), looking)


def _read_parts(shared: Any, batches: Batches, inputs: Any) -> Iterator[dict[str, Any]]:
    job, parts = shared
    for batch in batches:
        for number in batch.column(0).to_pylist():
            begun = time.perf_counter()
            events = parts[number].read(inputs)
            yield from read_part(job, events, number, time.perf_counter() - begun)


def _read_frame(job: Job, batches: Batches, mapping: Mapping, inputs: Any) -> Iterator[dict[str, Any]]:
    from pyspark import TaskContext

    context = TaskContext.get()
    partition = context.partitionId() if context else 0
    row = 1
    for number, table in enumerate(tables_of(batches)):
        events = blocks_from_table(table, mapping, inputs, f"<partition {partition}>", row)
        yield from read_part(job, events, (partition << 32) | number)
        row += table.num_rows


@dataclass(frozen=True, slots=True)
class _Looking:
    """What the driver asks of the times of all rows. ask: has the workers look at their blocks, each in its own way."""

    ask: Callable[[Callable[[Sequence[Block]], Batches], str], DataFrame]

    def span(self, fence: Fence) -> tuple[int, int]:
        """The first and last time of the rows inside the fence."""
        from pyspark.sql import functions

        def look(blocks: Sequence[Block]) -> Batches:
            found = span_of(blocks, fence)
            if found is not None:
                yield pa.RecordBatch.from_pylist([{"low": found[0], "high": found[1]}])

        spans = self.ask(look, "low bigint, high bigint")
        row = spans.agg(functions.min("low").alias("low"), functions.max("high").alias("high")).first()
        return (1, 1) if row is None or row["low"] is None else (row["low"], row["high"])

    def sample(self) -> Sample:
        """Some of the times, by which their middle and spread can be told."""

        def look(blocks: Sequence[Block]) -> Batches:
            found = sample_of(blocks)
            yield pa.record_batch({"time": found.times, "weight": found.weights})

        found = self.ask(look, "time bigint, weight bigint").toArrow()
        return join_samples([Sample(found["time"].to_numpy(), found["weight"].to_numpy())])


def _looking_at_parts(spark: SparkSession, parts: Sequence[Any], inputs: Any) -> _Looking:
    def ask(look: Callable[[Sequence[Block]], Batches], columns: str) -> DataFrame:
        shared = spark.sparkContext.broadcast(parts)

        def task(batches: Batches) -> Batches:
            for batch in batches:
                for number in batch.column(0).to_pylist():
                    yield from look(shared.value[number].read(inputs).blocks)

        return spark.range(0, len(parts), 1, max(len(parts), 1)).mapInArrow(task, columns)

    return _Looking(ask)


def _looking_at_frame(frame: DataFrame, mapping: Mapping, inputs: Any) -> _Looking:
    def ask(look: Callable[[Sequence[Block]], Batches], columns: str) -> DataFrame:
        def task(batches: Batches) -> Batches:
            for table in tables_of(batches):
                yield from look(blocks_from_table(table, mapping, inputs, "").blocks)

        return frame.mapInArrow(task, columns)

    return _Looking(ask)


# ---------------------------------------------------------------- stages and results


def _evaluated(rows: DataFrame, number: int, buckets: int, shared: Callable[[], Any]) -> DataFrame:
    def task(batches: Batches) -> Batches:
        return batches_of(stage_task(shared()[0], number, batches))

    return rows.repartitionById(buckets, "bucket").mapInArrow(task, ROW_DDL)


def _counted(done: Sequence[DataFrame]) -> dict[str, Any]:
    """Runs the job; gives the counts of all tasks added up."""
    from pyspark.sql import functions

    total: dict[str, Any] = {}
    for rows in done:
        for row in rows.filter(functions.col("use") == "counts").select("data").collect():
            for name, amount in json.loads(bytes(row["data"])).items():
                total[name] = merge_of(name)(total[name], amount) if name in total else amount
    return {name: round(amount, 6) if isinstance(amount, float) else amount for name, amount in total.items()}


def merge_of(name: str) -> Callable[[Any, Any], Any]:
    """How the amounts of two tasks become one."""
    return max if name.startswith("most_") else MERGED.get(name, operator.add)


def _table(spark: SparkSession, name: str, done: Sequence[DataFrame], out: str | Path | None) -> DataFrame:
    from pyspark.sql import functions

    if out is not None:
        return spark.read.schema(DDL[name]).parquet(str(Path(out) / f"{name}.parquet"))

    def opened(batches: Batches) -> Batches:
        for batch in batches:
            for data in batch.column("data").to_pylist():
                with pa.ipc.open_stream(data) as reader:
                    yield from reader.read_all().to_batches(max_chunksize=100_000)

    found = [rows.filter(functions.col("use") == name).mapInArrow(opened, DDL[name]) for rows in done]
    result = found[0]
    for more in found[1:]:
        result = result.unionByName(more)
    return result
