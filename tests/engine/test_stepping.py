"""Stepping through query times: the same history as in one pass, and a log of changes that folds into it."""

from __future__ import annotations

from typing import Any

import pytest

import holdsfor
from holdsfor import Result
from tests.change_log import fold_strictly
from tests.engine.blocks import changes, history, lines, recognise, rows
from tests.engine.random_runs import of_random
from tests.naive.programs import random_program

LAMP = """
initiatedAt(lamp(X)=on, T) :- happensAt(press(X), T).
terminatedAt(lamp(X)=on, T) :- happensAt(cut(X), T).
"""


def folded(found: Result, step: int = 10) -> list[tuple[Any, ...]]:
    """The log folded, a row at a time, as its reader would do it."""
    return sorted((*subject, end) for subject, end in fold_strictly(rows(found.changes), step).items())


def intervals(found: Result) -> list[tuple[Any, ...]]:
    return sorted(
        (row["fluent"], tuple(row["args"]), row["value"], row["start"], row["end"]) for row in rows(found.intervals)
    )


@pytest.mark.parametrize("seed", range(40))
def test_of_random_programs(seed: int) -> None:
    stepped = of_random(seed, changes=True)
    assert history(stepped) == history(of_random(seed, changes=False)), str(random_program(seed))
    assert folded(stepped, random_program(seed).horizon.step) == intervals(stepped), str(random_program(seed))


def test_one_pass_has_no_log() -> None:
    assert recognise(LAMP, "press(a) @ 5").changes.num_rows == 0


def test_the_log_of_a_late_event() -> None:
    stream = """
        press(a)  @ 8
        press(a)  @ 24
        cut(a)    @ 31
        cut(a)    @ 15   arrives 35
        press(b)  @ 50
    """
    expected = """
        10: insert   lamp(a)=on @ [9,inf)
        40: insert   lamp(a)=on @ [25,32)
        40: shorten  lamp(a)=on @ [9,16)
        50: insert   lamp(b)=on @ [51,inf)
    """
    found = recognise(LAMP, stream, window=30, step=10, end=60, changes=True)
    assert changes(found) == lines(expected)
    assert {row["query_time"] for row in rows(found.changes)} == {10, 40, 50}


def test_a_late_event_withdraws_what_it_swallows() -> None:
    """[6,13) and [16,inf) become one when the cut between them is overtaken by an earlier press of its renewal."""
    rules = """
        initiatedAt(busy(X)=true, T) :- happensAt(begin(X), T).
        terminatedAt(busy(X)=true, T) :- happensAt(pause(X), T), \\+ happensAt(ignore(X), T).
    """
    stream = """
        begin(a)   @ 5
        pause(a)   @ 12
        begin(a)   @ 15
        ignore(a)  @ 12   arrives 25
    """
    expected = """
        10: insert    busy(a)=true @ [6,inf)
        20: end       busy(a)=true @ [6,13)
        20: insert    busy(a)=true @ [16,inf)
        30: extend    busy(a)=true @ [6,inf)
        30: withdraw  busy(a)=true @ [16,inf)
    """
    found = recognise(rules, stream, window=30, step=10, end=40, changes=True)
    assert changes(found) == lines(expected)
    assert folded(found) == intervals(found)


def test_quiet_query_times_change_nothing() -> None:
    found = recognise(LAMP, "press(a) @ 5", window=10, step=10, end=100, changes=True)
    assert changes(found) == ["10: insert lamp(a)=on @ [6,inf)"]
    assert history(found) == ["lamp(a)=on @ [6,inf)"]


def test_long_ago_is_carried() -> None:
    """What was initiated many windows before still holds, and ends once."""
    found = recognise(LAMP, "press(a) @ 5 \n cut(a) @ 985", window=10, step=10, end=1000, changes=True)
    assert history(found) == ["lamp(a)=on @ [6,986)"]
    assert changes(found) == ["10: insert lamp(a)=on @ [6,inf)", "990: end lamp(a)=on @ [6,986)"]


def test_a_circle_of_patterns_over_several_windows() -> None:
    """Of what is settled and what is new, one may be sorted by an argument and the other by time alone."""
    rules = "ping(1) <- e.\npong(K) <- ping(K) SEQ c.\nping(K+1) <- pong(K) SEQ e WHERE K < 3.\n"
    rows = ["e @ 3", "c @ 6", "c @ 9", "e @ 10"]
    result = holdsfor.recognise(holdsfor.parse(rules), rows, window=4, step=4, start=0, end=12, changes=True)
    spans = {(row["event"], *row["args"], row["start"], row["end"]) for row in result.occurrences.to_pylist()}
    assert spans == {
        ("ping", "1", 3, 3),
        ("pong", "1", 3, 6),
        ("pong", "1", 3, 9),
        ("ping", "1", 10, 10),
        ("ping", "2", 3, 10),
    }
