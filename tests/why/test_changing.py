"""Explanations name the rows of facts that change."""

from __future__ import annotations

import holdsfor

RULES = """
input fact linked/2.
reach(X, Y) :- linked(X, Y).
reach(X, Y) :- linked(X, Z), reach(Z, Y).
initiatedAt(far(X, Y)=true, T) :- happensAt(ask(X, Y), T), reach(X, Y).
happensAt(alone(X, Y), T) :- happensAt(ask(X, Y), T), \\+ linked(X, Y).
"""
ROWS = [
    "linked(a, b) @ [2,4)",
    "linked(a, b) @ 5",
    "linked(b, c) @ [6,20)",
    "end linked(a, b) @ 12",
    "ask(a, c) @ 8",
    "ask(a, b) @ 13",
]


def history() -> holdsfor.Result:
    return holdsfor.recognise(holdsfor.parse(RULES), ROWS, format="terms")


def test_the_row_that_makes_a_fact_valid_is_named() -> None:
    why = str(history().why("far(a, c)=true", at=10))
    assert "linked(a,b)=true from 5 until 12" in why
    assert "linked(a,b) @ 5 from 5, open" in why
    assert "linked(b,c) @ 6 from 6 until 20" in why
    assert "linked(a,b) @ 2" not in why


def test_it_is_told_what_would_have_to_be_otherwise() -> None:
    why_not = str(history().why_not("alone(a, b)", at=9))
    assert "ask(a,b) did not happen at 9" in why_not
