"""What a message says changed since a stream was begun."""

from __future__ import annotations

from typing import Any

import pytest

from holdsfor.engine.definitions.evaluate import make_program
from holdsfor.job.live.start.changed import PIECES, find_changes
from holdsfor.job.live.start.identity import rules_digest, rules_pieces
from holdsfor.language import parse
from holdsfor.plan import plan

RULES = """
initiatedAt(hot(M)=true, T) :- happensAt(reading(M, C), T), limit(M, Most), C > Most.
terminatedAt(hot(M)=true, T) :- happensAt(reading(M, C), T), C < 50.
holdsFor(alarm(M)=true, I) :- holdsFor(hot(M)=true, Hot), intDurGreater(Hot, 900, I).
limit(m1, 90).
"""


def identity(rules: str, **more: object) -> dict[str, Any]:
    program = make_program(plan(parse(rules)))
    return {"rules": rules_digest(program), PIECES: rules_pieces(program), "window": 40, "end": None, **more}


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ("C < 50", "C < 60", ["hot/1 changed"]),
        ("900", "600", ["alarm/1 changed"]),
        ("limit(m1, 90).", "limit(m1, 90). limit(m2, 80).", ["facts of limit/2 changed"]),
        ("alarm(M)", "alert(M)", ["alert/1 is new, alarm/1 is gone"]),
        ("C < 50", "C < 50 , \\+ limit(M, C)", ["hot/1 changed"]),
        ("% no change", "", []),
        ("C > Most", "C > Most % a comment\n", []),
    ],
)
def test_changed_rules_are_named(old: str, new: str, changes: list[str]) -> None:
    found = find_changes(identity(RULES), identity(RULES.replace(old, new)))
    assert found == [f"other rules or facts ({change})" for change in changes]


def test_all_that_differs_is_told_at_once() -> None:
    found = find_changes(identity(RULES), identity(RULES.replace("900", "600"), window=50, end=90))
    assert found == ["other rules or facts (alarm/1 changed)", "window 40, not window 50", "no end, not end 90"]


def test_many_changes_are_counted() -> None:
    more = "".join(f"happensAt(e{n}(M), T) :- happensAt(reading(M, {n}), T).\n" for n in range(9))
    (found,) = find_changes(identity(RULES), identity(RULES + more))
    assert found.endswith("e4/1 is new, e5/1 is new, and 3 more)")


def test_a_definition_of_several_fluents_names_the_one_that_changed() -> None:
    circle = """
    initiatedAt(a(X)=true, T) :- happensAt(go(X), T), \\+ holdsAt(b(X)=true, T).
    terminatedAt(a(X)=true, T) :- happensAt(stop(X), T).
    initiatedAt(b(X)=true, T) :- happensAt(go(X), T), holdsAt(a(X)=true, T).
    terminatedAt(b(X)=true, T) :- happensAt(stop(X), T).
    """
    changed = circle.replace("happensAt(stop(X), T).\n    initiatedAt(b", "happensAt(halt(X), T).\n    initiatedAt(b")
    (found,) = find_changes(identity(circle), identity(changed))
    assert found == "other rules or facts (a/1 changed, input halt/1 is new)"
