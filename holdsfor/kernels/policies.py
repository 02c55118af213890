"""Which of the pairs that a sequence could make it does make: the consumption policies of ETALIS.

recent: each right row with the left row that ended last, and a left row may serve again.
chronological: right rows in the order of their ends, each with the left row that ended first of those not yet used.
A rank decides between equal ends; the smaller goes first. Pairs are of one key, so packed and plain ends do as well.

Both choose among pairs that are there, after windows and WHERE.
"""

from __future__ import annotations

import numpy as np

from holdsfor.kernels.kernel import Ints, Mask, kernel


def choose_recent(i: Ints, j: Ints, left_end: Ints, left_rank: Ints) -> Ints:
    """Which of the pairs (i, j) are made, ascending: for each right row that of the latest left row."""
    rows = int(j.max()) + 1 if j.size else 0
    return _latest_pairs(i, j, left_end, left_rank, np.full(rows, -1))


@kernel
def _latest_pairs(i: Ints, j: Ints, end: Ints, rank: Ints, chosen: Ints) -> Ints:
    for p in range(i.size):
        best = chosen[j[p]]
        if best >= 0:
            other = i[best]
            if end[i[p]] < end[other] or (end[i[p]] == end[other] and rank[i[p]] >= rank[other]):
                continue
        chosen[j[p]] = p
    return np.sort(chosen[chosen >= 0])


def choose_in_turn(waiting: Ints, completing: Ints, place: Ints, turn: Ints) -> Ints:
    """Which of the pairs are made, ascending, where each occurrence is in one pair at most (chronological).

    Occurrences complete pairs in the order of `turn`, each with the one left over that has the least `place`.
    """
    order = np.lexsort((place[waiting], turn[completing]))
    used = np.zeros(place.size, np.bool_)
    return np.sort(order[_take_first(waiting[order], completing[order], used)])


@kernel
def _take_first(waiting: Ints, completing: Ints, used: Mask) -> Ints:
    taken = np.empty(waiting.size, np.int64)
    count = 0
    for p in range(waiting.size):
        if not used[completing[p]] and not used[waiting[p]]:
            used[waiting[p]] = used[completing[p]] = True
            taken[count] = p
            count += 1
    return taken[:count]
