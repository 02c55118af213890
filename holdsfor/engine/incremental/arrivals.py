"""Changes that new rows make to the input relations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from holdsfor.engine.data.axis import EMPTY
from holdsfor.engine.data.relation import Data
from holdsfor.engine.data.world import World
from holdsfor.engine.incremental.stored import Difference, Gathered, Stored, keep
from holdsfor.engine.input.inputs import add_block, encoded, sort_events, source_of
from holdsfor.engine.input.window import Windows, standing
from holdsfor.engine.stepping.frontier import Frontier
from holdsfor.engine.stepping.upstream_changes import has_several_speakers, last_words
from holdsfor.io.events import Block
from holdsfor.io.join import join_blocks
from holdsfor.kernels.rows.joining import places_of_same_keys
from holdsfor.plan.definitions import InputSource
from holdsfor.plan.operators import Relation

Stores = dict[Relation, Stored]
InputKind = tuple[str, int, bool]
"""A name, how many arguments it has, and whether it is an event."""


def add_arrivals(
    fresh: Iterable[Block],
    known: Callable[[], Sequence[Block]],
    pointwise: Iterable[Block],
    sources: Sequence[InputSource],
    windows: Windows,
    world: World,
    stores: Stores,
    frontier: Frontier,
) -> dict[Relation, Difference]:
    """Puts rows that are there for the first time into the input relations, and gives what that changes.

    known: all rows of the input that stand and may still be looked at, the fresh ones too. pointwise: rows that are
    given point by point, the last of which say something else as time passes. world: an empty one. frontier: of the
    last query time; what nothing looks at since then is forgotten.
    """
    places = _places_of(sources)
    by_points = _by_source(pointwise, places)
    alone = world.with_only({})
    coming = by_points | _by_source(fresh, places)
    differences: dict[Relation, Difference] = {}
    for place, blocks in coming.items():
        source = sources[place]
        if _are_plain_events(blocks):
            changed = _add_plain_events(blocks[0], source, alone, stores, frontier)
        elif place in by_points or not all(map(_can_be_added, blocks)):
            changed = _look_again(known(), source, alone, stores)
        else:
            edge = frontier.horizon_of_input(blocks[0]) - world.axis.origin
            add = _add_events if source.input.kind == "event" else _add_intervals
            changed = add(blocks, source, windows, alone, stores, edge)
        differences.update(changed)
    return differences


def _places_of(sources: Sequence[InputSource]) -> dict[InputKind, int]:
    """Return the first place of each kind of input."""
    places: dict[InputKind, int] = {}
    for place, source in enumerate(sources):
        name, arity = source.input.signature
        places.setdefault((name, arity, source.input.kind == "event"), place)
    return places


def _by_source(blocks: Iterable[Block], places: Mapping[InputKind, int]) -> dict[int, list[Block]]:
    """By the place of the source. places: of the input."""
    grouped: dict[int, list[Block]] = {}
    for block in join_blocks(blocks):
        place = places.get((block.name, len(block.args), block.kind == "event"))
        if place is not None and len(block):
            grouped.setdefault(place, []).append(block)
    return grouped


def _are_plain_events(blocks: Sequence[Block]) -> bool:
    """Whether all of them come, and none are taken back. Events of one name are in one block."""
    return blocks[0].kind == "event" and _only_inserts(blocks[0])


def _can_be_added(block: Block) -> bool:
    """Whether rows can be put to those that are there, whatever these are."""
    return block.kind == "event" or (block.kind == "interval" and _only_inserts(block))


def _only_inserts(block: Block) -> bool:
    return block.op is None or bool((block.op > 0).all())


def _relations_of(blocks: Iterable[Block], source: InputSource, alone: World) -> dict[Relation, Data]:
    """The rows of blocks by themselves, on the axis. alone: a world in which nothing else is."""
    alone.relations = {}
    for block in blocks:
        if len(block):
            add_block(block, encoded(block, source.identities, alone.dictionary), source, alone)
    return alone.relations


# ---------------------------------------------------------------- what earlier stages have told


def add_words(
    words: Iterable[Block],
    everything: Callable[[], Iterable[Block]],
    sources: Sequence[InputSource],
    world: World,
    stores: Stores,
    frontier: Frontier,
) -> dict[Relation, Difference]:
    """Rows that are there, or no more, by the last word on each. frontier: see `add_arrivals`.

    everything: all rows that are there, by which it is known whether somebody else still tells of one.
    """
    differences: dict[Relation, Difference] = {}
    alone = world.with_only({})
    for place, blocks in _by_source(words, _places_of(sources)).items():
        source = sources[place]
        if any(map(has_several_speakers, blocks)):
            differences |= _look_again(everything(), source, alone, stores)
            continue
        come, gone = (_relations_of([last_words(b, op) for b in blocks], source, alone) for op in (1, -1))
        for relation in {**come, **gone}:
            nothing = world.nothing_of(relation)
            stored = stores[relation] if relation in stores else keep(nothing)
            removed = _equal_rows(stored, gone.get(relation, nothing))
            added = come.get(relation, nothing)
            added = added.take(_equal_rows(stored, added).data.differing(added)[1])
            edge = frontier.horizon(relation) - world.axis.origin
            stores[relation] = stored.change(removed.origin, added, edge)
            differences[relation] = Difference(removed.data, added)
    return differences


# ---------------------------------------------------------------- events


def _add_plain_events(
    block: Block, source: InputSource, world: World, stores: Stores, frontier: Frontier
) -> dict[Relation, Difference]:
    """Add events without a look at the rows that are stored."""
    added = sort_events(block, encoded(block, source.identities, world.dictionary), source, world)
    relation, edge = source.relations[0], frontier.horizon_of_input(block) - world.axis.origin
    nothing = added.none()
    stores[relation] = (stores.get(relation) or keep(nothing)).change(EMPTY, added, edge)
    return {relation: Difference(nothing, added)}


def _add_events(
    blocks: Sequence[Block], source: InputSource, windows: Windows, world: World, stores: Stores, edge: int
) -> dict[Relation, Difference]:
    """The last word on each row counts: what has come before is taken back by it, whatever it says."""
    relation = source.relations[0]
    added = _points(_words(blocks, windows, 1), source, world)
    stored = stores[relation] if relation in stores else keep(world.nothing_of(relation))
    removed = _equal_rows(stored, _points(_words(blocks, windows, -1), source, world))
    stores[relation] = stored.change(removed.origin, added, edge)
    return {relation: Difference(removed.data, added)}


def _words(blocks: Iterable[Block], windows: Windows, op: int) -> list[Block]:
    """The rows whose last word, of these, is that they are there (1), or that they are not (-1)."""
    if op > 0:
        return [standing(block, windows) for block in blocks]
    return [standing(replace(block, op=-block.op), windows) for block in blocks if block.op is not None]


def _points(blocks: Iterable[Block], source: InputSource, world: World) -> Data:
    relation = source.relations[0]
    return _relations_of(blocks, source, world).get(relation) or world.nothing_of(relation)


def _equal_rows(stored: Stored, wanted: Data) -> Gathered:
    """Return the rows that are stored and equal to one of these."""
    return stored.gather(lambda data: data.find_equal(wanted)) if len(wanted) else Gathered(wanted.none(), EMPTY)


def count_merged(stores: Stores, differences: Mapping[Relation, Difference], events: Iterable[Relation]) -> int:
    """Count new rows that are equal to one that was there, or came with it. stores: as they were before."""
    count = 0
    for relation in events:
        added = differences[relation].added if relation in differences else None
        if added is not None and len(added):
            count += added.count_equal()
            stored = stores.get(relation)
            if stored is not None and any(_may_share_rows(part, added) for part in stored.parts()):
                both = _equal_rows(stored, added).data
                count += len(both) - both.count_equal()
    return count


def _may_share_rows(part: Data, added: Data) -> bool:
    """Whether some rows of both have the same key and time: almost never, and quick to tell."""
    if not len(part) or part.key != added.key:
        return len(part) > 0
    place = np.minimum(np.searchsorted(part.begins(), added.begins()), len(part) - 1)
    return bool((part.begins()[place] == added.begins()).any())


# ---------------------------------------------------------------- durative input


def _add_intervals(
    blocks: Sequence[Block], source: InputSource, windows: Windows, world: World, stores: Stores, edge: int
) -> dict[Relation, Difference]:
    """Unite new intervals with the stored ones of the same groundings."""
    fresh = _relations_of((standing(block, windows) for block in blocks), source, world)
    differences = {}
    for relation, added in fresh.items():
        stored = stores.get(relation) or keep(world.nothing_of(relation))
        same_keys = partial(places_of_same_keys, others=added.begins(), bits=world.axis.time_bits)
        before = stored.gather(lambda data, same_keys=same_keys: same_keys(data.begins()))  # type: ignore[misc]
        differences[relation] = replace_rows(relation, stores, before, before.data.unite(added), edge)
    return differences


def _look_again(
    known: Iterable[Block], source: InputSource, world: World, stores: Stores
) -> dict[Relation, Difference]:
    """All rows of an input anew: what is given point by point, or taken back in part, says nothing row by row."""
    now = _relations_of((block for block in known if source_of(block, [source]) is not None), source, world)
    differences = {}
    for relation in source.relations:
        stored = stores.get(relation) or keep(world.nothing_of(relation))
        whole = stored.whole()
        before = Gathered(whole, np.arange(len(whole)))
        stores[relation] = keep(whole)
        differences[relation] = replace_rows(relation, stores, before, now.get(relation, whole.none()).distinct())
    return differences


def replace_rows(
    relation: Relation, stores: Stores, before: Gathered, now: Data, edge: int | None = None
) -> Difference:
    """Puts rows in the place of those that were gathered. edge: see `Stored.change`."""
    gone, come = before.data.differing(now)
    if not gone.size and not come.size:
        return Difference(before.data.none(), before.data.none())
    added = now.take(come)
    stored = stores[relation] if relation in stores else keep(before.data.none())
    stores[relation] = stored.change(before.origin[gone], added, edge)
    return Difference(before.data.take(gone), added)
