"""Explanations of each construct: what the tree says follows from the rules, and its leaves yield the fact again."""

from __future__ import annotations

import json

import pytest

import holdsfor
from holdsfor.why.derivation import Derivation
from tests.why.evidence import holds_again, recognised

MOVING = """
initiatedAt(moving(V)=true, T) :- happensAt(speed(V,S), T), S > 5, \\+ happensAt(lost(V), T).
terminatedAt(moving(V)=true, T) :- happensAt(speed(V,S), T), S =< 5.
happensAt(alarm(V), T) :- happensAt(start(moving(V)=true), T), holdsAt(near(V,P)=true, T).
initiatedAt(near(V,P)=true, T) :- happensAt(enter(V,P), T).
terminatedAt(near(V,P)=true, T) :- happensAt(leave(V,P), T).
"""
ROWS = ["enter(v1,p1) @ 1", "speed(v1,7) @ 3", "speed(v2,8) @ 5", "speed(v1,2) @ 9", "leave(v1,p1) @ 12"]


def explain(rules: str, rows: list[str], fact: str, at: int, **times: int) -> Derivation:
    """Explain a fact, and see that what the tree has is enough for it."""
    result = recognised(rules, rows, **times)
    derivation = result.why(fact, at=at)
    assert derivation.unexplained == ()
    assert holds_again(rules, derivation, fact, at, **times)
    return derivation


def whats(derivation: Derivation) -> list[str]:
    return [cause.what for cause in derivation.causes]


def test_a_fluent_was_initiated_and_ended() -> None:
    found = explain(MOVING, ROWS, "moving(v1)=true", 6)
    assert (found.since, found.until, found.kind) == (4, 10, "holds")
    assert found.rule is not None
    assert found.rule.line == 2
    assert dict(found.bindings) == {"V": "v1", "S": "7", "T": "3"}
    assert whats(found) == ["speed(v1,7)", "7 > 5", "not lost(v1) at 3"]
    (ended,) = found.ended
    assert ended.at == 9
    assert whats(ended) == ["speed(v1,2)", "2 =< 5"]


def test_what_is_not_over_is_open() -> None:
    found = explain(MOVING, ROWS, "moving(v2)=true", 20)
    assert (found.since, found.until, found.ended) == (6, None, ())
    assert "still open" in str(found)


def test_an_event_goes_back_to_a_begin_and_to_what_held() -> None:
    found = explain(MOVING, ROWS, "alarm(v1)", 3)
    assert found.at == 3
    assert whats(found) == ["moving(v1)=true begins", "near(v1,p1)=true"]


def test_input_is_its_own_reason() -> None:
    found = explain(MOVING, ROWS, "speed(v2,8)", 5)
    assert found.kind == "input"
    assert [part.block.arrival[row] for part in found.rows for row in part.rows] == [5]


def test_the_tree_is_plain_values() -> None:
    plain = json.loads(json.dumps(explain(MOVING, ROWS, "alarm(v1)", 3).as_dict()))
    assert plain["what"] == "alarm(v1)"
    assert plain["causes"][1]["causes"][0]["rows"][0]["arrival"] == 1


@pytest.mark.parametrize(
    ("fact", "at", "words"),
    [
        ("movin(v1)=true", 5, "Did you mean moving?"),
        ("moving(v1)=tru", 5, "Its values are true"),
        ("moving(v1)=true", 11, "It held from 4 until 10"),
        ("moving(v9)=true", 11, "at no other time"),
        ("moving(v1)=true", 21, "from 1 to 20"),
        ("moving(v1)=true", 0, "from 1 to 20"),
        ("alarm(v1)", 5, "It happened at 3"),
        ("alarm(v1)=true", 3, "is an event"),
        ("moving(v1,v2)=true", 5, "but moving/1"),
        ("moving(V)=true", 5, "is no fact"),
    ],
)
def test_a_question_without_an_answer_says_why(fact: str, at: int, words: str) -> None:
    with pytest.raises(holdsfor.HoldsforError, match=words.replace("?", "\\?")):
        recognised(MOVING, ROWS).why(fact, at=at)
