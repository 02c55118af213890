"""The batch job without Spark: the same tasks, with the shuffles done here. And both answers in one shape."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from holdsfor.engine.evaluate import program
from holdsfor.engine.window import windows_over
from holdsfor.io.readers.read import EventSource
from holdsfor.job.parts import parts_of
from holdsfor.job.routing import router
from holdsfor.job.tasks import DONE, Job, batches_of, heartbeats, read_part, stage_task
from holdsfor.language import EventDescription
from holdsfor.plan import plan
from holdsfor.spark.batch import MERGED

Row = dict[str, Any]
TABLES = ("intervals", "occurrences", "late", "rejects")


@dataclass
class Answer:
    """Result tables as bags of rows, so that a row that comes out twice is seen; and counts."""

    tables: dict[str, Counter[tuple[Any, ...]]] = field(default_factory=lambda: {name: Counter() for name in TABLES})
    counts: dict[str, Any] = field(default_factory=dict)

    def differences(self, other: Answer) -> list[str]:
        """What this one has and the other has not, and the other way round."""
        return [
            f"{sign} {name} {row}"
            for name in TABLES
            for sign, only in (
                ("missing", self.tables[name] - other.tables[name]),
                ("added", other.tables[name] - self.tables[name]),
            )
            for row in sorted(only.elements(), key=str)
        ]


def bag(table: pa.Table) -> Counter[tuple[Any, ...]]:
    """The rows of a table, in no order."""
    columns = [table.column(name).to_pylist() for name in table.column_names]
    plain = [[tuple(cell) if isinstance(cell, list) else cell for cell in column] for column in columns]
    return Counter(zip(*plain, strict=True))


def tables_of(result: Any, names: tuple[str, ...] = TABLES) -> Answer:
    """What recognise gave, in process or on Spark."""
    found = Answer(counts=result.metrics)
    for name in names:
        table = getattr(result, name)
        found.tables[name] = bag(table if isinstance(table, pa.Table) else table.toArrow())
    return found


def by_hand(description: EventDescription, source: EventSource, buckets: int, **asked: int) -> Answer:
    """start and end must be given."""
    ready = program(plan(description))
    given = windows_over(
        None, asked.get("window"), asked.get("step"), asked["start"], asked["end"], asked.get("tick", 1)
    )
    job = Job(ready, given, router(ready.plan, buckets))
    found = Answer()
    rows = [
        row
        for number, part in enumerate(parts_of(source))
        for row in read_part(job, part.read(description.inputs), number)
    ]
    rows += heartbeats(job)
    for number in range(len(ready.plan.stages)):
        by_bucket: defaultdict[int, list[Row]] = defaultdict(list)
        for row in rows:
            by_bucket[row["bucket"]].append(row)
        rows = []
        for waiting in by_bucket.values():  # what is done passes through
            rows += stage_task(job, number, batches_of(waiting))
    for row in rows:
        assert row["stage"] == DONE, "a parcel for a stage that is over"
        _add(row, found)
    return found


def _add(row: Row, found: Answer) -> None:
    if row["use"] == "counts":
        for name, amount in json.loads(row["data"]).items():
            known = found.counts.get(name)
            found.counts[name] = amount if known is None else MERGED.get(name, lambda a, b: a + b)(known, amount)
    else:
        with pa.ipc.open_stream(row["data"]) as reader:
            found.tables[row["use"]] += bag(reader.read_all())
