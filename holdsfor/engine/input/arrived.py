"""Rows of the input, from the query time on at which each is there; those that are there for the first time.

Most come between two query times, all together: a few numbers tell that, without looking at each row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from holdsfor.engine.data.axis import Ints
from holdsfor.engine.data.column import Mask
from holdsfor.engine.input.window import NEVER, Windows, standing
from holdsfor.engine.stepping.frontier import Frontier
from holdsfor.io.events import Block


@dataclass(frozen=True)
class Arrived:
    """Rows of one input that count. earliest: they are there from this query time on."""

    block: Block
    windows: Windows
    earliest: int = -NEVER

    @cached_property
    def seen(self) -> Ints:
        """The query time at which each row is first there."""
        return np.maximum(self.windows.first_seen(self.block.arrival), self.earliest)

    def is_visible(self, query_time: int) -> Mask:
        """Mark the rows that are there at a query time, and have begun."""
        has_begun = self.block.start <= min(query_time, self.windows.end)
        return np.logical_and(self.seen <= query_time, has_begun)

    def span(self) -> tuple[int, int]:
        """Between what times rows are there and begin: none before, all after. These times may be those of no row."""
        first_start, last_start, first_arrival, last_arrival = self.block.span()
        first = max(self.windows.first_seen_of(first_arrival), first_start, self.earliest)
        return first, max(self.windows.first_seen_of(last_arrival), last_start, self.earliest)

    def next_begin(self, query_time: int) -> int:
        """Return the first time after a query time at which a row is there and begins; NEVER if there is none."""
        if not len(self.block) or self.span()[1] <= query_time:
            return NEVER
        begins = np.maximum(self.seen, self.block.start)
        return int(begins[begins > query_time].min(initial=NEVER))


def find_newly_visible(arrived: Iterable[Arrived], before: int, query_time: int) -> Iterator[Block]:
    """The rows that are there for the first time: that have just arrived, or begin only now."""
    for item in arrived:
        if not len(item.block):
            continue
        first, last = item.span()
        if before < first and last <= min(query_time, item.windows.end):
            yield item.block
        elif first <= query_time:
            mask = item.is_visible(query_time) & ~item.is_visible(before)
            if mask.any():
                yield item.block.filter(mask)


def visible_input(arrived: Iterable[Arrived], frontier: Frontier, query_time: int) -> Iterator[Block]:
    """The input that is there at a query time and may still be looked at."""
    for item in arrived:
        mask = item.is_visible(query_time) & remembered(item.block, frontier.horizon_of_input(item.block))
        yield standing(item.block.filter(mask), item.windows)


def remembered(block: Block, horizon: int) -> Mask:
    """Mark the rows that are not wholly before the horizon."""
    return np.greater(last_times(block), horizon)


def last_times(block: Block) -> Ints:
    """When each row is over."""
    return block.start if block.end is None else block.end - 1
