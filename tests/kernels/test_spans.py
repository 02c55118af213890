"""Joins of spans against Figure 2, pair by pair."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.kernels.patterns.ranges import count_below
from holdsfor.kernels.patterns.spans import SPAN_KINDS, join_spans
from holdsfor.kernels.rows.joining import TooManyPairs
from tests.kernels.packed import Axis, Intervals, axes, ints, law, same
from tests.kernels.spans import span_columns, windows

Span = tuple[int, int]

#: Figure 2: the condition on the left span (q1, q2) and the right one (q3, q4).
RELATIONS: dict[str, Callable[[int, int, int, int], bool]] = {
    "seq": lambda q1, q2, q3, q4: q2 < q3,
    "and": lambda q1, q2, q3, q4: True,
    "par": lambda q1, q2, q3, q4: max(q1, q3) < min(q2, q4),
    "equals": lambda q1, q2, q3, q4: q1 == q3 and q2 == q4,
    "meets": lambda q1, q2, q3, q4: q2 == q3,
    "during": lambda q1, q2, q3, q4: q3 < q1 < q2 < q4,
    "starts": lambda q1, q2, q3, q4: q1 == q3 and q2 < q4,
    "finishes": lambda q1, q2, q3, q4: q2 == q4 and q3 < q1,
}


def result(kind: str, left: Span, right: Span) -> Span:
    if kind in ("during", "starts", "finishes"):
        return right
    return min(left[0], right[0]), max(left[1], right[1])


def pairs_of_figure_2(
    kind: str, axis: Axis, left: Intervals, right: Intervals, within: int, until: list[int] | None
) -> list[tuple[int, int]]:
    pairs = []
    for i, one in enumerate(zip(*(column.tolist() for column in left), strict=True)):
        for j, other in enumerate(zip(*(column.tolist() for column in right), strict=True)):
            start, end = result(kind, one, other)
            is_of_key = one[0] >> axis.bits == other[0] >> axis.bits
            in_time = until is None or other[0] <= until[i]
            if is_of_key and in_time and RELATIONS[kind](*one, *other) and end - start <= within:
                pairs.append((i, j))
    return pairs


def join(kind: str, axis: Axis, left: Intervals, right: Intervals, within: int, most: int) -> list[tuple[int, int]]:
    i, j = join_spans(kind, axis.bits, *left, *right, within, most)
    assert i.dtype == j.dtype == np.int64
    return sorted(zip(i.tolist(), j.tolist(), strict=True))


def test_every_kind_is_tested() -> None:
    assert set(RELATIONS) == set(SPAN_KINDS)


@pytest.mark.parametrize("kind", RELATIONS)
@law
@given(data=st.data(), axis=axes())
def test_join_of_spans(kind: str, data: st.DataObject, axis: Axis) -> None:
    left, right = data.draw(span_columns(axis)), data.draw(span_columns(axis))
    within = data.draw(windows(axis))
    expected = pairs_of_figure_2(kind, axis, left, right, within, None)
    assert join(kind, axis, left, right, within, 1000) == expected
    assert join(kind, axis, left, right, within, len(expected)) == expected
    if expected:
        with pytest.raises(TooManyPairs):
            join(kind, axis, left, right, within, len(expected) - 1)


@law
@given(data=st.data(), axis=axes())
def test_sequence_until(data: st.DataObject, axis: Axis) -> None:
    left, right = data.draw(span_columns(axis)), data.draw(span_columns(axis))
    within = data.draw(windows(axis))
    until = [min(e | axis.mask, e + data.draw(st.integers(0, 9))) for e in left[1].tolist()]
    i, j = join_spans("seq", axis.bits, *left, *right, within, 1000, ints(until))
    pairs = sorted(zip(i.tolist(), j.tolist(), strict=True))
    assert pairs == pairs_of_figure_2("seq", axis, left, right, within, until)


@pytest.mark.parametrize("kind", RELATIONS)
def test_many_spans_of_every_length(kind: str) -> None:
    """More rows than one group of a pyramid holds, on every level, and more pairs than rows."""
    random, axis = np.random.default_rng(5), Axis(20, 3, 200)
    sides = []
    for rows in (300, 700):
        start = (random.integers(3, 6, rows) << 20) | random.integers(1, 200, rows)
        sides.append((start, start + random.choice(np.array([0, 0, 1, 5, 150]), rows)))
    left, right = sides
    assert len(pairs_of_figure_2(kind, axis, left, right, 170, None)) > 20
    for within in (0, 3, 170, 1 << 40):
        expected = pairs_of_figure_2(kind, axis, left, right, within, None)
        assert join(kind, axis, left, right, within, 1_000_000) == expected


@pytest.mark.parametrize("kind", ["seq", "and", "par", "during"])
def test_long_spans_without_a_pair_are_not_tried_one_by_one(kind: str) -> None:
    """Each left span has 200,000 right ones before and after it, and none fits: 40,000,000,000 to try otherwise."""
    rows, middle = 200_000, 1 << 20
    left = middle + 3 * np.arange(rows)
    early, late = np.arange(1, rows + 1), middle + 3 * rows + np.arange(rows)
    start = {"seq": left + 1, "and": left, "par": np.concatenate([early, late]), "during": early}[kind]
    end = {"seq": late + middle, "and": late + middle, "par": start + 1, "during": start + 2}[kind]
    i, j = join_spans(kind, 40, left, left + 2, start, end, 1 << 19, 10)
    assert i.size == j.size == 0


@law
@given(data=st.data(), axis=axes())
def test_count_below(data: st.DataObject, axis: Axis) -> None:
    values, points = sorted(data.draw(span_columns(axis))[0].tolist()), data.draw(span_columns(axis))[1]
    after = data.draw(st.integers(0, 1))
    expected = ints(sum(value < p + after for value in values) for p in points.tolist())
    assert same([count_below(ints(values), points, after)], [expected])
