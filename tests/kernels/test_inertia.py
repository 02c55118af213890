"""Inertia: a fluent holds at a point iff something initiated it before and nothing ended it since."""

from __future__ import annotations

from itertools import groupby

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.kernels.intervals.inertia import exclusive, join_points
from tests.kernels.packed import Axis, Ints, axes, hold_one, ints, law, places, point_columns, same


def held(axis: Axis, init: Ints, term: Ints, after: int) -> set[int]:
    """The definition: initiated at i, edge passed, and no termination at or after i has passed its own edge."""

    def holds(p: int) -> bool:
        before = [int(i) for i in init if int(i) | axis.mask == p | axis.mask and int(i) + after <= p]
        ended = [int(x) for x in term if int(x) | axis.mask == p | axis.mask and int(x) + after <= p]
        return any(all(x < i for x in ended) for i in before)

    return {p for p in axis.points() if holds(p)}


@law
@given(st.data(), axes(), st.sampled_from([0, 1]))
def test_hold_between(data: st.DataObject, axis: Axis, after: int) -> None:
    init, term = data.draw(point_columns(axis)), data.draw(point_columns(axis))
    assert same(hold_one(init, term, axis.mask, after), axis.maximal(held(axis, init, term, after)))


@pytest.mark.parametrize(
    ("init", "term", "after", "expected"),
    [
        ([10], [25], 1, [(11, 26)]),
        ([10], [], 1, [(11, 255)]),
        ([10], [10], 1, []),
        ([10, 20], [20], 1, [(11, 21)]),
        ([10, 10, 12], [10, 10, 40], 1, [(13, 41)]),
        ([40], [80], 0, [(40, 80)]),
        ([40, 40], [40], 0, []),
        ([254], [], 1, []),
        ([255], [], 0, []),
        ([10, 256 + 5], [256 + 9], 1, [(11, 255), (256 + 6, 256 + 10)]),
    ],
)
def test_hold_between_by_example(init: list[int], term: list[int], after: int, expected: list[tuple[int, int]]) -> None:
    starts, ends = hold_one(ints(init), ints(term), 255, after)
    assert list(zip(starts.tolist(), ends.tolist(), strict=True)) == expected


Row = tuple[int, int, int]  # point, value, action


def after_point(rows: list[Row], current: int | None) -> int | None:
    """The value that holds after the rows of one point, from the words of the definition; None is none."""
    sure = {value for _, value, action in rows if action == 1}
    alive = current is not None or bool(sure)
    initiated = sure | ({value for _, value, action in rows if action == 2} if alive else set())
    terminated = {value for _, value, action in rows if action == -1}
    if len(initiated) >= 2:
        return None
    candidate = next(iter(initiated)) if initiated else current
    if candidate in terminated or any(action == -2 for *_, action in rows):
        return None
    return candidate


def values_by_point(axis: Axis, rows: list[Row], after: int) -> dict[int, int]:
    """Which value holds at each point of the axis."""
    result: dict[int, int] = {}
    for key in axis.keys:
        current, history = None, {}
        for t in range(1, axis.horizon + 1):
            current = after_point([row for row in rows if row[0] == axis.pack(key, t)], current)
            history[t + after] = current
        result |= {axis.pack(key, t): v for t, v in history.items() if v is not None and t <= axis.horizon}
    return result


@law
@given(st.data(), axes(), st.sampled_from([0, 1]), st.sampled_from([np.int8, np.int64]))
def test_exclusive(data: st.DataObject, axis: Axis, after: int, kind: type) -> None:
    row = st.tuples(places(axis), st.integers(0, 3), st.sampled_from([1, 1, 1, 2, -1, -2]))
    rows = sorted(data.draw(st.lists(row, max_size=25)), key=lambda row: row[0])
    columns = ints(p for p, *_ in rows), ints(v for _, v, _ in rows), np.array([a for *_, a in rows], dtype=kind)
    starts, ends, values = exclusive(*columns, axis.mask, after)
    by_point = values_by_point(axis, rows, after)
    expected = []
    for value in range(4):
        s, e = axis.maximal(p for p, v in by_point.items() if v == value)
        expected += [(*pair, value) for pair in zip(s.tolist(), e.tolist(), strict=True)]
    assert list(zip(starts.tolist(), ends.tolist(), values.tolist(), strict=True)) == sorted(expected)
    assert starts.dtype == ends.dtype == values.dtype == np.int64


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([(10, 1, 1), (25, 2, 1)], [(11, 26, 1), (26, 255, 2)]),
        ([(10, 1, 1), (10, 2, 1)], []),
        ([(5, 1, 1), (10, 1, 1), (10, 2, 1)], [(6, 11, 1)]),
        ([(5, 1, 1), (10, 1, 1), (10, 1, -1)], [(6, 11, 1)]),
        ([(5, 1, 1), (10, 2, 1), (10, 2, -1)], [(6, 11, 1)]),
        ([(5, 1, 1), (10, 2, -1), (12, 7, -2)], [(6, 13, 1)]),
        ([(5, 1, 1), (10, 1, -1), (10, 2, 1)], [(6, 11, 1), (11, 255, 2)]),
        ([(5, 3, 2)], []),
        ([(5, 3, 2), (5, 3, 1)], [(6, 255, 3)]),
        ([(5, 3, 2), (5, 4, 1)], []),
        ([(5, 4, 1), (9, 3, 2)], [(6, 10, 4), (10, 255, 3)]),
        ([(5, 4, 1), (256 + 9, 3, 2)], [(6, 255, 4)]),
    ],
)
def test_exclusive_by_example(rows: list[Row], expected: list[tuple[int, int, int]]) -> None:
    columns = ints(p for p, *_ in rows), ints(v for _, v, _ in rows), ints(a for *_, a in rows)
    starts, ends, values = exclusive(*columns, 255, 1)
    assert list(zip(starts.tolist(), ends.tolist(), values.tolist(), strict=True)) == expected


@law
@given(st.data(), axes(), st.integers(1, 6), st.integers(-50, 50))
def test_join_points(data: st.DataObject, axis: Axis, tick: int, origin: int) -> None:
    points = ints(sorted(set(data.draw(point_columns(axis)).tolist())))
    covered: set[int] = set()
    for key, group in groupby(points.tolist(), lambda p: p >> axis.bits):
        times = [p & axis.mask for p in group]
        for t, following in zip(times, [*times[1:], None], strict=True):
            grid = next(x for x in range(t + 1, t + tick + 1) if (x + origin) % tick == 0)
            joined = following is not None and following - t <= tick
            until = following if joined else min(grid, axis.mask)
            covered |= {axis.pack(key, x) for x in range(t, until)}
    starts, ends = join_points(points, axis.mask, tick, origin)
    assert {p for s, e in zip(starts.tolist(), ends.tolist(), strict=True) for p in range(s, e)} == covered
    assert (starts[1:] > ends[:-1]).all()


def test_join_points_ends_on_the_grid_of_absolute_time() -> None:
    starts, ends = join_points(ints([3, 43, 83, 200]), 255, 40, 37)
    assert (starts.tolist(), ends.tolist()) == ([3, 200], [123, 203])
