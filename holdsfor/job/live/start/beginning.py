"""Begin a stream, or go on with one: check what a user gives, take and open the checkpoint."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, is_dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Required, TypedDict, Unpack, cast
from typing import Literal as OneOf

from holdsfor.duration import PER_SECOND, Duration, GivenTimes, TickUnit, TimePoint, ticks_of
from holdsfor.engine.definitions.evaluate import make_program
from holdsfor.engine.output.changes import Report
from holdsfor.errors import HoldsforError
from holdsfor.io.metrics import BatchMetrics
from holdsfor.io.readers.formats import check_format
from holdsfor.io.readers.mapping import UNITS, Mapping, as_mapping
from holdsfor.io.sinks.messages import Arguments, Format, MessageForm, Sink, Times
from holdsfor.io.sinks.outbox import Outbox
from holdsfor.io.storage.lease import Lease, take_lease
from holdsfor.io.storage.store import Store
from holdsfor.io.tables.wide import TableShape
from holdsfor.job.live.batch.after_commit import (
    Compactor,
    CutTimeWarning,
    FailureWarnings,
    RejectWarnings,
    Watching,
    warn_of_changed_files,
)
from holdsfor.job.live.batch.clock import Pace, WallClock
from holdsfor.job.live.batch.delivery import Deliveries, Delivery, Each
from holdsfor.job.live.batch.microbatch import Setting, Stream
from holdsfor.job.live.input.reading import ColumnReader, LineReader, Reader, TablesReader
from holdsfor.job.live.start.checks import check_report, warn_if_unbounded
from holdsfor.job.live.start.identity import identity_of
from holdsfor.job.live.start.opening import Places, open_stream
from holdsfor.job.live.state.ledger import IDENTITY, Commit, Ledger
from holdsfor.job.live.update.rules_folder import RulesFolder
from holdsfor.job.live.update.rules_in_force import as_in_force, last_rules, write_description
from holdsfor.job.routing import router
from holdsfor.job.run_warnings import warn_of_times_outside, warn_of_units
from holdsfor.job.shapes import shapes_of
from holdsfor.job.times import check_times
from holdsfor.language.choosing import agree_on_tick_unit, choose_results
from holdsfor.language.description import EventDescription
from holdsfor.language.diagnostics import shown_refusals
from holdsfor.plan import plan

DAY = 86400  # seconds
Clock = OneOf["arrival", "wall"]
CLOCKS: tuple[Clock, ...] = ("arrival", "wall")
ON_POISON = ("quarantine", "stop")
ON_SINK_FAILURE = ("stop", "keep")


class StreamOptions(TypedDict, total=False):
    """Options that a stream is begun with, on any host. Times are ticks, or durations such as '4h'.

    checkpoint: a folder for state; a stream that finds its own there goes on. out: a folder for the tables (default:
    in the checkpoint). tick_unit: how long a tick is ('s', 'ms' or 'us').
    buckets: entities are shared out over so many, for the life of the stream; a stream that goes on keeps its number.
    report: 'eager' tells all that is known, 'settling' what has begun for certain, 'final' what will never change.
    clock: 'arrival' takes time from what the rows say of their arrival, 'wall' from the clock on the wall.
    max_future: rows that arrive further ahead of the rest than this are not believed and go to the rejects, unless
    enough of them agree; 0 believes all. Default: ten windows, or a day if that is more.
    replay_speed: a recording is replayed at so many times its own speed; None: as fast as possible.
    fsync: every file is on the disk before its batch counts, so that not even a power cut loses what was reported
    (without it processes may die at any point, but the machine may not); costs some milliseconds a bucket.
    on_poison: what happens with a file, message or row that makes its batch fail three times: 'quarantine' sets it
    aside and goes on, 'stop' raises the error of the first time.
    sinks: where changes go besides the tables. message_times: 'ticks' or 'iso' (2026-03-01T09:15:25Z).
    message_arguments: a 'list', or 'named' as the columns of a table of results are. message_format: 'json', or 'drtec'
    for dRTEC's lines, which brokers and files get.
    on_sink_failure: what happens when a sink does not take changes: 'stop' ends the stream, and a restart delivers
    them; 'keep' keeps them in the checkpoint, goes on, and delivers them in order, tried again with growing pauses of
    up to 30 seconds.
    watch: is called with the metrics of each batch. take_over: takes the checkpoint from another process that has it,
    which then stops. only: the definitions that are told of, by name or name/arity; without it, all that are not
    internal. A stream that goes on tells of the same. rules_from: a folder that is watched while the stream runs: rule
    files that are put there take over between two batches, all of them together. The stream begins with the rules that
    it is given, and goes on with those that it had last.
    """

    window: Required[Duration]
    step: Required[Duration]
    checkpoint: Required[str | Path]
    start: TimePoint | None
    end: TimePoint | None
    sample_every: Duration
    tick_unit: TickUnit
    out: str | Path | None
    buckets: int | None
    report: Report
    clock: Clock | WallClock
    max_future: Duration | None
    replay_speed: float | None
    fsync: bool
    on_poison: str
    sinks: Sequence[Sink]
    message_times: Times
    message_arguments: Arguments
    message_format: Format
    on_sink_failure: str
    watch: Callable[[BatchMetrics], None] | None
    take_over: bool
    only: str | Iterable[str] | None
    rules_from: str | Path | None


@dataclass(frozen=True, slots=True)
class StreamSettings:
    """Options of a stream, with what counts where a user says nothing; see `StreamOptions`."""

    window: Duration
    step: Duration
    checkpoint: str | Path
    start: TimePoint | None = None
    end: TimePoint | None = None
    sample_every: Duration = 1
    tick_unit: TickUnit | None = None
    out: str | Path | None = None
    buckets: int | None = None
    report: Report = "eager"
    clock: Clock | WallClock = "arrival"
    max_future: Duration | None = None
    replay_speed: float | None = None
    fsync: bool = False
    on_poison: str = "quarantine"
    sinks: Sequence[Sink] = ()
    message_times: Times = "ticks"
    message_arguments: Arguments = "list"
    message_format: Format = "json"
    on_sink_failure: str = "stop"
    watch: Callable[[BatchMetrics], None] | None = None
    take_over: bool = False
    only: str | Iterable[str] | None = None
    rules_from: str | Path | None = None

    def __post_init__(self) -> None:
        if self.rules_from is not None and not Path(self.rules_from).is_dir():
            raise HoldsforError(f"rules_from is a folder with rule files, and there is none: {self.rules_from}")
        _check_choice("on_poison", self.on_poison, ON_POISON)
        _check_choice("on_sink_failure", self.on_sink_failure, ON_SINK_FAILURE)
        if not isinstance(self.clock, WallClock):
            _check_choice("clock", self.clock, CLOCKS)
        check_report(self.report)
        names = [sink.name for sink in self.sinks]
        if len(set(names)) < len(names):
            raise HoldsforError(f"each sink needs a name of its own, to know what it has had: {', '.join(names)}.")

    @property
    def times(self) -> GivenTimes:
        return GivenTimes(self.window, self.step, self.start, self.end, self.sample_every)

    def most_ahead(self, window: int, unit: TickUnit) -> int | None:
        """Return how many ticks ahead of the rest a row may arrive; None: as far as it likes."""
        if self.max_future is None:
            return max(10 * window, DAY * PER_SECOND[unit])
        ticks = ticks_of("max_future", self.max_future, unit)
        if ticks < 0:
            raise HoldsforError(f"max_future must be 0 (believe all) or more, not {ticks}")
        return ticks or None

    def wall_clock(self, most_ahead: int | None, unit: TickUnit) -> WallClock | None:
        """Return the clock that query times go by, if it is that on the wall."""
        if isinstance(self.clock, WallClock):
            return self.clock
        seconds = None if most_ahead is None else most_ahead / PER_SECOND[unit]
        return WallClock(unit, most_ahead=seconds) if self.clock == "wall" else None


def _check_choice(name: str, value: str, choices: Sequence[str]) -> None:
    if value not in choices:
        raise HoldsforError(f"{name} is {' or '.join(map(repr, choices))}, not {value!r}.")


@dataclass(frozen=True, slots=True)
class Begun:
    """A stream that can run: the driver's side of it, where its parts lie, that they are ours, and what comes out."""

    job: Stream
    places: Places
    lease: Lease
    shapes: tuple[TableShape, ...]
    deliveries: Deliveries
    rules: EventDescription
    tick_unit: TickUnit
    rules_folder: RulesFolder | None


