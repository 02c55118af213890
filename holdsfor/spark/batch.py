"""Run the batch job: read and share out, shuffle and evaluate each stage, give DataFrames or files."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import pyarrow as pa

from holdsfor.duration import TimeOptions, gather_times
from holdsfor.engine.definitions.evaluate import make_program
from holdsfor.engine.input.fence import Fence, Sample, join_samples, sample_of, span_of
from holdsfor.engine.input.window import check_ticks
from holdsfor.errors import HoldsforError
from holdsfor.io.events import Events
from holdsfor.io.readers.columns import blocks_from_table
from holdsfor.io.readers.mapping import Mapping as ColumnMapping
from holdsfor.io.readers.mapping import as_mapping, check_zone
from holdsfor.io.readers.read import EventSource, as_source
from holdsfor.io.tables.wide import NANOSECONDS, HasName, shape_in
from holdsfor.job.batch import run_batch
from holdsfor.job.output import SCHEMAS
from holdsfor.job.parcel_files import Depot
from holdsfor.job.parts import estimate_rows, find_hubs, footer_span, parts_of, suggest_buckets, tables_of
from holdsfor.job.run_warnings import warn_of_doubts
from holdsfor.job.shapes import with_shapes
from holdsfor.job.task_rows import DONE, Note, TaskRow
from holdsfor.job.tasks import Job, heartbeats, read_part, stage_task
from holdsfor.language.choosing import agree_on_tick_unit
from holdsfor.language.description import EventDescription
from holdsfor.language.diagnostics import shown_refusals
from holdsfor.loading import Rules, as_description
from holdsfor.plan import plan
from holdsfor.plan.whole_plan import Plan
from holdsfor.spark.before_job import check_frame, check_python
from holdsfor.spark.errors import worker_errors
from holdsfor.spark.frames import ROW_DDL, batches_of_task, collect_notes, ddl_of, union
from holdsfor.spark.reasons import find_origin
from holdsfor.spark.session import open_depot_folder
from holdsfor.spark.sharing import count_cores, send_to_buckets, share
from holdsfor.spark.wide import widen_frame

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from holdsfor.duration import TimePoint
    from holdsfor.why.changed import RevisionCause
    from holdsfor.why.derivation import Derivation
    from holdsfor.why.origin import Origin
    from holdsfor.why.why_not.refutation import Refutation

Batches = Iterator[pa.RecordBatch]
DDL = {name: ddl_of(schema) for name, schema in SCHEMAS.items()}


@dataclass(frozen=True, slots=True)
class SparkResult:
    """Results as DataFrames, with the columns of the tables that `holdsfor run` writes, and counts.

    open_table: gives the DataFrame of a table; for one that is on disk Spark then looks at its files.
    """

    open_table: Callable[[str], DataFrame]
    metrics: dict[str, Any] = field(default_factory=dict)
    origin: Origin | None = field(default=None, compare=False, repr=False)

    @property
    def intervals(self) -> DataFrame:
        return self.open_table("intervals")

    @property
    def occurrences(self) -> DataFrame:
        return self.open_table("occurrences")

    @property
    def late(self) -> DataFrame:
        return self.open_table("late")

    @property
    def rejects(self) -> DataFrame:
        return self.open_table("rejects")

    def table(self, name: str | HasName, zone: str | None = None) -> DataFrame:
        """All of one fluent or event, with a column for each argument: as `Result.table`, but a DataFrame of Spark.

        Spark shows time stamps in the zone of its session. With a zone they are the local times there, without a zone
        of their own (TIMESTAMP_NTZ).
        """
        shape = shape_in(self.metrics, name)
        rows = self.occurrences if shape.is_event else self.intervals
        return widen_frame(rows, shape, self.metrics.get(NANOSECONDS), None if zone is None else check_zone(zone))

    def why(self, fact: str, at: TimePoint, as_of: TimePoint | None = None) -> Derivation:
        """Explain why a fluent holds, or an event happens, as `Result.why` does. Workers look for the rows that the
        answer depends on; it is found in this process.
        """
        return self._kept_origin(as_of).why(fact, at)

    def why_not(self, fact: str, at: TimePoint, as_of: TimePoint | None = None) -> Refutation:
        """Tell why a fluent does not hold, or an event does not happen, as `Result.why_not` does."""
        return self._kept_origin(as_of).why_not(fact, at)

    def why_changed(self, fact: str) -> tuple[RevisionCause, ...]:
        """Tell which rows caused each change of a fluent, as `Result.why_changed` does."""
        return self._kept_origin().why_changed(fact)

    def _kept_origin(self, as_of: TimePoint | None = None) -> Origin:
        if self.origin is None:
            raise HoldsforError("this result does not know its input: ask the result of holdsfor.spark.recognise.")
        return self.origin if as_of is None else self.origin.as_of(as_of)


def recognise(
    spark: SparkSession,
    rules: Rules,
    events: Any,
    *,
    buckets: int | None = None,
    format: str | None = None,
    mapping: Any = None,
    out: str | Path | None = None,
    only: str | Iterable[str] | None = None,
    **times: Unpack[TimeOptions],
) -> SparkResult:
    """Recognise what the rules (a description, or the path of a rule file) define in the events, on Spark.

    events: a DataFrame, several by their names in the mapping, or whatever read_events takes.
    window, step, start, end, sample_every, tick_unit: see `TimeOptions`.
    buckets: entities are shared out over so many (default: 4 a core, fewer where there is little input, more
    where there is much).
    out: workers write the result tables there. only: see `holdsfor.recognise`.
    """
    chosen = gather_times(**times)
    out = None if out is None else Path(out).absolute()
    description = as_description(rules, only, events if isinstance(events, EventSource) else mapping).with_input()
    if isinstance(events, EventSource):
        unit = agree_on_tick_unit(description, chosen.tick_unit, events.given_unit)
        events = events.counting_in(unit)
    else:
        resolved = as_mapping(mapping)
        unit = agree_on_tick_unit(description, chosen.tick_unit, resolved.given_unit)
        mapping = resolved.counting_in(unit)
    ticks = check_ticks(chosen, unit)
    with shown_refusals(description.texts.sources):
        program = make_program(plan(description))
    check_python(spark)
    crew = SparkCrew(spark, _feed(spark, description, events, format, mapping))
    count = suggest_buckets(crew.feed.estimate_rows(), count_cores(spark)) if buckets is None else buckets
    with worker_errors():
        metrics = run_batch(program, ticks, count, crew, out)
    columns = events.columns if isinstance(events, EventSource) else as_mapping(mapping).all_arguments
    metrics = with_shapes(metrics, description, columns)
    warn_of_doubts(metrics, unit, description, chosen.amounts)
    origin = find_origin(description, metrics, unit, crew.feed.looking.ask)
    return SparkResult(cache(lambda name: _table(spark, name, crew.done, out)), metrics, origin)


@dataclass(slots=True)
class SparkCrew:
    """Spark's workers. done: the rows in which results are, stage by stage."""

    spark: SparkSession
    feed: _Feed
    done: list[DataFrame] = field(default_factory=list)

    def guess_span(self) -> tuple[int, int] | None:
        return self.feed.guess()

    def read_span(self, fence: Fence) -> tuple[int, int]:
        return self.feed.looking.span(fence)

    def sample(self) -> Sample:
        return self.feed.looking.sample()

    def find_hubs(self, plan: Plan, buckets: int) -> tuple[int, ...]:
        return self.feed.find_hubs(plan, buckets)

    def run(self, job: Job) -> list[Note]:
        folder = open_depot_folder(self.spark) if job.sink is not None else None
        if folder is None:
            return self._run(job)
        with folder:
            return self._run(replace(job, depot=Depot(folder.name)))

    def _run(self, job: Job) -> list[Note]:
        from pyspark.sql import functions

        shared = share(self.spark, (job, self.feed.parts))
        rows = self.feed.rows(shared)
        beats = list(heartbeats(job))
        if beats:
            rows = rows.unionByName(self.spark.createDataFrame(beats, ROW_DDL))
        done = []
        for number in range(len(job.stages)):
            rows = _evaluated(rows, number, job.router.buckets, shared)
            if job.sink is None:  # results are set aside at each stage; only what later stages read goes on
                done.append(rows.persist())
                rows = rows.filter(functions.col("stage") != DONE)
        self.done = done or [rows]
        return [note for rows in self.done for note in collect_notes(rows)]


