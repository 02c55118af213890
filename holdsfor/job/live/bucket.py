"""What a worker does for one bucket of a stage in one batch: keep what came, or go through the query times due."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from holdsfor.engine.carried import NOTHING_YET, Carried, carried_after, from_labelled, labelled, opened
from holdsfor.engine.changes import Report, changes
from holdsfor.engine.dictionary import with_room
from holdsfor.engine.frontier import find_frontier
from holdsfor.engine.result import as_block
from holdsfor.engine.settling import Scope
from holdsfor.engine.stepping import Arrived, Moment, moments, remembered, visible_input
from holdsfor.io.events import OPEN, Block
from holdsfor.io.join import join_blocks
from holdsfor.io.storage.changelog import changes_name, occurrence_changes_name
from holdsfor.io.storage.store import CorruptFile, MissingFile, Store, Written
from holdsfor.io.wire import pack, unpack
from holdsfor.job.live.ledger import Base, Commit
from holdsfor.job.routing import Evidence, Parcel, parcels, send_on, sources_from
from holdsfor.job.tasks import Job, home_filter, is_read_later


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


@dataclass(frozen=True, slots=True)
class Held:
    """What a bucket carries. forwards: input that is sent on to pairs; links: the buckets of an entity's pairs."""

    carried: Carried
    forwards: tuple[Block, ...] = ()
    links: tuple[Block, ...] = ()


@dataclass(frozen=True, slots=True)
class Spoken:
    """A block of an earlier stage's bucket, and the last query time that it speaks for."""

    until: int
    block: Block


@dataclass(frozen=True, slots=True)
class Spokens:
    """What the buckets of earlier stages have concluded, by the first query time that each block speaks for."""

    by_time: dict[int, list[Spoken]] = field(default_factory=dict)
    lasting: list[tuple[int, Spoken]] = field(default_factory=list)  # those that speak for more than one query time

    def add(self, query_time: int, spoken: Spoken) -> None:
        self.by_time.setdefault(query_time, []).append(spoken)
        if spoken.until > query_time:
            self.lasting.append((query_time, spoken))

    def at(self, query_time: int) -> list[Block]:
        fresh = [spoken.block for spoken in self.by_time.get(query_time, ())]
        return fresh + [spoken.block for first, spoken in self.lasting if first < query_time <= spoken.until]

    def next_change(self, query_time: int) -> int | None:
        """When a block begins to speak, or one that speaks now speaks no longer: its sender may have nothing to say."""
        lasting = (spoken for first, spoken in self.lasting if first < query_time)
        speaking = [*self.by_time.get(query_time, ()), *lasting]
        silent = (spoken.until + 1 for spoken in speaking if spoken.until >= query_time)
        return min([*silent, *(first for first in self.by_time if first > query_time)], default=None)

    def blocks(self) -> Iterator[Block]:
        for spokens in self.by_time.values():
            yield from (spoken.block for spoken in spokens)


@dataclass(frozen=True, slots=True)
class Fresh:
    """What a batch brings to a bucket. upstream: what earlier stages have concluded."""

    inputs: list[Block] = field(default_factory=list)
    forwards: list[Block] = field(default_factory=list)
    links: list[Block] = field(default_factory=list)
    upstream: Spokens = field(default_factory=Spokens)

    def add(self, label: str, block: Block) -> None:
        match label.split():
            case ["input"]:
                self.inputs.append(block)
            case ["forward"]:
                self.forwards.append(block)
            case ["evidence"]:
                self.links.append(block)
            case ["given", first, until]:
                self.upstream.add(int(first), Spoken(int(until), block))

    def __bool__(self) -> bool:
        return bool(self.inputs or self.forwards or self.links or self.upstream.by_time)


@dataclass(slots=True)
class Done:
    """What a bucket has done: parcels for later stages with their query times, files, and counts."""

    parcels: list[tuple[int, Parcel]] = field(default_factory=list)
    state: list[Written] = field(default_factory=list)
    tables: list[Written] = field(default_factory=list)
    counts: dict[str, float] = field(default_factory=dict)
    settled: dict[str, int] = field(default_factory=dict)


