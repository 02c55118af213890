"""Which of the pairs that a sequence could make it does make: the consumption policies of ETALIS.

recent: each right row with the left row that ended last, and a left row may serve again.
chronological: right rows in the order of their ends, each with the left row that ended first of those not yet used.
A rank decides between equal ends; the smaller goes first. Pairs are of one key, so packed and plain ends do as well.

`choose_recent` and `choose_in_turn` choose among pairs that are there (after WHERE, say); `latest_before` and
`oldest_before` find the same pairs of a plain sequence without making all of them first.
"""

from __future__ import annotations

import numpy as np

from holdsfor.kernels.kernel import Ints, Mask, Pairs, kernel
from holdsfor.kernels.ranges import count_below, last_below, move_times
from holdsfor.kernels.sorting import sort_packed


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


def order_rows(bits: int, end: Ints, rank: Ints) -> Ints:
    """The order of rows by packed end, then by rank, which is needed only if ends are equal."""
    ends, order = sort_packed(end, bits)
    if not (ends[1:] == ends[:-1]).any():
        return order
    by_rank = np.argsort(rank, kind="stable")
    return by_rank[sort_packed(end[by_rank], bits)[1]]


def latest_before(
    bits: int, left_start: Ints, left_end: Ints, left_rank: Ints, right_start: Ints, right_end: Ints, within: int
) -> Pairs:
    """The pairs of a sequence under `recent`: (i, j) with the result [left_start, right_end] within the window.

    Under NOT keep those whose right row starts by the left row's `first_block`: if the latest is blocked, all are.
    """
    order = order_rows(bits, left_end, -left_rank)  # so that of equal ends the smallest rank is the last
    starts, ends = left_start[order], left_end[order]
    _, right_order = sort_packed(right_start, bits)
    high = count_below(ends, right_start[right_order], 0)
    earliest = move_times(right_end[right_order], -min(within, (1 << bits) - 1), bits)
    low = count_below(ends, earliest, 0)
    place = last_below(low, high, -starts, -earliest)
    chosen = place >= 0
    return order[place[chosen]], right_order[chosen]


def oldest_before(
    bits: int,
    left_start: Ints,
    left_end: Ints,
    left_rank: Ints,
    right_start: Ints,
    right_end: Ints,
    right_rank: Ints,
    within: int,
) -> Pairs:
    """The pairs of a sequence under `chronological`: (i, j) with the result within the window."""
    left, right = order_rows(bits, left_end, left_rank), order_rows(bits, right_end, right_rank)
    earliest = move_times(right_end[right], -min(within, (1 << bits) - 1), bits)
    i, j = _serve_in_turn(left_start[left], left_end[left], right_start[right], earliest)
    return left[i], right[j]


@kernel
def _serve_in_turn(left_start: Ints, left_end: Ints, right_start: Ints, earliest: Ints) -> Pairs:
    """A left row at the head of the queue leaves it when used, or when too old: then it is so for all later rows."""
    size = min(left_start.size, right_start.size)
    i, j = np.empty(size, np.int64), np.empty(size, np.int64)
    head, pairs = 0, 0
    for r in range(right_start.size):
        while head < left_start.size and left_start[head] < earliest[r]:
            head += 1
        if head < left_start.size and left_end[head] < right_start[r]:
            i[pairs], j[pairs] = head, r
            pairs += 1
            head += 1
    return i[:pairs], j[:pairs]
