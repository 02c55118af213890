"""Sources: the parts of the input that tasks read, and the span of time they cover."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from holdsfor.io.columns import blocks_from_table
from holdsfor.io.events import Events
from holdsfor.io.files import open_parquet, parquet_columns
from holdsfor.io.read import EventSource
from holdsfor.language.description import Input

#: Rows that one task reads at most, in whole row groups.
ROWS = 1_000_000


@dataclass(frozen=True, slots=True)
class Part:
    """What one task reads: some row groups of a Parquet file, or a whole source of another kind."""

    source: EventSource
    groups: tuple[int, ...] = ()  # row groups; () : all of it
    first_row: int = 1

    def read(self, inputs: Sequence[Input]) -> Events:
        if not self.groups:
            return self.source.read(inputs)
        (path,) = self.source.paths
        with open_parquet(path) as file:
            columns = parquet_columns(file.schema_arrow, self.source.mapping, inputs)
            table = file.read_row_groups(list(self.groups), columns=columns)
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


def _row_groups(path: Path, source: EventSource) -> Iterator[Part]:
    with open_parquet(path) as file:
        sizes = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]
    row, groups, inside = 1, [], 0
    for number, size in enumerate(sizes):
        if groups and inside + size > ROWS:
            yield Part(source, tuple(groups), row)
            row, groups, inside = row + inside, [], 0
        groups.append(number)
        inside += size
    if groups:
        yield Part(source, tuple(groups), row)


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