def bucket_task(job: Job, turn: Turn, number: int, bucket: int, rows: Iterable[tuple[int, bytes]]) -> Done:
    """rows: the part and the bytes of parcels, in the order of the input."""
    fresh = Fresh()
    for _, data in rows:
        for label, block in unpack(data)[1]:
            fresh.add(label, block)
    place, done = _place(number, bucket), Done()
    if fresh:
        done.state.append(turn.state.write(_input_name(place, turn.batch), pack(_labelled(fresh), {})))
    if not turn.rewrites:
        return done
    opened_at = time.perf_counter()
    held, recovered = _held(job, turn, number, bucket)
    begun = time.perf_counter()
    if turn.due:
        stage = _Stage(job, number, bucket, turn.report, turn.last)
        held, logs = with_room(lambda room: stage.advanced(held, fresh, turn.due, done, room))
        _write_tables(turn, place, logs, done)
    else:
        held = joined(held, fresh)
    ended = time.perf_counter()
    written = turn.state.write(_base_name(place, turn.batch), _packed(held))
    done.counts["seconds_in_kernels"] = ended - begun
    done.counts["seconds_in_state"] = begun - opened_at + time.perf_counter() - ended
    done.counts["states_recovered"] = recovered
    done.counts["intervals_open"] = sum(
        int(np.count_nonzero(block.end == OPEN)) for block in held.carried.known if block.end is not None
    )
    done.settled = find_frontier(job.ready.plan, job.asked, held.carried.fired).settled
    done.state.append(written)
    return done


def _write_tables(turn: Turn, place: str, logs: tuple[pa.Table, pa.Table], done: Done) -> None:
    names = (changes_name(turn.batch, place), occurrence_changes_name(turn.batch, place))
    for name, table in zip(names, logs, strict=True):
        if table.num_rows:
            done.tables.append(turn.tables.write_table(name, table))
    done.counts["intervals_changed"], done.counts["occurrences_changed"] = logs[0].num_rows, logs[1].num_rows


# ---------------------------------------------------------------- going through the query times


@dataclass(frozen=True, slots=True)
class _Stage:
    """A stage on one bucket."""

    job: Job
    number: int
    bucket: int
    report: Report
    last: bool

    def scope(self) -> Scope:
        plan = self.job.ready.plan
        stage = plan.stages[self.number]
        earlier = [home.relation for before in plan.stages[: self.number] for home in before.homes]
        restrict = home_filter(self.job, self.number, self.bucket)
        return Scope(stage.definitions, sources_from(stage.routes, earlier), restrict, forgets=True)

    def advanced(
        self, held: Held, fresh: Fresh, due: range, done: Done, room: int
    ) -> tuple[Held, tuple[pa.Table, pa.Table]]:
        """What is carried after the query times, and the logs of changes; what later stages read goes to `done`."""
        ready, asked, scope = self.job.ready, self.job.asked, self.scope()
        held = joined(held, fresh)
        start = opened(held.carried, ready, asked, scope, tuple(fresh.upstream.blocks()), due[-1], room)
        arrived = [Arrived(block, asked.first_seen(block.arrival)) for block in held.carried.inputs]
        sent_on = [Arrived(block, asked.first_seen(block.arrival)) for block in held.forwards]
        relations = scope.relations(ready.plan)
        logs: list[tuple[pa.Table, pa.Table]] = []
        sent: list[tuple[int, Parcel]] = []
        left_out, overflows, moment = 0, 0, None
        for moment in moments(
            ready,
            asked,
            scope,
            due,
            arrived,
            fresh.upstream,
            start.state,
            start.before,
            start.world,
            sent_on,
        ):
            found = changes(moment, relations, self.report, self.last and moment.query_time == due[-1])
            logs.append((found.intervals, found.occurrences))
            spoken_for = (moment.query_time, moment.until)
            parcels_sent = self._sent(moment, held, [*arrived, *sent_on], fresh.upstream)
            sent += ((moment.query_time, replace(parcel, speaks_for=spoken_for)) for parcel in parcels_sent)
            left_out = max(left_out, moment.left_out)
            overflows += moment.now.counts["overflows"]
        assert moment is not None
        done.parcels, done.counts["groundings_outside_domain"] = sent, left_out
        done.counts["arithmetic_overflows"] = overflows
        carried = carried_after(moment, ready, scope, held.carried.inputs)
        frontier = moment.state.frontier
        forwards = tuple(b.filter(remembered(b, frontier.horizon_of_input(b))) for b in held.forwards)
        intervals, occurrences = (pa.concat_tables(tables) for tables in zip(*logs, strict=True))
        return Held(carried, forwards, held.links), (intervals, occurrences)

    def _sent(self, moment: Moment, held: Held, rows: list[Arrived], upstream: Spokens) -> Iterator[Parcel]:
        """What later stages read of this one at a query time: all that is known and may still be looked at."""
        job, number = self.job, self.number
        plan, router, stage = job.ready.plan, job.router, job.ready.plan.stages[number]
        if number + 1 == len(plan.stages):
            return
        relations = [home.relation for home in stage.homes if is_read_later(home.relation, number, router)]
        made = {}
        for relation in dict.fromkeys(relations):
            block = as_block(relation, moment.now)
            made[relation] = block.filter(remembered(block, moment.frontier.horizon(relation)))
        for relation, block in made.items():
            yield from parcels(block, router, number, relation)
        if stage.sends_on:
            inputs = visible_input(job.asked, moment.frontier, moment.query_time, rows)
            passing = [*inputs, *upstream.at(moment.query_time)]
            yield from send_on(passing, made, Evidence(held.links), router, stage, number)


