"""From blocks of columns to relations on the axis."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from holdsfor.engine.data.axis import Ints
from holdsfor.engine.data.column import Column, Mask, Selection
from holdsfor.engine.data.dictionary import Dictionary
from holdsfor.engine.data.points import Points
from holdsfor.engine.data.world import World
from holdsfor.io.columns.taking import lend_numbers
from holdsfor.io.events import OPEN, Block
from holdsfor.kernels.intervals.algebra import normalise, union2
from holdsfor.kernels.intervals.inertia import join_points
from holdsfor.kernels.rows.moving import compress, unique_sorted
from holdsfor.kernels.rows.sorting import sort_packed, sort_rows
from holdsfor.language.description import Signature
from holdsfor.plan.definitions import InputSource
from holdsfor.plan.operators import Relation


def encoded(block: Block, identities: Iterable[int], dictionary: Dictionary) -> list[Column]:
    """The columns of a block; those wanted as terms get their codes now, so that the dictionary is complete."""
    columns = [_column(array, dictionary) for array in block.args]
    for position in identities:
        columns[position].codes()
    if block.value is not None:
        columns.append(_column(block.value, dictionary))
        columns[-1].codes()
    return columns


def _column(array: pa.Array, dictionary: Dictionary) -> Column:
    if pa.types.is_dictionary(array.type):
        return Column(dictionary, dictionary.encode_array(array))
    return Column.later(dictionary, lambda: lend_numbers(array), may_lack=pa.types.is_floating(array.type))


def source_of(block: Block, sources: Iterable[InputSource]) -> InputSource | None:
    signature = Signature(block.name, len(block.args))
    for source in sources:
        if source.input.signature == signature and (source.input.kind == "event") == (block.kind == "event"):
            return source
    return None


def events_counted(sources: Iterable[InputSource]) -> frozenset[Relation]:
    """Return the events of the input of which equal rows are counted: those that no rule defines."""
    return frozenset(s.relations[0] for s in sources if s.input.kind == "event" and not s.input.is_defined)


def count_equal(world: World, events: Iterable[Relation]) -> int:
    """Count rows of input events that are equal to another one. To be asked before evaluation."""
    return sum(world.points_of(relation).count_equal() for relation in events if relation in world.relations)


def add_block(block: Block, columns: list[Column], source: InputSource, world: World) -> None:
    if block.kind == "event":
        world.relations[source.relations[0]] = sort_events(block, columns, source, world)
    else:
        _add_fluent(block, columns, source, world)


def sort_events(block: Block, columns: list[Column], source: InputSource, world: World) -> Points:
    """Sort rows of an event by the arguments that most rules ask for them by, and time."""
    axis, key = world.axis, source.key or tuple(sorted(source.identities)[:1])
    packed = axis.pack([columns[p].codes() for p in key], block.start)
    begun = None if block.onset is None else block.onset - axis.origin
    ordered, order = sort_rows(packed, axis.time_bits)
    if order is not None:
        begun = None if begun is None else begun[order]
        chosen = Selection(index=order)
        columns = [column.select(chosen) for column in columns]
    payload = dict(enumerate(columns))
    return Points(axis, world.dictionary, source.relations[0].arity, key, ordered, payload, begun)


def _add_fluent(block: Block, columns: list[Column], source: InputSource, world: World) -> None:
    """Durative input, one relation per value that rules mention, or with the value as its last column."""
    bounds: dict[bool, _Bounds] = {}
    for relation in source.relations:
        valued = relation.value is None
        if valued not in bounds:
            bounds[valued] = _sort_bounds(block, columns if valued else columns[:-1], world)
        mine = bounds[valued]
        if relation.value is not None:
            mine = mine.where(columns[-1].codes()[mine.order] == world.dictionary.code_of(relation.value))
        s, e = _maximal(mine, world)
        if relation in world.relations:  # some rows may be points and others intervals
            before = world.intervals_of(relation)
            s, e = union2(before.s, before.e, s, e)
        world.put_intervals(relation, s, e)


@dataclass(frozen=True, slots=True)
class _Bounds:
    """Durative rows on the axis, sorted by start; end: None where they are points. order: the rows they come from."""

    start: Ints
    end: Ints | None
    order: Ints

    def where(self, mask: Mask) -> _Bounds:
        end = None if self.end is None else compress(self.end, mask)
        return _Bounds(compress(self.start, mask), end, compress(self.order, mask))


def _sort_bounds(block: Block, columns: list[Column], world: World) -> _Bounds:
    axis = world.axis
    start, order = sort_packed(axis.pack([column.codes() for column in columns], block.start), axis.time_bits)
    if block.kind == "point":
        return _Bounds(start, None, order)
    assert block.end is not None
    edge = np.minimum(block.end, axis.origin + axis.mask) - axis.origin
    return _Bounds(start, (start & ~axis.mask) | edge[order], order)


def _maximal(bounds: _Bounds, world: World) -> tuple[Ints, Ints]:
    axis = world.axis
    if bounds.end is not None:
        return normalise(bounds.start, bounds.end)
    s, e = join_points(unique_sorted(bounds.start), axis.mask, axis.tick, axis.origin)
    unknown = (e & axis.mask) > world.now_on_axis  # whether the next point follows is not known yet
    return s, np.where(unknown, e | axis.mask, e)


def first_begin(blocks: Iterable[Block], low: int) -> int:
    """The earliest of `low` and the times at which events began that take time."""
    return min([low, *(int(block.onset.min()) for block in blocks if block.onset is not None and len(block))])


def span(blocks: Sequence[Block], low: int, high: int) -> tuple[int, int]:
    """The earliest and latest time that blocks and the history have."""
    for block in blocks:
        if not len(block):
            continue
        first, last, _, _ = block.span()
        low, high = min(low, first), max(high, last)
        if block.end is not None:
            closed = block.end[block.end != OPEN]
            high = max(high, int(closed.max())) if len(closed) else high
    return first_begin(blocks, low), high
