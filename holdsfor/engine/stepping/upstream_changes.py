"""Messages of earlier stages: that a row is there from a query time on, or is there no more.

Most relations are told by one bucket for each row. Where several conclude the same row by themselves, each speaks for
itself: the row is there as long as one of them says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from holdsfor.engine.input.arrived import remembered
from holdsfor.engine.input.window import NEVER, find_followed
from holdsfor.engine.stepping.frontier import Frontier
from holdsfor.engine.tuning import DEFAULT, Tuning
from holdsfor.io.columns.wire import without_unused_terms
from holdsfor.io.events import Block
from holdsfor.io.join import join_blocks

#: Who speaks, where one bucket tells of a row all there is to tell.
ALL = 1


@dataclass(frozen=True, slots=True)
class Words:
    """Messages on intervals and events. `arrival` is the query time of each; `op` says whether its row is there, by
    its sign, and by its amount who says so: `ALL` where there is only one sender.

    fresh: words of query times to come, for all that is known; heard: those of earlier ones.
    left: how many rows were there when words were dropped last.
    """

    heard: tuple[Block, ...] = ()
    fresh: tuple[Block, ...] = ()
    left: int = 0
    tuning: Tuning = DEFAULT

    @property
    def blocks(self) -> tuple[Block, ...]:
        return (*self.heard, *self.fresh)

    def add(self, blocks: Iterable[Block]) -> Words:
        return replace(self, fresh=(*self.fresh, *(block for block in blocks if len(block))))

    def at(self, query_time: int) -> tuple[Block, ...]:
        """The rows that are there. One that several tell is there several times."""
        return tuple(replace(block, op=None) for block in self.standing(query_time))

    def standing(self, query_time: int) -> tuple[Block, ...]:
        """The words that say of rows, for the last time, that they are there."""
        spoken = (block.filter(block.arrival <= query_time) for block in join_blocks(self.blocks))
        return tuple(last_words(block, 1) for block in spoken if len(block))

    def between(self, before: int | None, query_time: int) -> Iterator[Block]:
        """The words that were spoken after a query time that is over, up to another."""
        for block in self.fresh:
            mask = block.arrival <= query_time
            mask &= True if before is None else block.arrival > before
            if mask.any():
                yield block if mask.all() else block.filter(mask)

    def next_change(self, query_time: int) -> int:
        """The first later query time for which an earlier stage speaks anew; NEVER if there is none."""
        changes = [block.arrival[block.arrival > query_time] for block in self.fresh]
        return min([int(times.min(initial=NEVER)) for times in changes], default=NEVER)

    def pass_by(self, query_time: int, frontier: Frontier) -> Words:
        """When the query time is over; words are dropped where there are many."""
        is_over = [bool((block.arrival <= query_time).all()) for block in self.fresh]
        heard = (*self.heard, *(block for block, over in zip(self.fresh, is_over, strict=True) if over))
        fresh = tuple(block for block, over in zip(self.fresh, is_over, strict=True) if not over)
        passed = replace(self, heard=heard, fresh=fresh)
        tuning, count = self.tuning, sum(map(len, heard))
        has_many = count > max(tuning.most_messages, 2 * self.left) or len(heard) > tuning.most_message_blocks
        return passed.shorten(query_time, frontier) if has_many else passed

    def on_used_terms(self) -> Words:
        return replace(self, heard=without_unused_terms(self.heard), fresh=without_unused_terms(self.fresh))

    def shorten(self, query_time: int, frontier: Frontier) -> Words:
        """The rows that are there at a query time and may still be looked at, and what is said of later ones."""
        words = self.standing(query_time)
        rows = [block.filter(remembered(block, frontier.horizon_of_told(block))) for block in words]
        later = [block.filter(block.arrival > query_time) for block in self.fresh]
        heard, fresh = (tuple(block for block in blocks if len(block)) for blocks in (rows, later))
        return Words(heard, fresh, sum(map(len, rows)), self.tuning)


NO_WORDS = Words()


def last_words(block: Block, sign: int) -> Block:
    """The last words of each speaker on each row that say that it is there (1), or that it is not (-1)."""
    if block.op is None or (block.op > 0).all():
        return block if sign > 0 else block.filter(np.zeros(len(block), np.bool_))
    keep = np.equal(np.sign(block.op), sign)
    keep[find_followed(block)[0]] = False
    return block.filter(keep)


def has_several_speakers(block: Block) -> bool:
    return block.op is not None and bool((np.abs(block.op) > ALL).any())


def as_words(block: Block, op: int, query_time: int) -> Block:
    """Says of rows, at a query time, that they are there (op > 0) or no more (op < 0), and who says so."""
    return replace(block, arrival=np.full(len(block), query_time), op=np.full(len(block), op, np.int32))


def speaker(bucket: int) -> int:
    """The number of a bucket where several tell the same rows."""
    return ALL + 1 + bucket
