"""What earlier stages have told: word by word, that a row is there from a query time on, or is there no more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from holdsfor.engine.frontier import Frontier
from holdsfor.engine.stepping import remembered
from holdsfor.engine.window import find_followed
from holdsfor.io.events import Block
from holdsfor.io.join import join_blocks

#: Words that others have followed are dropped when there are so many words, or twice as many as rows were left.
MOST_WORDS = 10_000


@dataclass(frozen=True, slots=True)
class Words:
    """blocks: words of intervals and events. `arrival` is the query time of each, `op` says whether its row is there.

    left: how many rows were there when words were dropped last.
    """

    blocks: tuple[Block, ...] = ()
    left: int = 0

    def add(self, blocks: Iterable[Block]) -> Words:
        return replace(self, blocks=(*self.blocks, *(block for block in blocks if len(block))))

    def at(self, query_time: int) -> tuple[Block, ...]:
        """The rows that are there."""
        spoken = (block.filter(block.arrival <= query_time) for block in join_blocks(self.blocks))
        return tuple(last_words(block, 1) for block in spoken if len(block))

    def between(self, before: int | None, query_time: int) -> Iterator[Block]:
        """The words that were spoken after one query time, up to another."""
        for block in self.blocks:
            mask = block.arrival <= query_time
            mask &= True if before is None else block.arrival > before
            if mask.any():
                yield block if mask.all() else block.filter(mask)

    def next_change(self, query_time: int) -> int | None:
        never = np.iinfo(np.int64).max
        following = [int(b.arrival[b.arrival > query_time].min(initial=never)) for b in self.blocks]
        return min((time for time in following if time != never), default=None)

    def has_many(self) -> bool:
        return sum(map(len, self.blocks)) > max(MOST_WORDS, 2 * self.left)

    def shorten(self, query_time: int, frontier: Frontier) -> Words:
        """The rows that are there at a query time and may still be looked at, and what is said of later ones."""
        rows = [block.filter(remembered(block, frontier.horizon_of_told(block))) for block in self.at(query_time)]
        later = [block.filter(block.arrival > query_time) for block in self.blocks]
        return Words(tuple(block for block in (*rows, *later) if len(block)), sum(map(len, rows)))


NO_WORDS = Words()


def last_words(block: Block, op: int) -> Block:
    """The rows whose last word is that they are there (1), or that they are not (-1)."""
    if block.op is None or (block.op > 0).all():
        return replace(block, op=None) if op > 0 else block.filter(np.zeros(len(block), np.bool_))
    keep = np.equal(np.sign(block.op), op)
    keep[find_followed(block)[0]] = False
    return replace(block.filter(keep), op=None)


def as_words(block: Block, op: int, query_time: int) -> Block:
    """Says of rows, at a query time, that they are there (1) or no more (-1)."""
    return replace(block, arrival=np.full(len(block), query_time), op=np.full(len(block), op, np.int8))
