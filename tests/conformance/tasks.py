"""The Spark job without Spark: the same tasks with the same routing, one after the other in this process."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa

import holdsfor
from holdsfor.engine.evaluate import program
from holdsfor.engine.window import windows_over
from holdsfor.job.output import SCHEMAS
from holdsfor.job.parts import parts_of
from holdsfor.job.routing import router
from holdsfor.job.tasks import DONE, Job, batches_of, heartbeats, read_part, stage_task
from holdsfor.language import EventDescription
from holdsfor.plan import plan
from tests.naive.rows import Horizon

Row = dict[str, Any]


def recognise(
    description: EventDescription, lines: Sequence[str], horizon: Horizon, buckets: int
) -> tuple[pa.Table, pa.Table]:
    """Intervals and occurrences, as `holdsfor.spark.recognise` finds them with so many buckets and parts of input."""
    ready = program(plan(description))
    asked = windows_over(None, horizon.window, horizon.step, horizon.start, horizon.end, horizon.tick)
    job = Job(ready, asked, router(ready.plan, buckets))
    size = -(-len(lines) // buckets)
    cut = [list(lines[number * size : (number + 1) * size]) for number in range(buckets)]
    parts = parts_of(holdsfor.read_events(cut, format="rtec"))
    rows = [
        row
        for number, part in enumerate(parts)
        for row in _travelled(read_part(job, part.read(description.inputs), number))
    ]
    rows += _travelled(heartbeats(job))
    done: list[Row] = []
    for number in range(len(ready.plan.stages)):
        rows = [row for batches in _by_bucket(rows, buckets) for row in _travelled(stage_task(job, number, batches))]
        done += [row for row in rows if row["stage"] == DONE]
        rows = [row for row in rows if row["stage"] != DONE]
    return _table("intervals", done), _table("occurrences", done)


def _travelled(rows: Iterable[Row]) -> Iterator[Row]:
    for batch in batches_of(rows):
        yield from batch.to_pylist()


def _by_bucket(rows: Iterable[Row], buckets: int) -> Iterator[list[pa.RecordBatch]]:
    """As Spark shares rows out: a partition for each bucket, and one without rows has a task, too."""
    partitions: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        partitions[row["bucket"]].append(row)
    assert partitions.keys() <= set(range(buckets))
    for bucket in range(buckets):
        yield list(batches_of(partitions[bucket]))


def _table(name: str, done: Iterable[Row]) -> pa.Table:
    found = [pa.ipc.open_stream(row["data"]).read_all() for row in done if row["use"] == name]
    return pa.concat_tables([SCHEMAS[name].empty_table(), *found])
