"""Rows of the input that are kept between query times: in parts, as they came, which are joined now and then."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from holdsfor.engine.input.arrived import last_times, remembered
from holdsfor.engine.input.window import NEVER
from holdsfor.engine.stepping.frontier import Frontier
from holdsfor.engine.tuning import DEFAULT, Tuning
from holdsfor.io.events import Block
from holdsfor.io.join import TermLists, join_blocks

Kind = tuple[str, str, int]
Parts = tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class KeptPart:
    """Rows that came together. mostly_over: when about three in four of them are over; of few events, all."""

    block: Block
    mostly_over: int

    def shorten(self, horizon: int, tuning: Tuning) -> KeptPart:
        """Without rows that nothing looks at any more."""
        mask = remembered(self.block, horizon)
        return make_part(self.block.filter(mask) if mask.any() else self.block.slice(0, 0), tuning)


def make_part(block: Block, tuning: Tuning) -> KeptPart:
    if block.end is None and 0 < len(block) <= tuning.few_events_kept:
        return KeptPart(block, block.span()[1])
    ends = np.sort(last_times(block)[:: 1 + len(block) // tuning.part_sample])
    return KeptPart(block, int(ends[3 * len(ends) // 4]) if len(ends) else 0)


@dataclass(frozen=True, slots=True)
class KeptRows:
    """Rows of one kind, in parts as they came. count: how many there are. mostly_over: when the first part is."""

    parts: tuple[KeptPart, ...]
    count: int
    mostly_over: int

    def add(self, block: Block, frontier: Frontier, terms: TermLists, tuning: Tuning) -> KeptRows:
        """With more. Parts are joined only where they are many, so that each row is copied a few times in all."""
        horizon = frontier.horizon_of_input(block)
        kept = self if self.mostly_over > horizon else self._shorten(horizon, tuning)
        added = make_part(block, tuning)
        parts = (*kept.parts, added)
        if len(parts) > tuning.most_parts:
            newer = tuning.most_parts // 2 + 1
            (joined,) = join_blocks((part.block for part in parts[-newer:]), terms)
            parts = (*parts[:-newer], make_part(joined, tuning))
        return KeptRows(parts, kept.count + len(block), min(kept.mostly_over, added.mostly_over))

    def _shorten(self, horizon: int, tuning: Tuning) -> KeptRows:
        """Without most of what nothing looks at any more."""
        shorter = (part if part.mostly_over > horizon else part.shorten(horizon, tuning) for part in self.parts)
        return keep_parts(tuple(part for part in shorter if len(part.block)))


def keep_parts(parts: tuple[KeptPart, ...]) -> KeptRows:
    first = min((part.mostly_over for part in parts), default=NEVER)
    return KeptRows(parts, sum(len(part.block) for part in parts), first)


@dataclass(frozen=True, slots=True)
class KeptInput:
    """rows: by name, kind and number of arguments. count: how many there are."""

    rows: Mapping[Kind, KeptRows] = field(default_factory=dict)
    count: int = 0
    tuning: Tuning = DEFAULT

    @property
    def blocks(self) -> Parts:
        return tuple(part.block for rows in self.rows.values() for part in rows.parts)

    def of_points(self) -> Parts:
        """The rows that are given point by point."""
        return tuple(part for part in self.blocks if part.kind == "point") if self._has_points() else ()

    def _has_points(self) -> bool:
        return any(kind == "point" for _, kind, _ in self.rows)

    def add(self, fresh: Iterable[Block], frontier: Frontier) -> KeptInput:
        rows, count, terms = dict(self.rows), self.count, TermLists()  # rows that came together share their terms
        for block in fresh:
            kind = _kind_of(block)
            before = rows.get(kind)
            if before is None:
                rows[kind] = keep_parts((make_part(block, self.tuning),))
            else:
                rows[kind] = before.add(block, frontier, terms, self.tuning)
            count += rows[kind].count - (0 if before is None else before.count)
        return KeptInput(rows, count, self.tuning)


def keep_input(blocks: Iterable[Block], tuning: Tuning) -> KeptInput:
    """Keep blocks of different kinds."""
    rows = {_kind_of(block): keep_parts((make_part(block, tuning),)) for block in blocks if len(block)}
    return KeptInput(rows, sum(each.count for each in rows.values()), tuning)


def _kind_of(block: Block) -> Kind:
    return block.name, block.kind, len(block.args)


def without_forgotten(inputs: Iterable[Block], frontier: Frontier, tuning: Tuning) -> Parts:
    kept = (_without_forgotten(block, frontier, tuning) for block in inputs)
    return tuple(block for block in kept if len(block))


def _without_forgotten(block: Block, frontier: Frontier, tuning: Tuning) -> Block:
    """Without rows that nothing looks at any more, where these are many: they do no harm, and copying takes long."""
    mask = remembered(block, frontier.horizon_of_input(block))
    dropped = len(block) - int(np.count_nonzero(mask))
    return block.filter(mask) if dropped * tuning.dropped_share >= len(block) else block


def rows_after(blocks: Iterable[Block], time: int) -> Parts:
    """The rows that begin later."""
    return tuple(block.filter(block.start > time) for block in blocks if len(block) and block.span()[1] > time)
