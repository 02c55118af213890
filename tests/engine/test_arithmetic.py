"""Arithmetic with Prolog's meaning; a condition on what has no value fails."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import holdsfor

Numbers = tuple[object, object]


def calculated(expression: str, rows: Sequence[Numbers]) -> list[str]:
    """The expression over N and M for each row of the stream, in its order; rows without a value are left out."""
    rules = f"happensAt(out(X,R), T) :- happensAt(in(X,N,M), T), R is {expression}."
    return [args[1] for args in _occurrences(rules, rows)]


def passing(condition: str, rows: Sequence[Numbers]) -> list[int]:
    """Which rows the condition lets through, counting from 0."""
    rules = f"happensAt(out(X), T) :- happensAt(in(X,N,M), T), {condition}."
    return [int(args[0]) for args in _occurrences(rules, rows)]


def _occurrences(rules: str, rows: Sequence[Numbers]) -> list[list[str]]:
    stream = [f"in({place},{n},{m}) @ 5" for place, (n, m) in enumerate(rows)]
    found = holdsfor.recognise(holdsfor.parse(rules), holdsfor.read_events(stream, format="terms"), start=0, end=10)
    listed: list[list[str]] = found.occurrences.column("args").to_pylist()
    return sorted(listed, key=lambda args: int(args[0]))


@pytest.mark.parametrize(
    ("expression", "rows", "expected"),
    [
        ("N + M", [(5, 2), (-5, 2)], ["7", "-3"]),
        ("N + M", [(5.0, 2), (0.5, 2)], ["7.0", "2.5"]),
        ("N * M - 1", [(5, 2)], ["9"]),
        ("N // M", [(7, 2), (-7, 2), (7, -2), (-7, -2)], ["3", "-3", "-3", "3"]),
        ("N mod M", [(7, 3), (-7, 3), (7, -3), (-7, -3)], ["1", "2", "-2", "-1"]),
        ("N rem M", [(7, 3), (-7, 3), (7, -3)], ["1", "-1", "1"]),
        ("N / M", [(6, 2), (9, 3)], ["3", "3"]),
        ("N / M", [(7, 2), (1, 4)], ["3.5", "0.25"]),
        ("abs(N - M)", [(2, 7), (7, 2)], ["5", "5"]),
        ("max(N, M) - min(N, M)", [(2, 7)], ["5"]),
        ("floor(N) + ceiling(M)", [(2.5, 2.5), (-2.5, -2.5)], ["5", "-5"]),
        ("round(N)", [(2.5, 0), (-2.5, 0), (2.4, 0)], ["3", "-3", "2"]),
        ("truncate(N)", [(2.9, 0), (-2.9, 0)], ["2", "-2"]),
        ("sqrt(N)", [(16, 0)], ["4.0"]),
        ("N ** M", [(2, 10)], ["1024"]),
        ("(N + M) * 2 - -1", [(1, 2)], ["7"]),
        ("9007199254740992 + N", [(1, 0)], ["9007199254740993"]),  # more than a float can tell apart
    ],
)
def test_values(expression: str, rows: list[Numbers], expected: list[str]) -> None:
    assert calculated(expression, rows) == expected


@pytest.mark.parametrize(
    ("expression", "rows", "expected"),
    [
        ("N / M", [(6, 2), (7, 2), (6.0, 2), (6, 0)], ["3", "3.5", "3.0"]),
        ("N + M", [(5, 2), (37.5, 2), (7.0, 2)], ["7", "39.5", "9.0"]),
        ("abs(N - M)", [(2, 5), (2, 5.5)], ["3", "3.5"]),
        ("max(N, M)", [(5, 2.0), (3, 7), (2, 7.0)], ["5", "7", "7.0"]),
        ("N ** M", [(2, 3), (2, -1), (2.0, 3)], ["8", "0.5", "8.0"]),
        ("N // M", [(7, 2), (6, 0)], ["3"]),
        ("N", [(7, 0), (7.0, 0)], ["7", "7.0"]),
        ("(N + M) / 2", [(4, 2), (4, 2.0), (4, 3)], ["3", "3.0", "3.5"]),
        ("floor(N / M)", [(7, 2), (8, 2), (5, 0)], ["3", "4"]),
    ],
)
def test_whole_or_not_is_decided_for_each_row(expression: str, rows: list[Numbers], expected: list[str]) -> None:
    """A number is an integer or a float by itself, whatever other rows there are (or are in its bucket)."""
    assert calculated(expression, rows) == expected


def test_integers_and_floats_are_different_terms() -> None:
    rules = """
        happensAt(known(X), T) :- happensAt(in(X,N), T), M is N + 1, good(M).
        good(8). good(9.0).
    """
    stream = ["in(a,7) @ 5", "in(b,7.0) @ 5", "in(c,8) @ 5", "in(d,8.0) @ 5", "in(e,0.5) @ 5"]
    found = holdsfor.recognise(holdsfor.parse(rules), holdsfor.read_events(stream, format="terms"), start=0, end=10)
    assert sorted(found.occurrences.column("args").to_pylist()) == [["a"], ["d"]]


@pytest.mark.parametrize("expression", ["N / M", "N // M", "N mod M", "N rem M"])
def test_division_by_zero_has_no_value(expression: str) -> None:
    assert calculated(expression, [(6, 0)]) == []
    assert passing(f"{expression} >= 0", [(6, 0), (6, 3), (0, 0)]) == [1]
    assert passing(f"{expression} =\\= 77", [(6, 0), (6, 3)]) == [1]
    assert passing(f"\\+ {expression} > 0", [(6, 0), (6, 4), (-6, 1)]) == [0, 2]


@pytest.mark.parametrize("expression", ["sqrt(N)", "log(N)", "acos(N)"])
def test_outside_the_domain_there_is_no_value(expression: str) -> None:
    assert calculated(expression, [(-4, 0)]) == []


GEARS = ["gear(a)=7 @ [1,9)", "gear(b)=low @ [1,9)", "gear(c)=2 @ [1,9)", "ask(a) @ 5", "ask(b) @ 5", "ask(c) @ 5"]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("G > 3", [["a", "7"]]),
        ("G =\\= 7", [["c", "2"]]),
        ("G + 1 =< 8", [["a", "7"], ["c", "2"]]),
        ("H is G + 1, H < 100", [["a", "7"], ["c", "2"]]),
        ("\\+ G > 3", [["b", "low"], ["c", "2"]]),
        ("G \\= 7", [["b", "low"], ["c", "2"]]),
    ],
)
def test_names_have_no_value(condition: str, expected: list[list[str]]) -> None:
    """Where a value is a number or not, a comparison of what is none fails; the term stays what it is."""
    rules = f"happensAt(out(X,G), T) :- happensAt(ask(X), T), holdsAt(gear(X)=G, T), {condition}."
    found = holdsfor.recognise(holdsfor.parse(rules), holdsfor.read_events(GEARS, format="terms"), start=0, end=10)
    assert sorted(found.occurrences.column("args").to_pylist()) == expected


@pytest.mark.parametrize(
    ("condition", "rows", "expected"),
    [
        ("N =:= M", [(7, 7.0), (7, 7), (7, 8)], [0, 1]),
        ("N == M", [(7, 7.0), (7, 7), (7, 8)], [1]),
        ("N = M", [(7, 7.0), (7, 7), (7, 8)], [1]),
        ("N \\== M", [(7, 7.0), (7, 7)], [0]),
        ("N =\\= M", [(7, 7.0), (7, 8)], [1]),
        ("N < M", [(7, 7.5), (7.5, 7), (7, 7)], [0]),
        ("N =< M", [(7, 7.5), (7.5, 7), (7, 7.0)], [0, 2]),
        ("N @< M", [(7, 8), (8, 7), (7.0, 7), (7, 7.0)], [0, 2]),
        ("N + 1 > M * 2", [(7, 3), (7, 4)], [0]),
        ("7 is N + M", [(5, 2), (5, 3)], [0]),
        ("M is N + 2", [(5, 7), (5, 8)], [0]),
        ("7 is N + M", [(5, 2), (5, 2.0), (0.5, 3)], [0]),
        ("M is N + 2", [(5, 7), (5, 7.0), (5.0, 7.0), (0.5, 7), (0.5, 2.5)], [0, 2, 4]),
        ("X = 1", [(0, 0), (0, 0)], [1]),
    ],
)
def test_comparisons(condition: str, rows: list[Numbers], expected: list[int]) -> None:
    assert passing(condition, rows) == expected


def test_times_are_numbers() -> None:
    rules = """
        happensAt(echo(X,U), T) :- happensAt(call(X), T), U is T + 60.
        happensAt(even(X), T) :- happensAt(call(X), T), 0 =:= T mod 2.
    """
    stream = ["call(a) @ 7", "call(b) @ 8"]
    found = holdsfor.recognise(holdsfor.parse(rules), holdsfor.read_events(stream, format="terms"), start=0, end=10)
    shown = sorted((row["event"], row["args"], row["start"]) for row in found.occurrences.to_pylist())
    assert shown == [("echo", ["a", "67"], 7), ("echo", ["b", "68"], 8), ("even", ["b"], 8)]


def test_facts_calculate() -> None:
    rules = """
        happensAt(fast(X), T) :- happensAt(speed(X,S), T), limit(X,L), S > L * 1.5.
        limit(a,10). limit(b,10.5).
    """
    stream = ["speed(a,15) @ 3", "speed(a,15.5) @ 4", "speed(b,15.7) @ 3", "speed(b,15.8) @ 4"]
    found = holdsfor.recognise(holdsfor.parse(rules), holdsfor.read_events(stream, format="terms"), start=0, end=10)
    assert sorted((row["args"], row["start"]) for row in found.occurrences.to_pylist()) == [(["a"], 4), (["b"], 4)]


@pytest.mark.parametrize("large", [(), (10**20, 10**20 + 3)], ids=["small", "large"])
def test_calculations_with_the_same_terms_over_and_over(large: tuple[int, ...]) -> None:
    """Few different terms in many rows: names and floats are no multiples of ten, integers of any size may be."""
    agents = [10, 7, -20, 0, "20.0", "abc", *large]
    rows = [f"vote(agent({agents[t % len(agents)]})) @ {t}" for t in range(1, 401)]
    rules = "happensAt(chair(A), T) :- happensAt(vote(agent(A)), T), 0 is A mod 10."
    found = holdsfor.recognise(holdsfor.parse(rules), holdsfor.read_events(rows, format="terms")).occurrences
    expected = {
        (str(agent), t) for t in range(1, 401) if isinstance(agent := agents[t % len(agents)], int) and agent % 10 == 0
    }
    assert {(row["args"][0], row["start"]) for row in found.to_pylist()} == expected
