"""Scripts, line by line: points become intervals by the definition of inertia, and contradict what holds or do not."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.kernels import scripts as kernel
from holdsfor.kernels.intervals.inertia import hold_between
from holdsfor.kernels.scripts import follow_script
from tests.kernels.packed import Axis, Ints, axes, hold_one, interval_lists, law, point_columns, same

EMPTY = np.empty(0, np.int64)
NO_CUTS = np.array([-1, 0, 0])


def follow(axis: Axis, lines: list[list[int]], arrays: list[Ints], constants: tuple[float, ...] = ()) -> list[Ints]:
    """The points of each run."""
    out, runs = follow_all(axis, lines, arrays, constants)
    return [out[begin:end] for _, begin, end in runs.tolist()]


def follow_all(
    axis: Axis, lines: list[list[int]], arrays: list[Ints], constants: tuple[float, ...] = ()
) -> tuple[Ints, Ints]:
    script = np.zeros((len(lines), kernel.WIDTH), np.int64)
    for place, line in enumerate(lines):
        script[place, : len(line)] = line
    times = np.array([1, axis.mask - 1, 1, axis.mask - 1])
    given = (*arrays, *[EMPTY] * (kernel.SLOTS - len(arrays)))
    out, runs, is_exact = follow_script(script, given, np.array(constants), times, EMPTY, NO_CUTS, axis.bits, 1)
    assert is_exact
    return out, runs


def merged(*columns: Ints) -> Ints:
    return np.sort(np.concatenate(columns))


@law
@given(st.data(), axes())
def test_runs_become_intervals(data: st.DataObject, axis: Axis) -> None:
    columns = [data.draw(point_columns(axis)) for _ in range(5)]
    tables = [0, 0, 1, 1, 1]
    lines = [[kernel.MERGE, slot, 0, table] for slot, table in enumerate(tables)]
    s, e, ends = hold_between(*follow_all(axis, lines, columns), 1, axis.mask, 1)
    assert same((s, e), hold_one(merged(*columns[:2]), merged(*columns[2:]), axis.mask, 1))
    assert ends.tolist() == [len(s)]


@law
@given(st.data(), axes(), st.integers(2, 3))
def test_a_value_ends_where_another_begins(data: st.DataObject, axis: Axis, values: int) -> None:
    columns = [data.draw(point_columns(axis)) for _ in range(2 * values)]
    lines = [[kernel.MERGE, table, 0, table] for table in range(2 * values)]
    s, e, ends = hold_between(*follow_all(axis, lines, columns), values, axis.mask, 1)
    for value in range(values):
        begin = ends[value - 1] if value else 0
        others = [columns[2 * other] for other in range(values) if other != value]
        expected = hold_one(columns[2 * value], merged(columns[2 * value + 1], *others), axis.mask, 1)
        assert same((s[begin : ends[value]], e[begin : ends[value]]), expected)


@law
@given(st.data(), axes(), st.booleans(), st.booleans())
def test_rows_at_whose_time_it_holds(data: st.DataObject, axis: Axis, is_negated: bool, is_at: bool) -> None:
    rows, (s, e) = data.draw(point_columns(axis)), data.draw(interval_lists(axis))
    others = data.draw(point_columns(axis))
    held = set(others.tolist()) if is_at else axis.covered(s, e)
    arrays = [rows, others, others] if is_at else [rows, s, e]
    lines = [[kernel.SCAN, 0], [kernel.HOLD, 1, 1 if is_at else 2, int(is_negated)], [kernel.CONCLUDE]]
    (found,) = follow(axis, lines, arrays)
    assert found.tolist() == [p for p in rows.tolist() if (p in held) != is_negated]


@law
@given(
    st.lists(st.sampled_from([-1.5, 0.0, 2.0, 2.5, 7.0, float("nan"), float("inf")]), max_size=3000),
    st.sampled_from([0.0, 2.0, 2.5]),
    st.integers(0, 5),
)
def test_numbers_of_many_blocks(numbers: list[float], constant: float, comparison: int) -> None:
    """By the quick way and by the stack."""
    axis = Axis(20, 0, 20)
    rows, column = np.arange(1, len(numbers) + 1), np.array(numbers, np.float64)
    passes = (np.less, np.greater, np.less_equal, np.greater_equal, np.equal, np.not_equal)[comparison]
    expected = rows[passes(column, constant) & ~np.isnan(column)]
    quick = [[kernel.COMPARE, 1, 0, comparison, 0]]
    pushed = [[kernel.PUSH, 1, 0, kernel.FLOATS, 0, 0], [kernel.PUSH, 0, 0, kernel.CONSTANT, 0, 1]]
    for lines in (quick, [*pushed, [kernel.TEST, 0, 0, comparison]]):
        script = [[kernel.SCAN, 0], *lines, [kernel.CONCLUDE], [kernel.AGAIN, 0, 0, 1]]
        found = follow(axis, script, [rows, column.view(np.int64)], (constant,))
        assert same(found, (expected, expected))


def test_rules_that_come_back_to_what_they_share() -> None:
    """Rows, facts and numbers are as they were when they were kept."""
    axis = Axis(20, 0, 20)
    rows, numbers, facts, codes = np.arange(1, 3001), np.arange(3000.0), np.arange(3000) % 5 - 1, np.arange(3000)
    lines = [
        [kernel.SCAN, 0],
        [kernel.KEY, 3, 0, kernel.IN_COLUMN, 0, 0, 1],
        [kernel.LOOK_UP, 2, 0, 0, 0],  # four of five have a fact
        [kernel.PUSH, 1, 0, kernel.FLOATS, 0, 0],
        [kernel.STORE, 0, 0, 0],
        [kernel.SAVE, 0, 0, 0],
        [kernel.PUSH, 0, 0, kernel.WORKED_OUT, 0, 0],
        [kernel.PUSH, 0, 0, kernel.CONSTANT, 0, 1],
        [kernel.TEST, 0, 0, kernel.LESS],
        [kernel.CONCLUDE, 0, 0, 0],
        [kernel.RESTORE, 0, 0, 0],
        [kernel.PUSH, 3, 0, kernel.FACT_INTEGERS, 0, 0],
        [kernel.PUSH, 0, 0, kernel.CONSTANT, 1, 1],
        [kernel.TEST, 0, 0, kernel.EQUAL],
        [kernel.CONCLUDE, 0, 0, 1],
    ]
    first, second = follow(axis, lines, [rows, numbers.view(np.int64), facts, codes], (1500.0, 2.0))
    assert first.tolist() == [row for row in rows.tolist() if facts[row - 1] >= 0 and row - 1 < 1500]
    assert second.tolist() == [row for row in rows.tolist() if facts[row - 1] == 2]
