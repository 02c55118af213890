"""Interval algebra on Arrow columns, against sets of points."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdsfor import HoldsforError, Intervals

END = 30  # of the points that are compared; what is open goes on there
Points = dict[tuple[str, int], set[int]]
ROW = st.tuples(st.sampled_from("abc"), st.integers(0, 2), st.integers(0, 20), st.integers(0, 8) | st.none())
ROWS = st.lists(ROW, max_size=12)


def intervals(rows: list[tuple[str, int, int, int | None]]) -> Intervals:
    columns = {
        "who": pa.array([row[0] for row in rows], pa.string()),
        "number": pa.array([row[1] for row in rows], pa.int32()),
        "start": pa.array([row[2] for row in rows], pa.int64()),
        "end": pa.array([None if row[3] is None else row[2] + row[3] for row in rows], pa.int64()),
    }
    return Intervals(columns)


def points(rows: list[tuple[str, int, int, int | None]]) -> Points:
    """The points in which each key holds."""
    held: Points = {}
    for who, number, start, length in rows:
        if length != 0:
            held.setdefault((who, number), set()).update(range(start, END if length is None else start + length))
    return held


def of(whole: Intervals) -> Points:
    """The points of intervals, which must be maximal and in order."""
    held: Points = {}
    last: dict[tuple[str, int], int] = {}
    seen: list[tuple[str, int]] = []
    for row in whole.table.to_pylist():
        key, end = (row["who"], row["number"]), END if row["end"] is None else row["end"]
        assert row["start"] < end
        assert row["start"] > last.get(key, -1)  # they neither overlap nor touch
        last[key] = end
        if key not in seen:
            seen.append(key)
        assert seen[-1] == key  # the rows of a key stand together
        held.setdefault(key, set()).update(range(row["start"], end))
    return held


def without_empty(held: Points) -> Points:
    return {key: those for key, those in held.items() if those}


@given(ROWS)
def test_any_rows_become_maximal_intervals(rows: list[tuple[str, int, int, int | None]]) -> None:
    assert of(intervals(rows)) == points(rows)


@pytest.mark.parametrize(
    ("operation", "naive"),
    [
        (Intervals.union, lambda a, b: a | b),
        (Intervals.intersect, lambda a, b: a & b),
        (Intervals.difference, lambda a, b: a - b),
    ],
)
@given(ROWS, ROWS, ROWS)
def test_operations_are_those_of_sets(
    operation: Callable[..., Intervals],
    naive: Callable[[set[int], set[int]], set[int]],
    one: list[tuple[str, int, int, int | None]],
    other: list[tuple[str, int, int, int | None]],
    third: list[tuple[str, int, int, int | None]],
) -> None:
    a, b, c = points(one), points(other), points(third)
    expected = {key: naive(a.get(key, set()), b.get(key, set())) for key in {*a, *b}}
    assert of(operation(intervals(one), intervals(other))) == without_empty(expected)
    whole = {key: naive(expected.get(key, set()), c.get(key, set())) for key in {*expected, *c}}
    assert of(operation(*map(intervals, (one, other, third)))) == without_empty(whole)


@given(ROWS, st.integers(0, 12), st.integers(12, END))
def test_a_complement_is_about_keys_that_have_intervals(
    rows: list[tuple[str, int, int, int | None]], start: int, end: int
) -> None:
    expected = {key: set(range(start, end)) - held for key, held in points(rows).items()}
    assert of(intervals(rows).complement(start, end)) == without_empty(expected)
    still = {key: set(range(start, END)) - held for key, held in points(rows).items()}
    assert of(intervals(rows).complement(start)) == without_empty(still)


@given(ROWS)
def test_durations_add_up(rows: list[tuple[str, int, int, int | None]]) -> None:
    is_open = {(row["who"], row["number"]) for row in intervals(rows).table.to_pylist() if row["end"] is None}
    expected = {key: None if key in is_open else len(held) for key, held in points(rows).items()}
    totals = intervals(rows).durations().to_pylist()
    assert {(row["who"], row["number"]): row["duration"] for row in totals} == expected


@given(ROWS, st.integers(0, 10), st.integers(0, 10))
def test_lasting_keeps_whole_intervals(rows: list[tuple[str, int, int, int | None]], least: int, most: int) -> None:
    def length(row: dict[str, int | None]) -> float:
        return float("inf") if row["end"] is None or row["start"] is None else row["end"] - row["start"]

    every = intervals(rows).table.to_pylist()
    assert intervals(rows).lasting(least, most).table.to_pylist() == [r for r in every if least <= length(r) <= most]
    assert intervals(rows).lasting(at_least=least).table.to_pylist() == [r for r in every if least <= length(r)]


def test_times_keep_their_type() -> None:
    day = datetime(2026, 1, 1, tzinfo=UTC)
    shifts = Intervals([{"who": "ann", "start": day, "end": day + timedelta(hours=8)}])
    pauses = Intervals([{"who": "ann", "start": day + timedelta(hours=4), "end": day + timedelta(hours=5)}])
    work = shifts - pauses
    assert work.table.schema.field("start").type == pa.timestamp("us", "UTC")
    assert work.durations().to_pylist() == [{"who": "ann", "duration": timedelta(hours=7)}]
    assert len(work.lasting(at_least=timedelta(hours=4))) == 1
    assert work.complement(day, day + timedelta(hours=24)).durations()["duration"].to_pylist() == [timedelta(hours=17)]


def test_without_keys_and_without_rows() -> None:
    assert (
        Intervals({"start": [1, 3], "end": [3, None]}) | Intervals({"start": [0], "end": [1]})
    ).table.to_pylist() == [{"start": 0, "end": None}]
    none = Intervals(
        {"who": pa.array([], pa.string()), "start": pa.array([], pa.int64()), "end": pa.array([], pa.int64())}
    )
    some = Intervals({"who": ["a"], "start": [1], "end": [3]})
    assert len(none | none) == len(none & some) == len(some & none) == len(none.complement(0)) == 0
    assert (some - none).table == some.table


def test_a_key_may_be_a_list_as_tables_of_results_have_it() -> None:
    near = Intervals({"args": [["v1", "v2"], ["v1", "v3"]], "start": [0, 0], "end": [9, 9]})
    assert (near & near).table.to_pylist() == near.table.to_pylist()


def test_a_key_may_be_null() -> None:
    some = Intervals({"who": pa.array([None, "a"], pa.string()), "start": [1, 1], "end": [3, 3]})
    assert (some | some).table.to_pylist() == some.table.to_pylist()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Intervals({"start": [1]}), "no column 'end'"),
        (lambda: Intervals({"start": [5], "end": [3]}), "row 1 ends before it starts"),
        (lambda: Intervals({"start": [1, None], "end": [3, 4]}), "row 2 has no 'start'"),
        (lambda: Intervals({"start": ["x"], "end": ["y"]}), "times are whole numbers or timestamps"),
        (lambda: Intervals({"start": [1.5], "end": [2.5]}), "times are whole numbers or timestamps"),
        (lambda: Intervals(7), "cannot be made of int"),
        (
            lambda: Intervals({"a": ["x"], "start": [1], "end": [2]}) | Intervals({"start": [1], "end": [2]}),
            "different keys",
        ),
        (lambda: Intervals({"start": [1], "end": [2]}).lasting(timedelta(1)), "the times are numbers"),
        (
            lambda: Intervals({"start": [1], "end": [2]}) | Intervals({"start": [datetime(2026, 1, 1)], "end": [None]}),
            "give both in one way",
        ),
        (lambda: Intervals({"k": ["a", "b"], "start": [-(1 << 62), 1 << 62], "end": [None, None]}), "too fine"),
    ],
)
def test_what_is_wrong_is_told(make: Callable[[], object], message: str) -> None:
    with pytest.raises(HoldsforError, match=message):
        make()
