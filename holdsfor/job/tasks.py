"""Do the work of a worker: read a part of the input, or evaluate one stage on one bucket. Needs no Spark."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from holdsfor.engine.data.axis import AxisFull, Ints
from holdsfor.engine.data.dictionary import with_room
from holdsfor.engine.data.world import World, count_failures
from holdsfor.engine.definitions.evaluate import Program, evaluate
from holdsfor.engine.input.fence import span_of
from holdsfor.engine.input.inputs import count_equal, events_counted
from holdsfor.engine.input.outliers import set_aside
from holdsfor.engine.input.window import Windows, counted, standing
from holdsfor.engine.output.argument_types import find_kinds
from holdsfor.engine.output.result import as_block
from holdsfor.engine.stepping.history import prepare, tables
from holdsfor.io.columns.wire import unpack
from holdsfor.io.events import Block, Events
from holdsfor.io.join import join_blocks
from holdsfor.io.readers.column_types import Agreed
from holdsfor.io.tables.wide import NANOSECONDS, TYPES
from holdsfor.job.argument_kinds import kinds_of_blocks
from holdsfor.job.output import write_part
from holdsfor.job.parcel_files import Depot, collect
from holdsfor.job.routing import (
    Evidence,
    Parcel,
    Router,
    at_home,
    happens_in,
    kind_of,
    parcels,
    send_on,
    sources_from,
)
from holdsfor.job.run_warnings import KINDS, REASONS, count_reasons
from holdsfor.job.task_rows import TICKET, Note, TaskRow, note_row, parcel_rows, rows_of, table_row
from holdsfor.plan.operators import Relation
from holdsfor.plan.walk import ranges_over_domain
from holdsfor.plan.whole_plan import Stage

SEEN = "seen"  # in columns, by which their types are agreed on
TIME_BITS_LEFT = "time_bits_left"  # noted where the axis is full
Lot = tuple[int, bytes | pa.Buffer]  # parcels of one part of the input


@dataclass(frozen=True, slots=True)
class Job:
    """Settings that all tasks of a run share.

    sink: a folder that workers write result tables to; None: they travel as rows.
    depot: where parcels lie; None: they travel as rows. types: of columns, as all parts of the input agree on.
    """

    program: Program
    windows: Windows
    router: Router
    sink: str | None = None
    depot: Depot | None = None
    types: Agreed = field(default_factory=dict)

    @property
    def stages(self) -> tuple[Stage, ...]:
        return self.router.stages


def read_part(job: Job, events: Events, part: int, seconds: float = 0.0) -> Iterator[TaskRow]:
    """Share out the events of one part of the input by bucket; set late and rejected rows aside.

    seconds: how long reading them took.
    """
    started, late = time.perf_counter(), 0
    shared: list[tuple[int, Parcel]] = []
    rejects = [events.rejects]
    for block in events.blocks:
        block, outside = set_aside(block, job.windows.fence)
        rejects.append(outside)
        sorted_out = counted(block, job.windows)
        late += sorted_out.late.num_rows
        yield from _results(job, {"late": sorted_out.late}, f"{part}-{block.name}-{block.kind}-{len(block.args)}")
        shared += ((part, parcel) for parcel in parcels(sorted_out.block, job.router))
    yield from parcel_rows(shared, job.depot)
    rejected = pa.concat_tables(rejects)
    yield from _results(job, {"rejects": rejected}, f"{part}")
    span = span_of(events.timed, job.windows.fence)
    note: Note = {
        REASONS: count_reasons(rejected),
        KINDS: kinds_of_blocks(events.blocks),
        SEEN: events.seen,
        TYPES: events.types,
        "events_in": events.read,
        "events_unused": events.unused,
        "events_rejected": rejected.num_rows,
        "events_late": late,
        **events.counts,
        "seconds_reading": seconds,
        "seconds_sharing": time.perf_counter() - started,
    }
    if span is not None:
        note |= {"first_time": span[0], "last_time": span[1]}
    if events.nanoseconds is not None:
        note[NANOSECONDS] = events.nanoseconds
    yield note_row(note)


def stage_task(job: Job, number: int, batches: Iterable[pa.RecordBatch]) -> Iterator[TaskRow]:
    """Evaluate a stage on the buckets that come in; what is for later stages passes through."""
    yield from by_bucket(number, (), batches, lambda bucket, lots: _evaluate_bucket(job, number, bucket, lots))


def by_bucket(
    number: int,
    buckets: Iterable[int],
    batches: Iterable[pa.RecordBatch],
    evaluate_bucket: Callable[[int, list[Lot]], Iterable[TaskRow]],
) -> Iterator[TaskRow]:
    """Pass on the rows of other stages, then evaluate each bucket on its own: these, and those that rows are for."""
    lots: dict[int, list[Lot]] = {bucket: [] for bucket in buckets}
    for batch in batches:
        for row in rows_of(batch):
            if row.stage == number:
                data = collect(row.data) if row.use == TICKET else row.data
                lots.setdefault(row.bucket, []).append((row.part, data))
            else:
                yield row
    for bucket in sorted(lots):
        in_order = sorted(lots.pop(bucket), key=lambda lot: lot[0])  # of the input
        yield from evaluate_bucket(bucket, in_order)


@dataclass(frozen=True, slots=True)
class BucketRows:
    """Rows that come to a bucket, by their use; see `Parcel`. upstream: given by earlier stages."""

    input: list[Block] = field(default_factory=list)
    forward: list[Block] = field(default_factory=list)
    evidence: list[Block] = field(default_factory=list)
    upstream: list[Block] = field(default_factory=list)

    def add(self, use: str, block: Block) -> None:
        self._by_use()[use].append(block)

    def labelled(self) -> Iterator[tuple[str, Block]]:
        """Yield all blocks, each with its use."""
        yield from ((use, block) for use, blocks in self._by_use().items() for block in blocks)

    def __bool__(self) -> bool:
        return any(self._by_use().values())

    def _by_use(self) -> dict[str, list[Block]]:
        return {"input": self.input, "forward": self.forward, "evidence": self.evidence, "given": self.upstream}


def unpack_lots(lots: Iterable[Lot]) -> BucketRows:
    """Read the parcels that have come to a bucket."""
    bucket_rows = BucketRows()
    for _, data in lots:
        for use, block in unpack(data)[1]:
            bucket_rows.add(use, block)
    return bucket_rows


@dataclass(frozen=True, slots=True)
class BucketResult:
    """Outcome of a stage on one bucket: result tables, what later stages read, and counts."""

    intervals: pa.Table
    occurrences: pa.Table
    made: dict[Relation, Block]
    counts: dict[str, float]


def _evaluate_bucket(job: Job, number: int, bucket: int, lots: list[Lot]) -> Iterator[TaskRow]:
    try:
        evaluated, sent = evaluate_parcels(job, number, bucket, unpack_lots(lots))
    except AxisFull as full:  # the driver knows whether rows far off all others are to blame
        yield note_row({TIME_BITS_LEFT: full.left})
        return
    started = time.perf_counter()
    tables_made = {"intervals": evaluated.intervals, "occurrences": evaluated.occurrences}
    yield from _results(job, tables_made, f"{number}-{bucket}")
    yield from parcel_rows(((bucket, parcel) for parcel in sent), job.depot)
    taken = evaluated.counts["seconds_writing"] + time.perf_counter() - started
    yield note_row(evaluated.counts | {"seconds_writing": taken})


def evaluate_parcels(job: Job, number: int, bucket: int, bucket_rows: BucketRows) -> tuple[BucketResult, list[Parcel]]:
    """Evaluate a stage on what has come to a bucket; return also what goes from there to later stages."""
    inputs = [standing(block, job.windows) for block in join_blocks(bucket_rows.input)]
    blocks = join_blocks([*inputs, *bucket_rows.upstream])
    evaluated = with_room(lambda room: _evaluated(job, number, bucket, blocks, room))
    started = time.perf_counter()
    sent = [parcel for r, block in evaluated.made.items() for parcel in parcels(block, job.router, number, r)]
    stage = job.stages[number]
    if stage.sends_on:
        forwards = [standing(block, job.windows) for block in join_blocks(bucket_rows.forward)]
        passing = [*inputs, *forwards, *bucket_rows.upstream]
        sent += send_on(passing, evaluated.made, Evidence(bucket_rows.evidence), job.router, stage, number)
    taken = evaluated.counts["seconds_writing"] + time.perf_counter() - started
    rows_in = sum(map(len, blocks))
    loads = {f"rows_in_stage_{number + 1}": rows_in, f"most_rows_in_stage_{number + 1}": rows_in}
    return replace(evaluated, counts=evaluated.counts | {"seconds_writing": taken} | loads), sent


def _evaluated(job: Job, number: int, bucket: int, inputs: Sequence[Block], room: int) -> BucketResult:
    started = time.perf_counter()
    stage = job.stages[number]
    earlier = [home.relation for before in job.stages[:number] for home in before.homes]
    world = prepare(job.program, inputs, job.windows, sources_from(stage.routes, earlier), room)
    events = events_counted_at(job, number, bucket)
    equal = {} if events is None else {"events_equal": count_equal(world, events)}
    prepared = time.perf_counter()
    restrict = home_filter(job, number, bucket)
    left_out = evaluate(job.program, world, stage.definitions, restrict)
    evaluated = time.perf_counter()
    defined = [r for i in stage.definitions for r in job.program.plan.definitions[i].defines]
    intervals, occurrences = tables(defined, world)
    kinds = find_kinds(defined, world)
    made = {r: as_block(r, world) for r in defined if is_read_later(r, number, job.router)}
    counts = {
        **equal,
        "groundings_outside_domain": left_out,
        **count_failures(world),
        "intervals_out": intervals.num_rows,
        "occurrences_out": occurrences.num_rows,
        "seconds_preparing": prepared - started,
        "seconds_in_kernels": evaluated - prepared,
        "seconds_writing": time.perf_counter() - evaluated,
        **kinds,
    }
    return BucketResult(intervals, occurrences, made, counts)


def events_counted_at(job: Job, number: int, bucket: int) -> frozenset[Relation] | None:
    """Return the events of which a bucket of a stage counts equal rows; None if nobody can.

    That is so where rows of some input come to buckets in several ways.
    """
    events = events_counted(job.program.plan.sources)
    places = {relation: job.router.counting_place(kind_of(relation)) for relation in events}
    if None in places.values():
        return None
    return frozenset(relation for relation in events if places[relation] in ((number, None), (number, bucket)))


def is_read_later(relation: Relation, number: int, router: Router) -> bool:
    return any(relation in legs for legs in router.by_stage[number + 1 :])


def _ranges_over_domain(job: Job, stage: Stage) -> bool:
    return any(ranges_over_domain(job.program.plan.definitions[number]) for number in stage.definitions)


def heartbeats(job: Job) -> Iterator[TaskRow]:
    """Yield a row for every bucket that has something to say also where no event comes."""
    nothing = Block("", "event", (), None, np.empty(0, np.int64), None, np.empty(0, np.int64))
    for number, stage in enumerate(job.stages):
        if _ranges_over_domain(job, stage):
            for bucket in range(1 if stage.is_in_one_bucket else job.router.buckets):
                yield from parcel_rows([(0, Parcel(number, bucket, "input", nothing))])


def home_filter(job: Job, number: int, bucket: int) -> Callable[[Relation, World], None]:
    """Return a function that drops what a bucket defines for keys of other buckets."""
    stage = job.stages[number]
    homes = {home.relation: home for home in stage.homes}
    is_crossed = _ranges_over_domain(job, stage) or job.router.is_crossed(number)

    def restrict(relation: Relation, world: World) -> None:
        home, slices = homes[relation].positions, homes[relation].slices
        if slices is not None:
            points = world.points_of(relation)
            world.relations[relation] = points.where(happens_in(points.times(), slices, bucket, job.router.buckets))
        elif home == () and bucket:
            _keep(relation, world, lambda columns, size: np.zeros(size, np.bool_))
        elif home and is_crossed:

            def is_at_home(columns: Callable[[int], Ints], _: int) -> npt.NDArray[np.bool_]:
                codes = [columns(position) for position in home]  # which may give numbers their texts
                return at_home(world.dictionary.texts(), codes, bucket, job.router.sharing)

            _keep(relation, world, is_at_home)

    return restrict


def _keep(
    relation: Relation, world: World, choose: Callable[[Callable[[int], Ints], int], npt.NDArray[np.bool_]]
) -> None:
    """choose: which rows stay, by the codes of their columns."""
    concluded = world.relations[relation]
    world.relations[relation] = concluded.where(choose(concluded.codes, len(concluded)))


def _results(job: Job, tables: dict[str, pa.Table], name: str) -> Iterator[TaskRow]:
    """Write result tables into the job's folder, or yield them as rows."""
    for use, table in tables.items():
        if not table.num_rows:
            continue
        if job.sink is not None:
            write_part(Path(job.sink) / f"{use}.parquet", f"part-{name}.parquet", table)
        else:
            yield table_row(use, table)
