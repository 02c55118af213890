"""A small stream without faults: what it gives in the end, and its checkpoint before each step, to break one there."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pyarrow as pa

from holdsfor.io.storage.fold import fold_intervals, fold_occurrences
from holdsfor.io.storage.store import Store
from holdsfor.job.live.batch.after_commit import Compactor
from holdsfor.job.live.batch.delivery import Delivery, here
from holdsfor.job.live.state.ledger import Commit
from holdsfor.language import parse
from tests.conformance.compare import differences
from tests.conformance.engines import answer
from tests.conformance.streamed import arrival, setting_of
from tests.naive.evaluate import Answer
from tests.spark.live.by_hand import ByHand, Parts
from tests.spark.live.party import HORIZON, PAIRS, party

#: Batches end here. The second and the fourth make no query time due.
ENDS = (45, 55, 130, 135, 300)
WINDOWS = replace(HORIZON, window=60, step=30)
SETTING = setting_of(parse(PAIRS), WINDOWS, 2)


@dataclass
class Recorder:
    """A sink that keeps what it gets; what comes twice must be the same."""

    got: dict[tuple[int, str], pa.Table] = field(default_factory=dict)
    name: str = "recorder"

    def deliver(self, batch: int, part: str, changes: pa.Table) -> int:
        assert self.got.setdefault((batch, part), changes).equals(changes)
        return int(changes.num_rows)


def batches() -> list[Parts]:
    rows = party(11, 160)
    lows = (-(1 << 61), *ENDS)
    cut = [[row for row in rows if low < arrival(row) <= high] for low, high in zip(lows, ENDS, strict=False)]
    return [[part[::2], part[1::2]] for part in cut]


@dataclass
class Steps:
    """The batches, and then the end."""

    folder: Path
    batches: Sequence[Parts] = field(default_factory=batches)
    sink: Recorder = field(default_factory=Recorder)

    @property
    def count(self) -> int:
        return len(self.batches) + 1

    def live(self, folder: Path, open: Callable[[str], Store] | None = None) -> ByHand:
        """The sink outlives the process."""
        return ByHand(SETTING, folder, self._told, open or (lambda place: Store(place, sync=False)))

    def _told(self, state: Store, tables: Store) -> list[Callable[[Commit], None]]:
        return [Delivery(self.sink, state, tables, here), Compactor(tables, here, every=2)]

    def step(self, live: ByHand, number: int) -> Commit:
        return live.run(number, self.batches[number]) if number < len(self.batches) else live.close()

    def before(self, number: int) -> Path:
        return self.folder / f"before-{number}"

    def copy(self, number: int, to: Path) -> Path:
        """The checkpoint as it was before a step."""
        if self.before(number).exists():
            shutil.copytree(self.before(number), to)
        return to

    def finish(self, live: ByHand, first: int) -> list[Commit]:
        return [self.step(live, number) for number in range(first, self.count)]


@dataclass(frozen=True)
class Known:
    """What is on disk after a step: tables, the log, and the commit, whose checksums are those of the state."""

    commit: Commit
    tables: Answer
    log: tuple[pa.Table, pa.Table]

    @staticmethod
    def of(live: ByHand) -> Known:
        commit = live.stream.ledger.last()
        assert commit is not None
        return Known(replace(commit, counts={}), live.answer(), live.log())

    def differences(self, other: Known) -> list[str]:
        found = differences(self.tables, other.tables)
        found += differences(self.tables, answer(fold_intervals(other.log[0]), fold_occurrences(other.log[1])))
        for mine, theirs in zip(self.log, other.log, strict=True):
            found += [] if mine.equals(theirs) else [f"log: {mine.num_rows} rows expected, {theirs.num_rows} found"]
        return found if self.commit == other.commit else [*found, f"{self.commit} expected, found {other.commit}"]


@dataclass
class Undisturbed:
    steps: Steps
    commits: list[Commit]
    known: list[Known]  # after each step


def undisturbed(folder: Path) -> Undisturbed:
    steps = Steps(folder)
    live = steps.live(folder / "run")
    found = Undisturbed(steps, [], [])
    for number in range(steps.count):
        if (folder / "run").exists():
            shutil.copytree(folder / "run", steps.before(number))
        found.commits.append(steps.step(live, number))
        found.known.append(Known.of(live))
    return found
