"""A stream on Spark: `stream(spark, description, events, ...)` begins it or goes on where it was."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from holdsfor.engine.changes import REPORTS, Report
from holdsfor.engine.evaluate import program
from holdsfor.engine.window import check_ticks
from holdsfor.errors import HoldsforError
from holdsfor.io.metrics import BatchMetrics
from holdsfor.io.readers.mapping import as_mapping, did_you_mean
from holdsfor.io.sinks.sink import Sink
from holdsfor.io.storage.changelog import read_changes, read_current
from holdsfor.io.storage.lease import Lease, LeaseLost, take_lease
from holdsfor.io.storage.store import Store
from holdsfor.job.live.clock import PER_SECOND, Pace, WallClock
from holdsfor.job.live.identity import identity_of
from holdsfor.job.live.ledger import Commit, Ledger
from holdsfor.job.live.microbatch import Setting, Stream
from holdsfor.job.live.opening import open_stream
from holdsfor.job.live.places import Places
from holdsfor.job.live.progress import read_progress
from holdsfor.job.live.reading import ColumnReader, LineReader, Reader
from holdsfor.job.routing import router
from holdsfor.job.tasks import Job
from holdsfor.language.description import EventDescription
from holdsfor.plan import plan
from holdsfor.plan.operators import Plan
from holdsfor.plan.printing.bounds import show_unbounded
from holdsfor.spark.errors import worker_errors
from holdsfor.spark.live.telling import Compactor, Delivery, Watching, metrics_of, on_workers, warn_of_changed_files
from holdsfor.spark.live.workers import Workers

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

logger = logging.getLogger(__name__)

FORMATS = ("columns", "rtec", "terms")
DAY = 86400  # seconds
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
    tick_unit: str = "s",
    max_ahead: int | None = None,
    pace: float | None = None,
    every: str | None = None,
    once: bool = False,
    durable: bool = False,
    on_poison: str = "quarantine",
    sinks: Sequence[Sink] = (),
    watch: Callable[[BatchMetrics], None] | None = None,
    take_over: bool = False,
) -> LiveQuery:
    """Recognises on a stream until it is stopped. events: a streaming DataFrame of any source.

    checkpoint: a folder for state; a stream that finds its own there goes on. out: a folder for the tables (default:
    in the checkpoint). format: 'columns' (with a mapping), or 'rtec' or 'terms' for lines in a column `value`.
    clock: None takes time from what the rows say of their arrival, 's', 'ms' or 'us' from the clock on the wall, in
    that unit. tick_unit: how long a tick is ('s', 'ms' or 'us'). max_ahead: rows that arrive further ahead of the rest
    than so many ticks are not believed and go to the rejects, unless enough of them agree; 0 believes all. Default: ten
    windows, or a day if that is more. pace: no more ticks of the stream a second than this. every: how often Spark
    looks for new rows ('5 seconds'). once: ends when all that is there has been read.
    durable: every file is on the disk before its batch counts, so that not even a power cut loses what was reported
    (without it processes may die at any point, but the machine may not); costs some milliseconds a bucket.
    on_poison: what happens with a file, message or row that makes its batch fail three times: 'quarantine' sets it
    aside and goes on, 'stop' raises the error of the first time.
    take_over: takes the checkpoint from another process that has it, which then stops.
    """
    if on_poison not in ON_POISON:
        raise HoldsforError(f"on_poison is {' or '.join(map(repr, ON_POISON))}, not {on_poison!r}.")
    times = check_ticks(window, step, start, end, tick)
    if times.window is None or times.step is None:
        raise HoldsforError("a stream needs a window and a step, in ticks")
    _check(events, times.window, times.step, report, clock, tick_unit, max_ahead)
    ready = program(plan(description))
    _warn_if_unbounded(ready.plan)
    count = buckets or 2 * spark.sparkContext.defaultParallelism
    ticks_a_second = PER_SECOND[tick_unit]
    bound = max(10 * window, DAY * ticks_a_second) if max_ahead is None else max_ahead or None
    most_ahead = None if bound is None else bound / ticks_a_second
    wall = WallClock(clock, most_ahead=most_ahead) if isinstance(clock, str) else clock
    setting = Setting(
        ready,
        router(ready.plan, count),
        tuple(description.inputs),
        _reader(format, mapping),
        times.window,
        times.step,
        times.start,
        times.end,
        times.tick,
        report,
        wall,
        Pace(pace) if pace is not None else None,
        bound,
        ticks_a_second,
        on_poison == "quarantine",
    )
    names = [sink.name for sink in sinks]
    if len(set(names)) < len(names):
        raise HoldsforError(f"each sink needs a name of its own, to know what it has had: {', '.join(names)}.")
    places = Places.of(checkpoint, out, durable)
    lease = take_lease(places.root, f"the checkpoint {places.root.shown()}", take_over)
    try:
        ledger = Ledger(places.state, lease.held)
        places.spark.make()  # Spark would let all read it
        open_stream(ledger, places.tables, places.spark, identity_of(setting, count))
        each = on_workers(spark)
        told: list[Callable[[Commit], None]] = [Delivery(sink, places.state, places.tables, each) for sink in sinks]
        told += [Compactor(places.tables, each), partial(warn_of_changed_files, places.tables)]
        if watch is not None:
            told.append(Watching(watch))
        live = LiveQuery(spark, Stream(setting, ledger, places.tables, told), places, once, lease)
        live.begin(events, every or ("1 second" if wall is not None else None))
    except BaseException:
        lease.release()
        raise
    return live


def _check(events: Any, window: int, step: int, report: str, clock: Any, tick_unit: str, max_ahead: int | None) -> None:
    if not getattr(events, "isStreaming", False):
        raise HoldsforError(
            "stream needs a streaming DataFrame (spark.readStream...). For data that is all there, use recognise."
        )
    if window < step:
        logger.warning(
            "the window (%d) is shorter than the step (%d): what happens between two windows does not count",
            window,
            step,
        )
    if report not in REPORTS:
        raise HoldsforError(f"unknown report {report!r}.{did_you_mean(report, REPORTS)} Reports: {', '.join(REPORTS)}.")
    for name, unit in (("clock", clock), ("tick_unit", tick_unit)):
        if isinstance(unit, str) and unit not in PER_SECOND:
            raise HoldsforError(f"unknown {name} {unit!r}: give the unit of time of the events, 's', 'ms' or 'us'.")
    if max_ahead is not None and max_ahead < 0:
        raise HoldsforError(f"max_ahead must be 0 (believe all) or more, not {max_ahead}")


def _warn_if_unbounded(compiled: Plan) -> None:
    for line in show_unbounded(compiled):
        logger.warning("what it looks at is kept for ever, and its results are never final: %s", line)


def _reader(format: str | Reader, mapping: Any) -> Reader:
    if not isinstance(format, str):
        return format
    if format not in FORMATS:
        raise HoldsforError(f"unknown format {format!r}.{did_you_mean(format, FORMATS)} Formats: {', '.join(FORMATS)}.")
    return ColumnReader(as_mapping(mapping)) if format == "columns" else LineReader(format)


@dataclass(slots=True)
class LiveQuery:
    """A stream that runs. Tables of what it has found so far can be read at any time."""

    spark: SparkSession
    job: Stream
    places: Places
    once: bool
    lease: Lease
    _query: StreamingQuery | None = None
    _stopped: bool = False
    _failure: BaseException | None = None
    _working: threading.Lock = field(default_factory=threading.Lock)
    _shared: tuple[Job, Callable[[], Job]] | None = None
    _turned: float = field(default_factory=time.monotonic)  # when a batch last began or ended

    @property
    def tables(self) -> Store:
        return self.places.tables

    def begin(self, events: DataFrame, every: str | None) -> None:
        frame = _with_beats(self.spark, events) if self.job.setting.clock is not None else events
        writer = frame.writeStream.foreachBatch(self._batch).option("checkpointLocation", self.places.spark.location)
        if self.once:
            writer = writer.trigger(availableNow=True)
        elif every is not None:
            writer = writer.trigger(processingTime=every)
        self._query = writer.start()
        self.lease.when_lost(self._lose)

    def _lose(self, lost: LeaseLost) -> None:
        """Another process has the checkpoint now: the batch that runs is given up."""
        self._failure = lost
        with self.lease:
            if self._query is not None:
                self._query.stop()

    def _batch(self, frame: DataFrame, batch: int) -> None:
        try:
            with self._at_work():
                progress = read_progress(self.places.spark, batch)
                self.job.run(batch, Workers(self.spark, _without_beats(frame), self._share), progress)
        except BaseException as error:
            self._failure = self._failure or error  # Spark passes on only its text
            self.lease.release()
            raise

    @contextmanager
    def _at_work(self) -> Iterator[None]:
        with self._working:
            self._turned = time.monotonic()
            try:
                yield
            finally:
                self._turned = time.monotonic()

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

    def seconds_at_work(self) -> float:
        """For how long a batch has been at work; 0 between batches. By the clock one is always due."""
        is_due = self.job.setting.clock is not None or self._working.locked()
        return time.monotonic() - self._turned if is_due else 0.0

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
            self.lease.release()
            if self._failure is not None:
                raise self._failure from error
            with worker_errors():
                raise
        if seconds is not None and not over:
            return False
        with self.lease, self._at_work():
            if self._failure is not None:
                raise self._failure
            if self.once and not self._stopped:
                self.job.close(Workers(self.spark, None, self._share))
        return True

    def stop(self) -> None:
        """After the batch that runs now: then nothing has to be done again."""
        assert self._query is not None
        with self._working, self.lease:
            self._stopped = True
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
