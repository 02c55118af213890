"""Several readings as one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.io.events import REJECTS_SCHEMA, Block, Events
from holdsfor.io.text import as_text
from holdsfor.io.wire import address


def join_events(parts: Iterable[Events]) -> Events:
    """One block per name, kind and number of arguments, rows in the order of the parts."""
    blocks: list[Block] = []
    rejects: list[pa.Table] = []
    read = unused = changed = 0
    nanoseconds: int | None = None
    for part in parts:
        blocks.extend(part.blocks)
        rejects.append(part.rejects)
        read += part.read
        unused += part.unused
        changed += part.files_changed
        nanoseconds = part.nanoseconds or nanoseconds
    table = pa.concat_tables(rejects) if rejects else REJECTS_SCHEMA.empty_table()
    return Events(join_blocks(blocks), table, read, unused, changed, nanoseconds)


def number_rows(parts: Iterable[tuple[Events, int]], first: int) -> Iterator[Events]:
    """Parts whose rejects are numbered from 0, and how many lines each has: as rows of the whole."""
    for events, lines in parts:
        yield move_rows(events, first)
        first += lines


def move_rows(events: Events, by: int) -> Events:
    """The events of a part; its rejected rows are numbered as in the whole."""
    rejects = events.rejects
    if not by or not rejects.num_rows:
        return events
    place = rejects.schema.get_field_index("row")
    rows = pc.add(rejects.column("row"), by)
    return replace(events, rejects=rejects.set_column(place, rejects.schema.field("row"), rows))


def join_blocks(blocks: Iterable[Block]) -> tuple[Block, ...]:
    """One block per name, kind and number of arguments, rows in the order of the blocks."""
    groups: dict[tuple[str, str, int], list[Block]] = {}
    for block in blocks:
        groups.setdefault((block.name, block.kind, len(block.args)), []).append(block)
    return tuple(_joined(parts) for parts in groups.values())


def _joined(blocks: Sequence[Block]) -> Block:
    first = blocks[0]
    if len(blocks) == 1:
        return first
    op = None
    if any(block.op is not None for block in blocks):
        op = np.concatenate([np.ones(len(b), np.int8) if b.op is None else b.op for b in blocks])
    begun = None
    if any(block.begun is not None for block in blocks):
        begun = np.concatenate([block.start if block.begun is None else block.begun for block in blocks])
    return Block(
        first.name,
        first.kind,
        tuple(join_columns(columns) for columns in zip(*(block.args for block in blocks), strict=True)),
        None if first.value is None else join_columns([block.value for block in blocks]),
        np.concatenate([block.start for block in blocks]),
        None if first.end is None else np.concatenate([b.end for b in blocks if b.end is not None]),
        np.concatenate([block.arrival for block in blocks]),
        op,
        begun,
    )


def join_columns(columns: Sequence[pa.Array]) -> pa.Array:
    """One argument column of several. Where types differ (7 in one part, 7.5 or v7 in another) it becomes text."""
    if len({column.type for column in columns}) > 1:
        columns = [as_text(column) for column in columns]
    if pa.types.is_dictionary(columns[0].type):
        return _join_terms(columns)
    return _combine(pa.chunked_array(columns))


def _join_terms(columns: Sequence[pa.DictionaryArray]) -> pa.DictionaryArray:
    """With the very list of terms of the first column if the others have no more: whoever has looked its terms up need
    not do so again. A few rows that join the many of a window bring nothing new most of the time."""
    first, *others = columns
    indices = [first.indices]
    for column in others:
        if address(column.dictionary) == address(first.dictionary):
            indices.append(column.indices)
            continue
        moved = pc.index_in(column.dictionary, value_set=first.dictionary).take(column.indices)
        if moved.null_count > column.indices.null_count:
            return _combine(pa.chunked_array(columns).unify_dictionaries())
        indices.append(moved.cast(first.indices.type))
    return pa.DictionaryArray.from_arrays(pa.concat_arrays(indices), first.dictionary)


def _combine(chunks: pa.ChunkedArray) -> pa.Array:
    whole = chunks.combine_chunks()
    return whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole
