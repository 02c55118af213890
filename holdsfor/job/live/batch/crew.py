"""Workers of a batch: this process alone, or others that run the same tasks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Protocol

import pyarrow as pa

from holdsfor.engine.output.changes import Report
from holdsfor.job.live.batch.batch_decision import Outlook
from holdsfor.job.live.input.reading import Reading, ReadNotes, earliest, read_task
from holdsfor.job.live.state.bucket import Turn, bucket_task
from holdsfor.job.live.state.bucket_state import Memory
from holdsfor.job.task_rows import DONE, Note, TaskRow, note_row, parcel_rows, read_notes, run_stages, split_done
from holdsfor.job.tasks import Job, Lot, by_bucket

Batches = Iterator[pa.RecordBatch]

#: After so many batches a bucket that stays in memory is written again: after a restart all of them are gone through.
LONGEST_LOG = 64
EVALUATED = "evaluated"  # a note of a bucket, where a whole batch is read and evaluated


class Crew(Protocol):
    """Reads the rows of one batch, then evaluates the stages on what was read."""

    def longest_log(self, job: Job, report: Report) -> int:
        """After how many batches buckets write all they carry again; 0: they do not stay in memory, and always do."""

    def earliest(self, reading: Reading) -> int | None:
        """The first time of the rows; None if there is no good row."""

    def sizes(self) -> list[int]:
        """How many rows each partition has."""

    def read(self, job: Job, reading: Reading, outlook: Outlook | None = None) -> list[Note]:
        """May be called again, with other rows left out: the last reading is what is evaluated.

        outlook: by which whoever reads all of a small batch can evaluate it, too; `evaluate` then has its notes.
        """

    def evaluate(self, job: Job, turn: Turn) -> list[Note]: ...

    def forget(self) -> None:
        """The batch is over."""


# ---------------------------------------------------------------- the tasks, with their notes as rows


def reading_rows(job: Job, reading: Reading, part: int, tables: Iterable[pa.Table]) -> Iterator[TaskRow]:
    notes = ReadNotes([], {})
    yield from read_task(job, reading, part, tables, notes)
    yield note_row(asdict(notes))


def stage_rows(
    job: Job, turn: Turn, number: int, buckets: Iterable[int], batches: Batches, memory: Memory | None = None
) -> Iterator[TaskRow]:
    """Evaluate a stage on buckets, each with the rows that have come for it; rows for later stages pass by."""

    def evaluated(bucket: int, rows: list[Lot]) -> Iterator[TaskRow]:
        done = bucket_task(job, turn, number, bucket, rows, memory)
        yield from parcel_rows(done.parcels, job.depot)
        yield note_row({"state": done.state, "tables": done.tables, "counts": done.counts, "settled": done.settled})

    return by_bucket(number, buckets, batches, evaluated)


def whole_batch_rows(
    job: Job, reading: Reading, outlook: Outlook, tables: Iterable[pa.Table], memory: Memory | None = None
) -> Iterator[TaskRow]:
    """Read a whole batch, and evaluate a small one at once: then there are the notes of that instead of parcels.

    What fails in that, fails again when it is evaluated by itself, where it is looked into.
    """
    waiting, held_back, tuning = list[TaskRow](), 0, job.program.tuning
    for row in reading_rows(job, reading, 0, tables):
        waiting.append(row)
        held_back += len(row.data)
        if held_back > tuning.most_bytes_at_once and row.stage != DONE:
            yield from waiting
            waiting.clear()
    parcels, done = split_done(waiting)
    notes = read_notes(done)
    yield from done
    is_read_again = outlook.doubts(notes) or outlook.differing(notes)
    events = notes[0]["counts"].get("events_in", 0)
    if held_back > tuning.most_bytes_at_once or events > tuning.few_events_at_once or is_read_again:
        yield from parcels
        return
    commit = outlook.learn(notes)
    try:
        evaluated = evaluate_rows(job, outlook.turn(commit, outlook.due(commit)), parcels, memory)
    except Exception:
        yield from parcels
        return
    yield from (row._replace(use=EVALUATED) for row in evaluated)


def evaluate_rows(job: Job, turn: Turn, rows: Iterable[TaskRow], memory: Memory | None) -> list[TaskRow]:
    """Run all stages in this process, one task after the other; the rows that have come are parcels."""

    def task(number: int, partition: int, batches: Batches) -> Iterator[TaskRow]:
        return stage_rows(job, turn, number, buckets_to_do(job, turn, number, partition), batches, memory)

    return run_stages(rows, len(job.stages), job.router.buckets, task)


def buckets_to_do(job: Job, turn: Turn, number: int, partition: int) -> list[int]:
    """Return the bucket of the partition's number if all buckets have something to do, else none."""
    if not turn.is_for_all or (job.stages[number].is_in_one_bucket and partition):
        return []
    return [partition]


# ---------------------------------------------------------------- in this process


class Alone:
    """Everything in this process, one task after the other.

    parts: the rows of the batch, as tables. memory: what buckets carry, for a process that does all batches.
    """

    def __init__(self, parts: Sequence[pa.Table], memory: Memory | None = None) -> None:
        self._parts, self._memory = parts, memory
        self._rows: list[TaskRow] = []

    def longest_log(self, job: Job, report: Report) -> int:
        return 0 if self._memory is None else LONGEST_LOG

    def earliest(self, reading: Reading) -> int | None:
        times = [earliest(reading, part, [table]) for part, table in enumerate(self._parts)]
        return min((low for low in times if low is not None), default=None)

    def sizes(self) -> list[int]:
        return [table.num_rows for table in self._parts]

    def read(self, job: Job, reading: Reading, outlook: Outlook | None = None) -> list[Note]:
        rows = [row for part, table in enumerate(self._parts) for row in reading_rows(job, reading, part, [table])]
        self._rows, done = split_done(rows)
        return read_notes(done)

    def evaluate(self, job: Job, turn: Turn) -> list[Note]:
        return read_notes(evaluate_rows(job, turn, self._rows, self._memory))

    def forget(self) -> None:
        self._rows = []
