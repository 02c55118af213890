"""Temporal kernels over packed, sorted int64 columns; see `kernel` for the packing and its invariants."""

from holdsfor.kernels.algebra import intersect2, minus2, normalise, union2
from holdsfor.kernels.holding import holds_mask, holds_search, member_mask, member_search
from holdsfor.kernels.inertia import (
    INITIATE,
    INITIATE_IF_ALIVE,
    TERMINATE,
    TERMINATE_ANY,
    exclusive,
    join_points,
    make_intervals,
)
from holdsfor.kernels.joining import TooManyPairs, expand, interval_join, merge_join
from holdsfor.kernels.kernel import Intervals, Ints, Mask, Pairs, kernel
from holdsfor.kernels.moving import compress, lift, merge_sorted, number_sorted, order_by_key, unique_sorted
from holdsfor.kernels.nesting import nested_beyond

__all__ = [
    "INITIATE",
    "INITIATE_IF_ALIVE",
    "TERMINATE",
    "TERMINATE_ANY",
    "Intervals",
    "Ints",
    "Mask",
    "Pairs",
    "TooManyPairs",
    "compress",
    "exclusive",
    "expand",
    "holds_mask",
    "holds_search",
    "intersect2",
    "interval_join",
    "join_points",
    "kernel",
    "lift",
    "make_intervals",
    "member_mask",
    "member_search",
    "merge_join",
    "merge_sorted",
    "minus2",
    "nested_beyond",
    "normalise",
    "number_sorted",
    "order_by_key",
    "union2",
    "unique_sorted",
]
