"""What a worker does with the rows of a batch: reads them, sets aside what is late or refused, shares out the rest."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.engine.fence import Fence, span_of
from holdsfor.engine.outliers import rejects_of, set_aside
from holdsfor.engine.window import Windows, counted, take
from holdsfor.errors import HoldsforError
from holdsfor.io.columns import blocks_from_table
from holdsfor.io.events import REJECTS_SCHEMA, Block, Events
from holdsfor.io.mapping import Mapping
from holdsfor.io.rtec import read_rtec
from holdsfor.io.store import Store, Written
from holdsfor.io.terms import read_terms
from holdsfor.language.description import Input
from holdsfor.spark.live.ahead import Island, find_islands, merge_islands
from holdsfor.spark.routing import Parcel, parcels
from holdsfor.spark.sources import moved
from holdsfor.spark.tasks import Job, parcel_rows

Row = dict[str, Any]


class Reader(Protocol):
    """From the rows of a source to events. Travels to the workers."""

    def read(self, table: pa.Table, inputs: Sequence[Input], source: str, row: int) -> Events:
        """row: the number of the first one."""


@dataclass(frozen=True, slots=True)
class ColumnReader:
    """A column each for the name, the time and the arguments, as a mapping says."""

    mapping: Mapping

    def read(self, table: pa.Table, inputs: Sequence[Input], source: str, row: int) -> Events:
        return blocks_from_table(table, self.mapping, inputs, source, row)


@dataclass(frozen=True, slots=True)
class LineReader:
    """Lines of text in a column `value`, as Spark's text source gives them; format: 'rtec' or 'terms'."""

    format: str

    def read(self, table: pa.Table, inputs: Sequence[Input], source: str, row: int) -> Events:
        if "value" not in table.column_names:
            raise HoldsforError(f"lines of {self.format} are read from a column `value`, not {table.column_names}.")
        lines = table.column("value").drop_null().combine_chunks()
        if self.format == "terms":
            return moved(read_terms(lines.to_pylist(), inputs, source), row - 1)
        return moved(read_rtec([_joined(lines)], inputs, source), row - 1)


def _joined(lines: pa.Array) -> bytes:
    """All lines in one piece, as they would stand in a file."""
    if not len(lines):
        return b""
    large = pa.large_string()
    ended = pc.binary_join_element_wise(lines.cast(large), pa.scalar("", large), pa.scalar("\n", large))
    size = int(np.frombuffer(ended.buffers()[1], np.int64, 1, 8 * len(ended))[0])  # the buffer may be longer
    return bytes(ended.buffers()[2][:size])


@dataclass(frozen=True, slots=True)
class Reading:
    """One batch. fired: the last query time that is over. by_clock: what a row says of its arrival is not asked."""

    reader: Reader
    inputs: tuple[Input, ...]
    batch: int
    fired: int | None
    by_clock: bool
    tables: Store
    fence: Fence
    max_ahead: int | None = None  # how far apart arrivals may lie before they are islands; None: as far as they like
    believed: int | None = None  # the latest arrival that is believed; None: all are


@dataclass(slots=True)
class Found:
    """What a task has read: tables written, and counts; the times are None where there is no row."""

    tables: list[Written]
    counts: dict[str, float]
    watermark: int | None = None
    latest: int | None = None
    earliest: int | None = None
    islands: list[Island] = field(default_factory=list)

    def see(self, block: Block, reading: Reading) -> None:
        if reading.max_ahead is not None:
            islands = find_islands(block.arrival, reading.max_ahead)
            self.islands = merge_islands([*self.islands, *islands], reading.max_ahead)
        span = span_of([block], reading.fence)
        if span is not None:
            low, high = span
            self.watermark = _most(self.watermark, int(block.arrival.max()))
            self.latest = _most(self.latest, high)
            self.earliest = low if self.earliest is None else min(low, self.earliest)

    def count(self, **amounts: float) -> None:
        for name, amount in amounts.items():
            self.counts[name] = self.counts.get(name, 0) + amount


def _most(one: int | None, other: int) -> int:
    return other if one is None else max(one, other)


def read_task(job: Job, reading: Reading, part: int, tables: Iterable[pa.Table], found: Found) -> Iterator[Row]:
    """The parcels of one partition; what else there is to say goes to `found`."""
    row = 1
    for chunk, table in enumerate(tables):
        begun = time.perf_counter()
        source = f"<batch {reading.batch}, partition {part}>"
        events = reading.reader.read(table, reading.inputs, source, row)
        row += table.num_rows
        rejects, late, shared = [events.rejects], [], list[tuple[int, Parcel]]()
        for block in events.blocks:
            block, outside = set_aside(_arrived(block, job.asked, reading), reading.fence, source)
            block, ahead = set_ahead_aside(block, reading.believed, source)
            rejects += [outside, ahead]
            found.see(block, reading)
            kept = counted(block, job.asked, reading.fired)
            late.append(kept.late)
            found.count(events_outside=kept.outside)
            shared += (((part << 32) | chunk, parcel) for parcel in parcels(kept.block, job.router))
        yield from parcel_rows(shared)
        name = f"batch={reading.batch:07d}/part-{part}-{chunk}.parquet"
        found.count(
            events_in=events.read,
            events_unused=events.unused,
            files_changed=events.files_changed,
            events_rejected=_written(reading.tables, f"rejects/{name}", rejects, found),
            events_late=_written(reading.tables, f"late/{name}", late, found),
            seconds_reading=time.perf_counter() - begun,
        )


def set_ahead_aside(block: Block, believed: int | None, source: str) -> tuple[Block, pa.Table]:
    """The rows whose arrival is believed, and the others as rejects."""
    if believed is None or not len(block) or int(block.arrival.max()) <= believed:
        return block, REJECTS_SCHEMA.empty_table()
    ahead = block.arrival > believed
    reason = f"it arrives too far ahead of all others, which have come to {believed}; see --max-ahead"
    return take(block, ~ahead), rejects_of(take(block, ahead), pa.repeat(reason, np.count_nonzero(ahead)), source)


def _arrived(block: Block, asked: Windows, reading: Reading) -> Block:
    """By the clock, what is read now is there for the next query time."""
    if not reading.by_clock:
        return block
    fired = asked.start if reading.fired is None else reading.fired
    return replace(block, arrival=np.full(len(block), fired + 1))


def _written(store: Store, name: str, tables: list[pa.Table], found: Found) -> int:
    rows = sum(int(table.num_rows) for table in tables)
    if rows:
        found.tables.append(store.write_table(name, pa.concat_tables(tables)))
    return rows


def earliest(reading: Reading, tables: Iterable[pa.Table]) -> int | None:
    """The first time of the rows, where a stream has to find its start by itself."""
    found = Found([], {})
    for table in tables:
        for block in reading.reader.read(table, reading.inputs, "", 1).blocks:
            found.see(block, reading)
    return found.earliest
