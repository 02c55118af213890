"""Windows: a row that happened at t and is first seen at query time Q counts if t > Q - window.

Query times here are 10, 20, ..., 60; a window is 20 long.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import holdsfor
from holdsfor import HoldsforError
from tests.engine.blocks import check, late, lines, recognise

LAMP = """
initiatedAt(lamp(X)=on, T) :- happensAt(press(X), T).
"""
NEAR = """
holdsFor(close(X)=true, I) :- holdsFor(near(X)=true, I).
"""
SLIDING: dict[str, Any] = {"window": 20, "step": 10, "start": 0, "end": 60}


@pytest.mark.parametrize(
    ("at", "arrives", "counts"),
    [
        (5, 5, True),
        (5, 20, True),  # seen at 20, which reaches back to 1
        (11, 30, True),
        (10, 30, False),  # seen at 30, which reaches back to 11
        (11, 31, False),  # seen at 40, which reaches back to 21
        (50, 15, True),  # tells of the future
        (60, 60, True),
        (61, 55, False),  # happens after the end
        (55, 61, False),  # arrives after the end
        (0, 0, False),  # the history begins after the start
        (-5, 3, False),
        (5, -5, True),
    ],
)
def test_which_events_count(at: int, arrives: int, counts: bool) -> None:
    expected = f"lamp(a)=on @ [{at + 1},inf)" if counts else ""
    check(LAMP, f"press(a) @ {at} arrives {arrives}", expected, **SLIDING)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("[5,25) arrives 20", "[5,25)"),
        ("[5,25) arrives 25", "[11,25)"),  # seen at 30
        ("[5,12) arrives 25", "[11,12)"),
        ("[5,11) arrives 25", ""),
        ("[5,inf) arrives 41", "[31,inf)"),
        ("[-5,12) arrives 12", "[1,12)"),
        ("[0,12) arrives 12", "[1,12)"),
        ("[-5,1) arrives 1", ""),
        ("[50,80) arrives 15", "[50,80)"),
        ("[60,80) arrives 15", "[60,80)"),
        ("[61,80) arrives 15", ""),  # begins after the end
        ("[50,80) arrives 61", ""),
    ],
)
def test_durative_rows_count_from_the_edge_on(row: str, expected: str) -> None:
    check(NEAR, f"near(a)=true @ {row}", expected and f"close(a)=true @ {expected}", **SLIDING)


def test_durative_rows_are_cut_on_the_grid() -> None:
    """With a clock tick of 10, what counts from 30 on is cut at the next grid point, 40."""
    asked = SLIDING | {"window": 35, "step": 5, "sample_every": 10}
    check(NEAR, "near(a)=true @ [10,80) arrives 61", "close(a)=true @ [40,80)", **(asked | {"end": 100}))


def test_late_rows_are_told_with_how_late_they_are() -> None:
    stream = """
        press(a)          @ 10       arrives 30
        press(b)          @ 11       arrives 30
        press(c)          @ 3        arrives 30
        press(d)          @ -3       arrives 30
        press(e)          @ 3        arrives 90
        near(a)=true      @ [5,11)   arrives 25
        near(b)=true      @ [5,12)   arrives 25
        near(c)=true      @ [2,5)    arrives 25
    """
    expected = """
        press(a)      @ 10      arrives 30  late by 1
        press(c)      @ 3       arrives 30  late by 8
        near(a)=true  @ [5,11)  arrives 25  late by 1
        near(c)=true  @ [2,5)   arrives 25  late by 7
    """
    for stepped in (False, True):
        found = recognise(LAMP + NEAR, stream, **SLIDING, changes=stepped)
        assert late(found) == sorted(lines(expected))
        assert {row["query_time"] for row in found.late.to_pylist()} == {30}
        assert found.metrics["events_late"] == 4


def test_late_rows_keep_their_terms() -> None:
    rules = "initiatedAt(level(X)=N, T) :- happensAt(set(X,N), T), N > 0."
    table = pa.table({"event": ["set"], "time": [3], "arrival": [30], "arg1": ["Two words"], "arg2": [40.0]})
    found = holdsfor.recognise(holdsfor.parse(rules), table, **SLIDING)
    assert late(found) == ["set(Two words,40.0) @ 3 arrives 30 late by 8"]


def test_the_last_query_time_is_the_first_at_or_after_the_end() -> None:
    """Seen at 60: what happened at 40 has left the window, what arrives after 55 is not read."""
    asked = SLIDING | {"end": 55}
    stream = "press(a) @ 40 arrives 51 \n press(b) @ 41 arrives 55 \n press(c) @ 54 arrives 56"
    check(LAMP, stream, "lamp(b)=on @ [42,inf)", **asked)
    assert recognise(LAMP, stream, **asked).metrics["query_times"] == 6


def test_without_windows_everything_counts() -> None:
    stream = ["press(a) @ 3 arrives 900", "press(b) @ 500"]
    found = holdsfor.recognise(holdsfor.parse(LAMP), holdsfor.read_events(stream, format="terms"))
    assert [(row["args"], row["start"]) for row in found.intervals.to_pylist()] == [(["a"], 4), (["b"], 501)]
    assert (found.metrics["start"], found.metrics["end"]) == (2, 900)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"window": 0}, "the window must be above 0, not 0"),
        ({"step": -1}, "the step must be above 0, not -1"),
        ({"sample_every": 0}, "sample_every must be above 0, not 0"),
        ({"start": 10, "end": 5}, r"the end \(5\) is before the start \(10\)"),
    ],
)
def test_windows_that_cannot_be(asked: dict[str, int], message: str) -> None:
    with pytest.raises(HoldsforError, match=message):
        recognise(LAMP, "press(a) @ 3", **asked)
