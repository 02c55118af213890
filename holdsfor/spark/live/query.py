"""A stream on Spark: `stream(spark, description, events, ...)` begins it or goes on where it was."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from holdsfor.engine.changes import REPORTS, Report
from holdsfor.engine.evaluate import program
from holdsfor.errors import HoldsforError
from holdsfor.io.changelog import read_changes, read_current
from holdsfor.io.mapping import as_mapping, did_you_mean
from holdsfor.io.metrics import BatchMetrics
from holdsfor.io.sinks.sink import Sink
from holdsfor.io.store import Store, located
from holdsfor.language.description import EventDescription
from holdsfor.plan import plan
from holdsfor.plan.operators import Plan
from holdsfor.spark.errors import worker_errors
from holdsfor.spark.live.clock import PER_SECOND, Pace, WallClock
from holdsfor.spark.live.crew import Workers
from holdsfor.spark.live.ledger import Commit, Ledger
from holdsfor.spark.live.microbatch import Setting, Stream
from holdsfor.spark.live.reading import ColumnReader, LineReader, Reader
from holdsfor.spark.live.telling import Compactor, Delivery, Watching, metrics_of, on_workers
from holdsfor.spark.routing import router
from holdsfor.spark.tasks import Job

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

FORMATS = ("columns", "rtec", "terms")
ON_POISON = ("quarantine", "stop")
BEAT = "holdsfor_beat"  # a column that marks rows which only say that time passes


def stream(
    spark: SparkSession,
    description: EventDescription,
    events: DataFrame,
    *,
    window: int,
    step: int,
    checkpoint: str | Path,
    start: int | None = None,
    end: int | None = None,
    tick: int = 1,
    out: str | Path | None = None,
    buckets: int | None = None,
    format: str | Reader = "columns",
    mapping: Any = None,
    report: Report = "eager",
    clock: str | WallClock | None = None,
    pace: float | None = None,
    every: str | None = None,
    once: bool = False,
    durable: bool = False,
    on_poison: str = "quarantine",
    sinks: Sequence[Sink] = (),
    watch: Callable[[BatchMetrics], None] | None = None,
) -> LiveQuery:
    """Recognises on a stream until it is stopped. events: a streaming DataFrame of any source.

    checkpoint: a folder for state; a stream that finds its own there goes on. out: a folder for the tables (default:
    in the checkpoint). format: 'columns' (with a mapping), or 'rtec' or 'terms' for lines in a column `value`.
    clock: None takes time from what the rows say of their arrival, 's', 'ms' or 'us' from the clock on the wall, in
    that unit. pace: no more ticks of the stream a second than this. every: how often Spark looks for new rows
    ('5 seconds'). once: ends when all that is there has been read.
    durable: every file is on the disk before its batch counts, so that not even a power cut loses what was reported
    (without it processes may die at any point, but the machine may not); costs some milliseconds a bucket.
    on_poison: what happens with a file, message or row that makes its batch fail three times: 'quarantine' sets it
    aside and goes on, 'stop' raises the error of the first time.
    """
    if on_poison not in ON_POISON:
        raise HoldsforError(f"on_poison is {' or '.join(map(repr, ON_POISON))}, not {on_poison!r}.")
    _check(events, window, step, tick, report, clock)
    ready = program(plan(description))
    count = buckets or 2 * spark.sparkContext.defaultParallelism
    wall = WallClock(clock) if isinstance(clock, str) else clock
    setting = Setting(
        ready,
        router(ready.plan, count),
        tuple(description.inputs),
        _reader(format, mapping),
        window,
        step,
        start,
        end,
        tick,
        report,
        wall,
        Pace(pace) if pace is not None else None,
        on_poison == "quarantine",
    )
    state = Store(f"{checkpoint}/holdsfor", sync=durable)
    tables = Store(out if out is not None else f"{checkpoint}/tables", sync=durable)
    ledger = Ledger(state)
    ledger.begin(_identity(setting, count))
    names = [sink.name for sink in sinks]
    if len(set(names)) < len(names):
        raise HoldsforError(f"each sink needs a name of its own, to know what it has had: {', '.join(names)}.")
    each = on_workers(spark)
    told: list[Callable[[Commit], None]] = [Delivery(sink, state, tables, each) for sink in sinks]
    told.append(Compactor(tables, each))
    if watch is not None:
        told.append(Watching(watch))
    live = LiveQuery(spark, Stream(setting, ledger, tables, told), tables, once)
    live.begin(events, f"{located(checkpoint)}/spark", every or ("1 second" if wall is not None else None))
    return live


def _check(events: Any, window: int, step: int, tick: int, report: str, clock: Any) -> None:
    if not getattr(events, "isStreaming", False):
        raise HoldsforError(
            "stream needs a streaming DataFrame (spark.readStream...). For data that is all there, use recognise."
        )
    for name, amount in (("window", window), ("step", step), ("tick", tick)):
        if amount <= 0:
            raise HoldsforError(f"the {name} must be above 0, not {amount}")
    if window < step:
        raise HoldsforError(
            f"the window ({window}) is shorter than the step ({step}): events between would never count"
        )
    if report not in REPORTS:
        raise HoldsforError(f"unknown report {report!r}.{did_you_mean(report, REPORTS)} Reports: {', '.join(REPORTS)}.")
    if isinstance(clock, str) and clock not in PER_SECOND:
        raise HoldsforError(f"unknown clock {clock!r}: give the unit of time of the events, 's', 'ms' or 'us'.")


def _reader(format: str | Reader, mapping: Any) -> Reader:
    if not isinstance(format, str):
        return format
    if format not in FORMATS:
        raise HoldsforError(f"unknown format {format!r}.{did_you_mean(format, FORMATS)} Formats: {', '.join(FORMATS)}.")
    return ColumnReader(as_mapping(mapping)) if format == "columns" else LineReader(format)


def _identity(setting: Setting, buckets: int) -> dict[str, Any]:
    """What must stay as it is for the state to go on to mean the same."""
    return {
        "rules": _digest(setting.ready.plan, setting.ready.facts),
        "window": setting.window,
        "step": setting.step,
        "tick": setting.tick,
        "buckets": buckets,
        "report": setting.report,
        "start": setting.start,
    }


def _digest(found: Plan, facts: Any) -> str:
    rows = [(str(signature), repr(table)) for signature, table in facts]
    return hashlib.sha256(f"{found}\n{rows}".encode()).hexdigest()


@dataclass(slots=True)
class LiveQuery:
    """A stream that runs. Tables of what it has found so far can be read at any time."""

    spark: SparkSession
    job: Stream
    tables: Store
    once: bool
    _query: StreamingQuery | None = None
    _failure: BaseException | None = None
    _working: threading.Lock = field(default_factory=threading.Lock)
    _shared: tuple[Job, Callable[[], Job]] | None = None

    def begin(self, events: DataFrame, checkpoint: str, every: str | None) -> None:
        frame = _with_beats(self.spark, events) if self.job.setting.clock is not None else events
        writer = frame.writeStream.foreachBatch(self._batch).option("checkpointLocation", checkpoint)
        if self.once:
            writer = writer.trigger(availableNow=True)
        elif every is not None:
            writer = writer.trigger(processingTime=every)
        self._query = writer.start()

    def _batch(self, frame: DataFrame, batch: int) -> None:
        try:
            with self._working:
                self.job.run(batch, Workers(self.spark, _without_beats(frame), self._share))
        except BaseException as error:
            self._failure = error  # Spark passes on only its text
            raise

    def _share(self, job: Job) -> Callable[[], Job]:
        """Sends the job to the workers, once as long as it stays the same."""
        if self._shared is None or self._shared[0] is not job:
            broadcast = self.spark.sparkContext.broadcast(job)
            self._shared = (job, lambda: broadcast.value)
        return self._shared[1]

    @property
    def last(self) -> BatchMetrics | None:
        """The figures of the last batch."""
        commit = self.job.ledger.last()
        return None if commit is None else metrics_of(commit)

    @property
    def progress(self) -> list[dict[str, Any]]:
        """What Spark tells of the last batches."""
        return [] if self._query is None else [json.loads(one.json) for one in self._query.recentProgress]

    @property
    def active(self) -> bool:
        return self._query is not None and self._query.isActive

    def wait(self, seconds: int | None = None) -> bool:
        """Until the stream ends, or so long; whether it has ended. Raises what stopped it."""
        assert self._query is not None
        try:
            over = self._query.awaitTermination(seconds) if seconds is not None else self._query.awaitTermination()
        except Exception as error:
            if self._failure is not None:
                raise self._failure from error
            with worker_errors():
                raise
        if seconds is not None and not over:
            return False
        if self.once:
            self.job.close(Workers(self.spark, None, self._share))
        return True

    def stop(self) -> None:
        """After the batch that runs now: then nothing has to be done again."""
        assert self._query is not None
        with self._working:
            self._query.stop()

    def current(self) -> tuple[pa.Table, pa.Table]:
        """Intervals and occurrences as they are known now."""
        return read_current(self.tables)

    def changes(self) -> tuple[pa.Table, pa.Table]:
        """The logs of changes of intervals and of occurrences."""
        return read_changes(self.tables)


def _with_beats(spark: SparkSession, events: DataFrame) -> DataFrame:
    """A row a second besides, so that query times come also when no event does."""
    from pyspark.sql import functions

    beats = spark.readStream.format("rate").option("rowsPerSecond", 1).load()
    marked = events.withColumn(BEAT, functions.lit(False))
    return marked.unionByName(beats.select(functions.lit(True).alias(BEAT)), allowMissingColumns=True)


def _without_beats(frame: DataFrame) -> DataFrame:
    from pyspark.sql import functions

    return frame.filter(~functions.col(BEAT)).drop(BEAT) if BEAT in frame.columns else frame
