"""More than one time in a rule: conditions before or after T, and a second time variable."""

from __future__ import annotations

import pytest

from tests.engine.blocks import check

LAMP = """
initiatedAt(lamp(X)=on, T) :- happensAt(press(X), T).
terminatedAt(lamp(X)=on, T) :- happensAt(cut(X), T).
"""


@pytest.mark.parametrize("form", ["holdsAt(lamp(X)=on, T+{k})", "U is T+{k}, holdsAt(lamp(X)=on, U)"])
@pytest.mark.parametrize(
    ("k", "seen"),
    [("0", [11, 25]), ("1", [10, 11]), ("5", [10, 11]), ("15", [10]), ("16", [])],
)
def test_conditions_at_another_time(form: str, k: str, seen: list[int]) -> None:
    """The lamp is on in [11,26); somebody looks at 10, 11, 25 and 26."""
    rules = LAMP + f"happensAt(seen(X), T) :- happensAt(look(X), T), {form.format(k=k)}."
    stream = "press(a) @ 10 \n cut(a) @ 25 \n look(a) @ 10 \n look(a) @ 11 \n look(a) @ 25 \n look(a) @ 26"
    expected = "\n".join(["lamp(a)=on @ [11,26)", *(f"seen(a) @ {time}" for time in seen)])
    check(rules, stream, expected)
    check(rules, stream, expected, window=10, step=5)


def test_before_and_after_the_history_nothing_holds() -> None:
    rules = LAMP + "happensAt(dark(X), T) :- happensAt(look(X), T), \\+ holdsAt(lamp(X)=on, T-9)."
    check(rules, "press(a) @ 1 \n look(a) @ 5 \n look(a) @ 11", "lamp(a)=on @ [2,inf) \n dark(a) @ 5")


def test_an_earlier_event() -> None:
    """Two presses at most 5 apart, by the same hand."""
    rules = """
        happensAt(double(X,D), T) :-
            happensAt(press(X), T), happensAt(press(X), T0), T0 < T, D is T - T0, D =< 5.
    """
    stream = """
        press(a)  @ 10
        press(a)  @ 12
        press(b)  @ 13
        press(a)  @ 17
        press(b)  @ 19
    """
    check(rules, stream, "double(a,2) @ 12 \n double(a,5) @ 17")
    check(rules, stream, "double(a,2) @ 12 \n double(a,5) @ 17", window=10, step=2)


def test_any_earlier_event_by_anybody() -> None:
    rules = "happensAt(after(X,Y), T) :- happensAt(press(X), T), happensAt(ring(Y), T0), T0 < T, T - T0 < 10."
    stream = """
        ring(b)   @ 5
        ring(c)   @ 12
        press(a)  @ 14
    """
    check(rules, stream, "after(a,b) @ 14 \n after(a,c) @ 14")


def test_the_head_at_the_earlier_time() -> None:
    """What happens later decides what was initiated before: conclusions look ahead, across windows."""
    rules = """
        initiatedAt(heard(X)=true, T) :- happensAt(call(X), T), happensAt(answer(X), T1), T1 > T, T1 =< T + 15.
    """
    stream = """
        call(a)    @ 8
        answer(a)  @ 22
        call(b)    @ 8
        answer(b)  @ 24
    """
    check(rules, stream, "heard(a)=true @ [9,inf)")
    check(rules, stream, "heard(a)=true @ [9,inf)", window=10, step=10)


def test_absence_for_a_while() -> None:
    rules = "happensAt(lone(X), T) :- happensAt(press(X), T), \\+ (happensAt(press(X), T0), T0 < T, T - T0 < 10)."
    stream = """
        press(a)  @ 5
        press(a)  @ 10
        press(a)  @ 20
        press(b)  @ 21
    """
    check(rules, stream, "lone(a) @ 5 \n lone(a) @ 20 \n lone(b) @ 21")


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("happensAt(seen(X), T) :- happensAt(tells(X,N), T), happensAt(press(X), N).", "seen(b) @ 41"),
        ("happensAt(seen(X), T) :- happensAt(tells(X,N), T), holdsAt(sun=true, N).", "seen(b) @ 41"),
        (
            "happensAt(seen(X), T) :- happensAt(tells(X,N), T), \\+ happensAt(press(X), N).",
            "seen(a) @ 40 \n seen(b) @ 43 \n seen(c) @ 42",
        ),
        ("happensAt(seen(X), N) :- happensAt(tells(X,N), T).", "seen(b) @ 38"),
        ("happensAt(seen(X), T) :- happensAt(tells(X,_), T), U is T / 2, happensAt(light, U).", "seen(a) @ 40"),
    ],
    ids=["an event", "a fluent", "not", "of the head", "calculated"],
)
def test_only_an_integer_is_a_time(rule: str, expected: str) -> None:
    """a tells of 37.5, b of 38 and of 38.0, c of a name."""
    stream = """
        press(a)       @ 37
        press(b)       @ 38
        light          @ 20
        sun=true       @ [30,50)
        tells(a,37.5)  @ 40
        tells(b,38)    @ 41
        tells(c,noon)  @ 42
        tells(b,38.0)  @ 43
    """
    check("input event press/1, light/0, tells/2.\ninput fluent sun/0.\n" + rule, stream, expected)


def test_deadlines_that_fall_between_the_same_two_grid_points() -> None:
    """High is initiated at 102 and at 110, so mid is initiated at 161 and, high holding until 170, at 169.

    Mid lasts until no later initiation of it is less than 22 ago: the one at 169 makes it low at 191.
    """
    rules = """
        initiatedAt(mode=high, T) :- happensAt(tag, T).
        fi(mode=high, mode=mid, 59).
        fi(mode=mid, mode=low, 22).
        p(mode=mid).
    """
    expected = "mode=high @ [110,170) \n mode=mid @ [170,200) \n mode=low @ [200,inf)"
    for window, step in ((70, 60), (60, 60), (120, 10)):
        check(rules, "tag @ 102 \n tag @ 110", expected, window=window, step=step, start=100, end=220, sample_every=10)
