"""Run the stages of a job in this process: rows go from task to task as they do between workers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pyarrow as pa

from holdsfor.job.tasks import DONE, batches_of

Row = dict[str, Any]
#: A stage on one partition: its number, the partition's, and the rows that have come to it.
StageTask = Callable[[int, int, Iterator[pa.RecordBatch]], Iterable[Row]]


def run_stages(rows: Iterable[Row], stages: int, buckets: int, task: StageTask) -> list[Row]:
    """Run all stages and return their result tables and notes. A partition without rows has a task, too."""
    waiting, done = split_done(rows)
    for number in range(stages):
        partitions: dict[int, list[Row]] = {bucket: [] for bucket in range(buckets)}
        for row in waiting:
            partitions[row["bucket"]].append(row)
        made = [row for bucket, own in partitions.items() for row in task(number, bucket, batches_of(own))]
        waiting, more = split_done(made)
        done += more
    assert not waiting, "a parcel for a stage that is over"
    return done


def split_done(rows: Iterable[Row]) -> tuple[list[Row], list[Row]]:
    """Divide rows into those for a later stage and those that are done."""
    parts: tuple[list[Row], list[Row]] = ([], [])
    for row in rows:
        parts[row["stage"] == DONE].append(row)
    return parts
