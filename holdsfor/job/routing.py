"""Routing: which rows go to which bucket of which stage."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal as OneOf
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.io.columns.text import as_text
from holdsfor.io.events import Block
from holdsfor.job.exchange import Buckets, Ints, hashes, shared_out
from holdsfor.kernels.rows.joining import expand
from holdsfor.language.description import Input, Signature
from holdsfor.plan.definitions import InputSource
from holdsfor.plan.distribution.stages import one_stage
from holdsfor.plan.operators import Relation
from holdsfor.plan.whole_plan import Plan, Route, Slices, Stage, Way

Mask = npt.NDArray[np.bool_]
Use = OneOf["input", "given", "forward", "evidence"]
Kind = tuple[Signature, bool]  # a name with its arguments, and whether it is an event


@dataclass(frozen=True, slots=True)
class Parcel:
    """A block on its way to a bucket of a stage.

    use: 'input' of its rules, 'given' by an earlier stage, to be sent on ('forward'), or as 'evidence' of tuples.
    """

    stage: int
    bucket: int
    use: Use
    block: Block


class Leg(NamedTuple):
    """A route of some relation; see `Route`."""

    way: Way
    positions: tuple[int, ...]
    slices: Slices | None = None


Legs = Mapping[Kind | Relation, tuple[Leg, ...]]


@dataclass(frozen=True, slots=True)
class Router:
    """Routes of a plan's relations: for each stage the legs of each relation, and of each kind of block."""

    sharing: Buckets
    stages: tuple[Stage, ...] = field(repr=False)
    by_stage: tuple[Legs, ...] = field(repr=False)

    @property
    def buckets(self) -> int:
        return self.sharing.count

    def legs(self, stage: int, what: Kind | Relation) -> tuple[Leg, ...]:
        return self.by_stage[stage].get(what, ()) if stage < len(self.by_stage) else ()

    def counting_place(self, what: Kind) -> tuple[int, int | None] | None:
        """The first stage to which each row of an input comes once, and in which bucket all rows are (None: each is in
        one of them). None if there is no such stage."""
        for stage, by_kind in enumerate(self.by_stage):
            ways = [leg.way for leg in by_kind.get(what, ())]
            if ways in (["share"], ["everywhere"]):
                return stage, None if ways == ["share"] else 0
        return None

    def follow(self, stage: int, what: Kind | Relation) -> Iterator[int]:
        """The positions by which rows are sent on to the next stage."""
        return (leg.positions[0] for leg in self.legs(stage + 1, what) if leg.way == "follow")

    def is_crossed(self, stage: int) -> bool:
        """Whether rows about the keys of other buckets come to a bucket: everywhere, or in several ways."""
        for kind, legs in self.by_stage[stage].items():
            if not isinstance(kind, Relation):
                sent_on = {("share", (position,)) for position in self.follow(stage, kind)}
                ways = sent_on | {(leg.way, leg.positions) for leg in legs if leg.way != "link"}
                if len(ways) > 1 or ("everywhere", ()) in ways:
                    return True
        return False


def router(plan: Plan, buckets: int, hubs: tuple[int, ...] = ()) -> Router:
    """buckets: those of hubs not counted. hubs: see `Buckets`.

    Where there is one bucket, one stage does, because all rows are there anyway.
    """
    sharing = Buckets(buckets + len(hubs), hubs)
    stages = (one_stage(plan.definitions),) if sharing.count == 1 and plan.stages else plan.stages
    return Router(sharing, stages, tuple(map(_legs, stages)))


def _legs(stage: Stage) -> Legs:
    legs: dict[Kind | Relation, dict[Leg, None]] = {}
    for route in stage.routes:
        leg = Leg(route.way, route.positions, route.slices)
        for what in (route.relation, kind_of(route.relation)):
            legs.setdefault(what, {})[leg] = None
    return {what: tuple(each) for what, each in legs.items()}


def kind_of(relation: Relation) -> Kind:
    return relation.signature, relation.kind == "event"


