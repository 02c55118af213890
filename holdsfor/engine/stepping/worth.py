"""Whether a query time costs less by what changes, or from scratch: by counted rows, before any work is done."""

from __future__ import annotations

from collections.abc import Container, Sequence

import numpy as np

from holdsfor.engine.data.axis import Ints
from holdsfor.engine.input.window import Windows
from holdsfor.engine.tuning import Tuning
from holdsfor.io.events import Block
from holdsfor.kernels.changes.touching import count_ages

#: How finely ages are told apart.
BINS = 64
#: So many rows tell how old the others are.
SAMPLE = 1024


def count_light(waiting: Sequence[Block], known: int, due: range, windows: Windows, tuning: Tuning) -> int:
    """How many query times there are before one that brings more rows than were known: nearly all of it is new.

    known: how many rows there are.
    """
    count = sum(map(len, waiting))
    if count <= tuning.few_rows or count <= tuning.most_new * known:  # however they fall on them
        return len(due)
    fresh = np.zeros(len(due) + 1, np.int64)  # the last: for a later one
    for block in waiting:
        fresh += np.bincount(np.searchsorted(due, windows.first_seen(block.arrival)), minlength=len(fresh))
    before = known + np.cumsum(fresh) - fresh
    heavy = np.flatnonzero((fresh > tuning.few_rows) & (fresh > tuning.most_new * before))
    return min(int(heavy[0]), len(due)) if len(heavy) else len(due)


def is_worthwhile(
    waiting: Sequence[Block],
    known: int,
    keys: int,
    fired: int,
    due: range,
    windows: Windows,
    tuning: Tuning,
    judged: Container[tuple[str, int]] = (),
) -> bool:
    """waiting: rows that come in. known: how many have, keys: how many groundings there are. fired, due: query times.
    judged: events, by name and number of arguments, whose late rows are judged by themselves (`late`).

    Rows are taken to fall on keys by chance. If they fall on few, that is better than what is estimated here.
    """
    fresh = sum(map(len, waiting)) / len(due)
    if known < tuning.few_rows or not fresh:
        return True
    if _pays(fresh, known, fresh / keys, tuning):  # however late they are
        return True
    count = _count_ages(waiting, judged, fired, windows, tuning) / len(due)
    touched = 1 - np.exp(-np.cumsum(count[::-1])[::-1] / keys)  # by rows of an age or more
    return _pays(fresh, known, float(touched.mean()), tuning)


def _pays(fresh: float, known: int, touched: float, tuning: Tuning) -> bool:
    """Say whether evaluating changes costs less than all. fresh, known: rows; touched: the share of known rows."""
    looked_at = fresh + known * touched
    is_small = fresh < tuning.most_new * known and touched < tuning.most_touched
    return is_small and looked_at < tuning.most_looked_at * known


def _count_ages(
    waiting: Sequence[Block], judged: Container[tuple[str, int]], fired: int, windows: Windows, tuning: Tuning
) -> Ints:
    """About how many rows there are of each age, in parts of a window. What is in time is as old as a step.

    Of many rows some are looked at: one in so many. Of rows that are judged one in so many counts as late; the others
    are as if they had come in time.
    """
    one_in, counts = 1 + sum(map(len, waiting)) // SAMPLE, np.zeros(BINS, np.int64)
    for block in waiting:
        counting = tuning.contradicting if (block.name, len(block.args)) in judged else 1
        times = block.start, block.arrival
        count_ages(counts, *times, one_in, counting, fired, windows.step, windows.window)
    return counts
