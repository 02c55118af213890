"""Rows of the input that are kept between query times: in parts, as they came, which are joined now and then."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

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
class KeptInput:
    """parts: by name, kind and number of arguments, most rows in the first of each. rows: how many there are."""

    parts: Mapping[Kind, Parts] = field(default_factory=dict)
    rows: int = 0

    @property
    def blocks(self) -> Parts:
        return tuple(chain.from_iterable(self.parts.values()))

    def of_points(self) -> Parts:
        """The rows that are given point by point."""
        return tuple(block for kind, blocks in self.parts.items() if kind[1] == "point" for block in blocks)

    def add(self, fresh: Iterable[Block], frontier: Frontier) -> KeptInput:
        """With more rows. They are joined, and what nothing looks at any more is dropped, only when there are many."""
        parts, rows = dict(self.parts), self.rows
        for block in fresh:
            kind = _kind_of(block)
            before = parts.get(kind, ())
            parts[kind] = _join_some((*before, block), frontier)
            rows += sum(map(len, parts[kind])) - sum(map(len, before))
        return KeptInput({kind: blocks for kind, blocks in parts.items() if blocks}, rows)


def keep_input(blocks: Iterable[Block]) -> KeptInput:
    """Of blocks of different kinds."""
    parts = {_kind_of(block): (block,) for block in blocks if len(block)}
    return KeptInput(parts, sum(len(block) for (block,) in parts.values()))


def _kind_of(block: Block) -> Kind:
    return block.name, block.kind, len(block.args)


def _join_some(parts: Parts, frontier: Frontier) -> Parts:
    """As they are; or all of them as one, if the later ones have many rows; or these as one, if they are many."""
    first, rest = parts[0], parts[1:]
    if 2 * sum(map(len, rest)) > max(len(first), FEW_ROWS):
        return without_forgotten(join_blocks(parts), frontier)
    return without_forgotten((first, *join_blocks(rest)), frontier) if len(parts) > MOST_PARTS else parts


def without_forgotten(inputs: Sequence[Block], frontier: Frontier) -> Parts:
    """Without rows that nothing looks at any more, where these are many: they do no harm, and copying takes long."""
    kept = []
    for block in inputs:
        mask = remembered(block, frontier.horizon_of_input(block))
        dropped = len(block) - int(np.count_nonzero(mask))
        kept.append(block.filter(mask) if dropped * DROPPED_SHARE >= len(block) else block)
    return tuple(block for block in kept if len(block))


def rows_after(blocks: Iterable[Block], time: int) -> Parts:
    """The rows that begin later."""
    later = ((block, block.start > time) for block in blocks)
    return tuple(block.filter(mask) for block, mask in later if mask.any())
