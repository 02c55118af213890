"""Work on one bucket of a stage in one batch: keep what came, or go through the query times due."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from holdsfor.engine.output.changes import Report
from holdsfor.io.columns.wire import pack, unpack
from holdsfor.io.storage.changelog import changes_name, occurrence_changes_name
from holdsfor.io.storage.store import CorruptFile, MissingFile, Store, Written
from holdsfor.job.live.state.advance import Advanced, StageOnBucket
from holdsfor.job.live.state.bucket_state import Held, Holder, Memory, Remembered
from holdsfor.job.live.state.ledger import Base, Commit, Logged
from holdsfor.job.routing import Parcel
from holdsfor.job.tasks import BucketRows, Job, Lot, unpack_lots

OPEN_OF = "intervals_open of "  # and a fluent: the name of a count


@dataclass(frozen=True, slots=True)
class Turn:
    """One attempt at a batch: what all its tasks know. before: the batch before it. last: nothing comes after it.

    makes_base: every bucket writes all it carries, due or not. lasts: it stays in memory for batches to come.
    mark: see `Logged`.
    """

    batch: int
    due: range
    before: Commit | None
    state: Store
    tables: Store
    report: Report = "eager"
    last: bool = False
    makes_base: bool = False
    lasts: bool = False
    mark: str = ""

    @property
    def is_for_all(self) -> bool:
        """Whether every bucket has something to do, also where no row comes."""
        return bool(self.due) or self.makes_base


@dataclass(slots=True)
class Done:
    """Outcome of a turn on a bucket: parcels for later stages with their query times, files, and counts."""

    parcels: list[tuple[int, Parcel]] = field(default_factory=list)
    state: list[Written] = field(default_factory=list)
    tables: list[Written] = field(default_factory=list)
    counts: dict[str, float] = field(default_factory=dict)
    settled: dict[str, int] = field(default_factory=dict)


def bucket_task(
    job: Job, turn: Turn, number: int, bucket: int, lots: Iterable[Lot], memory: Memory | None = None
) -> Done:
    """Keep what came to a bucket, or go through the query times due.

    lots: in the order of the input. memory: of the process that does it all.
    """
    fresh = unpack_lots(lots)
    place, done = BucketPlace(job, number, bucket, turn.state, turn.before, memory, turn.report), Done()
    if fresh:
        done.state.append(turn.state.write(place.input_name(turn.batch), pack(fresh.labelled(), {})))
    if not turn.is_for_all:
        return done
    opened_at = time.perf_counter()
    held, recovered = place.read_held()
    held.add(fresh)
    started = time.perf_counter()
    if turn.due:
        stage = StageOnBucket(job, number, bucket, turn.report, turn.last)
        _tell(turn, place.name, stage.advance(held, turn.due), done)
    ended = time.perf_counter()
    if turn.makes_base:
        done.state.append(turn.state.write(place.base_name(turn.batch), held.pack()))
    if memory is not None:
        memory.put(place.known_as, Remembered(turn.batch, turn.mark, held))
    done.settled = held.evaluation.frontier.settled
    done.counts["seconds_in_kernels"] = ended - started
    done.counts["seconds_in_state"] = started - opened_at + time.perf_counter() - ended
    done.counts["states_recovered"] = recovered
    opened = held.evaluation.count_open()
    done.counts["intervals_open"] = opened.total()
    done.counts |= {f"{OPEN_OF}{fluent}": count for fluent, count in opened.items()}
    return done


def _tell(turn: Turn, place: str, advanced: Advanced, done: Done) -> None:
    """Writes the logs of changes, and notes what else has come of the query times."""
    names = (changes_name(turn.batch, place), occurrence_changes_name(turn.batch, place))
    for name, table in zip(names, (advanced.intervals, advanced.occurrences), strict=True):
        if table.num_rows:
            done.tables.append(turn.tables.write_table(name, table))
    done.parcels = advanced.parcels
    done.counts["intervals_changed"] = advanced.intervals.num_rows
    done.counts["occurrences_changed"] = advanced.occurrences.num_rows
    done.counts["groundings_outside_domain"] = advanced.left_out
    done.counts |= advanced.counts
    done.counts |= {} if advanced.equal is None else {"events_equal": advanced.equal}


# ---------------------------------------------------------------- files


@dataclass(frozen=True, slots=True)
class BucketPlace:
    """Place of the state of a bucket, as the last batch has left it. number: of the stage."""

    job: Job
    number: int
    bucket: int
    state: Store
    before: Commit | None
    memory: Memory | None = None
    report: Report = "eager"

    @property
    def name(self) -> str:
        return f"stage{self.number}-{self.bucket}"

    @property
    def known_as(self) -> str:
        """To memory, which may be that of a worker for several streams."""
        return f"{self.state.location}/{self.name}"

    def base_name(self, batch: int) -> str:
        return f"state/{self.name}/base-{batch:07d}.arrow"

    def input_name(self, batch: int) -> str:
        return f"state/{self.name}/input-{batch:07d}.arrow"

    def read_held(self) -> tuple[Held, int]:
        """Return what the bucket carries so far, and how many damaged files that had to be made without."""
        before = self.before
        if before is None:
            return self._holder(self.job).begin(), 0
        remembered = self.memory.take(self.known_as, before.state.log) if self.memory else None
        if remembered is not None:
            return self._go_on(remembered.held, remembered.batch, before), 0
        damages: list[CorruptFile | MissingFile] = []
        for base in [*reversed(before.state.bases), *([] if len(before.state.bases) > 1 else [None])]:
            try:
                held = self._holder(self.job).begin() if base is None else self._read_base(base)
                return self._go_on(held, -1 if base is None else base.batch, before), len(damages)
            except (CorruptFile, MissingFile) as damage:
                damages.append(damage)
        first, last = damages[0], damages[-1]
        if str(first) == str(last):
            raise first
        raise type(last)(f"{first} It cannot be made again either: {last}") from None

    def _go_on(self, held: Held, after: int, before: Commit) -> Held:
        """From what the bucket carried after a batch, by what came and fell due since."""
        for entry in before.state.log:
            if entry.batch > after:
                fresh = self._read_input(entry)
                held.add(fresh)
                if entry.due:
                    then = replace(self.job, windows=replace(self.job.windows, end=entry.end))
                    held = self._holder(then).reopen(held)
                    held.evaluation.advance(entry.due, lambda moment: None)  # what there was to tell has been told
                    held.move_on(entry.due[-1])
        return self._holder(self.job).reopen(held)

    def _holder(self, job: Job) -> Holder:
        return Holder(job, self.number, self.bucket, self.memory is not None, self.report)

    def _read_base(self, base: Base) -> Held:
        name = self.base_name(base.batch)
        file = next(file for file in base.files if file.name == name)
        return self._holder(self.job).unpack(self.state.read(name, file.crc), self.state.shown(name))

    def _read_input(self, entry: Logged) -> BucketRows:
        """Read what came to the bucket in a batch."""
        fresh, name = BucketRows(), self.input_name(entry.batch)
        for file in entry.files:
            if file.name == name:
                for label, block in unpack(self.state.read(name, file.crc), self.state.shown(name))[1]:
                    fresh.add(label, block)
        return fresh
