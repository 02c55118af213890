"""A stage of a stream on one bucket: through the query times that are due, with what they change and send on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from holdsfor.engine.data.relation import Data
from holdsfor.engine.data.world import World, count_failures, sum_failures
from holdsfor.engine.input.arrived import remembered
from holdsfor.engine.output.changes import Report, changes
from holdsfor.engine.output.result import as_block
from holdsfor.engine.stepping.query_times import QueryMoment
from holdsfor.engine.stepping.upstream_changes import ALL, as_words, speaker
from holdsfor.io.events import Block
from holdsfor.io.join import join_blocks
from holdsfor.io.storage.fold import Changes
from holdsfor.job.live.state.bucket_state import Held
from holdsfor.job.routing import Evidence, Parcel, follow_links, parcels, pass_on
from holdsfor.job.tasks import Job, is_read_later
from holdsfor.plan.operators import Relation


@dataclass(frozen=True, slots=True)
class Advanced:
    """Outcome of query times: logs of changes, parcels for later stages, and counts."""

    intervals: pa.Table
    occurrences: pa.Table
    parcels: list[tuple[int, Parcel]]
    left_out: int
    counts: dict[str, int]
    equal: int | None  # rows that are equal to another; None: they are not counted


@dataclass(frozen=True, slots=True)
class _Step:
    """One query time."""

    changes: Changes
    parcels: list[tuple[int, Parcel]]
    left_out: int
    counts: dict[str, int]
    equal: int


@dataclass(frozen=True, slots=True)
class StageOnBucket:
    """last: nothing comes after the query times."""

    job: Job
    number: int
    bucket: int
    report: Report
    last: bool

    def advance(self, held: Held, due: range) -> Advanced:
        """Moves what is held on to the last of the query times."""
        relations = held.evaluation.scope.relations(self.job.program.plan)
        links = make_links(held)
        passing = [(due[0], parcel) for parcel in self._pass_on(held, links, due)]

        def tell(moment: QueryMoment) -> _Step:
            changed = changes(moment, relations, self.report, self.last and moment.query_time == due[-1])
            sent = self._sent(moment, links, held.has_spoken, moment.query_time == due[0])
            to_send = [(moment.query_time, parcel) for parcel in sent]
            return _Step(changed, to_send, moment.left_out, count_failures(moment.now), moment.equal)

        steps = held.evaluation.advance(due, tell)
        held.move_on(due[-1])
        return Advanced(
            pa.concat_tables([step.changes.intervals for step in steps]),
            pa.concat_tables([step.changes.occurrences for step in steps]),
            [*passing, *(parcel for step in steps for parcel in step.parcels)],
            max(step.left_out for step in steps),
            sum_failures(step.counts for step in steps),
            None if held.evaluation.scope.counted is None else sum(step.equal for step in steps),
        )

    def _pass_on(self, held: Held, links: Links, due: range) -> Iterator[Parcel]:
        """Rows that came here to follow links: what is new, and to new links what is known at the first query time."""
        router, number, evaluation = self.job.router, self.number, held.evaluation
        if not self.job.stages[number].sends_on:
            return
        heard, unheard = (links.old, links.new) if held.has_spoken else (Evidence(()), links.all)
        fresh = [*evaluation.divide_waiting(due[-1])[0], *held.divide_forwards(due[-1])[0]]
        yield from pass_on(join_blocks(fresh), links.all, router, number, "input")
        words = evaluation.words.between(evaluation.fired, due[0])
        yield from pass_on(join_blocks(words), heard, router, number, "given")
        if len(unheard.to):
            if evaluation.fired is not None:
                yield from pass_on([*evaluation.kept_inputs, *held.forwards], unheard, router, number, "input")
            words_at = evaluation.words.standing(due[0])
            rows = (replace(block, arrival=np.full(len(block), due[0])) for block in words_at)
            yield from pass_on(rows, unheard, router, number, "given")
        words = evaluation.words.between(due[0], due[-1])
        yield from pass_on(join_blocks(words), links.all, router, number, "given")

    def _sent(self, moment: QueryMoment, links: Links, has_spoken: bool, is_first: bool) -> Iterator[Parcel]:
        """Yield what later stages read of this one at a query time: what differs from the last one.

        New links, and those who have heard nothing yet, are told all that is known and may still be looked at.
        """
        job, number = self.job, self.number
        router, stage = job.router, job.stages[number]
        if number + 1 == len(job.stages):
            return
        read_later = {home.relation: home for home in stage.homes if is_read_later(home.relation, number, router)}
        world = moment.world() if is_first and (links.has_new or not has_spoken) else None
        for relation, home in read_later.items():
            who = speaker(self.bucket) if home.positions is None else ALL
            everything = None if world is None else _all_words(relation, moment, world, who)
            words = _words(relation, moment, who)
            if everything is not None and not has_spoken:
                words = join_blocks([words, everything])[0]
            if len(words):
                yield from parcels(words, router, number, relation)
                if stage.sends_on:
                    heard = links.old if is_first else links.all
                    yield from follow_links(words, heard, router, stage, number, relation)
            if stage.sends_on and everything is not None:
                yield from follow_links(everything, links.new, router, stage, number, relation)


@dataclass(frozen=True, slots=True)
class Links:
    """Buckets of the tuples that entities are in. all: as known now; new: not known at the last query time; old: the
    others.
    """

    all: Evidence
    new: Evidence
    old: Evidence

    @property
    def has_new(self) -> bool:
        return len(self.new.to) > 0


def make_links(held: Held) -> Links:
    every, new = Evidence(held.links), Evidence(held.new_links)
    return Links(every, new, every.without(new) if len(new.to) else every)


def _words(relation: Relation, moment: QueryMoment, who: int) -> Block:
    """Return what a query time inserts into and deletes from a relation, for readers who have the rest."""
    removed, added = _difference(relation, moment)
    horizon = moment.frontier.horizon(relation)
    both = [(removed, -who), (added, who)]
    blocks = [as_words(_recent(relation, data, moment.now, horizon), op, moment.query_time) for data, op in both]
    return join_blocks(blocks)[0]


def _all_words(relation: Relation, moment: QueryMoment, world: World, who: int) -> Block:
    data = world.relations.get(relation, world.nothing_of(relation))
    recent = _recent(relation, data, world, moment.frontier.horizon(relation))
    return as_words(recent, who, moment.query_time)


def _recent(relation: Relation, data: Data, world: World, horizon: int) -> Block:
    """Return a relation as rows, without those that nothing looks at any more."""
    block = as_block(relation, replace(world, relations={relation: data.distinct()}))
    return block.filter(remembered(block, horizon))


def _difference(relation: Relation, moment: QueryMoment) -> tuple[Data, Data]:
    """Return what a query time takes from a relation, and what it adds."""
    nothing = moment.now.nothing_of(relation)
    now = moment.now.relations.get(relation, nothing).distinct()
    before = (nothing if moment.before is None else moment.before.relations.get(relation, nothing)).distinct()
    removed, come = before.differing(now)
    return before.take(removed), now.take(come)
