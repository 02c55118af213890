"""What a bucket carries from batch to batch: in a file, and, where one process does all the work, in its memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pyarrow as pa

from holdsfor.engine.carried import NOTHING_YET, Carried, from_labelled, labelled
from holdsfor.engine.ongoing import WINDOWS_AHEAD, Ongoing
from holdsfor.engine.settling import Scope
from holdsfor.io.events import Block
from holdsfor.io.join import join_blocks
from holdsfor.io.storage.store import Written
from holdsfor.io.wire import pack, unpack
from holdsfor.job.live.fresh import Fresh
from holdsfor.job.routing import Evidence, sources_from
from holdsfor.job.tasks import Job, home_filter


@dataclass(slots=True)
class Held:
    """forwards: input that is sent on to pairs; links: the buckets of an entity's pairs."""

    evaluation: Ongoing
    forwards: tuple[Block, ...] = ()
    links: tuple[Block, ...] = ()

    def add(self, fresh: Fresh) -> None:
        self.evaluation.add(fresh.inputs)
        self.forwards = join_blocks([*self.forwards, *fresh.forwards])
        if fresh.links:
            self.links = Evidence([*self.links, *fresh.links]).block()

    def save(self) -> Carried:
        """What is carried, with the rows that wait."""
        carried = self.evaluation.save()
        return replace(carried, inputs=join_blocks([*carried.inputs, *self.evaluation.waiting]))

    def pack(self, carried: Carried) -> pa.Buffer:
        """As a file. carried: as `save` gives it."""
        meta, blocks = labelled(carried)
        blocks += [("forward", block) for block in self.forwards] + [("evidence", block) for block in self.links]
        return pack(blocks, meta)


def begin_held(job: Job, number: int, bucket: int, lasts: bool) -> Held:
    """A bucket that carries nothing yet. lasts: it stays in memory for batches to come."""
    return Held(_evaluation(job, number, bucket, lasts))


def unpack_held(job: Job, number: int, bucket: int, lasts: bool, data: pa.Buffer, name: str) -> Held:
    meta, blocks = unpack(data, name)
    evaluation = _evaluation(job, number, bucket, lasts, from_labelled(meta, blocks))
    return Held(evaluation, _labelled("forward", blocks), _labelled("evidence", blocks))


def _labelled(label: str, blocks: Sequence[tuple[str, Block]]) -> tuple[Block, ...]:
    return tuple(block for use, block in blocks if use == label)


def _evaluation(job: Job, number: int, bucket: int, lasts: bool, carried: Carried = NOTHING_YET) -> Ongoing:
    ahead = WINDOWS_AHEAD if lasts else 0
    return Ongoing(job.program, job.windows, _scope(job, number, bucket), carried, windows_ahead=ahead)


def _scope(job: Job, number: int, bucket: int) -> Scope:
    stage = job.stages[number]
    earlier = [home.relation for before in job.stages[:number] for home in before.homes]
    sources = sources_from(stage.routes, earlier)
    return Scope(stage.definitions, sources, home_filter(job, number, bucket), forgets=True)


@dataclass(slots=True)
class Memory:
    """What buckets carry, each with the file that says the same.

    It is taken out to be worked with and put back once its file is written: after a failure there is only the file.
    """

    _held: dict[str, tuple[Written, Held]] = field(default_factory=dict)

    def put(self, file: Written, held: Held) -> None:
        self._held[_folder(file)] = (file, held)

    def take(self, file: Written, job: Job) -> Held | None:
        """What the bucket carried when it wrote this very file; None if that is not in memory."""
        kept, held = self._held.pop(_folder(file), (None, None))
        is_same = held is not None and kept == file and held.evaluation.windows == job.windows
        return held if is_same else None


def _folder(file: Written) -> str:
    return file.name.rpartition("/")[0]
