"""Temporal kernels over packed, sorted int64 columns; see `kernel` for the packing and its invariants."""

from holdsfor.kernels.absence import first_block, is_blocked
from holdsfor.kernels.algebra import intersect2, minus2, normalise, union2
from holdsfor.kernels.gathering import (
    continue_from,
    divide_at,
    find_earliest_of_codes,
    gather_rows,
    order_changed,
    places_from,
    places_lingering,
    places_of_codes,
    places_of_keys,
    places_unlike,
    points_since,
)
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
from holdsfor.kernels.moving import (
    compress,
    earliest_of_keys,
    lift,
    merge_sorted,
    number_sorted,
    order_by_key,
    time_span,
    unique_sorted,
)
from holdsfor.kernels.nesting import nested_beyond
from holdsfor.kernels.policies import choose_in_turn, choose_recent
from holdsfor.kernels.sliding import last_events, last_time, slide_extremes, slide_float_sums, slide_sums
from holdsfor.kernels.sorting import distinct_rows, sort_packed
from holdsfor.kernels.spans import SPAN_KINDS, join_spans
from holdsfor.kernels.taking import take

__all__ = [
    "INITIATE",
    "INITIATE_IF_ALIVE",
    "SPAN_KINDS",
    "TERMINATE",
    "TERMINATE_ANY",
    "Intervals",
    "Ints",
    "Mask",
    "Pairs",
    "TooManyPairs",
    "choose_in_turn",
    "choose_recent",
    "compress",
    "continue_from",
    "distinct_rows",
    "divide_at",
    "earliest_of_keys",
    "exclusive",
    "expand",
    "find_earliest_of_codes",
    "first_block",
    "gather_rows",
    "holds_mask",
    "holds_search",
    "intersect2",
    "interval_join",
    "is_blocked",
    "join_points",
    "join_spans",
    "kernel",
    "last_events",
    "last_time",
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
    "order_changed",
    "places_from",
    "places_lingering",
    "places_of_codes",
    "places_of_keys",
    "places_unlike",
    "points_since",
    "slide_extremes",
    "slide_float_sums",
    "slide_sums",
    "sort_packed",
    "take",
    "time_span",
    "union2",
    "unique_sorted",
]