def begin_stream(
    description: EventDescription, reader: Reader, each: Each, default_buckets: int, **options: Unpack[StreamOptions]
) -> Begun:
    """Begin a stream, or go on with it. each: runs a function on each of several items, on the workers."""
    settings = StreamSettings(**options)
    description, folder = choose_results(description, settings.only), None
    if settings.rules_from is not None:
        folder = RulesFolder(Path(settings.rules_from), settings.only)
        description = last_rules(settings.checkpoint) or description
    mapping = mapping_of(reader)
    unit = agree_on_tick_unit(description, settings.tick_unit, mapping.given_unit)
    reader = _counting_in(reader, unit)
    times = check_times(settings.times, unit)
    shapes = shapes_of(description, mapping.all_arguments)
    form = MessageForm.of(settings.message_times, settings.message_arguments, unit, shapes, settings.message_format)
    warn_of_units(mapping.given_unit, unit, description, settings.times.amounts)
    rules = description
    with shown_refusals(description.texts.sources):
        description = description.with_input()
        program = make_program(plan(description))
    warn_if_unbounded(program.plan)
    warn_of_times_outside(description, times.start, times.end)
    bound = settings.most_ahead(times.window, unit)
    places = Places.of(settings.checkpoint, settings.out, settings.fsync)
    lease = take_lease(places.root, f"the checkpoint {places.root.shown()}", settings.take_over)
    try:
        ledger = Ledger(places.state, lease.held)
        if ledger.store.exists(IDENTITY):
            program = as_in_force(program, ledger)
        count = settings.buckets or _buckets_of(ledger) or default_buckets
        setting = Setting(
            program,
            router(program.plan, count),
            tuple(description.inputs),
            reader,
            times,
            settings.report,
            settings.wall_clock(bound, unit),
            None if settings.replay_speed is None else Pace(settings.replay_speed * PER_SECOND[unit]),
            bound,
            PER_SECOND[unit],
            settings.on_poison == "quarantine",
        )
        places.spark.make()  # Spark would let all read it
        defined = list(dict.fromkeys(shape.name for shape in shapes))
        written = write_description(rules, unit)
        open_stream(ledger, places.tables, places.spark, identity_of(setting, count), defined, written)
        outboxes = {sink.name: _outbox(sink, settings, lease) for sink in settings.sinks}
        deliveries = Deliveries(
            [Delivery(sink, places.state, places.tables, each, outboxes[sink.name], form) for sink in settings.sinks]
        )
        followers = _make_followers(places.tables, each, deliveries, unit, settings.watch)
        deliveries.start()
        lease.before_release(deliveries.finish)
        return Begun(
            Stream(setting, ledger, places.tables, followers), places, lease, shapes, deliveries, rules, unit, folder
        )
    except BaseException:
        lease.release()
        raise


