"""Rows of the input that are kept between query times: in parts, as they came, which are joined now and then."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from holdsfor.engine.frontier import Frontier
from holdsfor.engine.stepping import remembered
from holdsfor.io.events import Block
from holdsfor.io.join import join_blocks

#: Rows that nothing looks at any more are dropped when they are one in so many.
DROPPED_SHARE = 4
#: So many parts, or parts with so many rows, are joined to one.
MOST_PARTS = 32
FEW_ROWS = 10_000

Kind = tuple[str, str, int]
Parts = tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class KeptRows:
    """Rows of one kind: most of them in the first part. later: how many the others have."""

    first: Block
    rest: Parts = ()
    later: int = 0

    def __len__(self) -> int:
        return len(self.first) + self.later

    def add(self, block: Block, frontier: Frontier) -> KeptRows:
        """With more. They are joined, and what nothing looks at any more is dropped, only when there are many."""
        first, rest, later = self.first, (*self.rest, block), self.later + len(block)
        if 2 * later > max(len(first), FEW_ROWS):
            (joined,) = join_blocks([first, *rest])
            return KeptRows(_without_forgotten(joined, frontier))
        if len(rest) < MOST_PARTS:
            return KeptRows(first, rest, later)
        (joined,) = join_blocks(rest)
        kept = _without_forgotten(joined, frontier)
        return KeptRows(_without_forgotten(first, frontier), (kept,), len(kept))


@dataclass(frozen=True, slots=True)
class KeptInput:
    """rows: by name, kind and number of arguments. count: how many there are."""

    rows: Mapping[Kind, KeptRows] = field(default_factory=dict)
    count: int = 0

    @property
    def blocks(self) -> Parts:
        parts = (part for rows in self.rows.values() for part in (rows.first, *rows.rest))
        return tuple(part for part in parts if len(part))

    def of_points(self) -> Parts:
        """The rows that are given point by point."""
        return tuple(part for part in self.blocks if part.kind == "point") if self._has_points() else ()

    def _has_points(self) -> bool:
        return any(kind == "point" for _, kind, _ in self.rows)

    def add(self, fresh: Iterable[Block], frontier: Frontier) -> KeptInput:
        rows, count = dict(self.rows), self.count
        for block in fresh:
            kind = _kind_of(block)
            before = rows.get(kind)
            rows[kind] = KeptRows(block) if before is None else before.add(block, frontier)
            count += len(rows[kind]) - (0 if before is None else len(before))
        return KeptInput(rows, count)


def keep_input(blocks: Iterable[Block]) -> KeptInput:
    """Of blocks of different kinds."""
    rows = {_kind_of(block): KeptRows(block) for block in blocks if len(block)}
    return KeptInput(rows, sum(map(len, rows.values())))


def _kind_of(block: Block) -> Kind:
    return block.name, block.kind, len(block.args)


def without_forgotten(inputs: Iterable[Block], frontier: Frontier) -> Parts:
    kept = (_without_forgotten(block, frontier) for block in inputs)
    return tuple(block for block in kept if len(block))


def _without_forgotten(block: Block, frontier: Frontier) -> Block:
    """Without rows that nothing looks at any more, where these are many: they do no harm, and copying takes long."""
    mask = remembered(block, frontier.horizon_of_input(block))
    dropped = len(block) - int(np.count_nonzero(mask))
    return block.filter(mask) if dropped * DROPPED_SHARE >= len(block) else block


def rows_after(blocks: Iterable[Block], time: int) -> Parts:
    """The rows that begin later."""
    later = ((block, block.start > time) for block in blocks)
    return tuple(block.filter(mask) for block, mask in later if mask.any())
