"""What a worker does for one bucket of a stage in one batch: keep what came, or go through the query times due."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from holdsfor.engine.changes import Report
from holdsfor.engine.frontier import find_frontier
from holdsfor.io.events import OPEN
from holdsfor.io.storage.changelog import changes_name, occurrence_changes_name
from holdsfor.io.storage.store import CorruptFile, MissingFile, Store, Written
from holdsfor.io.wire import pack, unpack
from holdsfor.job.live.advance import Advanced, StageOnBucket
from holdsfor.job.live.fresh import Fresh
from holdsfor.job.live.held import Held, Memory, begin_held, unpack_held
from holdsfor.job.live.ledger import Base, Commit
from holdsfor.job.routing import Parcel
from holdsfor.job.tasks import Job


@dataclass(frozen=True, slots=True)
class Turn:
    """One batch: what all its tasks know. before: the batch before it. last: nothing comes after it."""

    batch: int
    due: range
    before: Commit | None
    state: Store
    tables: Store
    report: Report = "eager"
    last: bool = False
    keeps_all: bool = False  # every bucket writes all it carries, due or not

    @property
    def rewrites(self) -> bool:
        return bool(self.due) or self.keeps_all


@dataclass(slots=True)
class Done:
    """What a bucket has done: parcels for later stages with their query times, files, and counts."""

    parcels: list[tuple[int, Parcel]] = field(default_factory=list)
    state: list[Written] = field(default_factory=list)
    tables: list[Written] = field(default_factory=list)
    counts: dict[str, float] = field(default_factory=dict)
    settled: dict[str, int] = field(default_factory=dict)


def bucket_task(
    job: Job, turn: Turn, number: int, bucket: int, rows: Iterable[tuple[int, bytes]], memory: Memory | None = None
) -> Done:
    """rows: the part and the bytes of parcels, in the order of the input. memory: of the process that does it all."""
    fresh = Fresh()
    for _, data in rows:
        for label, block in unpack(data)[1]:
            fresh.add(label, block)
    place, done = _Place(job, turn, number, bucket, memory), Done()
    if fresh:
        done.state.append(turn.state.write(place.input_name(turn.batch), pack(fresh.labelled(), {})))
    if not turn.rewrites:
        return done
    opened_at = time.perf_counter()
    held, recovered = place.read_held()
    held.add(fresh)
    begun = time.perf_counter()
    if turn.due:
        stage = StageOnBucket(job, number, turn.report, turn.last)
        _tell(turn, place.name, stage.advance(held, fresh.upstream, turn.due), done)
    ended = time.perf_counter()
    carried = held.save()
    written = turn.state.write(place.base_name(turn.batch), held.pack(carried))
    if memory is not None:
        memory.put(written, held)
    done.state.append(written)
    done.settled = find_frontier(job.program.plan, job.windows, carried.fired).settled
    done.counts["seconds_in_kernels"] = ended - begun
    done.counts["seconds_in_state"] = begun - opened_at + time.perf_counter() - ended
    done.counts["states_recovered"] = recovered
    done.counts["intervals_open"] = sum(
        int(np.count_nonzero(block.end == OPEN)) for block in carried.known if block.end is not None
    )
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
    done.counts["arithmetic_overflows"] = advanced.overflows


# ---------------------------------------------------------------- files


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the state of a bucket is, as the batch before the turn has left it."""

    job: Job
    turn: Turn
    number: int
    bucket: int
    memory: Memory | None

    @property
    def name(self) -> str:
        return f"stage{self.number}-{self.bucket}"

    def base_name(self, batch: int) -> str:
        return f"state/{self.name}/base-{batch:07d}.arrow"

    def input_name(self, batch: int) -> str:
        return f"state/{self.name}/input-{batch:07d}.arrow"

    def read_held(self) -> tuple[Held, int]:
        """What the bucket carries so far, and whether a damaged file had to be made again."""
        bases = self.turn.before.bases if self.turn.before else ()
        held, recovered = self._read_newest(bases) if bases else (self._begin(), 0)
        newest = bases[-1].batch if bases else -1
        held.add(self._read_inputs(newest + 1, self.turn.batch))
        return held, recovered

    def _read_newest(self, bases: tuple[Base, ...]) -> tuple[Held, int]:
        in_memory = self.memory.take(self._file_of(bases[-1]), self.job) if self.memory else None
        if in_memory is not None:
            return in_memory, 0
        try:
            return self._read_base(bases[-1]), 0
        except (CorruptFile, MissingFile) as damage:
            try:
                return self._make_again(bases), 1
            except (CorruptFile, MissingFile) as more:
                raise type(more)(f"{damage} It cannot be made again either: {more}") from None

    def _make_again(self, bases: tuple[Base, ...]) -> Held:
        """The state of the newest base, out of the one before it and what came since."""
        newest = bases[-1]
        then = replace(self, job=replace(self.job, windows=replace(self.job.windows, end=newest.end)))
        held, first = (then._read_base(bases[0]), bases[0].batch + 1) if len(bases) > 1 else (then._begin(), 0)
        held.add(self._read_inputs(first, newest.batch))
        fresh = self._read_inputs(newest.batch, newest.batch + 1)
        held.add(fresh)
        if newest.due:
            StageOnBucket(then.job, self.number, self.turn.report, False).advance(held, fresh.upstream, newest.due)
        return self._unpack(held.pack(held.save()), self.base_name(newest.batch))

    def _begin(self) -> Held:
        return begin_held(self.job, self.number, self.bucket, self.memory is not None)

    def _file_of(self, base: Base) -> Written:
        name = self.base_name(base.batch)
        return next(file for file in base.files if file.name == name)

    def _read_base(self, base: Base) -> Held:
        file = self._file_of(base)
        return self._unpack(self.turn.state.read(file.name, file.crc), file.name)

    def _unpack(self, data: pa.Buffer, name: str) -> Held:
        lasts = self.memory is not None
        return unpack_held(self.job, self.number, self.bucket, lasts, data, self.turn.state.shown(name))

    def _read_inputs(self, first: int, stop: int) -> Fresh:
        """What came to the bucket in batches first..stop-1."""
        fresh, state = Fresh(), self.turn.state
        for batch, files in self.turn.before.inputs if self.turn.before else ():
            name = self.input_name(batch)
            for file in files:
                if first <= batch < stop and file.name == name:
                    for label, block in unpack(state.read(name, file.crc), state.shown(name))[1]:
                        fresh.add(label, block)
        return fresh
