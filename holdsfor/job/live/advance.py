"""A stage of a stream on one bucket: through the query times that are due, with what they change and send on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

import pyarrow as pa

from holdsfor.engine.changes import Changes, Report, changes
from holdsfor.engine.result import as_block
from holdsfor.engine.stepping import Arrived, QueryMoment, remembered, visible_input
from holdsfor.io.events import Block
from holdsfor.job.live.fresh import Spokens
from holdsfor.job.live.held import Held
from holdsfor.job.routing import Evidence, Parcel, parcels, send_on
from holdsfor.job.tasks import Job, is_read_later

Told = TypeVar("Told")


@dataclass(frozen=True, slots=True)
class Advanced:
    """What query times have come to: logs of changes, parcels for later stages with their query times, and counts."""

    intervals: pa.Table
    occurrences: pa.Table
    parcels: list[tuple[int, Parcel]]
    left_out: int
    overflows: int


@dataclass(frozen=True, slots=True)
class _Step:
    """One query time."""

    changes: Changes
    parcels: list[tuple[int, Parcel]]
    left_out: int
    overflows: int


@dataclass(frozen=True, slots=True)
class StageOnBucket:
    """last: nothing comes after the query times."""

    job: Job
    number: int
    report: Report
    last: bool

    def advance(self, held: Held, upstream: Spokens, due: range) -> Advanced:
        """Moves what is held on to the last of the query times. upstream: what earlier stages say of them."""
        relations = held.evaluation.scope.relations(self.job.program.plan)
        passing = [*self._inputs_to_send(held), *_forwards(held)]

        def tell(moment: QueryMoment) -> _Step:
            changed = changes(moment, relations, self.report, self.last and moment.query_time == due[-1])
            sent = self._sent(moment, held.links, passing, upstream)
            speaks_for = (moment.query_time, moment.until)
            to_send = [(moment.query_time, replace(parcel, speaks_for=speaks_for)) for parcel in sent]
            return _Step(changed, to_send, moment.left_out, moment.now.counts["overflows"])

        steps = _move_on(held, upstream, due, tell)
        return Advanced(
            pa.concat_tables([step.changes.intervals for step in steps]),
            pa.concat_tables([step.changes.occurrences for step in steps]),
            [parcel for step in steps for parcel in step.parcels],
            max(step.left_out for step in steps),
            sum(step.overflows for step in steps),
        )

    def _inputs_to_send(self, held: Held) -> list[Arrived]:
        """Input that is evaluated here and that later stages read, too."""
        if not self.job.stages[self.number].sends_on:
            return []
        first_seen = held.evaluation.windows.first_seen
        return [Arrived(block, first_seen(block.arrival)) for block in held.evaluation.inputs]

    def _sent(
        self, moment: QueryMoment, links: tuple[Block, ...], passing: list[Arrived], upstream: Spokens
    ) -> Iterator[Parcel]:
        """What later stages read of this one at a query time: all that is known and may still be looked at."""
        job, number = self.job, self.number
        router, stage = job.router, job.stages[number]
        if number + 1 == len(job.stages):
            return
        relations = [home.relation for home in stage.homes if is_read_later(home.relation, number, router)]
        concluded = {}
        for relation in dict.fromkeys(relations):
            block = as_block(relation, moment.now)
            concluded[relation] = block.filter(remembered(block, moment.frontier.horizon(relation)))
        for relation, block in concluded.items():
            yield from parcels(block, router, number, relation)
        if stage.sends_on:
            inputs = visible_input(job.windows, moment.frontier, moment.query_time, passing)
            going_on = [*inputs, *upstream.at(moment.query_time)]
            yield from send_on(going_on, concluded, Evidence(links), router, stage, number)


def repeat(held: Held, upstream: Spokens, due: range) -> None:
    """Moves what is held on where all that there is to tell has been told before."""
    _move_on(held, upstream, due, lambda moment: None)


def _move_on(held: Held, upstream: Spokens, due: range, tell: Callable[[QueryMoment], Told]) -> list[Told]:
    told = held.evaluation.advance(due, tell, upstream, _forwards(held))
    frontier = held.evaluation.frontier
    held.forwards = tuple(b.filter(remembered(b, frontier.horizon_of_input(b))) for b in held.forwards)
    return told


def _forwards(held: Held) -> list[Arrived]:
    first_seen = held.evaluation.windows.first_seen
    return [Arrived(block, first_seen(block.arrival)) for block in held.forwards]