# ---------------------------------------------------------------- reading


@dataclass(frozen=True, slots=True)
class _Feed:
    """How the input comes in: the parts that tasks read, and the job that reads them."""

    parts: Sequence[Any]
    rows: Callable[[Callable[[], Any]], DataFrame]
    guess: Callable[[], tuple[int, int] | None]  # the span, and perhaps more than that of the rows that count
    estimate_rows: Callable[[], int | None]  # None if only reading them tells
    find_hubs: Callable[[Plan, int], tuple[int, ...]]
    looking: _Inspection


def _feed(spark: SparkSession, description: EventDescription, events: Any, format: str | None, mapping: Any) -> _Feed:
    from pyspark.sql import DataFrame

    inputs = description.inputs
    tables = events if isinstance(events, Mapping) else {"": events}
    if any(isinstance(table, DataFrame) for table in tables.values()):
        frames = _frames(tables, as_mapping(mapping))
        for frame in frames:
            check_frame(frame.rows, frame.mapping, inputs)
        return _feed_of_frames(frames, inputs)
    # Workers stay in the folder in which Spark was started.
    source = EventSource(tuple(part.from_anywhere() for part in as_source(events, format, mapping).parts))
    parts = parts_of(source)

    def tasks(shared: Callable[[], Any]) -> DataFrame:
        def read(batches: Batches) -> Batches:
            return batches_of_task(_read_parts(shared(), batches, inputs))

        return spark.range(0, len(parts), 1, max(len(parts), 1)).mapInArrow(read, ROW_DDL)

    looking = _looking_at_parts(spark, parts, inputs)
    hubs = partial(find_hubs, parts, inputs)
    return _Feed(parts, tasks, lambda: footer_span(parts, inputs), lambda: estimate_rows(parts), hubs, looking)


