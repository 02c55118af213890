"""The batch job without Spark, and the answers of all hosts in one shape."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from holdsfor.engine.definitions.evaluate import make_program
from holdsfor.engine.input.window import Ticks
from holdsfor.io.readers.read import EventSource
from holdsfor.job.batch import run_batch
from holdsfor.job.parts import parts_of
from holdsfor.language import EventDescription
from holdsfor.plan import plan
from tests.job.alone_in_batch import AloneInBatch

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


def crew_of(description: EventDescription, source: EventSource) -> AloneInBatch:
    return AloneInBatch(parts_of(source), description.inputs)


def by_hand(description: EventDescription, source: EventSource, buckets: int, **asked: int) -> Answer:
    """The batch job in this process."""
    description = description.with_input()
    crew = crew_of(description, source)
    times = Ticks(*(asked.get(name) for name in ("window", "step", "start", "end")), asked.get("sample_every", 1))
    counts = run_batch(make_program(plan(description)), times, buckets, crew)
    return Answer({name: bag(crew.table(name)) for name in TABLES}, counts)
