"""A history in several threads: entities are shared out as on Spark, and each thread evaluates its bucket of them.

Kernels, NumPy and Arrow let other threads run while they work, so that two cores take little more than half the time.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial

import pyarrow as pa

from holdsfor.engine.data.world import OVERFLOWS, is_failure
from holdsfor.engine.definitions.evaluate import Program
from holdsfor.engine.input.outliers import set_aside
from holdsfor.engine.input.window import LATE_SCHEMA, Windows, counted
from holdsfor.engine.output.result import INTERVALS_SCHEMA, OCCURRENCES_SCHEMA, Result
from holdsfor.engine.stepping.history import Recognised, make_result
from holdsfor.errors import HoldsforError
from holdsfor.io.events import Block, Events
from holdsfor.io.join import join_events
from holdsfor.io.parallel import map_in_order
from holdsfor.io.readers.read import EventSource, read_alike
from holdsfor.io.storage.fold import INTERVAL_LOG
from holdsfor.io.tables.wide import is_kinds_key
from holdsfor.job.batch import merge_counts
from holdsfor.job.parts import Part, parts_of
from holdsfor.job.routing import Parcel, parcels, router
from holdsfor.job.tasks import BucketResult, BucketRows, Job, evaluate_parcels
from holdsfor.language.description import Input


def choose_threads(threads: int | None, program: Program, rows: int) -> int:
    """Return the threads asked for; else one a core, if there are rows enough and each is needed in one place."""
    if threads is not None and threads < 1:
        raise HoldsforError(f"threads={threads}: there must be at least one thread.")
    if threads is not None or rows < program.tuning.many_rows_for_threads or len(program.plan.stages) != 1:
        return threads or 1
    (stage,) = program.plan.stages
    goes_once = len({route.relation for route in stage.routes}) == len(stage.routes)
    is_shared = all(route.way == "share" and route.positions for route in stage.routes)
    return pa.cpu_count() if goes_once and is_shared and not stage.is_in_one_bucket else 1


def read_parts(source: EventSource, inputs: Sequence[Input], threads: int | None) -> list[Events]:
    """The events of a source, in parts that are read side by side where there are several."""
    parts = parts_of(source) if threads != 1 else []
    if len(parts) < 2:
        return [source.read(inputs)]

    def read(some: Iterable[Part]) -> Iterator[Events]:
        for count, events in enumerate(map_in_order(lambda part: part.read(inputs), some), 1):
            source.move(min(count / len(parts), 1.0))
            yield events

    events = read_alike(parts, read)
    source.finish()
    return events


def find_history_in_threads(program: Program, read: Sequence[Events], windows: Windows, threads: int) -> Result:
    """Return what the program recognises in what was read, in parts."""
    started = time.perf_counter()
    blocks = [block for part in read for block in part.blocks]
    job = Job(_with_terms(program, blocks), windows, router(program.plan, threads))
    with ThreadPoolExecutor(threads) as pool:
        shared = list(pool.map(partial(_share, job), _pieces(blocks, program.tuning.rows_for_thread)))
        outcomes = _run_stages(job, [parcel for piece in shared for parcel in piece.parcels], pool)
    whole = join_events(replace(part, blocks=()) for part in read)
    rejects = pa.concat_tables([whole.rejects, *(piece.rejects for piece in shared)])
    late = pa.concat_tables([LATE_SCHEMA.empty_table(), *(piece.late for piece in shared)])
    return make_result(_join_outcomes(outcomes), whole, windows, rejects, late, started)


def _with_terms(program: Program, blocks: Iterable[Block]) -> Program:
    """The program with all terms of the input in its dictionary: looked up once, not in every thread."""
    terms = program.terms.copy()
    for block in blocks:
        for column in (*block.args, block.value):
            if column is not None and pa.types.is_dictionary(column.type):
                terms.encode_array(column.slice(0, 0))
    return replace(program, terms=terms)


def _pieces(blocks: Iterable[Block], rows: int) -> Iterator[Block]:
    """Blocks cut where they are long, so that threads can share one."""
    for block in blocks:
        for low in range(0, len(block), rows):
            yield block.slice(low, min(low + rows, len(block)))


@dataclass(frozen=True, slots=True)
class _Shared:
    """The rows of a piece of the input, by bucket, and those that do not count."""

    parcels: list[Parcel]
    rejects: pa.Table
    late: pa.Table


def _share(job: Job, piece: Block) -> _Shared:
    inside, rejects = set_aside(piece, job.windows.fence)
    sorted_out = counted(inside, job.windows)
    return _Shared(list(parcels(sorted_out.block, job.router)), rejects, sorted_out.late)


def _run_stages(job: Job, parcels: list[Parcel], pool: ThreadPoolExecutor) -> list[BucketResult]:
    """One stage after the other, the buckets of each side by side."""
    outcomes: list[BucketResult] = []
    for number in range(len(job.stages)):
        buckets = range(job.router.buckets)
        made = list(pool.map(partial(_evaluate_bucket, job, number, parcels), buckets))
        parcels = [parcel for parcel in parcels if parcel.stage > number]
        parcels += (parcel for _, sent in made for parcel in sent)
        outcomes += (outcome for outcome, _ in made)
    return outcomes


def _evaluate_bucket(
    job: Job, number: int, parcels: Sequence[Parcel], bucket: int
) -> tuple[BucketResult, list[Parcel]]:
    bucket_rows = BucketRows()
    for parcel in parcels:
        if (parcel.stage, parcel.bucket) == (number, bucket):
            bucket_rows.add(parcel.use, parcel.block)
    return evaluate_parcels(job, number, bucket, bucket_rows)


def _join_outcomes(outcomes: Sequence[BucketResult]) -> Recognised:
    none = {"groundings_outside_domain": 0, OVERFLOWS: 0}
    total = merge_counts([none, *(outcome.counts for outcome in outcomes)])
    return Recognised(
        pa.concat_tables([INTERVALS_SCHEMA.empty_table(), *(outcome.intervals for outcome in outcomes)]),
        pa.concat_tables([OCCURRENCES_SCHEMA.empty_table(), *(outcome.occurrences for outcome in outcomes)]),
        INTERVAL_LOG.empty_table(),
        total["groundings_outside_domain"],
        {name: total[name] for name in total if is_failure(name)},
        {name: amount for name, amount in total.items() if is_kinds_key(name)},
        total.get("events_equal"),
    )