def kind_of_block(block: Block) -> Kind:
    return Signature(block.name, len(block.args)), block.kind == "event"


def parcels(block: Block, plan_router: Router, after: int = -1, relation: Relation | None = None) -> Iterator[Parcel]:
    """The block to the stages that read it. after: the stage that has defined it, as the relation (-1: input)."""
    what = relation or kind_of_block(block)
    use: Use = "input" if after < 0 else "given"
    for stage in range(after + 1, len(plan_router.stages)):
        for leg in plan_router.legs(stage, what):
            match leg.way:
                case "share":
                    yield from _to_buckets(block, leg.positions, stage, use, plan_router)
                case "link":
                    yield from evidence_of(block, leg.positions, stage - 1, plan_router)
                case "everywhere":
                    yield from (Parcel(stage, number, use, block) for number in range(plan_router.buckets))
                case "slice":
                    assert leg.slices is not None
                    yield from _to_slices(block, leg.slices, stage, use, plan_router)
                case "follow" if after < stage - 1 and not _is_shared(leg.positions, stage - 1, what, plan_router):
                    sent_on: Use = "forward" if after < 0 else "given"
                    yield from _to_buckets(block, leg.positions, stage - 1, sent_on, plan_router)


def _is_shared(positions: tuple[int, ...], stage: int, what: Kind | Relation, plan_router: Router) -> bool:
    return any(leg.way == "share" and leg.positions == positions for leg in plan_router.legs(stage, what))


def _to_buckets(
    block: Block, positions: tuple[int, ...], stage: int, use: Use, plan_router: Router
) -> Iterator[Parcel]:
    for number, rows in shared_out(block, plan_router.sharing.of_rows(block, positions), plan_router.buckets):
        yield Parcel(stage, number, use, rows)


