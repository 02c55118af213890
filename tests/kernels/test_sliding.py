"""Aggregates over windows, each window worked out on its own with Python's numbers."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from holdsfor.kernels.patterns.sliding import last_events, last_time, slide_extremes, slide_float_sums, slide_sums
from tests.kernels.packed import Axis, Ints, axes, ints, law, point_columns, same

Windows = tuple[Ints, Ints]


@law
@given(st.data(), axes(), st.integers(1, 30))
def test_the_last_events(data: st.DataObject, axis: Axis, events: int) -> None:
    ends = data.draw(point_columns(axis))
    keys = (ends >> axis.bits).tolist()
    before = [[p for p in range(r + 1) if keys[p] == keys[r]][-events:] for r in range(ends.size)]
    first, last = ints(rows[0] for rows in before), ints(range(ends.size))
    assert same(last_events(axis.bits, ends, events), (first, last))


@law
@given(st.data(), axes(), st.integers(1, 30))
def test_the_last_time(data: st.DataObject, axis: Axis, duration: int) -> None:
    ends = data.draw(point_columns(axis))
    places = [(p >> axis.bits, p & axis.mask) for p in ends.tolist()]
    inside = [
        [p for p, (other, end) in enumerate(places) if other == key and moment - duration < end <= moment]
        for key, moment in places
    ]
    first, last = ints(rows[0] for rows in inside), ints(rows[-1] for rows in inside)
    assert same(last_time(axis.bits, ends, duration), (first, last))


@st.composite
def windows(draw: DrawFn, rows: int) -> Windows:
    """Any windows of at least one row that never move back."""
    first, last = [], []
    begin, end = 0, 0
    for _ in range(draw(st.integers(0, rows and 12))):
        end = draw(st.integers(end, rows - 1))
        begin = draw(st.integers(begin, end))
        first.append(begin)
        last.append(end)
    return ints(first), ints(last)


WHOLE = st.integers(-3, 3) | st.integers(-(1 << 63), (1 << 63) - 1)
FLOATS = st.floats(-10, 10).map(lambda x: round(x, 2)) | st.floats(allow_nan=False, allow_infinity=False)


@law
@given(st.data(), st.lists(WHOLE, max_size=20))
def test_sums_and_extremes_of_integers(data: st.DataObject, values: list[int]) -> None:
    first, last = data.draw(windows(len(values)))
    parts = [values[a : b + 1] for a, b in zip(first.tolist(), last.tolist(), strict=True)]
    for greatest, extreme in ((True, max), (False, min)):
        assert same([slide_extremes(ints(values), first, last, greatest)], [ints(map(extreme, parts))])
    sums, fits = slide_sums(ints(values), first, last)
    assert fits.tolist() == [-(1 << 63) <= sum(part) < 1 << 63 for part in parts]
    assert sums[fits].tolist() == [sum(part) for part, fit in zip(parts, fits.tolist(), strict=True) if fit]


def nearest(numbers: list[float]) -> float:
    """Python rounds a fraction to the nearest float."""
    try:
        return float(sum(map(Fraction, numbers)))
    except OverflowError:
        return math.inf if sum(map(Fraction, numbers)) > 0 else -math.inf


@law
@given(st.data(), st.lists(FLOATS, max_size=20))
def test_sums_and_extremes_of_floats(data: st.DataObject, values: list[float]) -> None:
    first, last = data.draw(windows(len(values)))
    parts = [values[a : b + 1] for a, b in zip(first.tolist(), last.tolist(), strict=True)]
    column = np.array(values, np.float64)
    assert slide_float_sums(column, first, last).tolist() == [nearest(part) for part in parts]
    assert slide_extremes(column, first, last, True).tolist() == [max(part) for part in parts]
    assert slide_extremes(column, first, last, False).tolist() == [min(part) for part in parts]


@law
@given(st.data(), st.lists(FLOATS | st.sampled_from([math.inf, -math.inf, math.nan]), max_size=20))
def test_what_is_no_number_leaves_with_its_row(data: st.DataObject, values: list[float]) -> None:
    first, last = data.draw(windows(len(values)))
    sums = slide_float_sums(np.array(values, np.float64), first, last).tolist()
    for result, a, b in zip(sums, first.tolist(), last.tolist(), strict=True):
        part = values[a : b + 1]
        others = sum(value for value in part if not math.isfinite(value))
        expected = others if any(not math.isfinite(value) for value in part) else nearest(part)
        assert result == expected or (math.isnan(result) and math.isnan(expected))


@law
@given(st.lists(st.tuples(st.integers(-(1 << 53), 1 << 53), st.integers(-80, 80)), min_size=1, max_size=12))
@example([(1 << 53, 0), (1, 0)])  # halfway between two floats: to the even one
@example([(1 << 53, 0), (3, 0)])
@example([(1 << 53, 0), (1, 0), (1, -80)])  # a trace above halfway
@example([(1 << 53, 0), (1, 0), (-1, -80)])
def test_sums_are_rounded_once(parts: list[tuple[int, int]]) -> None:
    numbers = [math.ldexp(whole, exponent) for whole, exponent in parts]
    result = slide_float_sums(np.array(numbers), ints([0]), ints([len(numbers) - 1]))
    assert result.tolist() == [nearest(numbers)]


def test_sums_of_many_rows() -> None:
    numbers = random.Random(4)
    values = [round(numbers.gauss(0, 1000), 3) for _ in range(3_000)]
    ends = ints(range(1, 3_001))
    first, last = last_events(20, ends, 100)
    expected = [math.fsum(values[max(r - 99, 0) : r + 1]) for r in range(3_000)]
    assert slide_float_sums(np.array(values), first, last).tolist() == expected
