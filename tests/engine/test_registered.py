"""Functions of a user's own in aggregates, and that a measure depends on its window alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import holdsfor
from holdsfor.errors import HoldsforError
from holdsfor.functions import Function
from tests.naive.functions import FUNCTIONS

SALES = ["sale(a, 4, 1) @ 1", "sale(a, 10, 3) @ 2", "sale(a, 7, 1) @ 3", "sale(b, 1.5, 1) @ 1", "sale(b, 2, 1) @ 4"]


def measured(rule: str, rows: list[str], functions: Mapping[str, Function] | None = None) -> list[tuple[Any, ...]]:
    result = holdsfor.recognise(holdsfor.parse(rule, functions=functions), rows)
    return [(*row["args"], row["start"], row["end"]) for row in result.occurrences.to_pylist()]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        ("median(P)", [("a", "7.0", 1, 2), ("a", "8.5", 2, 3), ("b", "1.75", 1, 4)]),
        ("rise(P)", [("a", "6", 1, 2), ("a", "-3", 2, 3), ("b", "0.5", 1, 4)]),
        ("weighted(P, N)", [("a", "8.5", 1, 2), ("a", "9.25", 2, 3), ("b", "1.75", 1, 4)]),
        ("middle(P)", [("a", "7.0", 1, 2), ("a", "8.5", 2, 3), ("b", "1.75", 1, 4)]),
        ("common(N)", [("b", "1", 1, 4)]),
    ],
)
def test_a_registered_function_gets_the_numbers_of_each_window(function: str, expected: list[Any]) -> None:
    rule = f"m(S, M) <- sale(S, P, N) AGGREGATE M = {function} OVER LAST 2."
    assert sorted(measured(rule, SALES, FUNCTIONS), key=lambda row: row[-1]) == expected


def test_numbers_come_in_order_of_time_and_cannot_be_changed() -> None:
    seen: list[list[int]] = []

    def first(values: Any) -> int:
        seen.append(values.tolist())
        with pytest.raises(ValueError, match="read-only"):
            values[0] = 0
        return int(values[0])

    rows = ["x(3) @ 5", "x(1) @ 9", "x(2) @ 7", "x(8) @ 7"]
    assert measured("m(F) <- x(N) AGGREGATE F = first(N) OVER LAST 5 ticks.", rows, {"first": first}) == [
        ("3", 5, 5),
        ("3", 5, 7),
        ("3", 5, 9),
    ]
    assert sorted(seen) == [[3], [3, 2, 8], [3, 2, 8, 1]]


@pytest.mark.parametrize(
    ("function", "a", "b"),
    [("sum(P)", "14", "3.5"), ("avg(P)", "7", "1.75"), ("min(P)", "4", "1.5"), ("max(P)", "10", "2")],
)
def test_integers_stay_integers_beside_floats_of_others(function: str, a: str, b: str) -> None:
    rule = f"m(S, M) <- sale(S, P, _) AGGREGATE M = {function} OVER LAST 2."
    assert {row[:2] for row in measured(rule, SALES) if row[-1] in (2, 4)} == {("a", a), ("b", b)}


def test_large_integers_are_exact_beside_floats() -> None:
    rows = ["x(a, 9007199254740993) @ 1", "x(a, 1) @ 2", "x(b, 0.5) @ 1", "x(b, 1) @ 2"]
    rule = "m(K, S) <- x(K, N) AGGREGATE S = sum(N) OVER LAST 2."
    assert sorted(measured(rule, rows)) == [("a", "9007199254740994", 1, 2), ("b", "1.5", 1, 2)]


def test_a_window_with_something_that_has_no_number_has_no_measure() -> None:
    rows = ["x(2) @ 1", "x(0) @ 2", "x(5) @ 3", "x(1) @ 4"]
    assert measured("m(S) <- x(N) AGGREGATE S = sum(10/N) OVER LAST 2.", rows) == [("12", 3, 4)]


def test_an_equal_integer_is_the_extreme_in_any_order() -> None:
    for rows in (["x(2) @ 1", "x(2.0) @ 2"], ["x(2.0) @ 1", "x(2) @ 2"]):
        for function in ("min", "max"):
            assert measured(f"m(S) <- x(N) AGGREGATE S = {function}(N) OVER LAST 2.", rows) == [("2", 1, 2)]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda values: "much", "the function f gave 'much', which is not a number"),
        (lambda values: values[9], "the function f failed: IndexError"),
        (lambda values: True, "the function f gave True, which is not a number"),
        (holdsfor.vectorised(lambda values, first, beyond: values), "a number for each of the 1 windows"),
    ],
)
def test_a_function_that_goes_wrong_is_named(function: Function, message: str) -> None:
    with pytest.raises(HoldsforError, match=message):
        measured("m(S) <- x(N) AGGREGATE S = f(N) OVER LAST 2.", ["x(1) @ 1", "x(2) @ 2"], {"f": function})


def test_too_large_an_integer_is_counted() -> None:
    description = holdsfor.parse(
        "m(S) <- x(N) AGGREGATE S = f(N) OVER LAST 1.", functions={"f": lambda values: 10 ** int(values[0])}
    )
    result = holdsfor.recognise(description, ["x(3) @ 1", "x(30) @ 2"])
    assert [row["args"] for row in result.occurrences.to_pylist()] == [["1000"]]
    assert result.metrics["arithmetic_overflows"] == 1


@pytest.mark.parametrize(
    ("functions", "message"),
    [
        ({"Median": np.median}, "'Median' is not a name that rules can write"),
        ({"sum": np.sum}, "sum is built in"),
        ({"median": 3}, "median is int, not a function"),
    ],
)
def test_functions_that_cannot_be_registered(functions: Mapping[str, Any], message: str) -> None:
    with pytest.raises(HoldsforError, match=message):
        holdsfor.parse("a <- b.", functions=functions)


def test_the_identity_of_rules_has_the_name_of_a_function() -> None:
    from holdsfor.plan import plan

    rule = "m(S) <- x(N) AGGREGATE S = {0}(N) OVER LAST 2."
    one = plan(holdsfor.parse(rule.format("f"), functions={"f": np.median})).identity
    bettered = plan(holdsfor.parse(rule.format("f"), functions={"f": np.mean})).identity
    other = plan(holdsfor.parse(rule.format("g"), functions={"g": np.median})).identity
    assert one == bettered != other
