"""A stream on Spark: `stream(spark, description, events, ...)` begins it or goes on where it was."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, cast
from zipfile import ZipFile

from holdsfor.duration import seconds_between
from holdsfor.errors import HoldsforError
from holdsfor.io.storage.lease import LeaseLost
from holdsfor.job.live.batch.delivery import Stopped
from holdsfor.job.live.input.reading import ColumnReader, Reader
from holdsfor.job.live.query import StreamQuery
from holdsfor.job.live.start.beginning import Begun, StreamOptions, begin_stream, reader_of
from holdsfor.job.live.state.progress import read_progress
from holdsfor.job.parcel_files import Depot
from holdsfor.job.tasks import Job
from holdsfor.loading import Rules, as_description
from holdsfor.spark.before_job import check_frame, check_python
from holdsfor.spark.errors import worker_errors
from holdsfor.spark.frames import pack_tables
from holdsfor.spark.live.workers import Workers, on_workers
from holdsfor.spark.session import open_depot_folder
from holdsfor.spark.sharing import count_cores, require_context, share

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

BEAT = "holdsfor_beat"  # a column that marks rows which only say that time passes
#: How Spark writes its log of a stream.
WRITER = "spark.sql.streaming.checkpointFileManagerClass"
#: Where it was in Spark 4.0, and where it is.
PACKAGES = ("org.apache.spark.sql.execution.streaming", "org.apache.spark.sql.execution.streaming.checkpointing")
RENAMING = "FileSystemBasedCheckpointFileManager"


def stream(
    spark: SparkSession,
    rules: Rules,
    events: DataFrame | Mapping[str, DataFrame],
    *,
    format: str | Reader = "columns",
    mapping: Any = None,
    every: str | None = None,
    once: bool = False,
    name: str | None = None,
    **options: Unpack[StreamOptions],
) -> SparkQuery:
    """Recognise on a stream until it is stopped. rules: an event description, or the path of a rule file. events: a
    streaming DataFrame of any source, or several of different shape by their names in the mapping.

    format: 'columns' (with a mapping), or 'rtec' or 'terms' for lines in a column `value`. every: how often Spark
    looks for new rows ('5s'). once: ends when all that is there has been read. name: of the query, for Spark's pages.
    window, step, checkpoint and all other options: see `StreamOptions`. Default for buckets: 2 a core.
    """
    frames = list(events.values()) if isinstance(events, Mapping) else [events]
    if not frames or not all(getattr(frame, "isStreaming", False) for frame in frames):
        raise HoldsforError(
            "stream needs a streaming DataFrame (spark.readStream...). For data that is all there, use recognise."
        )
    description = as_description(rules, None, mapping)
    require_context(spark, "A stream")
    check_python(spark)
    reader = reader_of(format, mapping, by_table=isinstance(events, Mapping))
    if isinstance(reader, ColumnReader):
        check_frame(frames[0], reader.mapping, description.inputs)
    rows = pack_tables(events) if isinstance(events, Mapping) else events
    pause = None if every is None else seconds_between(every)
    started = begin_stream(description, reader, on_workers(spark), 2 * count_cores(spark), **options)
    try:
        live = SparkQuery(spark, started, once, name)
        live.begin(rows, 1.0 if pause is None and started.job.setting.clock is not None else pause)
    except BaseException:
        started.lease.release()
        raise
    return live


class SparkQuery(StreamQuery):
    """A query of Spark's that runs our batches."""

    def __init__(self, spark: SparkSession, started: Begun, once: bool, name: str | None) -> None:
        super().__init__(started, once, name)
        self.spark = spark
        self._query: StreamingQuery | None = None
        self._stopped = False
        self._beginning = ExitStack()  # closed with the first batch: by then Spark has begun all it needs
        self._shared: tuple[Job, Callable[[], Job]] | None = None
        self._depot_folder = open_depot_folder(spark)
        self._depot = None if self._depot_folder is None else Depot(self._depot_folder.name)

    def begin(self, events: DataFrame, every: float | None) -> None:
        frame = _with_beats(self.spark, events) if self.job.setting.clock is not None else events
        writer = frame.writeStream.foreachBatch(self._batch).option("checkpointLocation", self.places.spark.location)
        if self.name is not None:
            writer = writer.queryName(self.name)
        if self.once:
            writer = writer.trigger(availableNow=True)
        elif every is not None:
            writer = writer.trigger(processingTime=f"{round(1000 * every)} milliseconds")
        self._beginning.enter_context(log_by_renaming(self.spark, self.places.spark.local))
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
                self._beginning.close()
                if self._stopped:
                    raise Stopped
                self._follow_rules()
                progress = read_progress(self.places.spark, batch)
                self.job.run(batch, self._workers(_without_beats(frame)), progress)
        except BaseException as error:
            if not isinstance(error, Stopped):
                self._failure = self._failure or error  # Spark passes on only its text
            self.lease.release()
            raise

    def _share(self, job: Job) -> Callable[[], Job]:
        """Sends the job to the workers, once as long as it stays the same."""
        if self._shared is None or self._shared[0] is not job:
            self._shared = (job, share(self.spark, replace(job, depot=self._depot)))
        return self._shared[1]

    def _workers(self, frame: DataFrame | None) -> Workers:
        return Workers(self.spark, frame, self._share, self._depot)

    def _remove_depot(self) -> None:
        """After the last batch. A process that ends otherwise removes it then."""
        if self._depot_folder is not None:
            self._depot_folder.cleanup()

    @property
    def query(self) -> StreamingQuery:
        """Spark's own."""
        assert self._query is not None
        return self._query

    @property
    def isActive(self) -> bool:
        return self._query is not None and self._query.isActive

    def exception(self) -> BaseException | None:
        return self._failure or (None if self._stopped else self.query.exception())

    def awaitTermination(self, timeout: float | None = None) -> bool:
        try:
            over = self.query.awaitTermination(timeout)  # type: ignore[arg-type]  # it takes parts of a second, too
        except Exception as error:
            self.lease.release()
            if self._stopped and self._failure is None:
                return True
            if self._failure is not None:
                raise self._failure from error
            with worker_errors():
                raise
        if timeout is not None and not over:
            return False
        self._beginning.close()
        with self.lease, self._at_work():
            if self._failure is not None:
                raise self._failure
            if self.once and not self._stopped:
                self.job.close(self._workers(None))
            self._remove_depot()
        return True

    def stop(self) -> None:
        self._stopped = True  # a batch that begins from now on gives up by itself
        self.deliveries.hurry()
        with self._working:  # after the batch that runs now
            self._beginning.close()
        with self.lease:  # Spark waits for that one, so that we must not hold it up
            self.query.stop()
            self._remove_depot()


