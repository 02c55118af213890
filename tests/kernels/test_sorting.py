"""Sorting against Python's, which is stable; distinct rows against a dictionary, which keeps the first."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.kernels.rows.sorting import distinct_rows, sort_packed
from tests.kernels.packed import Axis, Ints, axes, ints, law, same
from tests.kernels.spans import span_columns

ANY = st.integers(-(1 << 63), (1 << 63) - 1)


def sorted_by_python(values: Ints) -> tuple[Ints, Ints]:
    order = sorted(range(values.size), key=values.tolist().__getitem__)
    return values[order], ints(order)


@law
@given(st.data(), axes())
def test_sort_packed(data: st.DataObject, axis: Axis) -> None:
    values, _ = data.draw(span_columns(axis, max_size=40))
    if data.draw(st.booleans()):
        values = values[np.argsort(values & axis.mask, kind="stable")]  # as rows arrive: in order of time
    assert same(sort_packed(values, axis.bits), sorted_by_python(values))


@law
@given(st.lists(st.integers(0, (1 << 63) - 1), max_size=40))
def test_values_that_need_all_bits(values: list[int]) -> None:
    assert same(sort_packed(ints(values), 20), sorted_by_python(ints(values)))


@pytest.mark.parametrize("keys", [1, 300, 1 << 40])
@pytest.mark.parametrize("rows", [1, 2, 5_000])
def test_many_rows(rows: int, keys: int) -> None:
    random = np.random.default_rng(rows)
    key, time = random.integers(0, keys, rows), random.integers(0, 1 << 20, rows)
    for times in (time, np.sort(time)):
        values = (key << 20) | times
        assert same(sort_packed(values, 20), sorted_by_python(values))


@pytest.mark.parametrize("split", [0, 1, 2_500, 4_999])
def test_two_sorted_lists_one_after_the_other(split: int) -> None:
    values = np.random.default_rng(split).integers(0, 1 << 40, 5_000) >> 30 << 30  # with equal ones
    values = np.concatenate([np.sort(values[:split]), np.sort(values[split:])])
    assert same(sort_packed(values, 20), sorted_by_python(values))


def test_bits_that_lie_apart() -> None:
    random = np.random.default_rng(1)
    values = sum(random.integers(0, 4, 5_000) << shift for shift in (3, 17, 30, 41, 50))
    assert same(sort_packed(ints(values), 20), sorted_by_python(ints(values)))


def test_rows_of_each_key_in_time() -> None:
    """As the intervals of values come: in order of (grounding, time), to be sorted by (grounding, value, time)."""
    random = np.random.default_rng(1)
    time = np.concatenate([np.sort(random.integers(0, 1 << 20, 50)) for _ in range(100)])
    key = np.repeat(random.permutation(100), 50) * 7 + random.integers(0, 3, 5_000) * (1 << 30)
    values = (key << 20) | time
    assert same(sort_packed(values, 20, in_time=True), sorted_by_python(values))


@pytest.mark.parametrize("keys", [2, 300])
@pytest.mark.parametrize("late", [1, 250, 4_000])
def test_rows_of_which_some_are_late(late: int, keys: int) -> None:
    """In order of time but for some; 4,000 before all others are few that fall back, and many moves."""
    random = np.random.default_rng(late)
    time = np.sort(random.integers(0, 1 << 10, 5_000))
    if late == 4_000:
        time = np.concatenate([time[late:], time[:late]])
    else:
        time[random.integers(0, 5_000, late)] -= 300
    values = (random.integers(0, keys, 5_000) << 20) | np.maximum(time, 1)
    assert same(sort_packed(values, 20), sorted_by_python(values))


@law
@given(st.integers(1, 4), st.data())
def test_distinct_rows(width: int, data: st.DataObject) -> None:
    row = st.tuples(*[st.integers(-2, 2) | ANY] * width)
    rows = data.draw(st.lists(row, max_size=30))
    columns = tuple(ints(row[c] for row in rows) for c in range(width))
    first = {row: i for i, row in reversed(list(enumerate(rows)))}
    assert same([distinct_rows(columns)], [ints(sorted(first.values()))])


def test_distinct_among_many_rows() -> None:
    random = np.random.default_rng(1)
    columns = tuple(random.integers(0, 30, 20_000) << shift for shift in (0, 40, 60))
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    first = {row: i for i, row in reversed(list(enumerate(rows)))}
    assert same([distinct_rows(columns)], [ints(sorted(first.values()))])
