"""State of a bucket from batch to batch: in a file, and, if one process does all the work, in its memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pyarrow as pa

from holdsfor.engine.input.kept_input import without_forgotten
from holdsfor.engine.output.changes import Report
from holdsfor.engine.stepping.carried import NOTHING_YET, Carried, from_labelled, labelled
from holdsfor.engine.stepping.evaluator import Ongoing, divide_by_sight, pays_off
from holdsfor.engine.stepping.settling import Scope
from holdsfor.io.columns.wire import pack, unpack
from holdsfor.io.events import Block
from holdsfor.io.join import join_blocks
from holdsfor.job.live.state.ledger import Logged
from holdsfor.job.routing import Evidence, sources_from
from holdsfor.job.tasks import BucketRows, Job, events_counted_at, home_filter

UPSTREAM_SENT = "upstream_sent"


@dataclass(slots=True)
class Held:
    """forwards: input that was sent on to tuples, new_forwards: that will be; links: the buckets of an entity's tuples.

    new_links: those of them that have been told nothing yet. has_spoken: to later stages, at the last query time.
    """

    evaluation: Ongoing
    forwards: tuple[Block, ...] = ()
    links: tuple[Block, ...] = ()
    new_forwards: tuple[Block, ...] = ()
    new_links: tuple[Block, ...] = ()
    has_spoken: bool = False

    def add(self, fresh: BucketRows) -> None:
        self.evaluation.add(fresh.input)
        self.evaluation.add_words(fresh.upstream)
        self.new_forwards = join_blocks([*self.new_forwards, *fresh.forward])
        if fresh.evidence:
            known_links = Evidence(self.links).without(Evidence(self.new_links))
            every = Evidence([*self.links, *fresh.evidence])
            self.links, self.new_links = every.block(), every.without(known_links).block()

    def divide_forwards(self, until: int) -> tuple[tuple[Block, ...], tuple[Block, ...]]:
        """Divide the input still to be sent on into rows that a query time sees, and the others."""
        return divide_by_sight(self.new_forwards, self.evaluation.windows, until)

    def move_on(self, query_time: int) -> None:
        """Pass on after a query time that later stages have heard of."""
        frontier = self.evaluation.frontier
        sent, self.new_forwards = self.divide_forwards(query_time)
        self.forwards = without_forgotten(join_blocks([*self.forwards, *sent]), frontier)
        self.new_links = ()
        self.has_spoken = True

    def save(self) -> Carried:
        """Return what is carried, with the rows that wait."""
        carried = self.evaluation.save()
        return replace(carried, inputs=join_blocks([*carried.inputs, *self.evaluation.waiting]))

    def pack(self) -> pa.Buffer:
        """Return the state as the content of a file."""
        meta, blocks = labelled(self.save())
        of_later_stages = {
            "forward": self.forwards,
            "new forward": self.new_forwards,
            "evidence": self.links,
            "new evidence": self.new_links,
        }
        blocks += [(use, block) for use, those in of_later_stages.items() for block in those]
        return pack(blocks, meta | ({UPSTREAM_SENT: "yes"} if self.has_spoken else {}))


def looks_at_changes(job: Job, report: Report) -> bool:
    """Whether a bucket that stays in memory looks only at what changes.

    Reports other than eager tell of what is settled since.
    """
    return report == "eager" and pays_off(job.windows, job.program.tuning)


@dataclass(frozen=True, slots=True)
class Holder:
    """A bucket of a stage. lasts: what it holds stays in memory for batches to come."""

    job: Job
    number: int
    bucket: int
    lasts: bool = False
    report: Report = "eager"

    def begin(self) -> Held:
        """Return the state of a bucket that carries nothing yet."""
        return Held(self._evaluation())

    def hold(self, carried: Carried) -> Held:
        """Return the state of a bucket that carries something, of which later stages know nothing yet."""
        return Held(self._evaluation(carried))

    def reopen(self, held: Held) -> Held:
        """With the windows of this job: the end of the history may be another."""
        if held.evaluation.windows == self.job.windows:
            return held
        return replace(held, evaluation=self._evaluation(held.save()))

    def unpack(self, data: pa.Buffer, name: str) -> Held:
        meta, blocks = unpack(data, name)
        evaluation = self._evaluation(from_labelled(meta, blocks))
        forwards, new_forwards = _labelled("forward", blocks), _labelled("new forward", blocks)
        links, new_links = _labelled("evidence", blocks), _labelled("new evidence", blocks)
        return Held(evaluation, forwards, links, new_forwards, new_links, UPSTREAM_SENT in meta)

    def _evaluation(self, carried: Carried = NOTHING_YET) -> Ongoing:
        job, by_changes = self.job, self.lasts and looks_at_changes(self.job, self.report)
        scope = _scope(job, self.number, self.bucket)
        return Ongoing(job.program, job.windows, scope, carried, lasts=self.lasts, is_incremental=by_changes)


def _labelled(label: str, blocks: Sequence[tuple[str, Block]]) -> tuple[Block, ...]:
    return tuple(block for use, block in blocks if use == label)


def _scope(job: Job, number: int, bucket: int) -> Scope:
    stage = job.stages[number]
    earlier = [home.relation for before in job.stages[:number] for home in before.homes]
    sources = sources_from(stage.routes, earlier)
    counted = events_counted_at(job, number, bucket)
    return Scope(stage.definitions, sources, home_filter(job, number, bucket), forgets=True, counted=counted)


@dataclass(frozen=True, slots=True)
class Remembered:
    """A bucket's state after an attempt at a batch."""

    batch: int
    mark: str
    held: Held


@dataclass(slots=True)
class Memory:
    """States of buckets, by the names of their places. most: buckets that are kept, those that were used last.

    It is taken out to be worked with and put back when that is done: after a failure there are only the files.
    """

    most: int | None = None
    _places: dict[str, Remembered] = field(default_factory=dict)

    def put(self, place: str, remembered: Remembered) -> None:
        self._places[place] = remembered
        if self.most is not None and len(self._places) > self.most:
            del self._places[next(iter(self._places))]

    def take(self, place: str, log: Sequence[Logged]) -> Remembered | None:
        """Take out the state after one of these batches; None if that is not in memory."""
        remembered = self._places.pop(place, None)
        if remembered is None or (remembered.batch, remembered.mark) not in {(e.batch, e.mark) for e in log}:
            return None
        return remembered