def _make_followers(
    tables: Store, each: Each, deliveries: Deliveries, unit: TickUnit, watch: Callable[[BatchMetrics], None] | None
) -> list[Callable[[Commit], None]]:
    """Return what is called with each batch that counts."""
    followers: list[Callable[[Commit], None]] = [deliveries, Compactor(tables, each)]
    followers += [
        partial(warn_of_changed_files, tables),
        RejectWarnings(tables),
        FailureWarnings(),
        CutTimeWarning(UNITS[unit]),
    ]
    return followers if watch is None else [*followers, Watching(watch, deliveries)]


def _buckets_of(ledger: Ledger) -> int | None:
    """A stream that goes on keeps its number of buckets, whatever this host would take."""
    return int(ledger.rules(0)["buckets"]) if ledger.store.exists(IDENTITY) else None


def _outbox(sink: Sink, settings: StreamSettings, lease: Lease) -> Outbox | None:
    """Return where changes wait for a sink, if they do; refuses to overtake what waits from before."""
    undelivered = Store(f"{settings.checkpoint}/undelivered/{sink.name}", sync=settings.fsync, private=True)
    if settings.on_sink_failure == "keep":
        return Outbox(sink, undelivered, lease.held)
    if undelivered.names():
        raise HoldsforError(
            f"changes that {sink.name} has not taken wait in {undelivered.shown()}, and later ones must not overtake "
            "them. Start with --on-sink-failure keep (in Python on_sink_failure='keep'), or delete that folder."
        )
    return None


def _counting_in(reader: Reader, unit: TickUnit) -> Reader:
    """The reader, with a mapping that counts dates in the unit of the stream."""
    mapping = getattr(reader, "mapping", None)
    if not isinstance(mapping, Mapping) or not is_dataclass(reader):
        return reader
    return cast(Reader, replace(reader, mapping=mapping.counting_in(unit)))


def mapping_of(reader: Reader) -> Mapping:
    """Return the mapping of a reader; an empty one if rows are lines of text."""
    mapping = getattr(reader, "mapping", None)
    return mapping if isinstance(mapping, Mapping) else Mapping()


def reader_of(format: str | Reader, mapping: Any, by_table: bool = False) -> Reader:
    """How rows are read: by columns, as a mapping says, or as lines of text. by_table: rows of several tables."""
    if not isinstance(format, str):
        return format
    check_format(format)
    if format != "columns":
        return LineReader(format)
    resolved = as_mapping(mapping)
    if by_table:
        return TablesReader(resolved)
    if resolved.tables:
        names = ", ".join(resolved.tables)
        raise HoldsforError(f"the mapping is for several tables: give the events as a dict, by their names ({names}).")
    return ColumnReader(resolved)
