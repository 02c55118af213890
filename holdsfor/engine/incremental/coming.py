"""Rows of the input that come: which of them are there for the first time at a query time.

Most come between two query times, all together: a few numbers tell that, without looking at each row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from holdsfor.engine.data.axis import Ints
from holdsfor.engine.data.column import Mask
from holdsfor.engine.input.window import NEVER, Windows
from holdsfor.io.events import Block


@dataclass(frozen=True, slots=True)
class Coming:
    """Rows of one input that count, and were not there yet. earliest: they are there from this query time on."""

    block: Block
    earliest: int = -NEVER

    def seen(self, windows: Windows) -> Ints:
        """The query time at which each row is first there."""
        return np.maximum(windows.first_seen(self.block.arrival), self.earliest)

    def is_visible(self, windows: Windows, query_time: int) -> Mask:
        """Mark the rows that are there at a query time, and have begun."""
        has_begun = self.block.start <= min(query_time, windows.end)
        return np.logical_and(self.seen(windows) <= query_time, has_begun)

    def span(self, windows: Windows) -> tuple[int, int]:
        """Between what times rows are there and begin: none before, all after. These times may be those of no row."""
        first_start, last_start, first_arrival, last_arrival = self.block.span()
        first = max(windows.first_seen_of(first_arrival), first_start, self.earliest)
        return first, max(windows.first_seen_of(last_arrival), last_start, self.earliest)

    def next_begin(self, windows: Windows, query_time: int) -> int:
        """The first after a query time; NEVER if there is none."""
        if not len(self.block) or self.span(windows)[1] <= query_time:
            return NEVER
        begins = np.maximum(self.seen(windows), self.block.start)
        return int(begins[begins > query_time].min(initial=NEVER))


def find_newly_visible(coming: Iterable[Coming], windows: Windows, before: int, query_time: int) -> Iterator[Block]:
    """The rows that are there for the first time: that have just arrived, or begin only now."""
    for item in coming:
        if not len(item.block):
            continue
        first, last = item.span(windows)
        if before < first and last <= min(query_time, windows.end):
            yield item.block
        elif first <= query_time:
            mask = item.is_visible(windows, query_time) & ~item.is_visible(windows, before)
            if mask.any():
                yield item.block.filter(mask)
