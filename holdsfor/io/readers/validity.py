"""Rows of facts that change, as the engine stores them: with when they began as their value, and what they end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.io.columns.text import Mask, mask
from holdsfor.io.events import OPEN, Block
from holdsfor.io.readers.sieve import Sieve
from holdsfor.language.description import Input

#: Words of an operation column, as those who capture changes of databases write them.
_UPSERTS = ("1", "1.0", "+1", "insert", "i", "create", "c", "read", "r")
_UPDATES = ("update", "u", "upsert", "update_postimage")
_DELETES, _RETRACTS = ("delete", "d", "end"), ("-1", "-1.0", "retract")


def validity_blocks(declared: Input, rows: Block, ends: Mask) -> Iterator[Block]:
    """Yield the blocks of rows of a fact.

    rows: of the kind "interval", from when to when each is valid (`OPEN`: without an end); their value does not matter.
    ends: marks rows that say instead that the fact is not valid any more from `start` on.
    """
    assert declared.key is not None, "a fact"
    valid, over = rows.filter(~ends), rows.filter(ends)
    ended, *replaced = declared.endings
    if len(valid):
        yield _dated(declared, valid)
    for ending in replaced:  # by its key, whatever else the row has
        yield _dated(ending, _open(replace(rows, args=tuple(rows.args[position] for position in declared.key))))
    if len(over) and not replaced:
        yield _dated(ended, _open(over))


def _open(rows: Block) -> Block:
    return replace(rows, end=np.full(len(rows), OPEN))


def _dated(stored: Input, rows: Block) -> Block:
    return replace(rows, name=stored.stored_as.name, kind="interval", value=pa.array(rows.start))


def fact_operations(op: pa.Array, declared: Input, sieve: Sieve) -> tuple[Mask, Mask]:
    """Return masks of rows that are taken back, and of those that say that a fact is not valid any more."""
    words = pc.utf8_lower(pc.utf8_trim_whitespace(op.cast(pa.string())))

    def among(some: tuple[str, ...]) -> Mask:
        return mask(pc.is_in(words, pa.array(some)))

    updates, ends, retracts = among(_UPDATES), among(_DELETES), among(_RETRACTS)
    right = among(_UPSERTS) | updates | ends | retracts | mask(words.is_null())
    sieve.refuse(~right, "op is neither insert, update nor delete (c, u, d), nor -1 (retract)")
    if not declared.key:
        sieve.refuse(updates, f"op is an update, and {declared.signature} has no key that tells what it replaces")
    return retracts, ends
