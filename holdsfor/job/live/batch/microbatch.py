"""One micro-batch on the driver: read, decide which query times are due, evaluate, commit, tell the sinks."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from holdsfor.engine.definitions.evaluate import Program
from holdsfor.engine.input.window import Windows
from holdsfor.engine.output.changes import Report
from holdsfor.io.readers.column_types import Agreed, agree, keep
from holdsfor.io.storage.changelog import commit_name
from holdsfor.io.storage.store import Store, Written
from holdsfor.job.live.batch.attempts import Attempts, Guard
from holdsfor.job.live.batch.batch_decision import Outlook, files_of, new_mark, sum_counts
from holdsfor.job.live.batch.clock import Pace, WallClock, due_at_the_end, due_by_clock, ended
from holdsfor.job.live.batch.crew import Crew
from holdsfor.job.live.input.reading import Reader, Reading
from holdsfor.job.live.state.bucket import Turn
from holdsfor.job.live.state.ledger import Base, Commit, Ledger, Logged, SourcePlace, StateFiles
from holdsfor.job.routing import Router
from holdsfor.job.task_rows import Note
from holdsfor.job.tasks import Job
from holdsfor.job.times import Times
from holdsfor.language.description import Input

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Setting:
    """Settings that all batches of a stream have in common."""

    program: Program
    router: Router
    inputs: tuple[Input, ...]
    reader: Reader
    times: Times
    report: Report = "eager"
    clock: WallClock | None = None
    pace: Pace | None = None
    max_future: int | None = None  # see `ahead`; None: whatever arrives is believed
    ticks_a_second: float = 1.0
    quarantines: bool = True  # what makes a batch fail is set aside; if not, the stream stops


@dataclass(slots=True)
class Stream:
    """The driver's side of a stream. followers: called with each batch that counts, again after a fault."""

    setting: Setting
    ledger: Ledger
    tables: Store
    followers: Sequence[Callable[[Commit], None]] = ()
    _job: Job | None = field(default=None, repr=False)
    _before: Commit | None = field(default=None, repr=False)
    _has_run: bool = False
    _published: int = -1  # the last batch that this process has told all of

    def run(self, source: int, crew: Crew, spark: Mapping[str, str] | None = None) -> Commit:
        """A batch of the source, unless it is done already: then only what may have been interrupted after it.

        spark: what Spark's own log says of the batch.
        """
        before = self.last()
        if before is not None and source <= before.source.batch:
            self._publish(before)
            return before
        try:
            commit = self._run(source, crew, before, spark or {}, first=not self._has_run)
            self._has_run = True
            return commit
        finally:
            crew.forget()

    def close(self, crew: Crew) -> Commit:
        """Evaluate the query times that are left: nothing more comes."""
        before = self.last()
        if before is not None and before.closed:
            self._publish(before)
            return before
        started = time.perf_counter()
        batch = _following(before)
        start = self._start(before, None)
        windows = ended(self.setting.times.windows(0 if start is None else start), before, self.setting.max_future)
        due = due_at_the_end(windows, before.fired if before else None)
        commit = replace(before or Commit(batch), batch=batch, start=start, files=(), counts={}, closed=True)
        job = self._job_for(windows)
        turn = self._outlook(job, commit, before, crew).turn(commit, due)
        before_evaluation = time.perf_counter()
        return self._commit(job, commit, turn, crew.evaluate(job, turn), started, before_evaluation)

    def is_due(self) -> bool:
        """Whether a query time has come by the clock, so that a batch is worth running though it has no rows."""
        clock, before = self.setting.clock, self.last()
        if clock is None:
            return False
        start = self._start(before, None)
        fired = None if before is None else before.fired
        return start is not None and bool(due_by_clock(self.setting.times.windows(start), fired, clock.now()))

    def last(self) -> Commit | None:
        """Return the last batch that counts."""
        with self.ledger.held():
            if self._before is not None:
                return self._before
        self._before = self.ledger.last()
        self.ledger.clean(self._before)
        for commit in self._find_untold():
            self._publish(commit)
        return self._before

    def _find_untold(self) -> list[Commit]:
        """Find what may not have been told yet: the last batch, as a crash may have come between, and updates of rules
        on a stream that did not run, with the batch before them."""
        commits = [] if self._before is None else [self._before]
        while commits and commits[0].batch:
            earlier = self.ledger.find(commits[0].batch - 1)
            if earlier is None or earlier.rules == commits[0].rules:
                break
            commits.insert(0, earlier)
        return commits

    def continue_with(self, setting: Setting, commit: Commit) -> None:
        """Make a commit count by which other rules have taken over, and go on with them."""
        before = self.last()
        self.ledger.write(commit)
        self.setting, self._job, self._before = setting, None, commit
        self._publish(commit)
        self.ledger.tidy(before, commit)

    def _run(self, source: int, crew: Crew, before: Commit | None, spark: Mapping[str, str], first: bool) -> Commit:
        """first: since the process has been started."""
        started = time.perf_counter()
        batch = _following(before)
        commit = before or Commit(batch)
        commit = replace(commit, batch=batch, source=SourcePlace(source, spark), files=(), counts={}, closed=False)
        guard = self._guard(commit, crew, first)
        start = self._start(before, lambda: guard.attempt("earliest", crew.earliest))
        job = self._job_for(self.setting.times.windows(0 if start is None else start))
        outlook = self._outlook(job, replace(commit, start=start), before, crew)
        notes, doubted = self._read(job, outlook, guard)
        was_read = time.perf_counter()
        learnt = outlook.learn(notes)
        commit = replace(learnt, rows=replace(learnt.rows, doubted=doubted))
        for column in agree(commit.rows.seen).keys() - agree(outlook.commit.rows.seen).keys():
            logger.warning(
                "the column %s is of another type in this batch than before, and 17, 17.0 and '17' are never equal. "
                "Say in the mapping what it is: [types].",
                column.partition(":")[2],
            )
        if self.setting.pace is not None:
            self.setting.pace.wait(commit.rows.watermark)
        commit, turn, done = _guarded(guard, job, commit, outlook.turn(commit, outlook.due(commit)))
        counts = dict(commit.counts) | {"seconds_to_read": round(was_read - started, 4)}
        after = self._commit(job, replace(commit, counts=counts), turn, done, started, was_read)
        guard.attempts.forget()
        return after

    def _outlook(self, job: Job, commit: Commit, before: Commit | None, crew: Crew) -> Outlook:
        setting, clock = self.setting, self.setting.clock
        return Outlook(
            job.windows,
            commit,
            before,
            self.ledger.store,
            self.tables,
            setting.report,
            crew.longest_log(job, setting.report),
            self._reached(commit),
            setting.max_future if clock is None else None,
            None if clock is None else clock.now(),
            new_mark(),
        )

    def _guard(self, commit: Commit, crew: Crew, first: bool) -> Guard:
        setting, state, batch = self.setting, self.ledger.store, commit.batch
        by_clock, isolates = setting.clock is not None, setting.quarantines
        reading = Reading(
            setting.reader,
            setting.inputs,
            batch,
            commit.fired,
            by_clock,
            self.tables,
            setting.times.fence,
            isolates,
            max_future=setting.max_future,
            types=keep(commit.rows.seen),
        )
        attempts = Attempts.resume(state, batch) if first and isolates else Attempts(state, batch)
        return Guard(crew, reading, attempts, isolates)

    def _read(self, job: Job, outlook: Outlook, guard: Guard) -> tuple[list[Note], int]:
        """Reads the batch, and how many rows in a row were not believed. A second time if some are not, or if its files
        differ in the types of columns."""
        goes_on = self.setting.pace is None and not guard.attempts.failed
        notes = guard.attempt("read", lambda reading: guard.crew.read(job, reading, outlook if goes_on else None))
        doubts, doubted_before = outlook.doubts(notes), outlook.commit.rows.doubted
        types = outlook.differing(notes)
        if doubts is None:
            doubted = 0 if any(note["islands"] for note in notes) else doubted_before
            return (self._read_again(job, guard, notes, types=types) if types else notes), doubted
        logger.warning(
            "%d rows are set aside: they claim to arrive as late as %d, but the stream has only come to %d. "
            "Those that rules read are in the rejects. If they are right, allow more with --max-future.",
            doubts.rows,
            doubts.latest,
            doubts.believed,
        )
        again = self._read_again(job, guard, notes, believed=doubts.believed, types=types)
        return again, doubts.rows + doubted_before if doubts.of_all else 0

    def _read_again(
        self, job: Job, guard: Guard, notes: Sequence[Note], types: Agreed, believed: int | None = None
    ) -> list[Note]:
        """Read the batch again, with what the first reading has shown; delete tables that only the first one wrote."""
        guard.reading = replace(guard.reading, believed=believed, types={**guard.reading.types, **types})
        again = guard.attempt("read again", lambda reading: guard.crew.read(job, reading))
        for name in {file.name for file in files_of(notes, "tables")} - {
            file.name for file in files_of(again, "tables")
        }:
            self.tables.delete(name)
        return again

    def _reached(self, before: Commit) -> int | None:
        """Return the time that the stream has reached, plus the time since: it may have been quiet, or not run."""
        if before.rows.watermark is None:
            return None
        return before.rows.watermark + int(max(time.time() - before.written, 0) * self.setting.ticks_a_second)

    def _commit(
        self, job: Job, commit: Commit, turn: Turn, notes: Sequence[Note], started: float, was_read: float
    ) -> Commit:
        """Make the batch count, and say so. notes: of what has been evaluated."""
        counts, now = sum_counts([commit.counts, *(note["counts"] for note in notes)]), time.perf_counter()
        counts |= {"query_times": len(turn.due), "seconds_to_evaluate": round(now - was_read, 4)}
        counts["seconds"] = round(now - started, 4)
        after = replace(
            commit,
            state=_state_after(commit, turn, files_of(notes, "state"), job.windows.end),
            fired=turn.due[-1] if turn.due else commit.fired,
            settled=_settled(notes) or commit.settled,
            files=commit.files + files_of(notes, "tables"),
            counts=counts,
            written=time.time(),
        )
        self.ledger.write(after)
        self._before = after
        self._publish(after)
        self.ledger.tidy(turn.before, after)
        return after

    def _publish(self, commit: Commit) -> None:
        """Say where the tables are that the batch counts, and tell the sinks. May happen again after a fault."""
        if self._published == commit.batch:
            return
        with self.ledger.held():
            self.tables.write_record(commit_name(commit.batch), commit.as_json())
        for follow in self.followers:
            with self.ledger.held():
                pass  # who has lost the checkpoint tells nothing more
            follow(commit)
        self._published = commit.batch

    def _start(self, before: Commit | None, earliest: Callable[[], int | None] | None) -> int | None:
        """The history begins after it: as given, or as the first batch that has rows tells it."""
        times, clock = self.setting.times, self.setting.clock
        if times.start is not None:
            return times.start
        if before is not None and before.start is not None:
            return before.start
        if clock is not None:
            return clock.now() // times.step * times.step - times.window
        low = earliest() if earliest is not None else None
        return None if low is None else (low - 1) // times.tick * times.tick

    def _job_for(self, windows: Windows) -> Job:
        if self._job is None or self._job.windows != windows:
            self._job = Job(self.setting.program, windows, self.setting.router)
        return self._job


