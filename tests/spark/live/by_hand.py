"""A stream driven by hand: the driver's side of it and its tasks in this process, on stores that a test may break."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from holdsfor.io.storage.changelog import read_changes, read_current
from holdsfor.io.storage.store import Store
from holdsfor.job.live.batch.crew import Alone
from holdsfor.job.live.batch.microbatch import Setting, Stream
from holdsfor.job.live.state.bucket_state import Memory
from holdsfor.job.live.state.ledger import Commit, Ledger
from tests.conformance.engines import answer
from tests.conformance.streamed import lines_table
from tests.naive.evaluate import Answer

#: The rows of a micro-batch, by partition.
Parts = Sequence[Sequence[str]]


@dataclass
class ByHand:
    """One checkpoint. stream: the driver that runs now; `restart` takes another, which knows only what is on disk.

    remembers: what buckets carry stays in memory between batches, as in a local stream. crew: who does the work.
    """

    setting: Setting
    folder: Path
    told: Callable[[Store, Store], Sequence[Callable[[Commit], None]]] = lambda state, tables: ()
    open: Callable[[str], Store] = lambda place: Store(place, sync=False)
    remembers: bool = False
    crew: type[Alone] = Alone
    stream: Stream = field(init=False)

    def __post_init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        self.state, self.tables = self.open(f"{self.folder}/state"), self.open(f"{self.folder}/tables")
        self.memory = Memory() if self.remembers else None
        self.stream = Stream(self.setting, Ledger(self.state), self.tables, self.told(self.state, self.tables))

    def run(self, batch: int, parts: Parts) -> Commit:
        return self.stream.run(batch, self.crew([lines_table(part) for part in parts], self.memory))

    def close(self) -> Commit:
        return self.stream.close(Alone([], self.memory))

    def run_all(self, batches: Sequence[Parts], first: int = 0) -> None:
        for batch in range(first, len(batches)):
            self.run(batch, batches[batch])
        self.close()

    def answer(self) -> Answer:
        return answer(*read_current(self.tables))

    def log(self) -> tuple[pa.Table, pa.Table]:
        """All changes, in an order that does not depend on buckets."""
        intervals, occurrences = read_changes(self.tables)
        return _ordered(intervals), _ordered(occurrences)


def _ordered(log: pa.Table) -> pa.Table:
    return log.sort_by([("query_time", "ascending"), ("id", "ascending"), ("op", "ascending"), ("end", "ascending")])
