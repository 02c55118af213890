"""Read the rows of a batch on a worker: set aside what is late or refused, share out the rest."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.engine.input.fence import Fence, span_of, telling
from holdsfor.engine.input.outliers import rejects_of, set_aside
from holdsfor.engine.input.window import Counted, Windows, counted
from holdsfor.errors import HoldsforError
from holdsfor.io.events import REJECTS_SCHEMA, Block, Events
from holdsfor.io.join import join_events, move_rows
from holdsfor.io.readers.column_types import Agreed, join_seen
from holdsfor.io.readers.columns import blocks_from_table
from holdsfor.io.readers.formats import line_reader
from holdsfor.io.readers.mapping import Mapping
from holdsfor.io.storage.store import Store, Written
from holdsfor.job.live.batch.quarantine import Aside, Skip, quarantine_table, read_by_halves, take_out
from holdsfor.job.live.input.files import FileReader
from holdsfor.job.live.input.future_rows import Island, find_islands, merge_islands
from holdsfor.job.routing import Parcel, parcels
from holdsfor.job.task_rows import TaskRow, parcel_rows
from holdsfor.job.tasks import Job
from holdsfor.language.description import Input

Outcome = TypeVar("Outcome")


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
class TablesReader:
    """Rows of several tables, packed: in each row the name of a table, and some rows of it as an Arrow stream."""

    mapping: Mapping

    def read(self, table: pa.Table, inputs: Sequence[Input], source: str, row: int) -> Events:
        names, contents = (table.column(name).to_pylist() for name in ("table", "rows"))
        return join_events(
            blocks_from_table(
                pa.ipc.open_stream(rows).read_all(), self.mapping.of_table(name), inputs, f"{source} {name}"
            )
            for name, rows in zip(names, contents, strict=True)
        )


@dataclass(frozen=True, slots=True)
class LineReader:
    """Lines of text in a column `value`, as Spark's text source gives them; format: 'rtec' or 'terms'."""

    format: str

    def read(self, table: pa.Table, inputs: Sequence[Input], source: str, row: int) -> Events:
        if "value" not in table.column_names:
            raise HoldsforError(f"lines of {self.format} are read from a column `value`, not {table.column_names}.")
        lines = table.column("value").drop_null().combine_chunks()
        return move_rows(line_reader(self.format)(lines, inputs, source), row - 1)


@dataclass(frozen=True, slots=True)
class Reading:
    """One batch. fired: the last query time that is over. by_clock: what a row says of its arrival is not asked.

    isolates: rows on which the reader fails are set aside, and do not stop the batch. skip: rows that have been found
    to make the batch fail, and are set aside without being read. tables: where late and rejected rows go; None in a
    trial, which writes none.
    max_future: how far rows may arrive ahead of others, and happen after they arrive. believed: the latest arrival that
    is. Each None: as far as they like. types: of columns, as batches before have shown them.
    """

    reader: Reader
    inputs: tuple[Input, ...]
    batch: int
    fired: int | None
    by_clock: bool
    tables: Store | None
    fence: Fence
    isolates: bool = True
    skip: tuple[Skip, ...] = ()
    max_future: int | None = None
    believed: int | None = None
    types: Agreed = field(default_factory=dict)

    def read(self, table: pa.Table, source: str, row: int) -> Events:
        """The events of some rows. row: the number of the first one."""
        reader = self.reader
        if isinstance(reader, FileReader):
            reader = reader.agreeing(self.types)
        return reader.read(table, self.inputs, source, row)

    def source(self, part: int) -> str:
        return f"<batch {self.batch}, partition {part}>"

    def pieces(
        self, part: int, table: pa.Table, row: int, read: Callable[[pa.Table, int], Outcome]
    ) -> tuple[list[Outcome], list[Aside]]:
        """Return what reading a table of a partition gives, mostly in one piece, and what is set aside."""
        pieces, aside = take_out(table, row, [skip for skip in self.skip if skip.part == part])
        if not self.isolates:
            return [read(piece, first) for first, piece in pieces], aside
        failed: list[Aside] = []
        outcomes = [outcome for first, piece in pieces for outcome in read_by_halves(read, piece, first, failed)]
        return outcomes, aside + failed


@dataclass(slots=True)
class ReadNotes:
    """Notes of a task on what it has read: tables written, and counts; times are None if there is no row."""

    tables: list[Written]
    counts: dict[str, float]
    watermark: int | None = None
    latest: int | None = None
    earliest: int | None = None
    islands: list[Island] = field(default_factory=list)
    seen: dict[str, int] = field(default_factory=dict)  # in columns

    def see(self, block: Block, reading: Reading) -> None:
        block = telling(block, reading.fence)
        if reading.max_future is not None and not reading.by_clock:
            islands = find_islands(block.arrival, reading.max_future)
            self.islands = merge_islands([*self.islands, *islands], reading.max_future)
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


