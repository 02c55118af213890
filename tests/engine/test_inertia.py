"""Inertia: what is initiated at T holds from T+1 on, up to and including the point of its termination."""

from __future__ import annotations

import pytest

from tests.engine.blocks import check

LAMP = """
initiatedAt(lamp(X)=on, T) :- happensAt(press(X), T).
initiatedAt(lamp(X)=dim, T) :- happensAt(turn(X), T).
terminatedAt(lamp(X)=on, T) :- happensAt(cut(X), T).
"""


@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        ("press(a) @ 10 \n cut(a) @ 25", "lamp(a)=on @ [11,26)"),
        ("cut(a) @ 3 \n press(a) @ 10 \n press(a) @ 15", "lamp(a)=on @ [11,inf)"),
        ("press(a) @ 10 \n cut(a) @ 25 \n cut(a) @ 30", "lamp(a)=on @ [11,26)"),
        ("press(a) @ 10 \n cut(a) @ 25 \n press(a) @ 26", "lamp(a)=on @ [11,26) \n lamp(a)=on @ [27,inf)"),
        ("press(a) @ 10 \n cut(a) @ 24 \n press(a) @ 24", "lamp(a)=on @ [11,25)"),
        ("press(a) @ 10 \n press(b) @ 12 \n cut(b) @ 20", "lamp(a)=on @ [11,inf) \n lamp(b)=on @ [13,21)"),
        ("cut(a) @ 10", ""),
    ],
    ids=[
        "a point after each",
        "once",
        "ended is ended",
        "holds again, with a gap",
        "at one point",
        "each its own",
        "nothing",
    ],
)
def test_initiated_until_terminated(stream: str, expected: str) -> None:
    check(LAMP, stream, expected)


@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        ("press(a) @ 10 \n cut(a) @ 10", ""),
        ("press(a) @ 5 \n press(a) @ 10 \n cut(a) @ 10", "lamp(a)=on @ [6,11)"),
        ("press(a) @ 10 \n turn(a) @ 10", ""),
        ("press(a) @ 5 \n press(a) @ 10 \n turn(a) @ 10", "lamp(a)=on @ [6,11)"),
        ("turn(a) @ 10 \n cut(a) @ 10", "lamp(a)=dim @ [11,inf)"),
        ("press(a) @ 10 \n turn(a) @ 20 \n cut(a) @ 20", "lamp(a)=on @ [11,21) \n lamp(a)=dim @ [21,inf)"),
        ("press(a) @ 10 \n press(a) @ 10", "lamp(a)=on @ [11,inf)"),
    ],
    ids=[
        "termination wins",
        "termination wins over renewal",
        "two values cancel each other",
        "and what held before",
        "only its own value is terminated",
        "another value takes over",
        "equal events are one",
    ],
)
def test_ties(stream: str, expected: str) -> None:
    check(LAMP, stream, expected)


def test_at_the_edges_of_the_history() -> None:
    stream = """
        press(before)   @ 0
        press(first)    @ 1
        press(last)     @ 100
        press(after)    @ 101
    """
    check(LAMP, stream, "lamp(first)=on @ [2,inf) \n lamp(last)=on @ [101,inf)")


def test_conditions_see_the_point_itself() -> None:
    """What is initiated at T does not hold at T yet, what is terminated at T still does."""
    rules = LAMP + "happensAt(seen(X), T) :- happensAt(look(X), T), holdsAt(lamp(X)=on, T)."
    stream = """
        press(a)  @ 10
        look(a)   @ 10
        look(a)   @ 11
        cut(a)    @ 25
        look(a)   @ 25
        look(a)   @ 26
    """
    check(rules, stream, "lamp(a)=on @ [11,26) \n seen(a) @ 11 \n seen(a) @ 25")


def test_changes_wait_for_the_clock() -> None:
    """With a clock tick of 40 what happens at 41 and at 80 takes effect at 80 and at 120."""
    stream = """
        press(a)  @ 41
        cut(a)    @ 120
        press(b)  @ 80
        cut(b)    @ 159
        press(c)  @ 121
        cut(c)    @ 160
        press(d)  @ 121
        cut(d)    @ 159
    """
    expected = """
        lamp(a)=on  @ [80,160)
        lamp(b)=on  @ [120,160)
        lamp(c)=on  @ [160,200)
    """
    check(LAMP, stream, expected, end=400, sample_every=40)
