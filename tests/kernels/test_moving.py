"""Choosing, merging, re-keying and ordering rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.engine.data.axis import Axis as PackedAxis
from holdsfor.kernels.rows.moving import (
    add_last_code,
    are_in_time,
    ascends,
    compress,
    cut_last_code,
    distinct,
    is_one_of,
    look_up,
    merge_sorted,
    number_sorted,
    order_by_key,
    renumber,
    take,
    time_span,
    unique_sorted,
    value_span,
)
from tests.kernels.packed import Axis, axes, ints, law, point_columns, same


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
@given(st.lists(st.integers(-9, 9), max_size=30))
def test_number_sorted(keys: list[int]) -> None:
    distinct = sorted(set(keys))
    assert same(number_sorted(ints(sorted(keys))), [ints(distinct), ints([distinct.index(k) for k in sorted(keys)])])
    if keys != sorted(keys):
        assert same(number_sorted(ints(keys)), [ints([]), ints([])])


@pytest.mark.parametrize("kind", [np.int32, np.int64])
@law
@given(st.lists(st.integers(0, 6), max_size=40), st.integers(7, 9))
def test_order_by_key(kind: type, keys: list[int], n: int) -> None:
    expected = sorted(range(len(keys)), key=lambda row: keys[row])
    assert same([order_by_key(np.array(keys, dtype=kind), n)], [ints(expected)])


SMALL = st.lists(st.integers(-5, 20), max_size=12)


@law
@given(SMALL)
def test_distinct_values(values: list[int]) -> None:
    assert distinct(ints(values)).tolist() == sorted(set(values))
    assert ascends(ints(values)) == (values == sorted(set(values)))
    assert is_one_of(ints(values), ints([3, 7])).tolist() == [value in (3, 7) for value in values]


@law
@given(st.lists(st.integers(-5, 20), min_size=1, max_size=12))
def test_span_of_values(values: list[int]) -> None:
    read_only = ints(values)
    read_only.flags.writeable = False
    assert value_span(ints(values)) == value_span(read_only) == (min(values), max(values))


@pytest.mark.parametrize("kind", [np.int64, np.float64, np.bool_, np.int8])
def test_taken_rows(kind: type) -> None:
    values = np.array([0, 1, 1, 0, 1], kind)
    rows = take(values, ints([4, 0, 0, 3]))
    assert rows.dtype == values.dtype
    assert rows.tolist() == values[[4, 0, 0, 3]].tolist()


def test_look_up_tells_what_is_missing() -> None:
    table = ints([7, -1, 9])  # of 10, 11 and 12
    assert [part.tolist() if isinstance(part, np.ndarray) else part for part in look_up(table, 10, ints([12, 10]))] == [
        [9, 7],
        0,
    ]
    assert look_up(table, 10, ints([11]))[1] == -1


@law
@given(st.integers(1, 3), st.lists(st.tuples(*[st.integers(0, 15)] * 3, st.integers(90, 140)), max_size=8))
def test_codes_and_time_are_packed(columns: int, rows: list[tuple[int, int, int, int]]) -> None:
    """Times off the axis 100..130 are moved to its edges; the last code can be cut off and put back."""
    codes, times = [ints(row[c] for row in rows) for c in range(3)], ints(row[3] for row in rows)
    points = PackedAxis(100, 1, 5, 4).pack(codes[:columns], times)
    keys = [sum(code << 4 * (columns - 1 - c) for c, code in enumerate(row[:columns])) for row in rows]
    moved = [min(max(row[3], 100), 130) - 100 for row in rows]
    assert points.tolist() == [key * 32 + time for key, time in zip(keys, moved, strict=True)]
    rest, last = cut_last_code(points, 5, 4)
    assert rest.tolist() == [key // 16 * 32 + time for key, time in zip(keys, moved, strict=True)]
    assert last.tolist() == [row[columns - 1] for row in rows]
    assert same([add_last_code(rest, last, 5, 4)], [points])


@law
@given(
    st.lists(st.tuples(st.integers(-30, 60), st.integers(-30, 60)), min_size=1, max_size=6),
    st.integers(-20, 20),
    st.integers(0, 50),
    st.integers(1, 40),
    st.integers(1, 15),
)
def test_are_in_time(rows: list[tuple[int, int]], start: int, length: int, window: int, step: int) -> None:
    def first_seen(arrival: int) -> int:
        query_time = start + step
        while query_time < arrival:
            query_time += step
        return query_time

    end = start + length
    expected = all(
        start < time <= end and arrival <= end and time > first_seen(arrival) - window for time, arrival in rows
    )
    times, arrivals = ints([time for time, _ in rows]), ints([arrival for _, arrival in rows])
    assert are_in_time(times, arrivals, start, end, window, step) == expected


@law
@given(st.lists(st.lists(st.integers(0, 9), max_size=12), max_size=4))
def test_renumber(columns: list[list[int]]) -> None:
    numbers, order = np.full(10, -1, np.int32), np.empty(10, np.int32)
    count, known = 0, list[int]()
    for column in columns:
        known += [code for code in dict.fromkeys(column) if code not in known]
        result = np.empty(len(column), np.int32)
        count = renumber(np.array(column, np.int32), numbers, order, count, result)
        assert result.tolist() == [known.index(code) for code in column]
    assert order[:count].tolist() == known
