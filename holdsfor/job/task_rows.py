"""Rows that travel between tasks: parcels for later stages, tables of results, and notes on what a task has done."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, cast

import pyarrow as pa

from holdsfor.io.columns.wire import pack
from holdsfor.io.events import Block
from holdsfor.job.parcel_files import Depot
from holdsfor.job.routing import Parcel

ROW = pa.schema(
    [("stage", pa.int32()), ("bucket", pa.int32()), ("part", pa.int64()), ("use", pa.string()), ("data", pa.binary())]
)
DONE = -1  # the stage of rows that are for the driver
PARCELS = "parcels"
TICKET = "ticket"  # parcels that lie in a depot
NOTE = "note"
#: A batch of rows has so many bytes, or so many rows: a parcel may be large.
BATCH_BYTES, BATCH_ROWS = 1 << 24, 1000

Note = dict[str, Any]
#: A stage on one partition: its number, the partition's, and the rows that have come to it.
StageTask = Callable[[int, int, Iterator[pa.RecordBatch]], Iterable["TaskRow"]]


class TaskRow(NamedTuple):
    """A row of `ROW`. part: of the input, by which parcels are put in order. use: tells how to read the data."""

    stage: int
    bucket: int
    part: int
    use: str
    data: bytes


def parcel_rows(shared: Iterable[tuple[int, Parcel]], depot: Depot | None = None) -> Iterator[TaskRow]:
    """Put all parcels for one bucket and part in one row. shared: parcels with the part that each belongs to."""
    together: dict[tuple[int, int, int], list[tuple[str, Block]]] = {}
    for part, parcel in shared:
        together.setdefault((parcel.stage, parcel.bucket, part), []).append((parcel.use, parcel.block))
    use, lots = PARCELS if depot is None else TICKET, together.values()
    packed = (pack(lot).to_pybytes() for lot in lots) if depot is None else depot.leave(lots)
    for (stage, bucket, part), data in zip(together, packed, strict=True):
        yield TaskRow(stage, bucket, part, use, data)


def table_row(name: str, table: pa.Table) -> TaskRow:
    return TaskRow(DONE, 0, 0, name, table_bytes(table))


def note_row(note: Mapping[str, Any]) -> TaskRow:
    return TaskRow(DONE, 0, 0, NOTE, json.dumps(note).encode())


def read_notes(rows: Iterable[TaskRow], use: str = NOTE) -> list[Note]:
    """Read the notes among rows."""
    return [json.loads(row.data) for row in rows if row.use == use]


def table_bytes(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return cast(bytes, sink.getvalue().to_pybytes())


def batch_of(rows: Iterable[TaskRow]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist([row._asdict() for row in rows], schema=ROW)


def batches_of(rows: Iterable[TaskRow]) -> Iterator[pa.RecordBatch]:
    """Yield rows as they come, a few at a time."""
    batch: list[TaskRow] = []
    size = 0
    for row in rows:
        batch.append(row)
        size += len(row.data)
        if size > BATCH_BYTES or len(batch) >= BATCH_ROWS:
            yield batch_of(batch)
            batch, size = [], 0
    if batch:
        yield batch_of(batch)


def rows_of(batch: pa.RecordBatch) -> Iterator[TaskRow]:
    return (TaskRow(**row) for row in batch.to_pylist())


def split_done(rows: Iterable[TaskRow]) -> tuple[list[TaskRow], list[TaskRow]]:
    """Divide rows into those for a later stage and those that are done."""
    parts: tuple[list[TaskRow], list[TaskRow]] = ([], [])
    for row in rows:
        parts[row.stage == DONE].append(row)
    return parts


def run_stages(rows: Iterable[TaskRow], stages: int, buckets: int, task: StageTask) -> list[TaskRow]:
    """Run all stages in this process and return their result tables and notes, as rows go between workers.

    A partition without rows has a task, too.
    """
    parcels, done = split_done(rows)
    for number in range(stages):
        partitions: dict[int, list[TaskRow]] = {bucket: [] for bucket in range(buckets)}
        for row in parcels:
            partitions[row.bucket].append(row)
        made = [row for bucket, own in partitions.items() for row in task(number, bucket, batches_of(own))]
        parcels, more = split_done(made)
        done += more
    assert not parcels, "a parcel for a stage that is over"
    return done
