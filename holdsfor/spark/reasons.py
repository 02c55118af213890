"""Reasons of what Spark has recognised: workers look for the rows that an answer depends on; the rest is done here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from holdsfor.engine.definitions.evaluate import make_program
from holdsfor.engine.input.fence import fence_for
from holdsfor.engine.input.window import Windows
from holdsfor.io.columns.wire import pack, unpack
from holdsfor.io.events import REJECTS_SCHEMA, Block, Events
from holdsfor.io.join import join_events
from holdsfor.io.readers.read import EventSource
from holdsfor.language.description import EventDescription
from holdsfor.plan.compiler.compile import compiled
from holdsfor.why.origin import Origin
from holdsfor.why.reach import KeyFilter, ReachableRows
from holdsfor.why.replay import HistoryRows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Look = Callable[[Events], Iterator[pa.RecordBatch]]
LookThrough = Callable[[Look, str], "DataFrame"]
"""Has workers look at all events of the input, and gives what they return."""


def find_origin(
    description: EventDescription, metrics: Mapping[str, Any], unit: str, look_through: LookThrough
) -> Origin:
    """Return the origin of a history whose input only workers read."""
    window, step, start, end, tick = (metrics[name] for name in ("window", "step", "start", "end", "sample_every"))
    windows = Windows(window, step, start, end, tick, fence_for(window))

    def fetch(keys: KeyFilter) -> tuple[Block, ...]:
        rows = look_through(lambda events: select_packed(events, keys), "data binary")
        blocks = (block for row in rows.collect() for _, block in unpack(row["data"])[1])
        return join_events(_as_events([block]) for block in blocks).blocks

    def reach() -> ReachableRows:
        history = HistoryRows(description, make_program(compiled(description)), (), windows)
        return ReachableRows(history, fetch)

    return Origin(description, EventSource(()), windows, unit, reach)


def select_packed(events: Events, keys: KeyFilter) -> Iterator[pa.RecordBatch]:
    """Iterate over the rows that pass a filter, as bytes."""
    chosen = [("", block) for block in map(keys.select, events.blocks) if len(block)]
    if chosen:
        yield pa.record_batch({"data": pa.array([pack(chosen).to_pybytes()], pa.binary())})


def _as_events(blocks: Iterable[Block]) -> Events:
    return Events(tuple(blocks), REJECTS_SCHEMA.empty_table(), 0, 0)
