"""Choose which pairs joins make, by a policy, and which neighbours are joined first; keep each occurrence once.

Of a pair, the occurrence that ends later completes it (of two that end together, the right one), and the other one has
been waiting. recent: the latest that waits is taken, and stays. chronological: the oldest that waits is taken, and each
occurrence is in one pair at most. The rule's preferences choose among those that ended together (recent) or began
together (chronological, where the others are discarded with the one that is taken). Then the one that began last
(recent) or first (chronological) is taken, and then the order of their terms decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from holdsfor.engine.bodies.chain import ROW
from holdsfor.engine.data.axis import Ints
from holdsfor.engine.data.column import Mask
from holdsfor.engine.data.dictionary import Numbers
from holdsfor.engine.data.points import find_distinct
from holdsfor.engine.data.rows import Rows
from holdsfor.engine.data.world import World
from holdsfor.kernels.patterns.policies import choose_in_turn, choose_recent
from holdsfor.plan.patterns import Choosing

START, END = "start~", "end~"


def choose(choosing: Choosing, kind: str, left: Rows, right: Rows, i: Ints, j: Ints, world: World) -> tuple[Mask, Mask]:
    """Return which pairs of row i of left and row j of right are made, and which rows of both sides are used up.

    A pair may be there several times.
    """
    sides = (left, right)
    starts, ends = (np.concatenate([rows.times(name) for rows in sides]) for name in (START, END))
    j = j + left.size
    swapped = ends[i] > ends[j] if kind not in ("seq", "meets") else np.zeros(len(i), np.bool_)
    waiting, completing = np.where(swapped, j, i), np.where(swapped, i, j)
    terms = np.concatenate([_positions([np.zeros(rows.size), *_values(rows, world)]) for rows in sides])
    wishes = [np.concatenate(wish) for wish in zip(*(_wishes(choosing, rows, world) for rows in sides), strict=True)]
    if choosing.policy == "recent":
        chosen = choose_recent(waiting, completing, ends, _positions([*wishes, -starts, terms]))
        used = np.zeros(len(ends), np.bool_)
    else:
        of_right = np.repeat([0, 1], [left.size, right.size])
        place, turn = _positions([ends, starts, terms]), _positions([ends, starts, of_right, terms])
        rival = starts if wishes else place
        chosen, used = choose_in_turn(waiting, completing, place, turn, rival, _positions([*wishes, ends, terms]))
    pair = i * (left.size + right.size) + j
    return np.isin(pair, pair[chosen]), used


def _wishes(choosing: Choosing, rows: Rows, world: World) -> list[Numbers]:
    """Return numbers for each preference: the row with the smaller one is taken first."""
    wishes: list[Numbers] = []
    for how, name in choosing.prefers:
        if not name:
            length = rows.times(END) - rows.times(START)
            wishes.append(-length if how == "longest" else length)
        elif name in rows.names:
            amount = _in_order(rows, name, world)
            wishes.append(-amount if how == "greatest" else amount)
        else:
            wishes.append(np.zeros(rows.size, np.int64))
    return wishes


def _values(rows: Rows, world: World) -> list[Numbers]:
    """By the variables in the order of the text."""
    names = sorted(rows.names - {START, END}, key=lambda name: (len(name), name))
    return [_in_order(rows, name, world) for name in names]


def _in_order(rows: Rows, name: str, world: World) -> Numbers:
    """Numbers that are in the standard order of the terms of a column."""
    column = rows.column(name)
    return column.numbers() if column.is_number else world.dictionary.ranks[column.codes()]


def _positions(keys: list[Numbers]) -> Ints:
    """The place of each row in the order of the keys, the first of which counts most."""
    places = np.empty(len(keys[0]), np.int64)
    places[np.lexsort(keys[::-1])] = np.arange(len(places))
    return places


def distinct(rows: Rows) -> Rows:
    """Rows that differ in a value, start or end."""
    columns = [rows.column(name) for name in sorted(rows.names - {ROW})]
    kept = find_distinct([column.numbers() if column.is_number else column.codes() for column in columns])
    return rows if len(kept) == rows.size else rows.take(kept)


SPAN = frozenset({"start~", "end~"})
#: From the left, unless other neighbours come to so many times fewer pairs: rules share what begins alike.
CLEARLY_FEWER = 4


def cheapest_pair(parts: Sequence[Rows]) -> int:
    """The place of the left one of the two neighbours to be joined next. Any that share a variable come first."""
    costs = [_cost(left, right) for left, right in pairwise(parts)]
    shares, pairs = min(costs)
    return 0 if costs[0][0] == shares and costs[0][1] < CLEARLY_FEWER * pairs else costs.index((shares, pairs))


def _cost(left: Rows, right: Rows) -> tuple[bool, int]:
    """Whether every one meets every other in the window, and how many pairs there could be."""
    return not (left.names & right.names) - SPAN, left.size * right.size