def _with_beats(spark: SparkSession, events: DataFrame) -> DataFrame:
    """A row a second besides, so that query times come also when no event does."""
    from pyspark.sql import functions

    beats = spark.readStream.format("rate").option("rowsPerSecond", 1).load()
    marked = events.withColumn(BEAT, functions.lit(False))
    return marked.unionByName(beats.select(functions.lit(True).alias(BEAT)), allowMissingColumns=True)


def _without_beats(frame: DataFrame) -> DataFrame:
    from pyspark.sql import functions

    return frame.filter(~functions.col(BEAT)).drop(BEAT) if BEAT in frame.columns else frame


@contextmanager
def log_by_renaming(spark: SparkSession, is_local: bool) -> Iterator[None]:
    """A stream that is begun in it writes its log on a local disk by nothing but files that are renamed.

    Spark's own way there starts two dozen processes a batch (readlink, chmod), which take longer than the batch. It is
    safe against several writers of one log, and we have a lease for that.
    """
    name = _writer() if is_local and spark.conf.get(WRITER, cast(Any, None)) is None else None
    if name is None:
        yield
        return
    spark.conf.set(WRITER, name)
    try:
        yield
    finally:
        spark.conf.unset(WRITER)


def _writer() -> str | None:
    """Return the name of the class that renames, as this Spark has it; None where Spark's jars are not to be read."""
    import pyspark

    jars = Path(os.environ.get("SPARK_HOME") or Path(pyspark.__file__).parent) / "jars"
    for jar in jars.glob("spark-sql_*.jar"):
        classes = set(ZipFile(jar).namelist())
        for package in PACKAGES:
            if f"{package}.{RENAMING}".replace(".", "/") + ".class" in classes:
                return f"{package}.{RENAMING}"
    return None
