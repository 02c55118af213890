"""Several readings as one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.io.columns.text import as_text
from holdsfor.io.columns.wire import Address, address
from holdsfor.io.events import REJECTS_SCHEMA, Block, Events
from holdsfor.io.readers.column_types import Seen, join_seen


def join_events(parts: Iterable[Events]) -> Events:
    """Join events: one block per name, kind and number of arguments, rows in the order of the parts."""
    blocks: list[Block] = []
    other_times: list[Block] = []
    rejects: list[pa.Table] = []
    read = unused = changed = 0
    counts: Counter[str] = Counter()
    nanoseconds: int | None = None
    seen: list[Seen] = []
    types: dict[str, str] = {}
    for part in parts:
        seen.append(part.seen)
        types = join_types(types, part.types)
        blocks.extend(part.blocks)
        other_times.extend(part.other_times)
        rejects.append(part.rejects)
        read += part.read
        unused += part.unused
        changed += part.files_changed
        counts.update(part.counts)
        nanoseconds = part.nanoseconds or nanoseconds
    some = [table for table in rejects if table.num_rows]
    table = pa.concat_tables(some) if some else REJECTS_SCHEMA.empty_table()
    others = join_blocks(other_times)
    return Events(
        join_blocks(blocks), table, read, unused, changed, nanoseconds, types, counts, join_seen(seen), others
    )


def join_types(one: Mapping[str, str], other: Mapping[str, str]) -> dict[str, str]:
    """Join the types of arguments; where they differ there is none."""
    joined = {**one, **other}
    return {key: kind if one.get(key, kind) == kind else "" for key, kind in joined.items()}


def number_rows(parts: Iterable[tuple[Events, int]], first: int) -> Iterator[Events]:
    """Number the rejects of parts, which begin with 0 and have so many lines each, as rows of the whole."""
    for events, lines in parts:
        yield move_rows(events, first)
        first += lines


def move_rows(events: Events, by: int) -> Events:
    """Number the rejected rows of a part as in the whole."""
    rejects = events.rejects
    if not by or not rejects.num_rows:
        return events
    place = rejects.schema.get_field_index("row")
    rows = pc.add(rejects.column("row"), by)
    return replace(events, rejects=rejects.set_column(place, rejects.schema.field("row"), rows))


def join_blocks(blocks: Iterable[Block], terms: TermLists | None = None) -> tuple[Block, ...]:
    """Join blocks: one per name, kind and number of arguments, rows in the order of the blocks.

    terms: lists that were put together for other blocks, which may have the same.
    """
    groups: dict[tuple[str, str, int], list[Block]] = {}
    for block in blocks:
        groups.setdefault((block.name, block.kind, len(block.args)), []).append(block)
    terms = TermLists() if terms is None else terms
    return tuple(_joined(parts, terms) for parts in groups.values())


def _joined(blocks: Sequence[Block], terms: TermLists) -> Block:
    first = blocks[0]
    if len(blocks) == 1:
        return first
    op = None
    if any(block.op is not None for block in blocks):
        op = np.concatenate([np.ones(len(b), np.int8) if b.op is None else b.op for b in blocks])
    onset = None
    if any(block.onset is not None for block in blocks):
        onset = np.concatenate([block.start if block.onset is None else block.onset for block in blocks])
    start = np.concatenate([block.start for block in blocks])
    is_told_at_once = all(block.arrival is block.start for block in blocks)
    return Block(
        first.name,
        first.kind,
        tuple(join_columns(columns, terms) for columns in zip(*(block.args for block in blocks), strict=True)),
        None if first.value is None else join_columns([block.value for block in blocks], terms),
        start,
        None if first.end is None else np.concatenate([b.end for b in blocks if b.end is not None]),
        start if is_told_at_once else np.concatenate([block.arrival for block in blocks]),
        op,
        onset,
    )


def join_columns(columns: Sequence[pa.Array], terms: TermLists) -> pa.Array:
    """Join argument columns. Where types differ (7 in one part, 7.5 or v7 in another) it becomes text."""
    if len({column.type for column in columns}) > 1:
        columns = [as_text(column) for column in columns]
    if pa.types.is_dictionary(columns[0].type):
        return terms.join(columns)
    return pa.concat_arrays(columns)


Codes = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class TermLists:
    """Lists of terms put together, known by where they lie: most columns of the parts of an input share a few."""

    joined_lists: dict[tuple[Address, ...], JoinedList] = field(default_factory=dict)

    def join(self, columns: Sequence[pa.DictionaryArray]) -> pa.DictionaryArray:
        """Join columns, with the very list of the first column if the others use no more.

        Whoever has looked its terms up need not do so again. A few rows that join the many of a window bring
        nothing new most of the time.
        """
        assert not any(column.null_count for column in columns), "a block has no nulls"
        lists = [column.dictionary for column in columns]
        key = tuple(map(address, lists))
        if key not in self.joined_lists:
            self.joined_lists[key] = _join_lists(lists)
        joined = self.joined_lists[key]
        codes = [column.indices.to_numpy(zero_copy_only=False) for column in columns]
        indices = np.concatenate([to[own] if len(to) else own for own, to in zip(codes, joined.places, strict=True)])
        is_first_enough = joined.begins_with_first and int(indices.max(initial=-1)) < len(lists[0])
        terms = lists[0] if is_first_enough else joined.terms
        return pa.DictionaryArray.from_arrays(pa.array(indices), terms, safe=False)


class JoinedList(NamedTuple):
    """Each term once, and for each list the places of its terms there (none: where they were)."""

    terms: pa.Array
    places: list[Codes]
    begins_with_first: bool


def _join_lists(lists: Sequence[pa.Array]) -> JoinedList:
    distinct = {address(terms): terms for terms in lists}
    if len(distinct) == 1:
        return JoinedList(lists[0], [np.empty(0, np.int32)] * len(lists), True)
    encoded = pa.concat_arrays(list(distinct.values())).dictionary_encode()
    codes = encoded.indices.to_numpy(zero_copy_only=False)
    parts = np.split(codes, np.cumsum([len(terms) for terms in distinct.values()])[:-1])
    places = dict(zip(distinct, parts, strict=True))
    has_each_once = np.array_equal(parts[0], np.arange(len(parts[0])))
    return JoinedList(encoded.dictionary, [places[address(terms)] for terms in lists], has_each_once)
