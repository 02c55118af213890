"""Input rows as a table that the page can draw below the results."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.io.columns.text import as_text, plain_text
from holdsfor.io.events import NULL, OPEN, SINCE_EVER, Block, Events
from holdsfor.language.description import AS_INPUT, ENDED, REPLACED

SCHEMA = pa.schema(
    [
        ("is_event", pa.bool_()),
        ("name", pa.string()),
        ("args", pa.list_(pa.string())),
        ("value", pa.string()),
        ("start", pa.int64()),
        ("end", pa.int64()),  # as in results: of an event its last point, of a fluent the point after it
    ]
)
OVER = "ends"  # of a row that says from when on a fact is not valid any more
TAKEN_BACK = "taken back"  # in the place of the value of a retraction


def input_table(events: Events) -> pa.Table:
    """Return the rows as they were read, retractions among them; of those that replace facts only the new facts."""
    blocks = [block for block in events.blocks if len(block) and not block.name.endswith(f" {REPLACED}")]
    table = pa.concat_tables([SCHEMA.empty_table(), *map(_table, blocks)])
    since_ever = pc.equal(table["start"], SINCE_EVER)
    first = pc.min(table["start"].filter(pc.invert(since_ever)))  # where a page begins
    return table.set_column(4, SCHEMA.field("start"), pc.if_else(since_ever, pc.coalesce(first, 0), table["start"]))


def _table(block: Block) -> pa.Table:
    size = len(block)
    is_event = block.kind == "event"
    columns = [
        pa.array(np.full(size, is_event)),
        pa.array([_plain_name(block)]).take(pa.array(np.zeros(size, np.int64))),
        _lists([_plain(column) for column in block.args], size),
        _values(block),
        pa.array(block.start if block.onset is None else block.onset),
        _ends(block),
    ]
    return pa.Table.from_arrays(columns, schema=SCHEMA)


def _plain_name(block: Block) -> str:
    """Return the name that rows came with."""
    return block.name.removesuffix(f" {AS_INPUT}").removesuffix(f" {ENDED}")


def _plain(column: pa.Array) -> pa.Array:
    """Return arguments for people; one that is missing is empty."""
    encoded = as_text(column)
    words = encoded.dictionary
    return pc.if_else(pc.equal(words, NULL), "", plain_text(words)).take(encoded.indices)


def _lists(columns: list[pa.Array], size: int) -> pa.Array:
    """Return the arguments of each row as a list."""
    width = len(columns)
    offsets = pa.array(np.arange(size + 1, dtype=np.int32) * width)
    if not width:
        return pa.ListArray.from_arrays(offsets, pa.array([], pa.string()))
    places = np.arange(size * width).reshape(width, size).T.ravel()
    return pa.ListArray.from_arrays(offsets, pa.concat_arrays(columns).take(pa.array(places)))


def _values(block: Block) -> pa.Array:
    if block.value is None or pa.types.is_integer(block.value.type):  # a fact has when it began in its place
        values = pa.repeat(pa.scalar(OVER if block.name.endswith(f" {ENDED}") else None, pa.string()), len(block))
    else:
        values = _plain(block.value)
    return values if block.op is None else pc.if_else(pa.array(block.op < 0), TAKEN_BACK, values)


def _ends(block: Block) -> pa.Array:
    if block.kind == "event":
        return pa.array(block.start)
    ends = block.start + 1 if block.end is None else block.end
    return pa.array(ends, mask=ends == OPEN)
