"""Relations in memory: Points (what happened) or Intervals (what held), each with the views that joins ask for.

What all relations can do, whatever they hold: `where` (some of their rows), `groundings_of_rows`, `beyond` (what is not
over at an edge), `until` (what is settled at a boundary) and `after` (put behind what is settled), `known_times`.
Times there are relative to the origin of the axis.
"""

from __future__ import annotations

import numpy as np

from holdsfor.engine.data.axis import Ints
from holdsfor.engine.data.intervals import Intervals
from holdsfor.engine.data.points import Points, rows_in_order, unite_parts, united
from holdsfor.kernels.rows.gathering import order_changed
from holdsfor.kernels.rows.moving import merge_sorted
from holdsfor.kernels.rows.sorting import sort_packed

Data = Points | Intervals
"""What is known of a relation."""


def put_after(settled: Data | None, concluded: Data, boundary: int | Ints) -> Data:
    """Join what was settled before the boundary to what has been concluded from there on."""
    if isinstance(concluded, Points):
        return concluded.after(settled if isinstance(settled, Points) else None, boundary)
    return concluded.after(settled if isinstance(settled, Intervals) else None, boundary)


def change_rows(data: Data, removed: Ints, added: Data) -> Data:
    """Without the rows at these places, which are sorted, and with others, which it has not."""
    if isinstance(data, Intervals):
        assert isinstance(added, Intervals)
        if not added.s.size and not removed.size:
            return data
        return data.changed(removed, added) if data.s.size else added
    if not len(data):
        return added
    assert isinstance(added, Points)
    if not len(added) or added.key != data.key:
        kept = np.ones(len(data), np.bool_)
        kept[removed] = False
        return united([data.where(kept), added])
    if not removed.size and data.is_packed and added.is_packed:
        return Points(data.axis, data.dictionary, data.arity, data.key, merge_sorted(data.packed, added.packed), {})
    order = order_changed(data.packed, removed, added.packed)
    return rows_in_order([data, added], order, data.key, np.concatenate([data.packed, added.packed])[order])


def merge_in_order(one: Data, other: Data) -> tuple[Data, Ints]:
    """Both sets of rows, which have none in common, as one; and the order of the rows, one set after the other."""
    if not len(one) or not len(other):
        return (one if len(one) else other), np.arange(len(one) + len(other))
    if isinstance(one, Points):
        assert isinstance(other, Points)
        return unite_parts([one, other])
    assert isinstance(other, Intervals)
    s, e = np.concatenate([one.s, other.s]), np.concatenate([one.e, other.e])
    s, order = sort_packed(s, one.axis.time_bits)
    return one.of(s, e[order]), order


def put_in_order(one: Data, other: Data, order: Ints) -> Data:
    """Rows of both, one set after the other, in an order that sorts them."""
    if isinstance(one, Points):
        assert isinstance(other, Points)
        return rows_in_order([one, other], order, one.key, np.concatenate([one.packed, other.packed])[order])
    assert isinstance(other, Intervals)
    return one.of(np.concatenate([one.s, other.s])[order], np.concatenate([one.e, other.e])[order])
