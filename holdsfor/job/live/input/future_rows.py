"""Arrivals ahead of the rest: one row from the far future must not make the stream go there.

Query times follow the latest arrival. A row that says it arrives next year would make all query times until then due,
and every good row after it late. So a jump ahead is believed only if enough rows make it.

Arrivals that lie no further apart than a bound are an *island*. The stream goes from island to island: over a gap it
follows only an island that has at least three rows, and makes up a quarter of the batch, or a hundredth of it with no
row from before the gap behind it. Anything further ahead is set aside.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

#: So many rows must agree before a jump is believed.
QUORUM = 3
#: A task tells of no more islands than this: those further ahead count as one.
MOST_ISLANDS = 1000


class Island(NamedTuple):
    """Arrivals close to each other. overtaken: a row from before the gap was read after the first of them."""

    low: int
    high: int
    rows: int
    overtaken: bool = False


def find_islands(arrivals: Ints, bound: int) -> list[Island]:
    """Divide arrivals into islands. arrivals: in the order in which they were read."""
    if not len(arrivals):
        return []
    low, high = int(arrivals.min()), int(arrivals.max())
    if high - low <= bound:
        return [Island(low, high, len(arrivals))]
    order = np.argsort(arrivals, kind="stable")
    ordered = arrivals[order]
    gaps = np.flatnonzero(ordered[1:].astype(np.float64) - ordered[:-1] > bound)  # of any size
    first = np.concatenate([[0], gaps + 1])[:MOST_ISLANDS]
    stop = np.append(first[1:], len(ordered))
    begins = np.minimum.reduceat(order, first)  # where in the input each island begins
    before = np.concatenate([[-1], np.maximum.accumulate(order)[first[1:] - 1]])  # the last row read of lower ones
    spans = zip(ordered[first].tolist(), ordered[stop - 1].tolist(), (stop - first).tolist(), strict=True)
    return [Island(*span, bool(overtaken)) for span, overtaken in zip(spans, before > begins, strict=True)]


def merge_islands(islands: Iterable[Island], bound: int) -> list[Island]:
    """Join the islands of all tasks, the lowest first."""
    merged: list[Island] = []
    for island in sorted(islands, key=lambda island: island.low):
        if merged and island.low - merged[-1].high <= bound:
            last = merged[-1]
            high, overtaken = max(last.high, island.high), last.overtaken or island.overtaken
            merged[-1] = last._replace(high=high, rows=last.rows + island.rows, overtaken=overtaken)
        else:
            merged.append(island)
    return merged


def latest_believed(islands: Sequence[Island], reached: int | None, bound: int, doubted: int) -> int:
    """Return the latest arrival that is believed.

    reached: how far the stream has come; None: this is its first batch, and most rows tell. doubted: how many rows in
    a row have been set aside before this batch.
    """
    rows = sum(island.rows for island in islands)
    if reached is None:
        reached = max(islands, key=lambda island: (island.rows, -island.low)).high
    for island in islands:
        support = island.rows + (doubted if island.rows == rows else 0)
        enough = 4 * island.rows >= rows or (100 * island.rows >= rows and not island.overtaken)
        if island.low - reached <= bound or (support >= QUORUM and enough):
            reached = max(reached, island.high)
    return reached
