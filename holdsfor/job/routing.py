"""Routing: which rows go to which bucket of which stage."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal as OneOf

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.io.events import Block
from holdsfor.io.text import as_text
from holdsfor.job.exchange import Ints, bucket, buckets_of, column_at, hashes, shared_out, take
from holdsfor.kernels import expand
from holdsfor.language.description import Input, Signature
from holdsfor.plan.operators import Plan, Relation, Route, Source

Mask = npt.NDArray[np.bool_]
Use = OneOf["input", "given", "forward", "evidence"]
Kind = tuple[Signature, bool]  # a name with its arguments, and whether it is an event


@dataclass(frozen=True, slots=True)
class Parcel:
    """A block on its way to a bucket of a stage.

    use: 'input' of its rules, 'given' by an earlier stage, to be sent on ('forward'), or as 'evidence' of pairs.
    speaks_for: in a stream, the first and the last query time for which an earlier stage gives it.
    """

    stage: int
    bucket: int
    use: Use
    block: Block
    speaks_for: tuple[int, int] | None = None

    @property
    def label(self) -> str:
        if self.use != "given" or self.speaks_for is None:
            return self.use
        first, until = self.speaks_for
        return f"given {first} {until}"


@dataclass(frozen=True, slots=True)
class Router:
    """Where the relations of a plan have to go, by stage."""

    buckets: int
    stages: tuple[str, ...]
    routes: tuple[dict[Kind, tuple[tuple[int, ...], ...]], ...] = field(repr=False)

    @property
    def pair(self) -> int | None:
        return self.stages.index("pair") if "pair" in self.stages else None


def router(plan: Plan, buckets: int) -> Router:
    routes = []
    for stage in plan.stages:
        found: dict[Kind, dict[tuple[int, ...], None]] = {}
        for route in stage.routes:
            found.setdefault(kind_of(route.relation), {})[route.positions] = None
        routes.append({kind: tuple(positions) for kind, positions in found.items()})
    return Router(buckets, tuple(stage.by for stage in plan.stages), tuple(routes))


def kind_of(relation: Relation) -> Kind:
    return relation.signature, relation.kind == "event"


def kind_of_block(block: Block) -> Kind:
    return Signature(block.name, len(block.args)), block.kind == "event"


def parcels(block: Block, plan_router: Router, after: int = -1) -> Iterator[Parcel]:
    """The block, which stage `after` has defined (-1: input), to the stages that read it."""
    kind = kind_of_block(block)
    for stage in range(after + 1, len(plan_router.stages)):
        for positions in plan_router.routes[stage].get(kind, ()):
            if plan_router.stages[stage] == "pair" and len(positions) == 1:
                if after < 0 and positions not in plan_router.routes[0].get(kind, ()):
                    yield from _to_buckets(block, positions, 0, "forward", plan_router)
                continue  # an entity's rows are sent on from its own bucket, where the evidence is
            yield from _to_buckets(block, positions, stage, "input" if after < 0 else "given", plan_router)
            if len(positions) == 2 and plan_router.stages[0] == "entity":
                yield from _evidence(block, positions, plan_router)


def _to_buckets(
    block: Block, positions: tuple[int, ...], stage: int, use: Use, plan_router: Router
) -> Iterator[Parcel]:
    for number, rows in shared_out(block, buckets_of(block, positions, plan_router.buckets), plan_router.buckets):
        yield Parcel(stage, number, use, rows)


def _evidence(block: Block, positions: tuple[int, ...], plan_router: Router) -> Iterator[Parcel]:
    """To the bucket of each entity: the buckets of the pairs that it is in (as `start` of the rows)."""
    pair = buckets_of(block, positions, plan_router.buckets)
    for position in positions:
        column = as_text(column_at(block, position))
        code = column.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        both = np.unique(code * plan_router.buckets + pair)
        index = pa.array((both // plan_router.buckets).astype(np.int32))
        entity = pa.DictionaryArray.from_arrays(index, column.dictionary)
        to = both % plan_router.buckets
        found = Block("", "event", (entity,), None, to, None, to)
        yield from _to_buckets(found, (0,), 0, "evidence", plan_router)


class Evidence:
    """For the entities of one bucket: the buckets of the pairs that they are in."""

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
        """The same, as a block."""
        index = np.repeat(np.arange(len(self.entities), dtype=np.int32), np.diff(self.first))
        entity = pa.DictionaryArray.from_arrays(pa.array(index), self.entities)
        return (Block("", "event", (entity,), None, self.to, None, self.to),)

    def forwarded(self, block: Block, position: int, stage: int, buckets: int) -> Iterator[Parcel]:
        """Each row to every bucket that has a pair with the entity at the position."""
        column = as_text(column_at(block, position))
        place = pc.index_in(column.dictionary, self.entities).fill_null(-1).to_numpy(zero_copy_only=False)
        known = place[column.indices.to_numpy(zero_copy_only=False)].astype(np.int64)
        rows = np.flatnonzero(known >= 0)
        i, j = expand(self.first[known[rows]].copy(), self.first[known[rows] + 1].copy())
        for number, part in shared_out(take(block, rows[i]), self.to[j], buckets):
            yield Parcel(stage, number, "given", part)


def forwarded(
    blocks: Iterable[Block], evidence: Evidence, plan_router: Router, homes: dict[Kind, tuple[int, ...]]
) -> Iterator[Parcel]:
    """What the pair stage reads of the entities of this bucket; homes: the arguments of what was defined here."""
    stage = plan_router.pair
    if stage is None:
        return
    for block in blocks:
        for positions in plan_router.routes[stage].get(kind_of_block(block), ()):
            if len(positions) == 1 and homes.get(kind_of_block(block), positions) == positions:
                yield from evidence.forwarded(block, positions[0], stage, plan_router.buckets)


def sources_from(routes: Iterable[Route], defined: Iterable[Relation]) -> tuple[Source, ...]:
    """What a stage reads of earlier stages, as sources."""
    earlier = set(defined)
    grouped: dict[Kind, list[Relation]] = {}
    for relation in dict.fromkeys(route.relation for route in routes):
        if relation in earlier:
            grouped.setdefault(kind_of(relation), []).append(relation)
    return tuple(
        Source(
            Input(signature, "event" if is_event else "interval", True, frozenset()),
            tuple(relations),
            frozenset(range(signature.arity)),
        )
        for (signature, is_event), relations in grouped.items()
    )


def at_home(texts: pa.Array, columns: list[Ints], number: int, buckets: int) -> Mask:
    """Which rows belong to this bucket, by the codes of the arguments that choose it."""
    of_text = hashes(texts.dictionary_encode())
    total = sum((of_text[codes] for codes in columns), start=np.zeros(len(columns[0]), np.int64))
    return np.equal(bucket(total, buckets), number)
