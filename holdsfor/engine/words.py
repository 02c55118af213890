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
#: Or in so many blocks: each query time brings its own.
MOST_BLOCKS = 400


@dataclass(frozen=True, slots=True)
class Words:
    """Of intervals and events. `arrival` is the query time of each word, `op` says whether its row is there.

    fresh: words of query times to come, for all that is known; heard: those of earlier ones.
    left: how many rows were there when words were dropped last.
    """

    heard: tuple[Block, ...] = ()
    fresh: tuple[Block, ...] = ()
    left: int = 0

    @property
    def blocks(self) -> tuple[Block, ...]:
        return (*self.heard, *self.fresh)

    def add(self, blocks: Iterable[Block]) -> Words:
        return replace(self, fresh=(*self.fresh, *(block for block in blocks if len(block))))

    def at(self, query_time: int) -> tuple[Block, ...]:
        """The rows that are there."""
        spoken = (block.filter(block.arrival <= query_time) for block in join_blocks(self.blocks))
        return tuple(last_words(block, 1) for block in spoken if len(block))

    def between(self, before: int | None, query_time: int) -> Iterator[Block]:
        """The words that were spoken after a query time that is over, up to another."""
        for block in self.fresh:
            mask = block.arrival <= query_time
            mask &= True if before is None else block.arrival > before
            if mask.any():
                yield block if mask.all() else block.filter(mask)

    def next_change(self, query_time: int) -> int | None:
        never = np.iinfo(np.int64).max
        following = [int(b.arrival[b.arrival > query_time].min(initial=never)) for b in self.fresh]
        return min((time for time in following if time != never), default=None)

    def pass_by(self, query_time: int, frontier: Frontier) -> Words:
        """When the query time is over; words are dropped where there are many."""
        is_over = [bool((block.arrival <= query_time).all()) for block in self.fresh]
        heard = (*self.heard, *(block for block, over in zip(self.fresh, is_over, strict=True) if over))
        fresh = tuple(block for block, over in zip(self.fresh, is_over, strict=True) if not over)
        passed = Words(heard, fresh, self.left)
        has_many = sum(map(len, heard)) > max(MOST_WORDS, 2 * self.left) or len(heard) > MOST_BLOCKS
        return passed.shorten(query_time, frontier) if has_many else passed

    def shorten(self, query_time: int, frontier: Frontier) -> Words:
        """The rows that are there at a query time and may still be looked at, and what is said of later ones."""
        rows = [block.filter(remembered(block, frontier.horizon_of_told(block))) for block in self.at(query_time)]
        later = [block.filter(block.arrival > query_time) for block in self.fresh]
        heard, fresh = (tuple(block for block in blocks if len(block)) for blocks in (rows, later))
        return Words(heard, fresh, sum(map(len, rows)))


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
