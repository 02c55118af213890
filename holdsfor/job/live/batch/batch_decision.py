"""Decide what a batch does once it is read: the rows to believe, the query times due, what buckets write.

All of this follows from what is known before and the notes of who has read it. So not only the driver can tell, but
also a worker that has read the whole batch, and may go on at once (`crew.whole_batch_rows`).
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from holdsfor.engine.input.window import Windows
from holdsfor.engine.output.changes import Report
from holdsfor.io.readers.column_types import Agreed, agree, join_seen
from holdsfor.io.storage.store import Store, Written
from holdsfor.job.live.batch.clock import due_by_arrival, due_by_clock
from holdsfor.job.live.input.future_rows import Island, latest_believed, merge_islands
from holdsfor.job.live.state.bucket import Turn
from holdsfor.job.live.state.ledger import Commit, RowsRead
from holdsfor.job.task_rows import Note

#: After so many batches without a query time every bucket puts together what has come since the last.
MOST_WAITING = 16
#: Where buckets stay in memory, they are written again when what was logged since takes one in so many of their bytes,
#: and more than a few: a restart goes through it all.
LOG_SHARE = 2
FEW_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Doubts:
    """Rows that arrive too far ahead of others. believed: the latest arrival that is; latest: that there was."""

    believed: int
    latest: int
    rows: int
    of_all: bool


@dataclass(frozen=True, slots=True)
class Outlook:
    """Before a batch is read. commit: the batch, as far as it is known; before: the one before it.

    longest_log: after how many batches buckets write all they carry again; 0: always, they do not stay in memory.
    reached: how far the stream has come; max_future: how much further rows may be. None: whatever arrives is believed.
    now: on the clock, where query times come by it. mark: of the first attempt.
    """

    windows: Windows
    commit: Commit
    before: Commit | None
    state: Store
    tables: Store
    report: Report
    longest_log: int
    reached: int | None = None
    max_future: int | None = None
    now: int | None = None
    mark: str = ""

    def doubts(self, notes: Sequence[Note]) -> Doubts | None:
        bound = self.max_future
        islands = [] if bound is None else [Island(*island) for note in notes for island in note["islands"]]
        if bound is None or not islands:
            return None
        islands = merge_islands(islands, bound)
        believed = latest_believed(islands, self.reached, bound, self.commit.rows.doubted)
        ahead = sum(island.rows for island in islands if island.low > believed)
        every = sum(island.rows for island in islands)
        return Doubts(believed, islands[-1].high, ahead, ahead == every) if ahead else None

    def differing(self, notes: Sequence[Note]) -> Agreed:
        """Return the types of columns in which files of the batch differ: it is to be read once more with these."""
        return agree(join_seen(note["seen"] for note in notes))

    def learn(self, notes: Sequence[Note]) -> Commit:
        """Return the batch with what its notes of reading say."""
        rows = self.commit.rows
        return replace(
            self.commit,
            files=files_of(notes, "tables"),
            counts=sum_counts(note["counts"] for note in notes),
            rows=RowsRead(
                _most([rows.watermark, *(note["watermark"] for note in notes)]),
                _most([rows.latest, *(note["latest"] for note in notes)]),
                rows.doubted,
                join_seen([rows.seen, *(note["seen"] for note in notes)]),
            ),
        )

    def due(self, commit: Commit) -> range:
        if commit.start is None:
            return range(0)
        if self.now is not None:
            return due_by_clock(self.windows, commit.fired, self.now)
        return due_by_arrival(self.windows, commit.fired, commit.rows.watermark)

    def turn(self, commit: Commit, due: range) -> Turn:
        last = commit.closed or self.windows.last in due  # nothing counts after the end, though rows may come
        makes_base = (last and bool(due)) or _makes_base(commit, due, self.longest_log)
        lasts = self.longest_log > 0
        places = (self.state, self.tables, self.report)
        return Turn(commit.batch, due, self.before, *places, last, makes_base, lasts, self.mark)


def new_mark() -> str:
    return uuid.uuid4().hex[:8]


def files_of(notes: Iterable[Note], which: str) -> tuple[Written, ...]:
    return tuple(Written(*file) for note in notes for file in note[which])


def sum_counts(counts: Iterable[Mapping[str, float]]) -> dict[str, float]:
    total: dict[str, float] = {}
    for one in counts:
        for name, amount in one.items():
            total[name] = total.get(name, 0) + amount
    return total


def _makes_base(commit: Commit, due: range, longest_log: int) -> bool:
    """Whether all that is carried is written."""
    state = commit.state
    if not longest_log:
        return bool(due) or len(state.since_base) >= MOST_WAITING
    if not state.bases and due:
        return True
    is_long = state.log_bytes > max(state.base_bytes // LOG_SHARE, FEW_BYTES)
    return is_long or len(state.since_base) >= longest_log


def _most(times: Sequence[int | None]) -> int | None:
    return max((time for time in times if time is not None), default=None)
