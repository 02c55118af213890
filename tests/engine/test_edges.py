"""start and end: a fluent that holds in [s,e) starts at the point before s and ends at the point before e."""

from __future__ import annotations

import pytest

from tests.engine.blocks import check, history, recognise

LAMP = """
initiatedAt(lamp(X)=on, T) :- happensAt(press(X), T).
terminatedAt(lamp(X)=on, T) :- happensAt(cut(X), T).
happensAt(lit(X), T) :- happensAt(start(lamp(X)=on), T).
happensAt(out(X), T) :- happensAt(end(lamp(X)=on), T).
"""
NEAR = """
initiatedAt(met(X,Y)=true, T) :- happensAt(start(near(X,Y)=true), T).
terminatedAt(met(X,Y)=true, T) :- happensAt(end(near(X,Y)=true), T).
happensAt(close(X,Y), T) :- happensAt(start(near(X,Y)=true), T).
happensAt(apart(X,Y), T) :- happensAt(end(near(X,Y)=true), T).
"""


def test_where_it_is_initiated_and_terminated() -> None:
    stream = """
        press(a)  @ 10
        press(a)  @ 15
        cut(a)    @ 25
        press(b)  @ 30
    """
    check(LAMP, stream, "lamp(a)=on @ [11,26) \n lit(a) @ 10 \n out(a) @ 25 \n lamp(b)=on @ [31,inf) \n lit(b) @ 30")


@pytest.mark.parametrize(
    ("tick", "stream", "expected"),
    [
        (10, "press(a) @ 10 \n cut(a) @ 20", "lamp(a)=on @ [20,30) \n lit(a) @ 10 \n out(a) @ 20"),
        (10, "press(a) @ 13 \n cut(a) @ 38", "lamp(a)=on @ [20,40) \n lit(a) @ 10 \n out(a) @ 30"),
        (40, "press(a) @ 41 \n cut(a) @ 125", "lamp(a)=on @ [80,160) \n lit(a) @ 40 \n out(a) @ 120"),
        (40, "press(a) @ 1 \n cut(a) @ 39", ""),
        (40, "press(a) @ 1 \n cut(a) @ 40", "lamp(a)=on @ [40,80) \n out(a) @ 40"),
    ],
)
def test_on_the_grid_of_the_clock(tick: int, stream: str, expected: str) -> None:
    """The last case starts at 0, where the history has not begun: nothing happens there."""
    check(LAMP, stream, expected, end=400, sample_every=tick)


def test_of_durative_input() -> None:
    stream = "near(a,b)=true @ [10,30) \n near(b,c)=true @ [50,inf)"
    expected = """
        met(a,b)=true  @ [10,30)
        close(a,b)     @ 9
        apart(a,b)     @ 29
        met(b,c)=true  @ [50,inf)
        close(b,c)     @ 49
    """
    check(NEAR, stream, expected)


def test_at_the_start_of_the_history() -> None:
    """What holds from the first point on starts at `start`: it initiates there, and no occurrence is reported."""
    stream = """
        near(a,b)=true  @ [1,20)
        near(c,d)=true  @ [-5,20)
    """
    expected = """
        met(a,b)=true  @ [1,20)
        apart(a,b)     @ 19
        met(c,d)=true  @ [1,20)
        apart(c,d)     @ 19
    """
    check(NEAR, stream, expected)


def test_once_at_the_edge_of_a_window() -> None:
    """An interval that windows cut in pieces starts once and ends once."""
    stream = """
        press(a)        @ 10
        cut(a)          @ 40
        press(b)        @ 20
    """
    expected = "lamp(a)=on @ [11,41) \n lit(a) @ 10 \n out(a) @ 40 \n lamp(b)=on @ [21,inf) \n lit(b) @ 20"
    check(LAMP, stream, expected, window=10, step=10)


def test_of_united_intervals() -> None:
    rules = """
        holdsFor(busy(X)=true, I) :- holdsFor(walk(X)=true, A), holdsFor(run(X)=true, B), union_all([A,B], I).
        happensAt(off(X), T) :- happensAt(start(busy(X)=true), T).
        happensAt(done(X), T) :- happensAt(end(busy(X)=true), T).
    """
    stream = """
        walk(a)=true  @ [5,20)
        run(a)=true   @ [20,30)
        walk(a)=true  @ [31,40)
    """
    expected = """
        busy(a)=true  @ [5,30)
        busy(a)=true  @ [31,40)
        off(a)        @ 4
        done(a)       @ 29
        off(a)        @ 30
        done(a)       @ 39
    """
    check(rules, stream, expected)


QUIET = """
holdsFor(quiet(X)=true, I) :- holdsFor(noise(X)=true, N), complement_all([N], I).
happensAt(hush(X), T) :- happensAt(start(quiet(X)=true), T).
initiatedAt(rest(X)=true, T) :- happensAt(start(quiet(X)=true), T).
terminatedAt(rest(X)=true, T) :- happensAt(end(quiet(X)=true), T).
"""


def test_what_holds_without_anything_having_happened_does_not_start() -> None:
    stream = "noise(a)=true @ [10,20) \n noise(b)=true @ [1,30)"
    expected = """
        quiet(a)=true  @ [1,10)
        quiet(a)=true  @ [20,inf)
        hush(a)        @ 19
        rest(a)=true   @ [20,inf)
        quiet(b)=true  @ [30,inf)
        hush(b)        @ 29
        rest(b)=true   @ [30,inf)
    """
    check(QUIET, stream, expected)
    check(QUIET, stream, expected, window=40, step=5)


@pytest.mark.parametrize(
    ("made", "begun"),
    [
        ("union_all([Out, Noise], I)", ""),
        ("intersect_all([Out, Out2], I)", ""),
        ("relative_complement_all(Out, [Late], I)", ""),
        ("intersect_all([Out, Noise2], I)", "begun(a)=true @ [5,inf)"),
    ],
)
def test_what_is_made_of_a_complement_starts_when_something_happens(made: str, begun: str) -> None:
    rules = f"""
        holdsFor(made(X)=true, I) :- holdsFor(noise(X)=true, Noise), holdsFor(noise2(X)=true, Noise2),
            holdsFor(late(X)=true, Late), complement_all([Noise], Out), complement_all([Late], Out2), {made}.
        holdsFor(again(X)=true, I) :- holdsFor(made(X)=true, I).
        initiatedAt(begun(X)=true, T) :- happensAt(start(again(X)=true), T), T < 9.
    """
    stream = "noise(a)=true @ [10,20) \n noise2(a)=true @ [5,8) \n late(a)=true @ [50,inf)"
    found = [line for line in history(recognise(rules, stream)) if line.startswith("begun")]
    assert found == [begun] * bool(begun)
