"""A live session in this process: add events as they come, go on to a time, get what changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, Concatenate, NamedTuple, ParamSpec, TypeVar

import pyarrow as pa

from holdsfor.duration import Duration, GivenTimes, TickUnit, TimePoint, ticks_at, ticks_of
from holdsfor.engine.data.world import count_failures, sum_failures
from holdsfor.engine.definitions.evaluate import Program, make_program
from holdsfor.engine.input.fence import span_of
from holdsfor.engine.input.outliers import set_aside
from holdsfor.engine.input.window import check_range, counted, nothing_late
from holdsfor.engine.output.changes import Report, changes
from holdsfor.engine.patterns.partial_matches import PROGRESS_SCHEMA, progress_table
from holdsfor.engine.stepping.carried import NOTHING_YET, Carried
from holdsfor.engine.stepping.evaluator import Ongoing
from holdsfor.engine.stepping.query_times import QueryMoment
from holdsfor.engine.stepping.settling import everything
from holdsfor.engine.stepping.takeover import list_since, with_since
from holdsfor.errors import HoldsforError
from holdsfor.io.events import TIMES_CUT, Block
from holdsfor.io.join import join_types
from holdsfor.io.readers.column_types import join_seen, keep
from holdsfor.io.readers.mapping import check_zone
from holdsfor.io.readers.read import as_source
from holdsfor.io.storage.fold import Changes, Current
from holdsfor.io.storage.store import Store
from holdsfor.io.tables.wide import NANOSECONDS, HasName, ResultTable, find_shape, widen
from holdsfor.job.live.batch.clock import due_by_clock
from holdsfor.job.live.start.changed import find_changes
from holdsfor.job.live.start.checks import check_report, warn_if_unbounded
from holdsfor.job.live.start.identity import identify_rules
from holdsfor.job.live.update.rule_update import RuleUpdate
from holdsfor.job.run_warnings import take_failures, warn_of_cut_times, warn_of_failures, warn_of_times_outside
from holdsfor.job.shapes import shapes_of
from holdsfor.job.times import check_times
from holdsfor.language.choosing import agree_on_tick_unit
from holdsfor.language.description import EventDescription
from holdsfor.language.diagnostics import shown_refusals
from holdsfor.loading import Rules, as_description
from holdsfor.local.known import Known
from holdsfor.local.saving import Saved, SessionTerms, read_session, write_session
from holdsfor.plan import plan

if TYPE_CHECKING:
    from holdsfor.why.changed import RevisionCause
    from holdsfor.why.derivation import Derivation
    from holdsfor.why.session import KeptHistory
    from holdsfor.why.why_not.refutation import Refutation

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")


def session(
    rules: Rules,
    *,
    window: Duration,
    step: Duration,
    start: TimePoint | None = None,
    end: TimePoint | None = None,
    sample_every: Duration = 1,
    tick_unit: TickUnit | None = None,
    report: Report = "eager",
    keep: Duration | None = None,
    incremental: bool = True,
    only: str | Iterable[str] | None = None,
) -> Session:
    """Begin a session that recognises while events come in, in this process: `add` events, `advance` to a time.

    rules: an event description, or the path of a rule file. Times are ticks, or durations such as '4h', with tick_unit
    ('s', 'ms' or 'us') for how long a tick is.
    report: 'eager' tells all that is known, 'settling' intervals whose beginning is certain, 'final' what never
    changes. keep: how long `current` knows of what is over; None: for ever. incremental: whether a query time looks
    only at what changes, unless that is most of what is known; if not, it looks at all that is not settled yet. What
    comes of it is the same. only: the definitions that are told of, by name or name/arity; without it, all that are not
    internal.
    """
    check_report(report)
    description = as_description(rules, only)
    unit = agree_on_tick_unit(description, tick_unit)
    times = check_times(GivenTimes(window, step, start, end, sample_every), unit)
    ticks_to_keep = None if keep is None else ticks_of("time to keep", keep, unit)
    new = _begin(description, SessionTerms(times, unit, report, ticks_to_keep), incremental)
    warn_if_unbounded(new.program.plan)
    if times.start is not None:
        new.begin(times.start)
    return new


def live(rules: Rules, *, tick: Duration = 1, **settings: Any) -> Session:
    """Begin a session, as DESIGN.md calls it; documents call it `session`."""
    return session(rules, **({"sample_every": tick} | settings))


def resume(
    rules: Rules,
    folder: str | Path | EventDescription,
    *,
    incremental: bool = True,
    only: str | Iterable[str] | None = None,
) -> Session:
    """Go on with the session that `save` has written to a folder. The rules must be those that it had last.

    incremental, only: see `session`; a session that goes on tells of the same definitions.
    """
    if isinstance(folder, EventDescription):  # DESIGN.md has the folder first
        rules, folder = folder, str(rules)
    store = Store(folder, private=True)
    saved = read_session(store)
    new = _begin(as_description(rules, only), saved.terms, incremental)
    changes = find_changes(saved.rules, identify_rules(new.program))
    if changes:
        raise HoldsforError(
            f"the session in {store.shown()} was begun with {'; '.join(changes)}. "
            "Go on with the same rules, or begin anew."
        )
    new.metrics.update(saved.metrics)
    new.columns |= saved.columns
    new.seen |= saved.seen
    new.types |= saved.types
    new.latest, new.updates = saved.latest, saved.updates
    new.program = with_since(new.program, saved.since)
    if saved.start is not None:
        new.begin(saved.start, saved.carried, saved.waiting)
    else:
        new.undated += saved.waiting
    new.results.restore(saved.intervals, saved.occurrences, new.last_query_time)
    return new


def _join_tables(first: pa.Table, others: Sequence[pa.Table]) -> pa.Table:
    """One after the other; most are empty."""
    some = [table for table in others if table.num_rows]
    return pa.concat_tables([first, *some]) if some else first


def _begin(description: EventDescription, terms: SessionTerms, incremental: bool) -> Session:
    description = description.with_input()
    with shown_refusals(description.texts.sources):
        program = make_program(plan(description))
    return Session(description, terms, program, Known(terms.keep), incremental)


@dataclass(frozen=True, slots=True, repr=False)
class Added:
    """Fate of events that were added: how many rows, those that came too late, and those that were refused."""

    events_in: int
    events_unused: int
    late: pa.Table
    rejects: pa.Table

    def __repr__(self) -> str:
        unused, late, rejected = self.events_unused, len(self.late), len(self.rejects)
        return f"<Added: {self.events_in:,} in, {unused:,} unused, {late:,} late, {rejected:,} rejected>"


class QueryCounts(NamedTuple):
    """Counts of a query time: what was looked at (None: everything), and new rows that are equal to another."""

    work: Mapping[str, int] | None
    equal: int


def one_at_a_time(
    method: Callable[Concatenate[Session, Arguments], Answer],
) -> Callable[Concatenate[Session, Arguments], Answer]:
    """Let a method of a session wait until what other threads have called is done."""

    @wraps(method)
    def locked(session: Session, /, *args: Arguments.args, **options: Arguments.kwargs) -> Answer:
        with session.lock:
            return method(session, *args, **options)

    return locked


@dataclass(slots=True, repr=False)
class Session:
    """Recognition inside a program, begun by `holdsfor.session`. Several threads may use it: calls wait for each other.

    metrics: counts of rows in, unused, late, rejected and equal to another (told with the query time that sees them),
    of query times and of changes, since the session began, and how much was looked at to find the changes.
    """

    description: EventDescription
    terms: SessionTerms
    program: Program
    results: Known
    incremental: bool = True
    metrics: Counter[str] = field(default_factory=Counter)
    columns: dict[str, tuple[str, ...]] = field(default_factory=dict)  # that mappings list, by event or fluent
    types: dict[str, str] = field(default_factory=dict)  # of arguments, as they came
    seen: dict[str, int] = field(default_factory=dict)  # in columns of text, which keep their types
    evaluation: Ongoing | None = None  # None until the start is known
    latest: int | None = None  # time of any row that has come
    updates: int = 0  # of the rules
    undated: list[Block] = field(default_factory=list)  # rows that came before
    lock: RLock = field(default_factory=RLock, compare=False)

    def __repr__(self) -> str:
        until = "not begun" if self.last_query_time is None else f"up to {self.last_query_time}"
        return f"<Session: {until}, {self.metrics['events_in']:,} events in>"

    @property
    def last_query_time(self) -> int | None:
        """Return the last query time that is over; None if there was none yet."""
        return None if self.evaluation is None else self.evaluation.fired

    @one_at_a_time
    def add(self, events: Any, *, format: str | None = None, mapping: Any = None) -> Added:
        """Add events: whatever `read_events` takes, in any order.

        They count for the first query time at or after their arrival that is not over yet. The history begins before
        the first events that are added, unless `start` was given.
        """
        source = as_source(events, format, mapping).counting_in(self.terms.tick_unit).agreeing(keep(self.seen))
        read = source.read(self.description.inputs)
        self.seen = join_seen([self.seen, read.seen])
        self.types = join_types(self.types, read.types)
        inside = [set_aside(block, self.terms.times.fence) for block in read.blocks]
        rejects = _join_tables(read.rejects, [refused for _, refused in inside])
        spans = [block.span() for block in read.timed if len(block)]
        self.latest = (
            max((time for span in spans for time in (span[1], span[3])), default=self.latest) if spans else self.latest
        )
        late = self._take([block for block, _ in inside], read.other_times)
        self.columns |= source.columns
        if read.nanoseconds is not None:
            self.metrics[NANOSECONDS] = read.nanoseconds
        if not self.metrics[TIMES_CUT]:
            warn_of_cut_times(read.counts.get(TIMES_CUT, 0), read.nanoseconds)
        self.metrics.update(
            events_in=read.read,
            events_unused=read.unused,
            events_rejected=rejects.num_rows,
            events_late=late.num_rows,
            **read.counts,
        )
        return Added(read.read, read.unused, late, rejects)

    def _take(self, blocks: list[Block], other_times: tuple[Block, ...]) -> pa.Table:
        """Hands on the rows that count; gives those that are late."""
        if self.evaluation is None:
            span = span_of([*blocks, *other_times], self.terms.times.fence)
            if span is None:  # facts that are valid since ever: they wait for what tells a time
                self.undated += blocks
                return nothing_late()
            blocks, self.undated = [*self.undated, *blocks], []
            tick = self.terms.times.tick
            self.begin((span[0] - 1) // tick * tick)
        assert self.evaluation is not None
        sorted_out = [counted(block, self.evaluation.windows, self.evaluation.fired) for block in blocks]
        self.evaluation.add([rows.block for rows in sorted_out])
        return _join_tables(nothing_late(), [rows.late for rows in sorted_out])

    @one_at_a_time
    def begin(self, start: int, carried: Carried = NOTHING_YET, waiting: tuple[Block, ...] = ()) -> None:
        """Called once the start of the history is known."""
        warn_of_times_outside(self.description, start, self.terms.times.end)
        scope = replace(everything(self.program.plan), forgets=True)
        windows = self.terms.times.windows(start)
        is_incremental = self.incremental and self.terms.report == "eager"  # others tell of what is settled since
        self.evaluation = Ongoing(self.program, windows, scope, carried, waiting, is_incremental=is_incremental)

    @one_at_a_time
    def advance(self, to: TimePoint) -> Changes:
        """Go through all query times up to `to`, and return what they change: logs of intervals and of occurrences."""
        name = "time to advance to"
        until = check_range(name, ticks_at(name, to, self.terms.tick_unit))
        evaluation = self.evaluation
        due = range(0) if evaluation is None else due_by_clock(evaluation.windows, evaluation.fired, until)
        if evaluation is None or not due:
            return self.results.nothing
        is_last, failed = due[-1] == evaluation.windows.last, list[dict[str, int]]()  # nothing counts after the end
        relations = evaluation.scope.relations(self.program.plan)

        def tell(moment: QueryMoment) -> tuple[Changes, QueryCounts]:
            at_end = is_last and moment.query_time == due[-1]
            failed.append(count_failures(moment.now))
            return changes(moment, relations, self.terms.report, at_end), QueryCounts(moment.work, moment.equal)

        with shown_refusals(self.description.texts.sources):
            steps = evaluation.advance(due, tell)
        log = self.results.add([changed for changed, _ in steps], due[-1])
        if failures := take_failures(sum_failures(failed)):
            self.metrics.update(function_failures=sum(failures.values()))
            warn_of_failures(failures)
        for _, counts in steps:
            self.metrics.update(counts.work)
        self.metrics.update(
            events_equal=sum(counts.equal for _, counts in steps),
            query_times=len(due),
            query_times_from_scratch=sum(counts.work is None for _, counts in steps),
            intervals_changed=log.intervals.num_rows,
            occurrences_changed=log.occurrences.num_rows,
        )
        return log

    @one_at_a_time
    def update(self, rules: Rules, *, only: str | Iterable[str] | None = None) -> RuleUpdate:
        """Let other rules take over at the last query time: an event description, or the path of a rule file.

        Definitions that stay as they are, with all that they depend on, keep their state; the others are evaluated
        again over what is kept. Rules that are refused change nothing. only: see `session`; without it, results have
        all definitions that are not internal.
        """
        from holdsfor.local.updating import update_session

        return update_session(self, as_description(rules, only))

    @one_at_a_time
    def current(self) -> Current:
        """Return the intervals and occurrences that are known now."""
        return self.results.current()

    @one_at_a_time
    def why(self, fact: str, at: TimePoint, as_of: TimePoint | None = None) -> Derivation:
        """Explain why a fluent holds, or an event happens, at a time, as `Result.why` does, from the input that is
        kept. What was decided on input that is no longer kept is said to be so.
        """
        history = self.kept_history()
        return (history if as_of is None else history.as_of(as_of)).why(fact, at)

    @one_at_a_time
    def why_not(self, fact: str, at: TimePoint, as_of: TimePoint | None = None) -> Refutation:
        """Tell why a fluent does not hold, or an event does not happen, at a time, as `Result.why_not` does, from the
        input that is kept. Changes are tried only while all of the input is.
        """
        history = self.kept_history()
        return (history if as_of is None else history.as_of(as_of)).why_not(fact, at)

    @one_at_a_time
    def why_changed(self, fact: str) -> tuple[RevisionCause, ...]:
        """Tell which rows caused each change of a fluent, as `Result.why_changed` does, while all input is kept."""
        return self.kept_history().why_changed(fact)

    @one_at_a_time
    def kept_history(self) -> KeptHistory:
        """Return what the session still knows of its history, for questions about it."""
        from holdsfor.why.session import KeptHistory

        if self.evaluation is None:
            raise HoldsforError("there was no query time yet: advance the session before you ask why.")
        return KeptHistory(self.description, self.evaluation, self.terms.tick_unit)

    @one_at_a_time
    def progress(self) -> pa.Table:
        """Return the partial matches of patterns: what has occurred, what is awaited, and until when."""
        world = None if self.evaluation is None else self.evaluation.last_world()
        if world is None:
            return PROGRESS_SCHEMA.empty_table()
        return progress_table(self.program.plan, world)

    @one_at_a_time
    def table(self, name: str | HasName, zone: str = "UTC") -> ResultTable:
        """Return what is known now of one fluent or event, as `Result.table` does. Types are as the texts look."""
        current = self.current()
        shape = find_shape(shapes_of(self.description, self.columns, self.types), name)
        rows = current.occurrences if shape.is_event else current.intervals
        return ResultTable(widen(rows, shape.judged_by(rows), self.metrics.get(NANOSECONDS), check_zone(zone)))

    @one_at_a_time
    def save(self, folder: str | Path) -> None:
        """Write all that `holdsfor.resume` needs to a folder: completely, or what was there before stays."""
        evaluation, results = self.evaluation, self.results
        saved = Saved(
            identify_rules(self.program),
            self.terms,
            None if evaluation is None else evaluation.windows.start,
            NOTHING_YET if evaluation is None else evaluation.save(),
            tuple(self.undated) if evaluation is None else evaluation.waiting,
            results.intervals.recent(results.edge),
            results.occurrences.recent(results.edge),
            self.metrics,
            self.columns,
            self.seen,
            self.types,
            self.latest,
            self.updates,
            list_since(self.program.plan),
        )
        write_session(Store(folder, private=True), saved)
