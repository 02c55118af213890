"""The identity of rules: pinned, and independent of all that does not change what they mean."""

from __future__ import annotations

import pytest

from holdsfor.language import parse
from holdsfor.plan import plan
from holdsfor.plan.definitions import Derived, Static

RULES = """
input event press/1, cut/1, level/2. input fluent near/2.
limit(a, 5).
initially(lamp(a)=on).
initiatedAt(lamp(X)=on, T) :- happensAt(press(X), T), \\+ holdsAt(lamp(X)=on, T-5).
terminatedAt(lamp(X)=on, T) :- happensAt(cut(X), T).
fi(door(X)=open, door(X)=shut, 30).
initiatedAt(door(X)=open, T) :- happensAt(press(X), T).
happensAt(high(X, N), T) :- happensAt(level(X, N), T), limit(X, M), N > M * 1.5.
holdsFor(lit(X, Y)=true, I) :- holdsFor(near(X, Y)=true, A), holdsFor(lamp(X)=on, B), intersect_all([A, B], I).
holdsFor(later(X, Y)=true, I) :- holdsFor(near(X, Y)=true, A), holdsFor(lamp(X)=on, B), before(A, B, source, I).
"""
#: A checkpoint is known by it: once there is a release, whoever must change this raises VERSION in the ledger.
DIGEST = "0f36f5d07aa30482ba6abe5f42b89d7e2d400d1137373c9ddae9fe1c28855d07"


def test_the_identity_is_pinned() -> None:
    assert plan(parse(RULES)).identity == DIGEST


@pytest.mark.parametrize(
    ("old", "new"),
    [("\n", "\n\n"), ("X", "Lamp"), ("limit(a, 5).", "limit(a, 6)."), ("input event", "% hello\ninput event")],
)
def test_what_changes_no_rule_changes_no_identity(old: str, new: str) -> None:
    assert plan(parse(RULES.replace(old, new))).identity == DIGEST


@pytest.mark.parametrize(
    ("old", "new"),
    [("T-5", "T-6"), ("1.5", "1.6"), (", 30)", ", 31)"), ("source", "target"), ("lamp(a)", "lamp(b)"), ("N >", "N <")],
)
def test_another_rule_has_another_identity(old: str, new: str) -> None:
    assert plan(parse(RULES.replace(old, new))).identity != DIGEST


def test_a_bound_is_part_of_it() -> None:
    assert plan(parse(RULES + "bound(later/2, 60).")).identity != DIGEST


def test_rules_keep_the_names_that_their_author_gave_variables() -> None:
    made = plan(parse(RULES))
    (high,) = (rule for d in made.definitions if isinstance(d, Derived) for rule in d.rules)
    assert [dict(high.names).get(arg) for arg in high.args if isinstance(arg, str)] == ["X", "N"]
    assert dict(high.names)[high.time] == "T"
    (lit,) = (rule for d in made.definitions if isinstance(d, Static) and d.relation.name == "lit" for rule in d.rules)
    assert [dict(lit.names).get(arg) for arg in lit.args if isinstance(arg, str)] == ["X", "Y"]
