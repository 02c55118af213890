"""The consumption policies of ETALIS: choices among the pairs that a sequence could make.

recent: each right row with the left row that ended last, and a left row may serve again.
chronological: right rows in the order of their ends, each with the left row that ended first of those not yet used;
rivals of a row that is used are discarded with it.
A rank decides between equal ends; the smaller goes first. Pairs are of one key, so packed and plain ends do as well.

Both choose among pairs that are there, after windows and WHERE.
"""

from __future__ import annotations

import numpy as np

from holdsfor.kernels.kernel import Ints, Mask, kernel


def choose_recent(i: Ints, j: Ints, left_end: Ints, left_rank: Ints) -> Ints:
    """Choose among the pairs (i, j) for each right row that of the latest left row, ascending."""
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


def choose_in_turn(
    waiting: Ints, completing: Ints, place: Ints, turn: Ints, rival: Ints, rank: Ints
) -> tuple[Ints, Mask]:
    """Return which of the pairs are made, ascending, and which occurrences are used up (chronological).

    Occurrences complete pairs in the order of `turn`. Of candidates with one `rival` number only the one with the least
    `rank` counts; of those that count, the one with the least `place` is taken, and its rivals are used up with it.
    """
    order = np.lexsort((rank[waiting], rival[waiting], turn[completing]))
    used = np.zeros(place.size, np.bool_)
    return np.sort(order[_take_in_turn(waiting[order], completing[order], place, rival, used)]), used


@kernel
def _take_in_turn(waiting: Ints, completing: Ints, place: Ints, rival: Ints, used: Mask) -> Ints:
    taken = np.empty(waiting.size, np.int64)
    count, begin = 0, 0
    while begin < waiting.size:
        end, best, last = begin, -1, -1
        while end < waiting.size and completing[end] == completing[begin]:
            if not used[waiting[end]] and (last < 0 or rival[waiting[end]] != rival[waiting[last]]):
                last = end
                if best < 0 or place[waiting[end]] < place[waiting[best]]:
                    best = end
            end += 1
        if best >= 0 and not used[completing[begin]]:
            used[completing[begin]] = True
            for p in range(begin, end):
                used[waiting[p]] |= rival[waiting[p]] == rival[waiting[best]]
            taken[count] = best
            count += 1
        begin = end
    return taken[:count]
