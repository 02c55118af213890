"""A batch run without Spark: the tasks that its workers would do, in this process."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pyarrow as pa

from holdsfor.engine.input.fence import Fence, Sample, join_samples, sample_of, span_of
from holdsfor.io.events import Events
from holdsfor.job.batch import Span
from holdsfor.job.output import SCHEMAS
from holdsfor.job.parts import Part, find_hubs, footer_span
from holdsfor.job.task_rows import Note, TaskRow, read_notes, run_stages
from holdsfor.job.tasks import Job, heartbeats, read_part, stage_task
from holdsfor.language.description import Input
from holdsfor.plan.whole_plan import Plan


class AloneInBatch:
    """A crew of a batch run that does everything in this process, one task after the other."""

    def __init__(self, parts: Sequence[Part], inputs: Sequence[Input]) -> None:
        self._parts, self._inputs = parts, inputs
        self._done: list[TaskRow] = []

    def guess_span(self) -> Span | None:
        return footer_span(self._parts, self._inputs)

    def read_span(self, fence: Fence) -> Span:
        return span_of((block for events in self._read() for block in events.timed), fence) or (1, 1)

    def sample(self) -> Sample:
        return join_samples(sample_of(events.blocks) for events in self._read())

    def _read(self) -> Iterable[Events]:
        return (part.read(self._inputs) for part in self._parts)

    def find_hubs(self, plan: Plan, buckets: int) -> tuple[int, ...]:
        return find_hubs(self._parts, self._inputs, plan, buckets)

    def run(self, job: Job) -> Iterable[Note]:
        rows = [
            row
            for number, part in enumerate(self._parts)
            for row in read_part(job, part.agreeing(job.types).read(self._inputs), number)
        ]
        rows += heartbeats(job)
        count = len(job.stages)
        self._done = run_stages(
            rows, count, job.router.buckets, lambda number, _, batches: stage_task(job, number, batches)
        )
        return read_notes(self._done)

    def table(self, name: str) -> pa.Table:
        tables = [pa.ipc.open_stream(row.data).read_all() for row in self._done if row.use == name]
        return pa.concat_tables([SCHEMAS[name].empty_table(), *tables])
