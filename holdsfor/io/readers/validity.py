"""Rows of facts that change, as the engine stores them: with when they began as their value, and what they end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa

from holdsfor.io.columns.text import Mask
from holdsfor.io.events import OPEN, Block
from holdsfor.language.description import Input


def validity_blocks(declared: Input, rows: Block, ends: Mask) -> Iterator[Block]:
    """Yield the blocks of rows of a fact.

    rows: of the kind "interval", from when to when each is valid (`OPEN`: without an end); their value does not matter.
    ends: marks rows that say instead that the fact is not valid any more from `start` on.
    """
    assert declared.key is not None, "a fact"
    ended, *replaced = declared.endings
    valid = rows.filter(~ends)
    if len(valid):
        yield _dated(declared, valid)
    for ending in replaced if len(valid) else ():
        yield _dated(ending, _open(replace(valid, args=tuple(valid.args[position] for position in declared.key))))
    if len(valid) < len(rows):
        yield _dated(ended, _open(rows.filter(ends)))


def _open(rows: Block) -> Block:
    return replace(rows, end=np.full(len(rows), OPEN))


def _dated(stored: Input, rows: Block) -> Block:
    return replace(rows, name=stored.stored_as.name, kind="interval", value=pa.array(rows.start))
