"""Policies: which of the pairs that a join could make it makes.

Of a pair, the occurrence that ends later completes it (of two that end together, the right one), and the other one has
been waiting. recent: the latest that waits is taken, and stays. chronological: the oldest that waits is taken, and each
occurrence is in one pair at most. Several that ended at the same time wait in the order of the rule's preferences; then
in the order of their starts, and last of their terms as they are written.
"""

from __future__ import annotations

import numpy as np

from holdsfor.engine.axis import Ints
from holdsfor.engine.column import Mask
from holdsfor.engine.dictionary import Numbers
from holdsfor.engine.rows import Rows
from holdsfor.engine.world import World
from holdsfor.kernels import choose_chronological, choose_recent
from holdsfor.plan.patterns import Choosing

START, END = "start~", "end~"


def choose(choosing: Choosing, kind: str, left: Rows, right: Rows, i: Ints, j: Ints, world: World) -> Mask:
    """Of the pairs of row i of left and row j of right, which are made. A pair may be there several times."""
    ends = np.concatenate([left.times(END), right.times(END)])
    ranks = np.concatenate([_ranks(choosing, left, world), _ranks(choosing, right, world)])
    j = j + left.size
    swapped = ends[i] > ends[j] if kind not in ("seq", "meets") else np.zeros(len(i), np.bool_)
    waiting, completing = np.where(swapped, j, i), np.where(swapped, i, j)
    if choosing.policy == "recent":
        chosen = choose_recent(waiting, completing, ends, ranks)
    else:
        chosen = choose_chronological(waiting, completing, ends, ranks, ends, ranks)
    pair = i * (left.size + right.size) + j
    kept: Mask = np.isin(pair, pair[chosen])
    return kept


def _ranks(choosing: Choosing, rows: Rows, world: World) -> Ints:
    """The place of each row among those that ended at the same time: the smaller is taken first."""
    keys: list[Numbers] = []
    for how, name in choosing.prefers:
        if name and name not in rows.names:
            continue
        amount = rows.column(name).numbers() if name else rows.times(END) - rows.times(START)
        keys.append(-amount if how in ("longest", "greatest") else amount)
    keys.append(rows.times(START))
    for name in sorted(rows.names - {START, END}):
        column = rows.column(name)
        keys.append(column.numbers() if column.is_number else world.dictionary.ranks[column.codes()])
    ranks = np.empty(rows.size, np.int64)
    ranks[np.lexsort(keys[::-1])] = np.arange(rows.size)
    return ranks
