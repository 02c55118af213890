"""Blocks between spans, block by block."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from holdsfor.kernels.patterns.spans import first_block, is_blocked, join_spans
from tests.kernels.packed import Axis, axes, ints, law, same
from tests.kernels.spans import span_columns, windows


@law
@given(st.data(), axes())
def test_first_block(data: st.DataObject, axis: Axis) -> None:
    (_, ends), blocks = data.draw(span_columns(axis)), data.draw(span_columns(axis))
    spans = list(zip(*(column.tolist() for column in blocks), strict=True))
    expected = []
    for end in ends.tolist():
        after = [e for s, e in spans if s > end and s >> axis.bits == end >> axis.bits]
        expected.append(min(after, default=end | axis.mask))
    assert same([first_block(axis.bits, ends, *blocks)], [ints(expected)])


@law
@given(st.data(), axes())
def test_is_blocked(data: st.DataObject, axis: Axis) -> None:
    (low, high), blocks = data.draw(span_columns(axis)), data.draw(span_columns(axis))
    spans = list(zip(*(column.tolist() for column in blocks), strict=True))
    expected = [any(a < s and e < b for s, e in spans) for a, b in zip(low.tolist(), high.tolist(), strict=True)]
    assert is_blocked(axis.bits, low, high, *blocks).tolist() == expected


@law
@given(st.data(), axes())
def test_a_sequence_without_a_block_in_between(data: st.DataObject, axis: Axis) -> None:
    """Both ways of absence are NOT(block).[left, right] of Figure 2, decided pair by pair."""
    left, right, blocks = (data.draw(span_columns(axis)) for _ in range(3))
    within = data.draw(windows(axis))
    spans = [list(zip(*(column.tolist() for column in side), strict=True)) for side in (left, right, blocks)]
    expected = [
        (i, j)
        for i, (q1, q2) in enumerate(spans[0])
        for j, (q3, q4) in enumerate(spans[1])
        if q1 >> axis.bits == q3 >> axis.bits and q2 < q3 and q4 - q1 <= within
        if not any(q2 < s and e < q3 for s, e in spans[2])
    ]
    until = first_block(axis.bits, left[1], *blocks)
    i, j = join_spans("seq", axis.bits, *left, *right, within, 1000, until)
    assert sorted(zip(i.tolist(), j.tolist(), strict=True)) == expected
    i, j = join_spans("seq", axis.bits, *left, *right, within, 1000)
    is_free = ~is_blocked(axis.bits, left[1][i], right[0][j], *blocks)
    assert sorted(zip(i[is_free].tolist(), j[is_free].tolist(), strict=True)) == expected
