"""Spark's workers do the work of a batch."""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from holdsfor.engine.output.changes import Report
from holdsfor.job.live.batch.batch_decision import Outlook
from holdsfor.job.live.batch.crew import (
    EVALUATED,
    Batches,
    buckets_to_do,
    reading_rows,
    stage_rows,
    whole_batch_rows,
)
from holdsfor.job.live.batch.delivery import Each
from holdsfor.job.live.input.reading import Reading, earliest
from holdsfor.job.live.state.bucket import Turn
from holdsfor.job.live.state.bucket_state import Memory, looks_at_changes
from holdsfor.job.parcel_files import Depot
from holdsfor.job.parts import tables_of
from holdsfor.job.task_rows import DONE, Note, TaskRow, batch_of, read_notes, split_done
from holdsfor.job.tasks import Job
from holdsfor.spark.errors import worker_errors
from holdsfor.spark.frames import ROW_DDL, batches_of_task, ddl_of
from holdsfor.spark.sharing import count_cores, is_connect, send_to_buckets

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

#: With so many cores or fewer workers keep buckets in memory.
FEW_CORES = 4
LONGEST_LOG = 16
#: So many buckets at most are kept by a worker.
MOST_BUCKETS = 64
_SIZES = pa.schema([("part", pa.int32()), ("rows", pa.int64())])
_ANSWERS = pa.schema([("number", pa.int64()), ("answer", pa.binary())])
_EARLIEST = pa.schema([("low", pa.int64())])


@dataclass(slots=True)
class Workers:
    """Spark's workers. frame: the rows of the batch. shared: sends the job to each worker once. depot: for parcels."""

    spark: SparkSession
    frame: DataFrame | None
    shared: Callable[[Job], Callable[[], Job]]
    depot: Depot | None = None
    _rows: DataFrame | None = None
    _evaluated: tuple[str, list[Note]] | None = None  # with the mark of the attempt
    _tickets: list[TaskRow] = field(
        default_factory=list
    )  # where parcels lie in a depot, they need not pass through Spark

    def longest_log(self, job: Job, report: Report) -> int:
        """Any worker may get a bucket, and must first go through what others have done: with few workers that pays."""
        few = not is_connect(self.spark) and count_cores(self.spark) <= FEW_CORES
        return LONGEST_LOG if few and looks_at_changes(job, report) else 0

    def earliest(self, reading: Reading) -> int | None:
        if self.frame is None:
            return None

        def task(batches: Batches) -> Batches:
            low = earliest(reading, _partition(), tables_of(batches))
            yield pa.RecordBatch.from_pylist([{"low": low}], schema=_EARLIEST)

        with worker_errors():
            row = self.frame.mapInArrow(task, ddl_of(_EARLIEST)).agg({"low": "min"}).first()
        return None if row is None else row[0]

    def sizes(self) -> list[int]:
        if self.frame is None:
            return []

        def task(batches: Batches) -> Batches:
            rows = sum(batch.num_rows for batch in batches)
            yield pa.RecordBatch.from_pylist([{"part": _partition(), "rows": rows}], schema=_SIZES)

        with worker_errors():
            rows_of = {row["part"]: row["rows"] for row in self.frame.mapInArrow(task, ddl_of(_SIZES)).collect()}
        return [rows_of.get(part, 0) for part in range(max(rows_of, default=-1) + 1)]

    def read(self, job: Job, reading: Reading, outlook: Outlook | None = None) -> list[Note]:
        if self.frame is None:
            return []
        self.forget()  # a batch may be read twice
        shared = self.shared(job)
        if outlook is None or not _follows_a_small_one(outlook, job.program.tuning.few_events_at_once):
            outlook = None
            rows = self.frame.mapInArrow(_reading_task(shared, reading), _row_type())
        else:
            rows = self.frame.coalesce(1).mapInArrow(_whole_batch_task(shared, reading, outlook), _row_type())
        if self.depot is None:
            self._rows = rows = rows.persist()
            rows = rows.filter(f"stage = {DONE}")
        with worker_errors():
            self._tickets, done = split_done(TaskRow(*row) for row in rows.collect())
        evaluated = read_notes(done, EVALUATED)
        if outlook is not None and evaluated:
            self._evaluated = outlook.mark, evaluated
        return read_notes(done)

    def evaluate(self, job: Job, turn: Turn) -> list[Note]:
        if self._evaluated is not None and self._evaluated[0] == turn.mark:
            return self._evaluated[1]
        buckets, shared = job.router.buckets, self.shared(job)
        rows = self._first_stage(buckets, _stage_task(shared, turn, 0))
        for number in range(1, len(job.stages)):
            rows = send_to_buckets(rows, buckets).mapInArrow(_stage_task(shared, turn, number), _row_type())
        with worker_errors():
            return read_notes(TaskRow(*row) for row in rows.collect())

    def _first_stage(self, buckets: int, task: Callable[[Batches], Batches]) -> DataFrame:
        from pyspark.sql import functions

        if self._rows is not None:
            parcels = self._rows.filter(functions.col("stage") != DONE)
            return send_to_buckets(parcels, buckets).mapInArrow(task, _row_type())
        tickets = self._tickets

        def task_with_tickets(batches: Batches) -> Batches:
            """They travel with the tasks, a partition for each bucket: nothing has to be sent."""
            deque(batches, maxlen=0)  # Spark ends a worker that leaves some of its input unread
            own = [row for row in tickets if row.bucket == _partition()]
            return task(iter([batch_of(own)]))

        return self.spark.range(0, buckets, 1, buckets).mapInArrow(task_with_tickets, _row_type())

    def forget(self) -> None:
        if self._rows is not None:
            self._rows.unpersist()
            self._rows = None
        self._tickets, self._evaluated = [], None
        if self.depot is not None:
            self.depot.clear()


