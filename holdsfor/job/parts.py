"""Parts of the input that tasks read: their sizes, the span of time they cover, and the hubs among their terms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from holdsfor.io.events import MOST_TIME, Block, Events
from holdsfor.io.join import move_rows
from holdsfor.io.readers.column_types import Agreed
from holdsfor.io.readers.columns import blocks_from_table
from holdsfor.io.readers.read import EventPart, EventSource
from holdsfor.job.exchange import Ints, hashes
from holdsfor.job.routing import Router, kind_of_block, router
from holdsfor.language.description import Input
from holdsfor.plan.whole_plan import Plan

#: Rows that one task reads at most, in whole row groups.
ROWS = 1_000_000
ROWS_A_BUCKET = 50_000  # a task of fewer takes longer to start than to do
MOST_ROWS_A_BUCKET = 3_000_000  # of more a task needs much memory; of fewer, parcels are many and small
BYTES_A_ROW = 30  # of text; compressed it has fewer


@dataclass(frozen=True, slots=True)
class Part:
    """Input of one task: some pieces of a file, a slice of a table, or a whole source of another kind."""

    events: EventPart
    groups: tuple[int, ...] = ()  # row groups; () : all of it
    first_row: int = 1

    @property
    def path(self) -> Path:
        assert isinstance(self.events.content, Path)
        return self.events.content

    def agreeing(self, types: Agreed) -> Part:
        """Return the part with the types that all parts agree on."""
        return replace(self, events=self.events.agreeing(types)) if types else self

    def read(self, inputs: Sequence[Input]) -> Events:
        pieces = self.events.file_format.pieces
        if not self.groups or pieces is None:
            return move_rows(EventSource((self.events,)).read(inputs), self.first_row - 1)
        return pieces.read(self.path, self.groups, self.events.mapping, inputs, self.events.source, self.first_row)

    def peek(self, inputs: Sequence[Input], rows: int) -> tuple[Block, ...]:
        """Return the first rows of a table, or of a file that is read in pieces; of other files none."""
        content, mapping, source = self.events.content, self.events.mapping, self.events.source
        if isinstance(content, pa.Table):
            return blocks_from_table(content.slice(0, rows), mapping, inputs, source).blocks
        pieces = self.events.file_format.pieces
        if not self.groups or pieces is None:
            return ()
        return pieces.read_first_rows(self.path, self.groups[0], mapping, inputs, source, rows).blocks


def parts_of(source: EventSource) -> list[Part]:
    """Cut a source into what tasks read: Parquet by row groups, anything else by file or table."""
    return [part for events in source.parts for part in cut(events)]


def estimate_rows(parts: Sequence[Part]) -> int:
    """About how many rows there are, by what costs nothing to know: of text files that is their size."""
    return sum(map(_estimate_part, parts))


def suggest_buckets(rows: int | None, cores: int) -> int:
    """Return how many buckets rows are best shared out over: four a core, so that a heavy one does not delay the rest.

    Fewer where a task would have little to do, more where it would have too much. rows: None if there may be many.
    """
    if rows is None:
        return 8 * cores
    return max(cores, min(4 * cores, rows // ROWS_A_BUCKET), -(-rows // MOST_ROWS_A_BUCKET))


def _estimate_part(part: Part) -> int:
    content = part.events.content
    if not isinstance(content, Path):
        return len(content)
    pieces = part.events.file_format.pieces
    if part.groups and pieces is not None:
        rows = pieces.count_rows(content)
        return sum(rows[number] for number in part.groups)
    return content.stat().st_size // BYTES_A_ROW


def cut(events: EventPart) -> Iterator[Part]:
    content, pieces = events.content, events.file_format.pieces
    if pieces is not None:
        yield from _group_pieces(events, pieces.count_rows(Part(events).path))
    elif isinstance(content, pa.Table) and content.num_rows > ROWS:
        for first in range(0, content.num_rows, ROWS):
            yield Part(replace(events, content=content.slice(first, ROWS)), (), first + 1)
    else:
        yield Part(events)


def _group_pieces(events: EventPart, sizes: Sequence[int]) -> Iterator[Part]:
    row, inside = 1, 0
    groups: list[int] = []
    for number, size in enumerate(sizes):
        if groups and inside + size > ROWS:
            yield Part(events, tuple(groups), row)
            row, groups, inside = row + inside, [], 0
        groups.append(number)
        inside += size
    if groups:
        yield Part(events, tuple(groups), row)


def footer_span(parts: Sequence[Part], inputs: Sequence[Input]) -> tuple[int, int] | None:
    """The first and last time of all rows, as the footers of files tell it; None if they do not."""
    files = {part.path: part.events for part in parts if part.groups}
    if not parts or not all(part.groups for part in parts):
        return None
    spans = [
        pieces.time_span(path, events.mapping, inputs)
        for path, events in files.items()
        if (pieces := events.file_format.pieces) is not None
    ]
    complete = [span for span in spans if span is not None]
    if not complete or len(complete) < len(spans):
        return None
    low, high = min(low for low, _ in complete), max(high for _, high in complete)
    return (low, high) if low >= -MOST_TIME and high <= MOST_TIME else None  # a row that is refused reaches further


def tables_of(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Batches put together into tables worth working on."""
    waiting: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        waiting.append(batch)
        rows += batch.num_rows
        if rows >= ROWS:
            yield pa.Table.from_batches(waiting)
            waiting, rows = [], 0
    if waiting:
        yield pa.Table.from_batches(waiting)


# ---------------------------------------------------------------- hubs

#: How much of the input is looked at: the first rows of a few of its parts.
SAMPLED_PARTS, SAMPLED_ROWS = 4, 20_000


def find_hubs(parts: Sequence[Part], inputs: Sequence[Input], plan: Plan, buckets: int) -> tuple[int, ...]:
    """Return the hashes of terms with too many rows of a stage to share a bucket; none if there are few rows.

    All rows about one entity are evaluated together. Where one has more rows than a bucket has in the mean, its bucket
    must not have the rows of others as well.
    """
    if estimate_rows(parts) < buckets * ROWS_A_BUCKET:
        return ()
    chosen = parts[:: -(-len(parts) // SAMPLED_PARTS)]
    blocks = [block for part in chosen for block in part.peek(inputs, SAMPLED_ROWS)]
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