def _guarded(guard: Guard, job: Job, commit: Commit, turn: Turn) -> tuple[Commit, Turn, list[Note]]:
    """Return the attempt that succeeded, with its notes; rows that must be left out for it are not read again.

    The query times stay, though rows that made them due may be left out: else these would be taken for the guilty.
    """
    done = guard.reading

    def evaluate(reading: Reading) -> tuple[Commit, Turn, list[Note]]:
        attempt = turn if not guard.attempts.failed else replace(turn, mark=new_mark())
        if reading is done:
            return commit, attempt, guard.crew.evaluate(job, attempt)
        read = guard.crew.read(job, reading)
        counts = dict(commit.counts) | sum_counts(note["counts"] for note in read)
        others = replace(commit, files=files_of(read, "tables"), counts=counts)
        return others, attempt, guard.crew.evaluate(job, attempt)

    return guard.attempt("evaluate", evaluate)


def _following(before: Commit | None) -> int:
    return 0 if before is None else before.batch + 1


def _state_after(commit: Commit, turn: Turn, files: tuple[Written, ...], end: int) -> StateFiles:
    """Return the files that hold the state after the turn."""
    came = tuple(file for file in files if "/input-" in file.name)
    base = Base(turn.batch, tuple(file for file in files if "/base-" in file.name)) if turn.makes_base else None
    return commit.state.add(Logged(turn.batch, came, turn.due, end, turn.mark), base)


def _settled(notes: Sequence[Note]) -> dict[str, int]:
    """Return up to when every bucket has settled each fluent and event."""
    cuts: dict[str, int] = {}
    for note in notes:
        for name, cut in note["settled"].items():
            cuts[name] = min(cut, cuts.get(name, cut))
    return cuts