def on_workers(spark: SparkSession) -> Each:
    """By the same workers as the batches: for tasks on an RDD Spark starts others, which would load all anew."""

    def each(function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
        def task(batches: Batches) -> Batches:
            for batch in batches:
                for number in batch.column(0).to_pylist():
                    answer = {"number": number, "answer": pickle.dumps(function(items[number]))}
                    yield pa.RecordBatch.from_pylist([answer], schema=_ANSWERS)

        if not items:
            return []
        tasks = min(len(items), 4 * count_cores(spark))
        with worker_errors():
            rows = spark.range(0, len(items), 1, tasks).mapInArrow(task, ddl_of(_ANSWERS)).collect()
        return [pickle.loads(row["answer"]) for row in sorted(rows, key=lambda row: row["number"])]

    return each


def _follows_a_small_one(outlook: Outlook, few_events: int) -> bool:
    """A batch is as large as the one before, as long as nobody has read it; and buckets stay with the workers."""
    before = outlook.before
    return outlook.longest_log > 0 and before is not None and before.counts.get("events_in", 0) <= few_events


def _reading_task(shared: Callable[[], Job], reading: Reading) -> Callable[[Batches], Batches]:
    def task(batches: Batches) -> Batches:
        return batches_of_task(reading_rows(shared(), reading, _partition(), tables_of(batches)))

    return task


def _whole_batch_task(shared: Callable[[], Job], reading: Reading, outlook: Outlook) -> Callable[[Batches], Batches]:
    def task(batches: Batches) -> Batches:
        return batches_of_task(whole_batch_rows(shared(), reading, outlook, tables_of(batches), _memory()))

    return task


def _stage_task(shared: Callable[[], Job], turn: Turn, number: int) -> Callable[[Batches], Batches]:
    def task(batches: Batches) -> Batches:
        job = shared()
        todo = buckets_to_do(job, turn, number, _partition())
        return batches_of_task(stage_rows(job, turn, number, todo, batches, _memory() if turn.lasts else None))

    return task


@cache
def _row_type() -> StructType:
    """Parsed once: Spark would do it for every task."""
    from pyspark.sql.types import StructType

    parsed = StructType.fromDDL(ROW_DDL)
    assert isinstance(parsed, StructType)
    return parsed


@cache
def _memory() -> Memory:
    """Return the memory of this worker."""
    return Memory(MOST_BUCKETS)


def _partition() -> int:
    from pyspark import TaskContext

    context = TaskContext.get()
    return context.partitionId() if context else 0
