"""Whether a query time costs less by what changes, or from scratch: by counted rows, before any work is done."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from holdsfor.engine.axis import Ints
from holdsfor.engine.window import Windows
from holdsfor.io.events import Block

#: By what changes, unless that looks at so many of the rows that are known, those that come in counted twice.
MOST_LOOKED_AT = 0.9
#: Fewer rows are looked at as quickly either way.
FEW_ROWS = 10_000
#: How finely ages are told apart.
BINS = 64
#: So many rows tell how old the others are.
SAMPLE = 512


def count_light(waiting: Sequence[Block], known: int, due: range, windows: Windows) -> int:
    """How many query times there are before one that brings more rows than were known: nearly all of it is new.

    known: how many rows there are.
    """
    count = sum(map(len, waiting))
    if count <= FEW_ROWS or count <= MOST_LOOKED_AT * known:  # however they fall on them
        return len(due)
    fresh = np.zeros(len(due) + 1, np.int64)  # the last: for a later one
    for block in waiting:
        fresh += np.bincount(np.searchsorted(due, windows.first_seen(block.arrival)), minlength=len(fresh))
    before = known + np.cumsum(fresh) - fresh
    heavy = np.flatnonzero((fresh > FEW_ROWS) & (fresh > MOST_LOOKED_AT * before))
    return min(int(heavy[0]), len(due)) if len(heavy) else len(due)


def is_worthwhile(waiting: Sequence[Block], known: int, keys: int, fired: int, due: range, windows: Windows) -> bool:
    """waiting: rows that come in. known: how many have, keys: how many groundings there are. fired, due: query times.

    Rows are taken to fall on keys by chance. If they fall on few, that is better than what is estimated here.
    """
    fresh = sum(map(len, waiting)) / len(due)
    if known < FEW_ROWS or not fresh:
        return True
    if fresh + known * min(1, fresh / keys) < MOST_LOOKED_AT * known:  # however late they are
        return True
    count = _count_ages(waiting, fired, windows) / len(due)
    touched = 1 - np.exp(-np.cumsum(count[::-1])[::-1] / keys)  # by rows of an age or more
    return bool(fresh + known * touched.mean() < MOST_LOOKED_AT * known)


def _count_ages(waiting: Sequence[Block], fired: int, windows: Windows) -> Ints:
    """About how many rows there are of each age, in parts of a window. What is in time is as old as a step.

    Of many rows some are looked at: one in so many.
    """
    one_in = 1 + sum(map(len, waiting)) // SAMPLE
    arrival = np.concatenate([block.arrival[::one_in] for block in waiting])
    start = np.concatenate([block.start[::one_in] for block in waiting])
    age = np.maximum(arrival, fired) - start + windows.step
    bins = np.clip(age, windows.step, windows.window) * BINS // windows.window - 1
    return one_in * np.bincount(np.clip(bins, 0, BINS - 1), minlength=BINS)
