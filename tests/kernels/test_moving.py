"""Choosing, merging, re-keying and ordering rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.kernels import (
    compress,
    earliest_of_keys,
    lift,
    merge_sorted,
    number_sorted,
    order_by_key,
    time_span,
    unique_sorted,
)
from tests.kernels.packed import Axis, axes, interval_lists, ints, law, point_columns, same


@pytest.mark.parametrize("kind", [np.int64, np.float64])
@law
@given(st.lists(st.tuples(st.integers(-(2**50), 2**50), st.booleans()), max_size=40))
def test_compress(kind: type, rows: list[tuple[int, bool]]) -> None:
    values, mask = np.array([v for v, _ in rows], dtype=kind), np.array([m for _, m in rows], dtype=np.bool_)
    found = compress(values, mask)
    assert found.dtype == values.dtype
    assert found.tolist() == [kind(v) for v, chosen in rows if chosen]


@pytest.mark.parametrize("share", [0.0, 0.001, 0.5, 0.999, 1.0])
def test_compress_of_many_rows(share: float) -> None:
    random = np.random.default_rng(1)
    values, mask = np.arange(10_001), random.random(10_001) < share
    for cut in (0, 1, 7):
        assert compress(values[cut:], mask[cut:]).tolist() == [i for i in range(cut, 10_001) if mask[i]]


@law
@given(st.data(), axes())
def test_time_span(data: st.DataObject, axis: Axis) -> None:
    points = data.draw(point_columns(axis))
    times = [point & axis.mask for point in points.tolist()] or [0]
    assert time_span(points, axis.mask) == (min(times), max(times))


@law
@given(st.data(), axes())
def test_merge_sorted(data: st.DataObject, axis: Axis) -> None:
    a, b = data.draw(point_columns(axis)), data.draw(point_columns(axis))
    assert same([merge_sorted(a, b)], [ints(sorted(a.tolist() + b.tolist()))])


@law
@given(st.data(), axes())
def test_unique_sorted(data: st.DataObject, axis: Axis) -> None:
    points = data.draw(point_columns(axis))
    assert same([unique_sorted(points)], [ints(sorted(set(points.tolist())))])


@law
@given(st.data(), axes())
def test_earliest_of_keys(data: st.DataObject, axis: Axis) -> None:
    points = data.draw(point_columns(axis))
    expected = {point >> axis.bits: point for point in reversed(points.tolist())}
    shuffled = ints(data.draw(st.permutations(points.tolist())))
    for given_points, in_order in ((points, True), (shuffled, False)):
        found = earliest_of_keys(given_points, axis.bits, in_order)
        assert same([found], [ints(sorted(expected.values()))])


@law
@given(st.lists(st.integers(-9, 9), max_size=30))
def test_number_sorted(keys: list[int]) -> None:
    distinct = sorted(set(keys))
    assert same(number_sorted(ints(sorted(keys))), [ints(distinct), ints([distinct.index(k) for k in sorted(keys)])])
    if keys != sorted(keys):
        assert same(number_sorted(ints(keys)), [ints([]), ints([])])


@law
@given(st.data(), axes())
def test_lift(data: st.DataObject, axis: Axis) -> None:
    s, e = data.draw(interval_lists(axis))
    old_keys = data.draw(st.lists(st.sampled_from(axis.keys), max_size=7))
    low = ints(np.searchsorted(s, key << axis.bits) for key in old_keys)
    high = ints(np.searchsorted(s, key << axis.bits | axis.mask) for key in old_keys)
    new_axis = Axis(axis.bits, 0, axis.horizon)
    covered = axis.covered(s, e)
    expected = {
        i << axis.bits | t
        for i, key in enumerate(old_keys)
        for t in range(1, axis.horizon + 1)
        if axis.pack(key, t) in covered
    }
    assert same(lift(s, e, low, high, axis.bits), new_axis.maximal(expected))


@pytest.mark.parametrize("kind", [np.int32, np.int64])
@law
@given(st.lists(st.integers(0, 6), max_size=40), st.integers(7, 9))
def test_order_by_key(kind: type, keys: list[int], n: int) -> None:
    expected = sorted(range(len(keys)), key=lambda row: keys[row])
    assert same([order_by_key(np.array(keys, dtype=kind), n)], [ints(expected)])
