"""Hubs: terms with so many of the rows that each gets a bucket of its own.

All rows about one entity are evaluated together. Where one has more rows than a bucket has in the mean, its bucket must
not have the rows of others as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from holdsfor.io.events import Block
from holdsfor.job.exchange import Ints, hashes
from holdsfor.job.parts import ROWS_A_BUCKET, Part, estimate_rows
from holdsfor.job.routing import Router, kind_of_block, router
from holdsfor.language.description import Input
from holdsfor.plan.whole_plan import Plan

#: How much of the input is looked at: the first rows of a few of its parts.
PARTS, ROWS = 4, 20_000


def find_hubs(parts: Sequence[Part], inputs: Sequence[Input], plan: Plan, buckets: int) -> tuple[int, ...]:
    """Return the hashes of terms with too many rows of a stage to share a bucket; none if there are few rows."""
    if estimate_rows(parts) < buckets * ROWS_A_BUCKET:
        return ()
    chosen = parts[:: -(-len(parts) // PARTS)]
    blocks = [block for part in chosen for block in part.peek(inputs, ROWS)]
    shares = router(plan, buckets)
    hubs = (hub for stage in range(len(plan.stages)) for hub in _hubs_of_stage(blocks, shares, stage))
    return tuple(sorted(set(hubs)))


def _hubs_of_stage(blocks: Iterable[Block], shares: Router, stage: int) -> list[int]:
    """Return the hashes of terms that have more rows than the mean bucket of the stage."""
    keys = [keys for block in blocks for keys in _keys_of_block(block, shares, stage)]
    if not keys:
        return []
    hashed, counts = np.unique(np.concatenate(keys), return_counts=True)
    hubs: list[int] = hashed[counts * shares.buckets > counts.sum()].tolist()
    return hubs


def _keys_of_block(block: Block, shares: Router, stage: int) -> list[Ints]:
    """Return the hashes by which rows come to the stage, where one argument decides."""
    legs = shares.legs(stage, kind_of_block(block))
    return [hashes(block.column(leg.positions[0])) for leg in legs if leg.way == "share" and len(leg.positions) == 1]