def joined(held: Held, fresh: Fresh) -> Held:
    """What was carried and what has come."""
    inputs = join_blocks([*held.carried.inputs, *fresh.inputs])
    links = Evidence([*held.links, *fresh.links]).block() if fresh.links else held.links
    return Held(
        replace(held.carried, inputs=inputs),
        join_blocks([*held.forwards, *fresh.forwards]),
        links,
    )


# ---------------------------------------------------------------- files


def _place(number: int, bucket: int) -> str:
    return f"stage{number}-{bucket}"


def _base_name(place: str, batch: int) -> str:
    return f"state/{place}/base-{batch:07d}.arrow"


def _input_name(place: str, batch: int) -> str:
    return f"state/{place}/input-{batch:07d}.arrow"


def _packed(held: Held) -> pa.Buffer:
    meta, blocks = labelled(held.carried)
    blocks += [("forward", block) for block in held.forwards] + [("evidence", block) for block in held.links]
    return pack(blocks, meta)


def _labelled(fresh: Fresh) -> Iterator[tuple[str, Block]]:
    for use, blocks in (("input", fresh.inputs), ("forward", fresh.forwards), ("evidence", fresh.links)):
        yield from ((use, block) for block in blocks)
    for query_time, spokens in fresh.upstream.by_time.items():
        yield from ((f"given {query_time} {spoken.until}", spoken.block) for spoken in spokens)


def _held(job: Job, turn: Turn, number: int, bucket: int) -> tuple[Held, int]:
    """What the bucket carries so far, and whether a damaged file had to be made again."""
    bases = turn.before.bases if turn.before else ()
    place = _place(number, bucket)
    recovered = 0
    try:
        held = _read_base(turn, place, bases[-1]) if bases else Held(NOTHING_YET)
    except (CorruptFile, MissingFile) as damage:
        try:
            held, recovered = _made_again(job, turn, number, bucket, bases), 1
        except (CorruptFile, MissingFile) as more:
            raise type(more)(f"{damage} It cannot be made again either: {more}") from None
    newest = bases[-1].batch if bases else -1
    return joined(held, _read_inputs(turn, place, newest + 1, turn.batch)), recovered


def _made_again(job: Job, turn: Turn, number: int, bucket: int, bases: tuple[Base, ...]) -> Held:
    """The state of the newest base, out of the one before it and what came since."""
    place, newest = _place(number, bucket), bases[-1]
    if len(bases) > 1:
        held, first = _read_base(turn, place, bases[0]), bases[0].batch + 1
    else:
        held, first = Held(NOTHING_YET), 0
    held = joined(held, _read_inputs(turn, place, first, newest.batch))
    fresh = _read_inputs(turn, place, newest.batch, newest.batch + 1)
    if not newest.due:
        return joined(held, fresh)
    as_it_was = replace(job, asked=replace(job.asked, end=newest.end))
    stage = _Stage(as_it_was, number, bucket, turn.report, False)
    return with_room(lambda room: stage.advanced(held, fresh, newest.due, Done(), room)[0])


def _read_base(turn: Turn, place: str, base: Base) -> Held:
    name = _base_name(place, base.batch)
    crc = next(file.crc for file in base.files if file.name == name)
    meta, blocks = unpack(turn.state.read(name, crc), turn.state.shown(name))
    return Held(
        from_labelled(meta, blocks),
        tuple(block for use, block in blocks if use == "forward"),
        tuple(block for use, block in blocks if use == "evidence"),
    )


def _read_inputs(turn: Turn, place: str, first: int, stop: int) -> Fresh:
    """What came to the bucket in batches first..stop-1."""
    found = Fresh()
    for batch, files in turn.before.inputs if turn.before else ():
        name = _input_name(place, batch)
        for file in files:
            if first <= batch < stop and file.name == name:
                _, blocks = unpack(turn.state.read(name, file.crc), turn.state.shown(name))
                for label, block in blocks:
                    found.add(label, block)
    return found
