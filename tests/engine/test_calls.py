"""Functions of a user's own in rules: their arguments and values, and what becomes of those that raise."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import holdsfor
from tests.naive.functions import Floats

RULES = "happensAt(value(X, f(X)), T) :- happensAt(e(X), T)."
ROWS = ["e(1) @ 1", "e(2.5) @ 2", "e(word) @ 3", "e('Two words') @ 4", "e(pair(a,'B')) @ 5"]


def values(function: Any, rows: list[str] = ROWS) -> tuple[list[list[str]], dict[str, int]]:
    result = holdsfor.recognise(holdsfor.parse(RULES, functions={"f": function}), rows)
    return sorted(result.occurrences["args"].to_pylist()), result.metrics.get("function_failures", {})


def test_without_types_a_function_gets_what_there_is() -> None:
    given: list[Any] = []
    values(lambda x: given.append(x))
    assert sorted(given, key=str) == [1, 2.5, "Two words", "pair(a,'B')", "word"]


def test_text_is_that_of_anything() -> None:
    def f(x: str) -> int:
        return len(x)

    found, _ = values(f)
    assert [length for _, length in found] == ["1", "3", "9", "11", "4"]


def test_a_function_is_called_once_for_equal_arguments() -> None:
    calls: list[str] = []
    values(lambda x: calls.append(x) or "y", [f"e({name}) @ {t}" for t, name in enumerate("ababa", 1)])
    assert sorted(calls) == ["a", "b"]


@pytest.mark.parametrize(
    ("value", "written"),
    [(3, "3"), (3.0, "3.0"), (True, "true"), ("Two words", "Two words"), (10**30, str(10**30)), (np.int64(7), "7")],
)
def test_a_value_is_a_term_of_its_type(value: Any, written: str) -> None:
    assert values(lambda x: value, ["e(a) @ 1"]) == ([["a", written]], {})


@pytest.mark.parametrize("value", [None, float("nan")])
def test_no_value_makes_the_condition_fail(value: Any) -> None:
    assert values(lambda x: value, ["e(a) @ 1"]) == ([], {})


def test_a_value_of_another_type_is_a_failure() -> None:
    def f(x: str) -> float:
        return x  # type: ignore[return-value]

    assert values(f, ["e(a) @ 1"]) == ([], {"<text>:1: f('a') raised TypeError: gave 'a', which is no float": 1})


def test_of_a_vectorised_function_only_the_rows_fail_that_make_it_raise() -> None:
    @holdsfor.vectorised
    def f(x: Floats) -> Floats:
        if (x == 13).any():
            raise ValueError("unlucky")
        return x + 1

    found, failures = values(f, [f"e({number}) @ {number}" for number in range(10, 20)])
    assert [arg for arg, _ in found] == [str(number) for number in range(10, 20) if number != 13]
    assert failures == {"<text>:1: f(13.0) raised ValueError: unlucky": 1}


def fails(x: str) -> str:
    return {"a": "b"}[x]


DESCRIPTION = holdsfor.parse(RULES, functions={"f": fails})
FAILED = "<text>:1: f('z') raised KeyError: 'z'"


def test_failures_are_told_with_place_and_arguments(caplog: pytest.LogCaptureFixture) -> None:
    rows = [*(f"e({name}) @ {t}" for t, name in enumerate("az", 1)), "e(z) @ 9"]
    result = holdsfor.recognise(DESCRIPTION, rows, threads=3)
    assert result.occurrences["args"].to_pylist() == [["a", "b"]]
    assert result.metrics["function_failures"] == {FAILED: 2}
    assert f"functions failed 2 times; these conditions are not true: {FAILED} (2)." in caplog.text


def test_a_session_goes_on_after_a_failure(caplog: pytest.LogCaptureFixture) -> None:
    session = holdsfor.session(DESCRIPTION, window=10, step=5)
    session.add(holdsfor.read_events(["e(z) @ 1", "e(a) @ 2"], format="terms"))
    session.advance(5)
    session.add(holdsfor.read_events(["e(a) @ 7"], format="terms"))
    session.advance(10)
    assert [row["start"] for row in session.current().occurrences.to_pylist()] == [2, 7]
    assert session.metrics["function_failures"] == 1
    assert FAILED in caplog.text


def test_a_stream_goes_on_and_tells_each_failure_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "in").mkdir()
    for number, rows in enumerate((["e|1|1|z", "e|2|2|a"], ["e|11|11|z", "e|12|12|a"], ["e|21|21|a"])):
        (tmp_path / "in" / f"{number}.csv").write_text("\n".join(rows) + "\n")
    caplog.set_level(logging.WARNING)
    state = str(tmp_path / "state")
    query = holdsfor.stream(
        DESCRIPTION, str(tmp_path / "in"), window=30, step=10, checkpoint=state, format="rtec", max_files=1, once=True
    )
    assert query.awaitTermination(60)
    assert caplog.text.count(FAILED) == 1
    assert sum(batch["numFunctionFailures"] for batch in query.recentProgress) >= 2  # again in each window that has it
