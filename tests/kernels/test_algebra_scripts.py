"""Scripts of algebra against sets of points, and against lists of intervals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from holdsfor.kernels.algebra import (
    ALGEBRA_SLOTS,
    INTERSECT,
    LAST,
    LIFT,
    NAME,
    READ,
    SUBTRACT,
    TABLE,
    UNITE,
    work_out,
)
from tests.kernels.packed import Axis, Intervals, Ints, axes, interval_lists, ints, law, same

Line = tuple[int, int, int, int]
COMBINE = {UNITE: set.union, INTERSECT: set.intersection, SUBTRACT: set.difference}


def follow(
    lines: Sequence[Line], arrays: Sequence[Ints], axis: Axis, times: tuple[int, int, int] = (0, 0, 0), keys: int = 0
) -> Intervals:
    slots = (*arrays, *[ints([])] * (ALGEBRA_SLOTS - len(arrays)))
    return work_out(np.array(lines, np.int64), slots, ints(times), keys, axis.bits)


@st.composite
def expressions(draw: DrawFn, lists: int, depth: int) -> tuple[list[Line], object]:
    """Lines, and the same as a number of a list, or as an operation with its operands."""
    if depth == 0 or draw(st.booleans()):
        number = draw(st.integers(0, lists - 1))
        return [(READ, 2 * number, 0, 0)], number
    op = draw(st.sampled_from(sorted(COMBINE)))
    operands = [draw(expressions(lists, depth - 1)) for _ in range(draw(st.integers(2, 4)))]
    lines = [line for each, _ in operands for line in each]
    return [*lines, (op, len(operands), 0, 0)], (op, [operand for _, operand in operands])


def points_of(expression: object, covered: list[set[int]]) -> set[int]:
    if isinstance(expression, int):
        return covered[expression]
    assert isinstance(expression, tuple)
    op, operands = expression
    first, *others = [points_of(operand, covered) for operand in operands]
    return COMBINE[op](first, *others)


@law
@given(st.data(), axes())
def test_combinations(data: st.DataObject, axis: Axis) -> None:
    lists = [data.draw(interval_lists(axis)) for _ in range(4)]
    lines, expression = data.draw(expressions(len(lists), 3))
    points = points_of(expression, [axis.covered(*each) for each in lists])
    assert same(follow(lines, [array for each in lists for array in each], axis), axis.maximal(points))


@law
@given(st.data(), axes(), st.integers(-3, 12), st.integers(-3, 25))
def test_lasting(data: st.DataObject, axis: Axis, least: int, most: int) -> None:
    """An open interval has lasted until now, and none for longer than the history."""
    s, e = data.draw(interval_lists(axis))
    before, now = data.draw(st.integers(0, 5)), axis.horizon
    first = before + data.draw(st.integers(1, 3))
    kept = []
    for start, end in zip(s.tolist(), e.tolist(), strict=True):
        until = now if end & axis.mask == axis.mask else end & axis.mask
        begin = start & axis.mask
        if least <= until - (begin if begin > before else first) <= most:
            kept.append((start, end))
    expected = ints(start for start, _ in kept), ints(end for _, end in kept)
    lines = [(READ, 0, 0, 0), (LAST, least, most, 0)]
    assert same(follow(lines, (s, e), axis, (before, first, now)), expected)


@law
@given(st.data(), axes().filter(lambda axis: axis.first_key < 10), st.booleans(), st.booleans())
def test_rows_have_the_intervals_of_their_keys(data: st.DataObject, axis: Axis, by_table: bool, ascend: bool) -> None:
    s, e = data.draw(interval_lists(axis))
    keys = data.draw(st.lists(st.integers(0, axis.keys[-1]), max_size=8))
    keys = sorted(keys) if ascend else keys
    rows = [
        (axis.pack(row, start & axis.mask), axis.pack(row, end & axis.mask))
        for row, key in enumerate(keys)
        for start, end in zip(s.tolist(), e.tolist(), strict=True)
        if start >> axis.bits == key
    ]
    expected = ints(start for start, _ in rows), ints(end for _, end in rows)
    table = [(TABLE, 0, 2, 0)] if by_table else []
    lines = [*table, (LIFT, 0, 2, 0 if by_table else -1)]
    arrays = s, e, ints(keys)
    assert same(follow(lines, arrays, axis, keys=axis.keys[-1] + 1), expected)
    assert same(follow(lines, arrays, axis, keys=10**6), expected), "so many keys that a table is not worth it"


@law
@given(st.data(), axes())
def test_names_of_rows(data: st.DataObject, axis: Axis) -> None:
    s, e = data.draw(interval_lists(axis))
    first = axis.keys[0]
    rows = s - (first << axis.bits), e - (first << axis.bits)
    assert same(follow([(READ, 0, 0, 0), (NAME, 2, 0, 0)], (*rows, ints(axis.keys)), axis), (s, e))