def _frames(tables: Mapping[str, Any], mapping: ColumnMapping) -> list[_Frame]:
    """DataFrames, each with its own mapping."""
    from pyspark.sql import DataFrame

    others = [name for name, table in tables.items() if not isinstance(table, DataFrame)]
    if others:
        raise HoldsforError(f"table {others[0]!r} is not a Spark DataFrame, but others are: spark.createDataFrame(...)")
    return [_Frame(table, mapping.of_table(name) if name else mapping) for name, table in tables.items()]


class _Frame(NamedTuple):
    rows: DataFrame
    mapping: ColumnMapping


def _feed_of_frames(frames: Sequence[_Frame], inputs: Any) -> _Feed:
    def rows(shared: Callable[[], Any]) -> DataFrame:
        def reading(mapping: ColumnMapping) -> Callable[[Batches], Batches]:
            return lambda batches: batches_of_task(_read_frame(shared()[0], batches, mapping, inputs))

        return union(frame.rows.mapInArrow(reading(frame.mapping), ROW_DDL) for frame in frames)

    return _Feed((), rows, lambda: None, lambda: None, lambda plan, buckets: (), _looking_at_frames(frames, inputs))


def _read_parts(shared: Any, batches: Batches, inputs: Any) -> Iterator[TaskRow]:
    job, parts = shared
    for batch in batches:
        for number in batch.column(0).to_pylist():
            started = time.perf_counter()
            events = parts[number].agreeing(job.types).read(inputs)
            yield from read_part(job, events, number, time.perf_counter() - started)


