"""Retractions take back the row they name; the last word on a row counts. Query times are 10, 20, ..., 60."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import holdsfor
from tests.engine.blocks import changes, check, late, lines, recognise

LAMP = """
initiatedAt(lamp(X)=on, T) :- happensAt(press(X), T).
terminatedAt(lamp(X)=on, T) :- happensAt(cut(X), T).
holdsFor(close(X)=V, I) :- holdsFor(near(X)=V, I).
"""
SLIDING: dict[str, Any] = {"window": 30, "step": 10, "start": 0, "end": 60}


@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        ("press(a) @ 5 \n retract press(a) @ 5 arrives 25", ""),
        ("press(a) @ 5 \n retract press(a) @ 6 arrives 25", "lamp(a)=on @ [6,inf)"),
        ("press(a) @ 5 \n retract press(b) @ 5 arrives 25", "lamp(a)=on @ [6,inf)"),
        (
            "press(a) @ 5 \n retract press(a) @ 5 arrives 8 \n insert press(a) @ 5 arrives 25",
            "lamp(a)=on @ [6,inf)",
        ),
        ("retract press(a) @ 5 arrives 8 \n press(a) @ 5 arrives 12", "lamp(a)=on @ [6,inf)"),
        (
            "insert press(a) @ 5 arrives 25 \n press(a) @ 5 arrives 8 \n retract press(a) @ 5 arrives 20",
            "lamp(a)=on @ [6,inf)",
        ),
        ("press(a) @ 5 \n press(a) @ 5 arrives 7 \n retract press(a) @ 5 arrives 9", ""),
        ("press(a) @ 5 \n cut(a) @ 12 \n retract cut(a) @ 12 arrives 40", "lamp(a)=on @ [6,inf)"),
        (
            "press(a) @ 5 \n cut(a) @ 12 \n retract cut(a) @ 12 arrives 40 \n cut(a) @ 15 arrives 40",
            "lamp(a)=on @ [6,16)",
        ),
    ],
    ids=[
        "taken back",
        "another time",
        "another argument",
        "said again",
        "the later word is the row",
        "whatever the order of rows",
        "equal rows are one",
        "the end is taken back",
        "a revision",
    ],
)
def test_the_last_word_counts(stream: str, expected: str) -> None:
    check(LAMP, stream, expected, **SLIDING)


def test_what_has_left_the_window_is_not_taken_back() -> None:
    stream = """
        press(a)             @ 10
        retract press(a)     @ 10      arrives 40
        press(b)             @ 11
        retract press(b)     @ 11      arrives 40
    """
    check(LAMP, stream, "lamp(a)=on @ [11,inf)", **SLIDING)
    assert late(recognise(LAMP, stream, **SLIDING)) == ["press(a) @ 10 arrives 40 late by 1"]


def test_of_durative_rows() -> None:
    """A retraction names the whole row: arguments, value, start and end."""
    stream = """
        near(a)=left           @ [5,20)
        near(a)=left           @ [15,30)
        near(a)=right          @ [40,50)
        retract near(a)=left   @ [15,30)   arrives 40
        retract near(a)=left   @ [40,50)   arrives 55
        retract near(a)=right  @ [40,49)   arrives 55
    """
    check(LAMP, stream, "close(a)=left @ [5,20) \n close(a)=right @ [40,50)", **SLIDING)


def test_of_a_durative_row_that_began_before_the_window() -> None:
    """Seen at 50, which reaches back to 21: what the row said of 21 and later is taken back."""
    stream = """
        near(a)=left          @ [5,60)    arrives 10
        retract near(a)=left  @ [5,60)    arrives 50
    """
    check(LAMP, stream, "close(a)=left @ [5,21)", **SLIDING)


def test_of_numbers() -> None:
    """7 and 7.0 are different rows."""
    rules = "initiatedAt(level(X)=N, T) :- happensAt(set(X,N), T)."
    stream = """
        set(a,7)            @ 5
        set(b,7.0)          @ 5
        retract set(a,7.0)  @ 5   arrives 12
        retract set(b,7.0)  @ 5   arrives 12
    """
    check(rules, stream, "level(a)=7 @ [6,inf)", **SLIDING)


def test_of_points() -> None:
    rules = "points(walk(_)=true). holdsFor(going(X)=true, I) :- holdsFor(walk(X)=true, I)."
    stream = """
        walk(a)=true          @ 5
        walk(a)=true          @ 6
        walk(a)=true          @ 7
        retract walk(a)=true  @ 6    arrives 15
    """
    check(rules, stream, "going(a)=true @ [5,6) \n going(a)=true @ [7,8)", **SLIDING)


def test_in_tables() -> None:
    """An `op` column says the same as `retract`."""
    table = pa.table(
        {
            "event": ["press", "press", "press", "press"],
            "time": [5, 5, 9, 9],
            "arrival": [5, 12, 12, 9],
            "op": [1, -1, -1, 1],
            "who": ["a", "a", "b", "b"],
        }
    )
    found = holdsfor.recognise(holdsfor.parse(LAMP), table, **SLIDING)
    assert found.intervals.num_rows == 0
    kept = holdsfor.recognise(holdsfor.parse(LAMP), table.slice(3), **SLIDING)
    assert kept.intervals.column("start").to_pylist() == [10]


def test_the_log_tells_it() -> None:
    stream = """
        press(a)          @ 5
        cut(a)            @ 12
        retract cut(a)    @ 12   arrives 25
        cut(a)            @ 18   arrives 25
        retract press(a)  @ 5    arrives 31
    """
    expected = """
        10: insert    lamp(a)=on @ [6,inf)
        20: end       lamp(a)=on @ [6,13)
        30: extend    lamp(a)=on @ [6,19)
        40: withdraw  lamp(a)=on @ [6,19)
    """
    windows = SLIDING | {"window": 40}
    assert changes(recognise(LAMP, stream, **windows, changes=True)) == lines(expected)
