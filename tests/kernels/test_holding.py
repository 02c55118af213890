"""Points inside intervals, and points among points."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.kernels.rows.holding import holds_mask, holds_search, member_mask, member_search
from tests.kernels.packed import Axis, axes, interval_lists, ints, law, point_columns


@law
@given(st.data(), axes())
def test_holds(data: st.DataObject, axis: Axis) -> None:
    points, (s, e) = data.draw(point_columns(axis)), data.draw(interval_lists(axis))
    expected = [p in axis.covered(s, e) for p in points.tolist()]
    assert holds_mask(points, s, e).tolist() == expected
    assert holds_mask(points, s, e).dtype == np.bool_
    anyhow = ints(data.draw(st.permutations(points.tolist())))
    assert holds_search(anyhow, s, e).tolist() == [p in axis.covered(s, e) for p in anyhow.tolist()]


@law
@given(st.data(), axes())
def test_member(data: st.DataObject, axis: Axis) -> None:
    a, b = data.draw(point_columns(axis)), data.draw(point_columns(axis))
    assert member_mask(a, b).tolist() == [p in set(b.tolist()) for p in a.tolist()]
    anyhow = ints(data.draw(st.permutations(a.tolist())))
    assert member_search(anyhow, b).tolist() == [p in set(b.tolist()) for p in anyhow.tolist()]
    assert member_mask(a, b).dtype == member_search(a, b).dtype == np.bool_


@law
@given(st.data(), axes())
def test_an_interval_holds_from_its_start_until_before_its_end(data: st.DataObject, axis: Axis) -> None:
    s, e = data.draw(interval_lists(axis))
    for holds in (holds_mask, holds_search):
        assert holds(s, s, e).all()
        assert holds(e - 1, s, e).all()
        assert not holds(s - 1, s, e).any()
        assert not holds(e, s, e).any()


@pytest.mark.parametrize(("points", "intervals"), [(0, 300), (20, 300), (300, 300), (3000, 300), (3000, 20), (3000, 0)])
def test_many_against_few_and_few_against_many(points: int, intervals: int) -> None:
    random = np.random.default_rng(points + intervals)
    edges = np.sort(random.choice(np.arange(1, 4000), 2 * intervals, replace=False)).astype(np.int64)
    s, e = edges[::2].copy(), edges[1::2].copy()
    column = np.sort(random.integers(1, 4000, points))
    covered = {p for start, end in zip(s.tolist(), e.tolist(), strict=True) for p in range(start, end)}
    for holds in (holds_mask, holds_search):
        assert holds(column, s, e).tolist() == [p in covered for p in column.tolist()]
    for member in (member_mask, member_search):
        assert member(column, edges).tolist() == [p in set(edges.tolist()) for p in column.tolist()]
