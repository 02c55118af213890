"""Joins against all pairs tried one by one; pairs come in the order of their rows."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from holdsfor.kernels.rows.joining import expand, interval_join, merge_join, places_of_same_keys, points_of_keys
from tests.kernels.packed import Axis, Intervals, axes, ints, law, overlapping, point_columns, same


def pairs(found: list[tuple[int, int]]) -> Intervals:
    return ints(i for i, _ in found), ints(j for _, j in found)


@law
@given(st.data(), axes())
def test_interval_join(data: st.DataObject, axis: Axis) -> None:
    points, (s, e) = data.draw(point_columns(axis)), data.draw(overlapping(axis))
    expected = [(i, j) for i in range(points.size) for j in range(s.size) if s[j] <= points[i] < e[j]]
    assert same(interval_join(points, s, e), pairs(expected))


def test_interval_join_of_many_pairs() -> None:
    points, starts = ints([50] * 40), ints(range(1, 41))
    expected = [(i, j) for i in range(40) for j in range(40)]
    assert same(interval_join(points, starts, starts + 100), pairs(expected))


@law
@given(st.data(), axes())
def test_merge_join(data: st.DataObject, axis: Axis) -> None:
    a, b = data.draw(point_columns(axis)), data.draw(point_columns(axis))
    expected = [(i, j) for i in range(a.size) for j in range(b.size) if a[i] == b[j]]
    assert same(merge_join(a, b), pairs(expected))


def test_merge_join_of_many_pairs() -> None:
    expected = [(i, j) for i in range(40) for j in range(40)]
    assert same(merge_join(ints([9] * 40), ints([9] * 40)), pairs(expected))


@law
@given(st.lists(st.tuples(st.integers(0, 20), st.integers(-2, 5)), max_size=12))
def test_expand(ranges: list[tuple[int, int]]) -> None:
    lo, hi = ints(low for low, _ in ranges), ints(low + length for low, length in ranges)
    expected = [(i, j) for i, (low, length) in enumerate(ranges) for j in range(low, low + length)]
    assert same(expand(lo, hi), pairs(expected))


@law
@given(st.data(), axes())
def test_places_of_same_keys(data: st.DataObject, axis: Axis) -> None:
    points, others = data.draw(point_columns(axis)), data.draw(point_columns(axis))
    keys = {other >> axis.bits for other in others.tolist()}
    expected = ints(i for i, point in enumerate(points.tolist()) if point >> axis.bits in keys)
    assert same([places_of_same_keys(points, others, axis.bits)], [expected])


@law
@given(st.lists(st.integers(0, 63)), st.lists(st.tuples(st.integers(0, 15), st.integers(0, 7))), st.integers(0, 6))
def test_points_of_keys(keys: list[int], points: list[tuple[int, int]], shift: int) -> None:
    keys, points = sorted(keys), sorted(points)
    low, high = points_of_keys(ints(keys), ints((code << 3) | time for code, time in points), shift, 3)
    expected = [(i, j) for i in range(len(keys)) for j in range(len(points)) if keys[i] >> shift == points[j][0]]
    assert same(expand(low, high), pairs(expected))
