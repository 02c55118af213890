"""Rows outside the fence become rejects, with the reason."""

from __future__ import annotations

from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.engine.input.fence import Fence, latest
from holdsfor.io.columns.text import as_text
from holdsfor.io.events import OPEN, REJECTS_SCHEMA, Block, Ints

UNIT = " ticks {}. Is it in another unit than the others?"


@cache
def nothing_rejected() -> pa.Table:
    """Return an empty table of rejects; not made at import, since the first table of Arrow loads pandas."""
    return REJECTS_SCHEMA.empty_table()


def set_aside(block: Block, fence: Fence, source: str = "") -> tuple[Block, pa.Table]:
    """Return the rows inside the fence, and the others as rejects."""
    if fence.lets_all_in(block):
        return block, nothing_rejected()
    off, ahead = fence.is_off(block), fence.is_ahead(block)
    outside = off | ahead
    if not outside.any():
        return block, nothing_rejected()
    rejected = block.filter(outside)
    reasons = pc.if_else(pa.array(off[outside]), _off(rejected, fence), _ahead(rejected))
    return block.filter(~outside), rejects_of(rejected, reasons, source)


def rejects_of(block: Block, reasons: pa.Array, source: str) -> pa.Table:
    """Rows that were read and are set aside after all; they are not numbered any more."""
    size = len(block)
    columns = [pa.repeat(pa.scalar(source, pa.string()), size), pa.nulls(size, pa.int64()), row_text(block), reasons]
    return pa.Table.from_arrays(columns, schema=REJECTS_SCHEMA)


def row_text(block: Block) -> pa.Array:
    """Rows in the notation of terms: velocity(v1,9) @ 30 arrives 35."""
    size = len(block)
    args = [as_text(arg).cast(pa.string()) for arg in block.args]
    name = pa.repeat(pa.scalar(block.name, pa.string()), size)
    term = pc.binary_join_element_wise(name, "(", pc.binary_join_element_wise(*args, ","), ")", "") if args else name
    if block.value is not None:
        term = pc.binary_join_element_wise(term, as_text(block.value).cast(pa.string()), "=")
    if block.op is not None:
        term = pc.binary_join_element_wise(pc.if_else(pa.array(block.op < 0), "retract ", ""), term, "")
    when = _text(block.start)
    if block.end is not None:
        end = pc.if_else(pa.array(block.end == OPEN), "inf", _text(block.end))
        when = pc.binary_join_element_wise("[", when, ",", end, ")", "")
    return pc.binary_join_element_wise(term, " @ ", when, " arrives ", _text(block.arrival), "")


def _off(block: Block, fence: Fence) -> pa.Array:
    """Names the time that is furthest off."""
    middle = (fence.low + fence.high) // 2
    times = np.stack([block.start, latest(block), block.arrival])
    worst = np.abs(times - middle).argmax(axis=0)
    time = times[worst, np.arange(len(block))]
    what = pa.array(["time", "end", "arrival"]).take(pa.array(worst))
    return _reason(what, time, np.abs(time - middle), "from most others")


def _ahead(block: Block) -> pa.Array:
    last = latest(block)
    what = pc.if_else(pa.array(last > block.start), "end", "time")
    return _reason(what, last, last - block.arrival, "after its arrival")


def _reason(what: pa.Array, time: Ints, distance: Ints, where: str) -> pa.Array:
    return pc.binary_join_element_wise(what, " ", _text(time), " is ", _text(distance), UNIT.format(where), "")


def _text(numbers: Ints) -> pa.Array:
    return pa.array(numbers).cast(pa.string())
