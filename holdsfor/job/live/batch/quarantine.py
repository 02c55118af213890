"""Find the units of a batch that make it fail, by trial, and keep them.

A unit is a row of the source: a file of a folder, a message of a broker, a line. Nothing here needs Spark.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.errors import HoldsforError
from holdsfor.io.columns.utf8 import escape_text

SCHEMA = pa.schema(
    [
        ("source", pa.string()),
        ("row", pa.int64()),  # in its partition, from 1
        ("reason", pa.string()),
        ("attempts", pa.int64()),
        ("data", pa.binary()),  # the row itself, as an Arrow IPC stream
    ]
)
#: Bytes of a field that the quarantine keeps.
KEPT_BYTES = 1 << 20
#: So many units are found one by one; after that ever larger ranges are taken for guilty, so that an end is in sight.
ALONE = 8
#: Failures that say nothing of a row: mistakes in the settings, disks and networks, memory.
NOT_OF_A_ROW = (HoldsforError, OSError, MemoryError)

Outcome = TypeVar("Outcome")


@dataclass(frozen=True, slots=True)
class Skip:
    """Rows first .. stop-1 of a partition, counted from 0, which are set aside and not read."""

    part: int
    first: int
    stop: int
    reason: str
    attempts: int


@dataclass(frozen=True, slots=True)
class Aside:
    """Rows that are set aside. row: the number of the first one, from 1."""

    table: pa.Table
    row: int
    reason: str
    attempts: int


def find_guilty(count: int, works: Callable[[Sequence[range]], bool]) -> tuple[range, ...] | None:
    """The units, of 0 .. count-1, without which it works; None if it does not work without any.

    works: whether it does with some ranges left out. One unit takes about log2(count) trials: the first n units work,
    the first m do not, and what lies between is halved.
    """
    if works(()):
        return ()
    if not works((range(count),)):
        return None
    guilty: tuple[range, ...] = ()
    low = 0
    while not guilty or not works(guilty):
        grain, high = 1 << max(0, len(guilty) - ALONE), count
        while high - low > grain:
            middle = (low + high) // 2
            if works((*guilty, range(middle, count))):
                low = middle
            else:
                high = middle
        guilty = (*guilty, range(low, high))
    return guilty


def spans(sizes: Sequence[int], units: range) -> Iterator[tuple[int, int, int]]:
    """Yield partition, first row and the row after the last for units counted through all partitions."""
    begin = 0
    for part, size in enumerate(sizes):
        first, stop = max(units.start - begin, 0), min(units.stop - begin, size)
        if first < stop:
            yield part, first, stop
        begin += size


def take_out(table: pa.Table, row: int, skips: Sequence[Skip]) -> tuple[list[tuple[int, pa.Table]], list[Aside]]:
    """Divide a table into pieces to be read, with the numbers of their first rows, and what is set aside."""
    before = row - 1
    touched = any(skip.first < before + table.num_rows and skip.stop > before for skip in skips)
    if not touched or not table.num_rows:
        return [(row, table)], []
    owner = np.full(table.num_rows, -1, np.int64)
    for number, skip in enumerate(skips):
        owner[max(skip.first - before, 0) : max(skip.stop - before, 0)] = number
    cuts = [0, *(np.flatnonzero(np.diff(owner)) + 1).tolist(), table.num_rows]
    pieces, aside = list[tuple[int, pa.Table]](), list[Aside]()
    for low, high in pairwise(cuts):
        piece = table.slice(low, high - low)
        if owner[low] < 0:
            pieces.append((row + low, piece))
        else:
            skip = skips[owner[low]]
            aside.append(Aside(piece, row + low, skip.reason, skip.attempts))
    return pieces, aside


def read_by_halves(
    read: Callable[[pa.Table, int], Outcome], table: pa.Table, row: int, aside: list[Aside], most: int = 64
) -> list[Outcome]:
    """Return what reading a table gives; if that raises, read its halves, down to the rows that are at fault.

    After `most` of them a half that fails is set aside as a whole.
    """
    try:
        return [read(table, row)]
    except NOT_OF_A_ROW:
        raise
    except Exception as error:
        half = table.num_rows // 2
        if half and len(aside) < most:
            first = read_by_halves(read, table.slice(0, half), row, aside, most)
            return first + read_by_halves(read, table.slice(half), row + half, aside, most)
        if not table.num_rows:
            raise
        read(table.slice(0, 0), row)  # if that fails, too, it is not for what the rows are
        aside.append(Aside(table, row, f"{type(error).__name__}: {error}", 1))
        return []


def quarantine_table(asides: Sequence[Aside], source: str) -> pa.Table:
    """Return a table with a row for each that is set aside."""
    rows = [
        (source, aside.row + at, escape_text(aside.reason), aside.attempts, _row_data(aside.table.slice(at, 1)))
        for aside in asides
        for at in range(aside.table.num_rows)
    ]
    columns = zip(*rows, strict=True) if rows else ([] for _ in SCHEMA)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, SCHEMA, strict=True)]
    return pa.Table.from_arrays(arrays, schema=SCHEMA)


def _row_data(row: pa.Table) -> bytes:
    columns = [_cut(column) for column in row.columns]
    shown = pa.table(dict(zip(row.column_names, columns, strict=True)))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, shown.schema) as writer:
        writer.write_table(shown)
    return bytes(sink.getvalue())


def _cut(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Text and bytes of a bounded length; text as bytes, for a cut may go through a character."""
    kind = column.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        column = column.cast(pa.large_binary() if pa.types.is_large_string(kind) else pa.binary())
    if not (pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type)):
        return column
    return pc.binary_slice(column, 0, KEPT_BYTES)