def _read_frame(job: Job, batches: Batches, mapping: ColumnMapping, inputs: Any) -> Iterator[TaskRow]:
    from pyspark import TaskContext

    context = TaskContext.get()
    partition = context.partitionId() if context else 0
    source = f"<{mapping.table}, partition {partition}>" if mapping.table else f"<partition {partition}>"
    row = 1
    for number, table in enumerate(tables_of(batches)):
        events = blocks_from_table(table, mapping.agreeing(job.types), inputs, source, row)
        yield from read_part(job, events, (partition << 32) | number)
        row += table.num_rows


@dataclass(frozen=True, slots=True)
class _Inspection:
    """Questions of the driver about the times of all rows. ask: has the workers look at their events."""

    ask: Callable[[Callable[[Events], Batches], str], DataFrame]

    def span(self, fence: Fence) -> tuple[int, int]:
        """The first and last time of the rows inside the fence."""
        from pyspark.sql import functions

        def look(events: Events) -> Batches:
            span = span_of(events.timed, fence)
            if span is not None:
                yield pa.RecordBatch.from_pylist([{"low": span[0], "high": span[1]}])

        spans = self.ask(look, "low bigint, high bigint")
        row = spans.agg(functions.min("low").alias("low"), functions.max("high").alias("high")).first()
        return (1, 1) if row is None or row["low"] is None else (row["low"], row["high"])

    def sample(self) -> Sample:
        """Some of the times, by which their middle and spread can be told."""

        def look(events: Events) -> Batches:
            sample = sample_of(events.blocks)
            yield pa.record_batch({"time": sample.times, "weight": sample.weights})

        rows = self.ask(look, "time bigint, weight bigint").toArrow()
        return join_samples([Sample(rows["time"].to_numpy(), rows["weight"].to_numpy())])


def _looking_at_parts(spark: SparkSession, parts: Sequence[Any], inputs: Any) -> _Inspection:
    def ask(look: Callable[[Events], Batches], columns: str) -> DataFrame:
        shared = share(spark, parts)

        def task(batches: Batches) -> Batches:
            for batch in batches:
                for number in batch.column(0).to_pylist():
                    yield from look(shared()[number].read(inputs))

        return spark.range(0, len(parts), 1, max(len(parts), 1)).mapInArrow(task, columns)

    return _Inspection(ask)


def _looking_at_frames(frames: Sequence[_Frame], inputs: Any) -> _Inspection:
    def ask(look: Callable[[Events], Batches], columns: str) -> DataFrame:
        def task(mapping: ColumnMapping) -> Callable[[Batches], Batches]:
            def look_at_all(batches: Batches) -> Batches:
                for table in tables_of(batches):
                    yield from look(blocks_from_table(table, mapping, inputs, ""))

            return look_at_all

        return union(frame.rows.mapInArrow(task(frame.mapping), columns) for frame in frames)

    return _Inspection(ask)


# ---------------------------------------------------------------- stages and results


def _evaluated(rows: DataFrame, number: int, buckets: int, shared: Callable[[], Any]) -> DataFrame:
    def task(batches: Batches) -> Batches:
        return batches_of_task(stage_task(shared()[0], number, batches))

    return send_to_buckets(rows, buckets).mapInArrow(task, ROW_DDL)


def _table(spark: SparkSession, name: str, done: Sequence[DataFrame], out: str | Path | None) -> DataFrame:
    from pyspark.sql import functions

    if out is not None:
        return spark.read.schema(DDL[name]).parquet(str(Path(out) / f"{name}.parquet"))

    def opened(batches: Batches) -> Batches:
        for batch in batches:
            for data in batch.column("data").to_pylist():
                with pa.ipc.open_stream(data) as reader:
                    yield from reader.read_all().to_batches(max_chunksize=100_000)

    return union(rows.filter(functions.col("use") == name).mapInArrow(opened, DDL[name]) for rows in done)
