"""Share out the state of a stream anew: other rules may have other stages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from holdsfor.engine.input.window import encode_column
from holdsfor.engine.stepping.carried import Carried, dues
from holdsfor.engine.stepping.evaluator import divide_by_sight
from holdsfor.engine.stepping.settling import everything
from holdsfor.io.events import Block
from holdsfor.io.join import join_blocks
from holdsfor.job.exchange import shared_out
from holdsfor.job.live.state.bucket_state import Held, Holder
from holdsfor.job.routing import Evidence, Parcel, evidence_of, happens_in, parcels
from holdsfor.job.tasks import BucketRows, Job
from holdsfor.plan.definitions import Due
from holdsfor.plan.operators import Relation
from holdsfor.plan.whole_plan import Home

Place = tuple[int, int]


@dataclass(slots=True)
class _Bucket:
    rows: BucketRows = field(default_factory=BucketRows)
    defined: dict[Relation, Block] = field(default_factory=dict)
    running: dict[Due, Block] = field(default_factory=dict)


def places(job: Job) -> Iterator[Place]:
    """Iterate over the stages, each with its buckets."""
    for number, stage in enumerate(job.stages):
        yield from ((number, bucket) for bucket in range(1 if stage.is_in_one_bucket else job.router.buckets))


def share_out(carried: Carried, job: Job) -> Iterator[tuple[Place, Held]]:
    """Share out what one evaluation carries; later stages are told all that they read at the next query time."""
    plan, whole = job.program.plan, everything(job.program.plan)
    is_begun = carried.fired is not None
    defined = dict(zip(whole.relations(plan), carried.known, strict=True)) if is_begun else {}
    running = dict(zip(dues(plan, whole), carried.running, strict=True)) if is_begun else {}
    homes = {home.relation: (number, home) for number, stage in enumerate(job.stages) for home in stage.homes}
    buckets = {place: _Bucket() for place in places(job)}
    for parcel in _parcels(carried.inputs, defined, homes, job):
        buckets[parcel.stage, parcel.bucket].rows.add(parcel.use, parcel.block)
    for relation, block in defined.items():
        for place, rows in _at_home(block, *homes[relation], job):
            buckets[place].defined[relation] = rows
    for due, block in running.items():
        for place, rows in _at_home(block, *homes[due.source], job):
            buckets[place].running[due] = rows
    for place, bucket in buckets.items():
        scope = Holder(job, *place).begin().evaluation.scope
        mine = Carried(
            carried.fired,
            join_blocks(bucket.rows.input),
            tuple(bucket.defined.get(r, defined[r].slice(0, 0)) for r in scope.relations(plan) if is_begun),
            tuple(bucket.running.get(due, running[due].slice(0, 0)) for due in dues(plan, scope) if is_begun),
        )
        yield place, _hold(mine, bucket.rows, place, job)


def _hold(carried: Carried, rows: BucketRows, place: Place, job: Job) -> Held:
    before = job.windows.start if carried.fired is None else carried.fired
    seen, unseen = divide_by_sight(join_blocks(rows.forward), job.windows, before)
    links = Evidence(rows.evidence).block() if rows.evidence else ()
    return replace(Holder(job, *place).hold(carried), forwards=seen, new_forwards=unseen, links=links)


def _parcels(
    inputs: Iterable[Block], defined: Mapping[Relation, Block], homes: Mapping[Relation, tuple[int, Home]], job: Job
) -> Iterator[Parcel]:
    """Yield the input as it came, and the tuples of which something is known, though no row may tell of them now."""
    for block in inputs:
        yield from parcels(block, job.router)
    for relation, block in defined.items():
        number, home = homes[relation]
        if number and home.positions and len(home.positions) > 1 and len(block):
            yield from evidence_of(block, home.positions, number - 1, job.router)


def _at_home(block: Block, number: int, home: Home, job: Job) -> Iterable[tuple[Place, Block]]:
    if not len(block):
        return
    count = job.router.buckets
    if home.slices is not None:
        for bucket in range(count):
            rows = block.filter(happens_in(block.start, home.slices, bucket, count))
            if len(rows):
                yield (number, bucket), rows
    elif job.stages[number].is_in_one_bucket or not home.positions:
        yield (number, 0), block
    else:
        for bucket, rows in shared_out(block, job.router.sharing.of_rows(block, home.positions), count):
            yield (number, bucket), rows


def distinct(blocks: Iterable[Block]) -> tuple[Block, ...]:
    """Return each row once: several buckets may have the same."""
    return tuple(map(_distinct, join_blocks(blocks)))


def _distinct(block: Block) -> Block:
    columns = [encode_column(column) for column in (*block.args, *([] if block.value is None else [block.value]))]
    columns += [times for times in (block.start, block.end, block.arrival, block.onset, block.op) if times is not None]
    if not len(block):
        return block
    _, first = np.unique(np.stack([np.asarray(c, np.int64) for c in columns], axis=1), axis=0, return_index=True)
    return block if len(first) == len(block) else block.take(np.sort(first))
