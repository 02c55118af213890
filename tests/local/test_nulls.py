"""A row is an event for the arguments it has."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import holdsfor

RULES = """
initiatedAt(hot(M)=true, T) :- happensAt(reading(M, Degrees, _), T), Degrees > 90.
terminatedAt(hot(M)=true, T) :- happensAt(reading(M, Degrees, _), T), Degrees =< 90.
initiatedAt(leak(M)=true, T) :- happensAt(reading(M, _, Bar), T), Bar < 1.
terminatedAt(leak(M)=true, T) :- happensAt(reading(M, _, Bar), T), Bar >= 1.
happensAt(heard(M), T) :- happensAt(reading(M, _, _), T).
happensAt(told(Bar), T) :- happensAt(reading(_, _, Bar), T).
"""
MAPPING = {"event": "reading", "events": {"reading": ["machine", "degrees", "bar"]}}
ROWS: dict[str, list[Any]] = {
    "time": [10, 20, 30, 40, 50],
    "machine": ["a", "a", "a", None, "a"],
    "degrees": [95, None, 80, 99, None],
    "bar": [None, 0.5, None, 0.25, None],
}
INTERVALS = [("hot", "a", 11, 31), ("leak", "a", 21, None)]
HEARD = [("heard", "a", time) for time in (10, 20, 30, 50)]
TOLD = [("told", "0.25", 40), ("told", "0.5", 20)]


def check(events: Any, mapping: Any = MAPPING) -> None:
    result = holdsfor.recognise(holdsfor.parse(RULES), events, mapping=mapping)
    assert result.rejects.num_rows == 0
    found = [(row["fluent"], *row["args"], row["start"], row["end"]) for row in result.intervals.to_pylist()]
    assert sorted(found) == INTERVALS
    found = [(row["event"], *row["args"], row["start"]) for row in result.occurrences.to_pylist()]
    assert sorted(found) == HEARD + TOLD


def test_rules_that_do_not_read_a_null_match() -> None:
    check(pa.table(ROWS))
    check(pd.DataFrame(ROWS))
    check(pd.DataFrame(ROWS).convert_dtypes())
    lines = pd.DataFrame(ROWS).convert_dtypes().to_csv(index=False).splitlines()
    check(holdsfor.read_events(lines, format="columns", mapping=MAPPING), mapping=None)


@pytest.mark.parametrize("kind", [pa.int8(), pa.int64(), pa.float32(), pa.decimal128(21, 2)])
def test_numbers_of_any_type(kind: pa.DataType) -> None:
    check(pa.table(ROWS | {"degrees": pa.array(ROWS["degrees"], pa.int64()).cast(kind)}))


def occurrences(rules: str, table: dict[str, Any], **more: Any) -> list[tuple[Any, ...]]:
    mapping = {"name": "event", "events": {"e": ["x", "y"], "f": ["x"]}}
    result = holdsfor.recognise(holdsfor.parse(rules), pa.table(table), mapping=mapping, **more)
    assert result.rejects.num_rows == 0
    return sorted((row["event"], *row["args"], row["end"]) for row in result.occurrences.to_pylist())


EVENTS: dict[str, Any] = {
    "event": ["f", "e", "e", "f", "e"],
    "time": [1, 1, 2, 2, 3],
    "x": ["a", None, "a", None, "b"],
    "y": ["p", "p", None, "q", "p"],
}


def test_a_null_equals_nothing() -> None:
    """Not even another null: at 1 and 2 one of the two has none."""
    assert occurrences("happensAt(both(X), T) :- happensAt(e(X, _), T), happensAt(f(X), T).", EVENTS) == []
    twice = {**EVENTS, "x": [None] * 5, "y": [None] * 5}
    assert occurrences("happensAt(same(T), T) :- happensAt(e(X, X), T).", twice) == []
    assert occurrences("happensAt(any(T), T) :- happensAt(e(_, _), T).", twice) == [
        ("any", str(t), t) for t in (1, 2, 3)
    ]


def test_a_negated_condition_that_reads_a_null_does_not_match() -> None:
    """f(null) at 2 is no f(a): nothing contradicts e(a, _) at 2."""
    rules = "happensAt(alone(X), T) :- happensAt(e(X, _), T), \\+ happensAt(f(X), T)."
    assert occurrences(rules, EVENTS) == [("alone", "a", 2), ("alone", "b", 3)]


def test_patterns() -> None:
    """f(a)@1, then e(a,_)@2; e(_,p)@1, then e(_,p)@3; y of the e at 2 is missing."""
    rules = "s(X) <- f(X) SEQ e(X, _).\nt(Y) <- e(_, Y) SEQ e(_, Y).\nn(X) <- NOT(e(_, q)).[f(X), e(_, _)].\n"
    assert occurrences(rules, EVENTS) == [("n", "a", 2), ("n", "a", 3), ("s", "a", 2), ("t", "p", 3)]


def test_retractions_name_rows_with_nulls() -> None:
    events = {name: [*column, column[2]] for name, column in EVENTS.items()} | {"op": [1, 1, 1, 1, 1, -1]}
    rules = "happensAt(saw(T), T) :- happensAt(e(_, _), T)."
    assert occurrences(rules, events) == [("saw", "1", 1), ("saw", "3", 3)]


def test_counts_and_sums_leave_out_what_is_missing() -> None:
    rules = """
    happensAt(total(N, S), T) :- happensAt(f(_), T), findall(V, (happensAt(e(_, V), T2), T2 =< T, T - T2 < 9), L),
        length(L, N), sum_list(L, S).
    """
    events = {"event": ["e", "e", "e", "f"], "time": [1, 2, 3, 4], "x": ["a", "b", "c", "d"], "y": [5, None, 2, None]}
    assert occurrences(rules, events) == [("total", "2", "7", 4)]


def test_windows_and_live_sessions_give_the_same() -> None:
    live = holdsfor.session(holdsfor.parse(RULES), window=30, step=10, start=0)
    for row in range(5):
        live.add(pa.table(ROWS).slice(row, 1), mapping=MAPPING)
    live.advance(to=60)
    found = [(row["fluent"], *row["args"], row["start"], row["end"]) for row in live.current().intervals.to_pylist()]
    assert sorted(found) == INTERVALS


def test_what_a_fluent_needs_is_rejected() -> None:
    rules = "holdsFor(close(A, B)=true, I) :- holdsFor(near(A, B)=true, I)."
    table = pa.table({"event": ["near"], "time": [1], "end": [5], "arg1": ["a"], "arg2": pa.nulls(1, pa.string())})
    result = holdsfor.recognise(holdsfor.parse(rules), table)
    assert result.rejects["reason"].to_pylist() == ["argument 2 of near/2 is null"]
