"""Fluents with several values, by name in the rules or taken from the data: one at a time, the latest."""

from __future__ import annotations

import pytest

from tests.engine.blocks import check

LEVEL = """
initiatedAt(level(X)=L, T) :- happensAt(set(X,L), T).
terminatedAt(level(X)=L, T) :- happensAt(drop(X,L), T).
"""
NAMED = """
initiatedAt(level(X)=low, T) :- happensAt(set(X,low), T).
initiatedAt(level(X)=mid, T) :- happensAt(set(X,mid), T).
initiatedAt(level(X)=high, T) :- happensAt(set(X,high), T).
terminatedAt(level(X)=low, T) :- happensAt(drop(X,low), T).
terminatedAt(level(X)=mid, T) :- happensAt(drop(X,mid), T).
terminatedAt(level(X)=high, T) :- happensAt(drop(X,high), T).
"""


@pytest.mark.parametrize("rules", [LEVEL, NAMED], ids=["from the data", "by name"])
@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        (
            "set(a,low) @ 5 \n set(a,high) @ 10 \n set(a,low) @ 20",
            "level(a)=low @ [6,11) \n level(a)=high @ [11,21) \n level(a)=low @ [21,inf)",
        ),
        ("set(a,low) @ 5 \n drop(a,high) @ 10", "level(a)=low @ [6,inf)"),
        ("set(a,low) @ 5 \n drop(a,low) @ 10", "level(a)=low @ [6,11)"),
        ("set(a,low) @ 5 \n set(a,mid) @ 10 \n set(a,high) @ 10", "level(a)=low @ [6,11)"),
        ("set(a,mid) @ 10 \n set(a,high) @ 10 \n drop(a,high) @ 10", ""),
        ("set(a,low) @ 5 \n set(a,low) @ 10 \n set(a,high) @ 10", "level(a)=low @ [6,11)"),
        ("set(a,low) @ 5 \n set(b,high) @ 5", "level(a)=low @ [6,inf) \n level(b)=high @ [6,inf)"),
    ],
    ids=[
        "the latest holds",
        "another value's end is nothing to it",
        "its own end",
        "two at one point cancel each other",
        "even if one of them is terminated there",
        "renewal cancels too",
        "each its own",
    ],
)
def test_one_value_at_a_time(rules: str, stream: str, expected: str) -> None:
    check(rules, stream, expected)


def test_values_are_terms() -> None:
    """7 and 7.0 are different values, and so are 7 and the atom '7', which results write without quotes."""
    stream = """
        set(a,7)    @ 5
        set(a,7.0)  @ 10
        set(a,'7')  @ 20
    """
    check(LEVEL, stream, "level(a)=7 @ [6,11) \n level(a)=7.0 @ [11,21) \n level(a)=7 @ [21,inf)")


def test_conditions_bind_the_value() -> None:
    rules = (
        LEVEL
        + """
        happensAt(shown(X,L), T) :- happensAt(ask(X), T), holdsAt(level(X)=L, T).
        happensAt(unknown(X), T) :- happensAt(ask(X), T), \\+ holdsAt(level(X)=_, T).
        """
    )
    stream = """
        ask(a)       @ 3
        set(a,high)  @ 5
        ask(a)       @ 9
        drop(a,high) @ 12
        ask(a)       @ 20
    """
    check(rules, stream, "level(a)=high @ [6,13) \n shown(a,high) @ 9 \n unknown(a) @ 3 \n unknown(a) @ 20")


def test_any_value_is_terminated() -> None:
    rules = LEVEL + "terminatedAt(level(X)=_, T) :- happensAt(off(X), T)."
    stream = """
        set(a,low)   @ 5
        off(a)       @ 10
        set(a,high)  @ 15
        set(b,low)   @ 15
        off(a)       @ 20
    """
    check(rules, stream, "level(a)=low @ [6,11) \n level(a)=high @ [16,21) \n level(b)=low @ [16,inf)")


def test_a_fluent_without_arguments() -> None:
    rules = "initiatedAt(mode=M, T) :- happensAt(switch(M), T)."
    check(rules, "switch(day) @ 5 \n switch(night) @ 20", "mode=day @ [6,21) \n mode=night @ [21,inf)")


def test_values_of_durative_input() -> None:
    rules = """
        holdsFor(busy(X)=true, I) :-
            holdsFor(gear(X)=fast, I1), holdsFor(gear(X)=slow, I2), union_all([I1,I2], I).
        happensAt(shift(X,V), T) :- happensAt(start(gear(X)=V), T).
    """
    stream = """
        gear(a)=slow  @ [5,20)
        gear(a)=fast  @ [20,30)
        gear(a)=stop  @ [30,40)
    """
    check(rules, stream, "busy(a)=true @ [5,30) \n shift(a,slow) @ 4 \n shift(a,fast) @ 19 \n shift(a,stop) @ 29")
