"""Columns of spans over small axes: points and long ones, ties, several keys, rows in any order."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from tests.kernels.packed import Axis, Intervals, ints


@st.composite
def span_columns(draw: DrawFn, axis: Axis, max_size: int = 12, lasting: bool = True) -> Intervals:
    """Packed starts and ends, both of the span; sometimes all points, sometimes in order, sometimes dense."""
    longest = axis.horizon if lasting and draw(st.booleans()) else 0
    times = st.integers(1, axis.horizon if draw(st.booleans()) else min(4, axis.horizon))
    keys = st.sampled_from(axis.keys if draw(st.booleans()) else axis.keys[:1])
    spans = []
    for key, start in draw(st.lists(st.tuples(keys, times), max_size=max_size)):
        end = min(start + draw(st.integers(0, longest)), axis.horizon)
        spans.append((axis.pack(key, start), axis.pack(key, end)))
    if draw(st.booleans()):
        spans.sort()
    return ints(s for s, _ in spans), ints(e for _, e in spans)


def windows(axis: Axis) -> SearchStrategy[int]:
    """How long a result may last: nothing, something, or any time."""
    return st.integers(0, axis.horizon) | st.just(1 << 62)
