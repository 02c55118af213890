"""Sources: the parts of the input that tasks read, and the span of time they cover."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from holdsfor.io.events import MOST_TIME, Events
from holdsfor.io.join import move_rows
from holdsfor.io.readers.columns import blocks_from_table
from holdsfor.io.readers.files import open_parquet, parquet_columns, read_groups
from holdsfor.io.readers.mapping import Mapping, roles
from holdsfor.io.readers.read import EventSource
from holdsfor.language.description import Input

#: Rows that one task reads at most, in whole row groups.
ROWS = 1_000_000
BYTES_A_ROW = 30  # of text; compressed it has fewer


@dataclass(frozen=True, slots=True)
class Part:
    """What one task reads: some row groups of a Parquet file, a slice of a table, or a whole source of another kind."""

    source: EventSource
    groups: tuple[int, ...] = ()  # row groups; () : all of it
    first_row: int = 1

    def read(self, inputs: Sequence[Input]) -> Events:
        if not self.groups:
            return move_rows(self.source.read(inputs), self.first_row - 1)
        (path,) = self.source.paths
        with open_parquet(path) as file:
            columns = parquet_columns(file.schema_arrow, self.source.mapping, inputs)
            table = read_groups(file, self.groups, columns)
        return blocks_from_table(table, self.source.mapping, inputs, str(path), self.first_row)


def parts_of(source: EventSource) -> list[Part]:
    """A source cut into what tasks read: Parquet by row groups, anything else by file or table."""
    found: list[Part] = []
    for part, form in zip(source.parts, source.formats, strict=True):
        one = EventSource((part,), (form,), source.mapping)
        if isinstance(part, Path) and ".parquet" in part.suffixes:
            found.extend(_row_groups(part, one))
        elif isinstance(part, pa.Table) and part.num_rows > ROWS:
            for first in range(0, part.num_rows, ROWS):
                found.append(Part(EventSource((part.slice(first, ROWS),), (form,), source.mapping), (), first + 1))
        else:
            found.append(Part(one))
    return found


def estimate_rows(parts: Sequence[Part]) -> int:
    """About how many rows there are, by what costs nothing to know: of text files that is their size."""
    return sum(map(_estimate_part, parts))


def _estimate_part(part: Part) -> int:
    (data,) = part.source.parts
    if isinstance(data, pa.Table | tuple):
        return len(data)
    if part.groups:
        with open_parquet(data) as file:
            return sum(file.metadata.row_group(number).num_rows for number in part.groups)
    return data.stat().st_size // BYTES_A_ROW


def _row_groups(path: Path, source: EventSource) -> Iterator[Part]:
    with open_parquet(path) as file:
        sizes = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]
    row, inside = 1, 0
    groups: list[int] = []
    for number, size in enumerate(sizes):
        if groups and inside + size > ROWS:
            yield Part(source, tuple(groups), row)
            row, groups, inside = row + inside, [], 0
        groups.append(number)
        inside += size
    if groups:
        yield Part(source, tuple(groups), row)


def footer_span(parts: Sequence[Part], inputs: Sequence[Input]) -> tuple[int, int] | None:
    """The first and last time of all rows, as the footers of Parquet files tell it; None if they do not."""
    paths = {path: part.source.mapping for part in parts for path in part.source.paths if part.groups}
    if not parts or not all(part.groups for part in parts):
        return None
    spans = [_footer(path, mapping, inputs) for path, mapping in paths.items()]
    known = [span for span in spans if span is not None]
    if not known or len(known) < len(spans):
        return None
    low, high = min(low for low, _ in known), max(high for _, high in known)
    return (low, high) if low >= -MOST_TIME and high <= MOST_TIME else None  # a row that is refused reaches further


def _footer(path: Path, mapping: Mapping, inputs: Sequence[Input]) -> tuple[int, int] | None:
    with open_parquet(path) as file:
        fluents = {i.signature.name for i in inputs if i.kind != "event"}
        found = roles(mapping, file.schema_arrow.names, fluents)
        time = _extremes(file.metadata, found.time)
        arrival = _extremes(file.metadata, found.arrival) if found.arrival else time
        end = _extremes(file.metadata, found.end) if found.end else time
    if time is None or arrival is None or end is None:
        return None
    return time[0], max(time[1], arrival[1], end[1] - 1 if found.end else end[1])


def _extremes(metadata: pq.FileMetaData, column: str | None) -> tuple[int, int] | None:
    """The least and greatest whole number of a column."""
    place = metadata.schema.names.index(column)
    groups = [metadata.row_group(i).column(place).statistics for i in range(metadata.num_row_groups)]
    if not groups or not all(s is not None and s.has_min_max and isinstance(s.min, int) for s in groups):
        return None
    return min(s.min for s in groups), max(s.max for s in groups)


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
