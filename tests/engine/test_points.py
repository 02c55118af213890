"""Durative input given point by point: points that follow each other on the clock are one interval."""

from __future__ import annotations

import pytest

from tests.engine.blocks import changes, check, lines, recognise

WALK = """
points(walk(_)=true).
holdsFor(going(X)=true, I) :- holdsFor(walk(X)=true, I).
"""


def points(*times: int) -> str:
    return "\n".join(f"walk(a)=true @ {time}" for time in times)


@pytest.mark.parametrize(
    ("tick", "times", "expected"),
    [
        (1, (3, 4, 6), ["[3,5)", "[6,7)"]),
        (1, (4, 3, 3, 5), ["[3,6)"]),
        (1, (1, 2), ["[1,3)"]),
        (1, (98, 99), ["[98,100)"]),  # 100 is past, and it has not come
        (1, (99, 100), ["[99,inf)"]),  # 101 may still come
        (1, (98, 100), ["[98,99)", "[100,inf)"]),
        (10, (10, 20, 30), ["[10,40)"]),
        (10, (10, 30), ["[10,20)", "[30,40)"]),
        (10, (10, 15), ["[10,20)"]),
        (10, (12, 22), ["[12,30)"]),
        (10, (80, 90), ["[80,100)"]),
        (10, (90, 100), ["[90,inf)"]),
    ],
)
def test_points_that_follow_each_other(tick: int, times: tuple[int, ...], expected: list[str]) -> None:
    check(WALK, points(*times), "\n".join(f"going(a)=true @ {span}" for span in expected), sample_every=tick)


def test_open_until_the_next_point_has_not_come() -> None:
    """At each query time the last point may still be followed by another."""
    found = recognise(WALK, points(8, 9, 10, 11, 12, 30), window=20, step=10, end=50, changes=True)
    expected = """
        10: insert   going(a)=true @ [8,inf)
        20: end      going(a)=true @ [8,13)
        30: insert   going(a)=true @ [30,inf)
        40: end      going(a)=true @ [30,31)
    """
    assert changes(found) == lines(expected)


def test_a_late_point_joins_two_intervals() -> None:
    stream = points(5, 6, 8, 9) + "\n walk(a)=true @ 7 arrives 15"
    found = recognise(WALK, stream, window=20, step=10, end=30, changes=True)
    expected = """
        10: insert    going(a)=true @ [5,7)
        10: insert    going(a)=true @ [8,10)
        20: extend    going(a)=true @ [5,10)
        20: withdraw  going(a)=true @ [8,10)
    """
    assert changes(found) == lines(expected)


def test_points_and_intervals_of_one_fluent() -> None:
    """Rows say by themselves whether they are points."""
    rules = "holdsFor(going(X)=true, I) :- holdsFor(walk(X)=true, I)."
    stream = """
        walk(a)=true  @ [5,10)
        walk(a)=true  @ 10
        walk(a)=true  @ 11
        walk(b)=true  @ 11
    """
    check(rules, stream, "going(a)=true @ [5,12) \n going(b)=true @ [11,12)")


def test_edges_of_points() -> None:
    rules = (
        WALK
        + """
        happensAt(off(X), T) :- happensAt(start(walk(X)=true), T).
        happensAt(halt(X), T) :- happensAt(end(walk(X)=true), T).
        """
    )
    check(
        rules,
        points(40, 80, 120),
        "going(a)=true @ [40,160) \n off(a) @ 0 \n halt(a) @ 120",
        start=-40,
        end=400,
        sample_every=40,
    )