@dataclass(frozen=True, slots=True)
class Piece:
    """Rows that have been read. timed: when all that are believed happened. sorted_out: what counts, and late rows."""

    events: Events
    timed: list[Block]
    rejects: list[pa.Table]
    sorted_out: list[Counted]
    parcels: list[Parcel]


def read_piece(job: Job, reading: Reading, part: int, table: pa.Table, row: int) -> Piece:
    source = reading.source(part)
    events = reading.read(table, source, row)
    blocks, rejects = list[Block](), [events.rejects]
    for block in events.blocks:
        block, refused = _believed(block, job.windows, reading, source)
        blocks.append(block)
        rejects += refused
    timed = [*blocks, *(_believed(block, job.windows, reading, source)[0] for block in events.other_times)]
    sorted_out = [counted(block, job.windows, reading.fired) for block in blocks]
    to_send = [parcel for some in sorted_out for parcel in parcels(some.block, job.router)]
    return Piece(events, timed, rejects, sorted_out, to_send)


def _believed(block: Block, windows: Windows, reading: Reading, source: str) -> tuple[Block, list[pa.Table]]:
    """Return the rows that are believed, and the others as rejects."""
    block, outside = set_aside(_arrived(block, windows, reading), reading.fence, source)
    block, ahead = set_ahead_aside(block, reading, source)
    return block, [outside, ahead]


def read_task(job: Job, reading: Reading, part: int, tables: Iterable[pa.Table], notes: ReadNotes) -> Iterator[TaskRow]:
    """Yield the parcels of one partition; what else there is to say goes to the notes."""
    row = 1
    for chunk, table in enumerate(tables):
        started = time.perf_counter()
        pieces, aside = reading.pieces(part, table, row, partial(read_piece, job, reading, part))
        row += table.num_rows
        for block in (block for piece in pieces for block in piece.timed):
            notes.see(block, reading)
        notes.seen = join_seen([notes.seen, *(piece.events.seen for piece in pieces)])
        shared = (((part << 32) | chunk, parcel) for piece in pieces for parcel in piece.parcels)
        yield from parcel_rows(shared, job.depot)
        name = f"batch={reading.batch:07d}/part-{part}-{chunk}.parquet"
        sorted_out = [some for piece in pieces for some in piece.sorted_out]
        rejects = [table for piece in pieces for table in piece.rejects]
        quarantine = [quarantine_table(aside, reading.source(part))] if aside else []
        for piece in pieces:
            notes.count(**piece.events.counts)
        notes.count(
            events_in=sum(piece.events.read for piece in pieces),
            events_unused=sum(piece.events.unused for piece in pieces),
            files_changed=sum(piece.events.files_changed for piece in pieces),
            events_outside=sum(some.outside for some in sorted_out),
            events_rejected=_written(reading, f"rejects/{name}", rejects, notes),
            events_late=_written(reading, f"late/{name}", [some.late for some in sorted_out], notes),
            units_quarantined=_written(reading, f"quarantine/{name}", quarantine, notes),
            seconds_reading=time.perf_counter() - started,
        )


def set_ahead_aside(block: Block, reading: Reading, source: str) -> tuple[Block, pa.Table]:
    """The rows that are believed, and as rejects those that arrive too far ahead of others, or before they happen."""
    latest, bound = reading.believed, reading.max_future
    ahead = np.zeros(len(block), np.bool_) if latest is None else block.arrival > latest
    early = np.zeros(len(block), np.bool_) if bound is None else block.start - block.arrival > bound
    aside = ahead | early
    if not aside.any():
        return block, REJECTS_SCHEMA.empty_table()
    reasons = pc.if_else(
        pa.array(ahead[aside]),
        f"it arrives too far ahead of all others, which have come to {latest}; see --max-future",
        f"it happens more than {bound} ticks after it arrives; see --max-future",
    )
    return block.filter(~aside), rejects_of(block.filter(aside), reasons, source)


def _arrived(block: Block, windows: Windows, reading: Reading) -> Block:
    """By the clock, what is read now is there for the next query time."""
    if not reading.by_clock:
        return block
    fired = windows.start if reading.fired is None else reading.fired
    return replace(block, arrival=np.full(len(block), fired + 1))


def _written(reading: Reading, name: str, tables: list[pa.Table], notes: ReadNotes) -> int:
    rows = sum(int(table.num_rows) for table in tables)
    if rows and reading.tables is not None:
        notes.tables.append(reading.tables.write_table(name, pa.concat_tables(tables)))
    return rows


def earliest(reading: Reading, part: int, tables: Iterable[pa.Table]) -> int | None:
    """The first time of the rows, where a stream has to find its start by itself."""
    notes, row = ReadNotes([], {}), 1

    def read(piece: pa.Table, first: int) -> Events:
        return reading.read(piece, "", first)

    for table in tables:
        pieces, _ = reading.pieces(part, table, row, read)
        row += table.num_rows
        for block in (block for events in pieces for block in events.timed):
            notes.see(block, reading)
    return notes.earliest
