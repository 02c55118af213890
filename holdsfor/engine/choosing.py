"""Policies: which of the pairs that a join could make it makes.

Of a pair, the occurrence that ends later completes it (of two that end together, the right one), and the other one has
been waiting. recent: the latest that waits is taken, and stays. chronological: the oldest that waits is taken, and each
occurrence is in one pair at most. Of several that ended at the same time the rule's preferences decide; then which of
them began last (recent) or first (chronological), and then the order of their terms.
"""

from __future__ import annotations

import numpy as np

from holdsfor.engine.axis import Ints
from holdsfor.engine.column import Mask
from holdsfor.engine.dictionary import Numbers
from holdsfor.engine.rows import Rows
from holdsfor.engine.world import World
from holdsfor.kernels import choose_in_turn, choose_recent
from holdsfor.plan.patterns import Choosing

START, END = "start~", "end~"


def choose(choosing: Choosing, kind: str, left: Rows, right: Rows, i: Ints, j: Ints, world: World) -> Mask:
    """Of the pairs of row i of left and row j of right, which are made. A pair may be there several times."""
    ends = np.concatenate([left.times(END), right.times(END)])
    j = j + left.size
    swapped = ends[i] > ends[j] if kind not in ("seq", "meets") else np.zeros(len(i), np.bool_)
    waiting, completing = np.where(swapped, j, i), np.where(swapped, i, j)
    ranks = np.concatenate([_ranks(choosing, left, world), _ranks(choosing, right, world)])
    if choosing.policy == "recent":
        chosen = choose_recent(waiting, completing, ends, ranks)
    else:
        chosen = choose_in_turn(waiting, completing, _places(ends, ranks), _turns(left, right, world))
    pair = i * (left.size + right.size) + j
    kept: Mask = np.isin(pair, pair[chosen])
    return kept


def _ranks(choosing: Choosing, rows: Rows, world: World) -> Ints:
    """The place of each row among those of its side that ended at the same time: the smaller is taken first."""
    keys: list[Numbers] = []
    for how, name in choosing.prefers:
        if not name:
            length = rows.times(END) - rows.times(START)
            keys.append(-length if how == "longest" else length)
        elif name in rows.names:
            amount = _in_order(rows, name, world)
            keys.append(-amount if how == "greatest" else amount)
    keys.append(-rows.times(START) if choosing.policy == "recent" else rows.times(START))
    return _positions([*keys, *_values(rows, world)])


def _turns(left: Rows, right: Rows, world: World) -> Ints:
    """The order in which occurrences of both sides complete pairs: by end, start, side, and terms."""
    sides = (left, right)
    keys = [np.concatenate([rows.times(name) for rows in sides]) for name in (END, START)]
    keys.append(np.repeat([0, 1], [left.size, right.size]))
    keys.append(np.concatenate([_positions([np.zeros(rows.size), *_values(rows, world)]) for rows in sides]))
    return _positions(keys)


def _values(rows: Rows, world: World) -> list[Numbers]:
    """By the variables in the order of the text."""
    names = sorted(rows.names - {START, END}, key=lambda name: (len(name), name))
    return [_in_order(rows, name, world) for name in names]


def _in_order(rows: Rows, name: str, world: World) -> Numbers:
    """Numbers that are in the standard order of the terms of a column."""
    column = rows.column(name)
    return column.numbers() if column.is_number else world.dictionary.ranks[column.codes()]


def _places(ends: Ints, ranks: Ints) -> Ints:
    return _positions([ends, ranks])


def _positions(keys: list[Numbers]) -> Ints:
    """The place of each row in the order of the keys, the first of which counts most."""
    places = np.empty(len(keys[0]), np.int64)
    places[np.lexsort(keys[::-1])] = np.arange(len(places))
    return places