def _to_slices(block: Block, slices: Slices, stage: int, use: Use, plan_router: Router) -> Iterator[Parcel]:
    """Each row to its own slice and to the later ones that look back to it."""
    first, last = block.start // slices.length, (block.start + slices.back) // slices.length
    rows, later = expand(np.zeros(len(block), np.int64), last - first + 1)
    number = plan_router.buckets
    both = np.unique(rows * number + (first[rows] + later) % number)
    yield from (
        Parcel(stage, at, use, part) for at, part in shared_out(block.take(both // number), both % number, number)
    )


def happens_in(times: Ints, slices: Slices, bucket_number: int, buckets: int) -> Mask:
    """Say which of these times are in a slice of this bucket."""
    return np.equal(times // slices.length % buckets, bucket_number)


def evidence_of(block: Block, positions: tuple[int, ...], stage: int, plan_router: Router) -> Iterator[Parcel]:
    """To the bucket of each argument: the buckets of the tuples that it is in (as `start` of the rows)."""
    tuples = plan_router.sharing.of_rows(block, positions)
    for position in positions:
        column = as_text(block.column(position))
        code = column.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        both = np.unique(code * plan_router.buckets + tuples)
        index = pa.array((both // plan_router.buckets).astype(np.int32))
        entity = pa.DictionaryArray.from_arrays(index, column.dictionary)
        to = both % plan_router.buckets
        links = Block("", "event", (entity,), None, to, None, to)
        yield from _to_buckets(links, (0,), stage, "evidence", plan_router)


class Evidence:
    """For the arguments that are at home in one bucket: the buckets of the tuples that they are in."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        texts = [as_text(block.args[0]).cast(pa.string()) for block in blocks]
        text = pa.concat_arrays(texts) if texts else pa.array([], pa.string())
        encoded = text.dictionary_encode()
        code = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        to = np.concatenate([block.start for block in blocks]) if blocks else np.empty(0, np.int64)
        both = np.unique((code << 32) | to)
        self.entities = encoded.dictionary
        self.to = both & 0xFFFFFFFF
        self.first = np.searchsorted(both >> 32, np.arange(len(self.entities) + 1))

    def block(self) -> tuple[Block, ...]:
        """Return the links as a block."""
        index = np.repeat(np.arange(len(self.entities), dtype=np.int32), np.diff(self.first))
        entity = pa.DictionaryArray.from_arrays(pa.array(index), self.entities)
        return (Block("", "event", (entity,), None, self.to, None, self.to),)

    def without(self, other: Evidence) -> Evidence:
        """Return the links that the other has not."""
        place = pc.index_in(self.entities, other.entities).fill_null(-1).to_numpy(zero_copy_only=False)
        entity = np.repeat(np.arange(len(self.entities)), np.diff(self.first))
        theirs = np.repeat(np.arange(len(other.entities)), np.diff(other.first))
        links = (place.astype(np.int64)[entity] << 32) | self.to
        is_new = ~np.isin(links, (theirs << 32) | other.to)
        terms = pa.DictionaryArray.from_arrays(pa.array(entity[is_new].astype(np.int32)), self.entities)
        return Evidence([Block("", "event", (terms,), None, self.to[is_new], None, self.to[is_new])])

    def send(self, block: Block, position: int, stage: int, buckets: int, use: Use = "given") -> Iterator[Parcel]:
        """Each row to every bucket that has a tuple with the argument at the position."""
        column = as_text(block.column(position))
        place = pc.index_in(column.dictionary, self.entities).fill_null(-1).to_numpy(zero_copy_only=False)
        entities = place[column.indices.to_numpy(zero_copy_only=False)].astype(np.int64)
        rows = np.flatnonzero(entities >= 0)
        i, j = expand(self.first[entities[rows]].copy(), self.first[entities[rows] + 1].copy())
        for number, part in shared_out(block.take(rows[i]), self.to[j], buckets):
            yield Parcel(stage, number, use, part)


def send_on(
    passing: Iterable[Block],
    defined: Mapping[Relation, Block],
    evidence: Evidence,
    plan_router: Router,
    stage: Stage,
    number: int,
) -> Iterator[Parcel]:
    """Send rows along links to the next stage: those that came for that, and what was defined here."""
    yield from pass_on(passing, evidence, plan_router, number, "given")
    for relation, block in defined.items():
        yield from follow_links(block, evidence, plan_router, stage, number, relation)


def pass_on(
    passing: Iterable[Block], evidence: Evidence, plan_router: Router, number: int, use: Use
) -> Iterator[Parcel]:
    """Send rows that came to a stage to follow links on to the next."""
    for block in passing:
        for position in plan_router.follow(number, kind_of_block(block)):
            yield from evidence.send(block, position, number + 1, plan_router.buckets, use)


def follow_links(
    block: Block, evidence: Evidence, plan_router: Router, stage: Stage, number: int, relation: Relation
) -> Iterator[Parcel]:
    """Send rows that a stage has defined along links, by the argument that chooses the bucket."""
    homes = {home.relation: home.positions for home in stage.homes}
    for position in plan_router.follow(number, relation):
        if homes[relation] == (position,):
            yield from evidence.send(block, position, number + 1, plan_router.buckets)


def sources_from(routes: Iterable[Route], defined: Iterable[Relation]) -> tuple[InputSource, ...]:
    """Return the relations that a stage reads of earlier stages, as sources."""
    earlier = set(defined)
    grouped: dict[Kind, list[Relation]] = {}
    for relation in dict.fromkeys(route.relation for route in routes if route.way != "link"):
        if relation in earlier:
            grouped.setdefault(kind_of(relation), []).append(relation)
    return tuple(
        InputSource(
            Input(signature, "event" if is_event else "interval", True, frozenset()),
            tuple(relations),
            frozenset(range(signature.arity)),
        )
        for (signature, is_event), relations in grouped.items()
    )


def at_home(texts: pa.Array, columns: list[Ints], number: int, sharing: Buckets) -> Mask:
    """Say which rows belong to this bucket, by the codes of the arguments that choose it."""
    of_text = hashes(texts.dictionary_encode())
    return np.equal(sharing.of_keys([of_text[codes] for codes in columns]), number)
