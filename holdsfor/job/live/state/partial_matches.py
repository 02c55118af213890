"""Partial matches of a stream, from its checkpoint alone: as they were at its last query time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from holdsfor.engine.definitions.evaluate import Program
from holdsfor.engine.input.fence import fence_for
from holdsfor.engine.input.window import NEVER, Windows
from holdsfor.engine.patterns.partial_matches import PROGRESS_SCHEMA, progress_table
from holdsfor.engine.stepping.carried import Carried, merge_carried
from holdsfor.engine.stepping.evaluator import Ongoing
from holdsfor.engine.stepping.settling import everything
from holdsfor.errors import HoldsforError
from holdsfor.io.events import Block
from holdsfor.io.storage.store import Store
from holdsfor.job.live.start.identity import rules_digest, rules_pieces
from holdsfor.job.live.state.bucket import BucketPlace
from holdsfor.job.live.state.ledger import IDENTITY, Commit, Ledger
from holdsfor.job.live.update.rules_in_force import as_in_force
from holdsfor.job.live.update.sharing_out import places
from holdsfor.job.routing import kind_of_block, router
from holdsfor.job.tasks import Job


def progress_of_stream(program: Program, checkpoint: str | Path) -> pa.Table:
    """Return the partial matches in what all buckets carry. The stream may go on; the rules must be its own."""
    evaluation = read_evaluation(program, checkpoint)
    world = None if evaluation is None else evaluation.last_world()
    if evaluation is None or world is None:
        return PROGRESS_SCHEMA.empty_table()
    return progress_table(evaluation.program.plan, world)


def read_evaluation(program: Program, checkpoint: str | Path) -> Ongoing | None:
    """Return what all buckets carry, as if one evaluation had done it all; None: the stream has not begun."""
    ledger = Ledger(Store(f"{checkpoint}/holdsfor"))
    if not ledger.store.exists(IDENTITY):
        raise HoldsforError(
            f"there is no stream in {Store(checkpoint).shown()}. Give the folder that --checkpoint names, or one that "
            "a live session was saved to."
        )
    ledger.check_identity({"rules": rules_digest(program), "pieces": rules_pieces(program)})
    identity, last = ledger.identity(), ledger.last()
    if last is None or last.start is None:
        return None
    program = as_in_force(program, ledger)
    window, end = identity["window"], NEVER if identity["end"] is None else identity["end"]
    windows = Windows(window, identity["step"], last.start, end, identity["tick"], fence_for(window))
    job = Job(program, windows, router(program.plan, identity["buckets"]))
    return Ongoing(program, windows, everything(program.plan), read_carried(job, last, ledger.store))


def _is_of_readers(block: Block, job: Job, number: int) -> bool:
    """Whether a stage has it from those who read the input; what follows links is known to an earlier one, too."""
    return any(leg.way != "follow" for leg in job.router.legs(number, kind_of_block(block)))


def read_carried(job: Job, last: Commit, state: Store) -> Carried:
    """Join what each bucket of each stage carries."""
    parts, forwards = [], list[Block]()
    for number, bucket in places(job):
        held, _ = BucketPlace(job, number, bucket, state, last).read_held()
        carried = held.save()
        came = tuple(block for block in carried.inputs if _is_of_readers(block, job, number))
        parts.append((held.evaluation.scope, replace(carried, inputs=came)))
        forwards += (*held.forwards, *held.new_forwards)
    return merge_carried(parts, job.program.plan, forwards)
