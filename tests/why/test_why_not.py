"""What is told of something that is not so: which condition failed, by how much, and what would have made it true."""

from __future__ import annotations

import pytest

import holdsfor
from holdsfor.why.derivation import Derivation
from holdsfor.why.why_not.refutation import Refutation
from tests.why.evidence import recognised
from tests.why.test_why import MOVING, ROWS


def deny(rules: str, rows: list[str], fact: str, at: int, **times: int) -> Refutation:
    """Ask why not, and see that with each change the fact is recognised."""
    refutation = recognised(rules, rows, **times).why_not(fact, at=at)
    for change in refutation.changes:
        changed = holdsfor.recognise(change.description, change.events, **{"start": 0, "end": 20, **times})
        assert changed.why(fact, at=at).what == fact
    return refutation


def changes(refutation: Refutation) -> list[str]:
    return [change.text for change in refutation.changes]


def leaves(refutation: Refutation) -> list[Derivation]:
    return [node for node in refutation.tree.nodes() if not node.causes and not node.ended]


def test_a_comparison_has_its_margin_and_the_value_that_is_needed() -> None:
    refutation = deny(MOVING, ["speed(v3,4.7) @ 5"], "moving(v3)=true", 12)
    (failed,) = leaves(refutation)
    assert (failed.what, failed.notes) == ("4.7 > 5 is false", ("S > 5", "0.3 too little"))
    assert dict(refutation.tree.causes[0].bindings) == {"V": "v3", "S": "4.7", "T": "5"}
    assert changes(refutation) == ["speed(v3,4.7) at 5 as speed(v3,5.1)"]


def test_what_held_before_was_ended() -> None:
    refutation = deny(MOVING, ROWS, "moving(v1)=true", 12)
    (ended,) = refutation.tree.ended
    assert (ended.what, ended.at) == ("terminated", 9)
    assert "it held from 4 until 10" in refutation.tree.notes
    assert "without speed(v1,2) at 9" in changes(refutation)


def test_a_negation_has_the_reason_why_it_is_false() -> None:
    refutation = deny(MOVING, ["lost(v4) @ 6", "speed(v4,9) @ 6"], "moving(v4)=true", 8)
    assert [node.what for node in leaves(refutation)] == ["lost(v4)"]
    assert changes(refutation) == ["without lost(v4) at 6"]


def test_input_that_never_came_is_proposed() -> None:
    refutation = deny(MOVING, ROWS, "moving(v9)=true", 12)
    assert [node.what for node in leaves(refutation)] == ["speed(v9,_) did not happen"]
    assert "v9 is in no row of the input" in refutation.tree.notes
    assert changes(refutation) == ["one row more: speed(v9,6) @ 11"]


def test_a_misspelt_name_is_said_to_be_one() -> None:
    refutation = deny(MOVING, ["speed(tanker,3) @ 2"], "moving(tankr)=true", 12)
    assert "tankr is in no row of the input; did you mean tanker?" in refutation.tree.notes


def test_what_rules_define_is_told_down_to_the_input() -> None:
    refutation = deny(MOVING, ROWS, "alarm(v2)", 5)
    assert [node.what for node in leaves(refutation)] == ["enter(v2,_) did not happen"]
    assert changes(refutation) == ["one row more: enter(v2,p1) @ 4"]


def test_an_interval_that_goes_on_does_not_begin() -> None:
    (failed,) = leaves(deny(MOVING, ROWS, "alarm(v1)", 7))
    assert failed.what == "moving(v1)=true did not begin"
    assert failed.notes[0] == "it held from 4 until 10"


def test_a_fact_that_is_missing_is_proposed() -> None:
    rules = "happensAt(big(X), T) :- happensAt(load(X,N), T), limit(X,L), N > L.\nlimit(a,10)."
    refutation = deny(rules, ["load(b,15) @ 4"], "big(b)", 4)
    assert [node.what for node in leaves(refutation)] == ["there is no fact limit(b,_)"]
    rules = "happensAt(big(X), T) :- happensAt(load(X), T), large(X).\nlarge(a)."
    assert changes(deny(rules, ["load(b) @ 4"], "big(b)", 4)) == ["the fact large(b)"]


STATIC = """
holdsFor(both(X)=true, I) :- holdsFor(a(X)=true, I1), holdsFor(b(X)=true, I2), intersect_all([I1,I2], I).
holdsFor(only(X)=true, I) :- holdsFor(a(X)=true, I1), holdsFor(b(X)=true, I2), relative_complement_all(I1, [I2], I).
holdsFor(long(X)=true, I) :- holdsFor(a(X)=true, I1), intDurGreater(I1, 10, I).
"""
SPANS = ["a(x)=true @ [1,9)", "b(x)=true @ [4,6)"]


def test_an_intersection_lacks_an_operand() -> None:
    refutation = deny(STATIC, SPANS, "both(x)=true", 7)
    assert [node.what for node in leaves(refutation)] == ["b(x)=true did not hold"]
    assert changes(refutation) == ["one row more: b(x)=true @ [7,8)"]


def test_a_difference_has_what_takes_it_away() -> None:
    refutation = deny(STATIC, SPANS, "only(x)=true", 5)
    assert [node.what for node in leaves(refutation)] == ["b(x)=true"]
    assert changes(refutation) == ["without b(x)=true from 4"]


def test_an_interval_is_too_short() -> None:
    assert [node.what for node in leaves(deny(STATIC, SPANS, "long(x)=true", 5))] == ["lasts 8 > 10 is false"]


def test_what_is_so_has_no_why_not() -> None:
    with pytest.raises(holdsfor.HoldsforError, match=r"held at 6\. Ask why"):
        recognised(MOVING, ROWS).why_not("moving(v1)=true", at=6)
    with pytest.raises(holdsfor.HoldsforError, match=r"Did you mean moving\?"):
        recognised(MOVING, ROWS).why_not("movin(v1)=true", at=6)


PATTERNS = """
alarm(L,X) <- (smoke(L) SEQ heat(L,X) WHERE X > 30).10.
quiet(L) <- NOT(heat(L,_)).[smoke(L), 5 ticks].
pair(L) <- NOT(reset(L)).[smoke(L), ring(L)].
"""


@pytest.mark.parametrize(
    ("rows", "fact", "at", "told", "proposed"),
    [
        (["smoke(a) @ 1", "heat(a,20) @ 4"], "alarm(a,20)", 4, "20 > 30 is false", ""),
        (["smoke(a) @ 1", "heat(a,40) @ 14"], "alarm(a,40)", 14, "both take 13 and at most 10 are allowed", ""),
        (["smoke(a) @ 6", "heat(a,40) @ 4"], "alarm(a,40)", 4, "smoke(a) did not happen", "smoke(a) @ 3"),
        (
            ["smoke(a) @ 1", "heat(b,40) @ 4"],
            "alarm(a,40)",
            4,
            "heat(a,40) did not happen",
            "one row more: heat(a,40) @ 4",
        ),
        (["smoke(a) @ 1", "heat(a,40) @ 3"], "quiet(a)", 6, "heat(a,40)", "without heat(a,40) at 3"),
        (["smoke(a) @ 1"], "quiet(a)", 7, "it is over at 6, not at 7", ""),
        (["smoke(a) @ 1", "reset(a) @ 2", "ring(a) @ 3"], "pair(a)", 3, "reset(a)", "without reset(a) at 2"),
    ],
)
def test_a_pattern_has_the_part_or_the_condition_that_failed(
    rows: list[str], fact: str, at: int, told: str, proposed: str
) -> None:
    refutation = deny(PATTERNS, rows, fact, at)
    assert told in [node.what for node in leaves(refutation)]
    assert not proposed or any(proposed in change for change in changes(refutation))


def test_a_policy_takes_another_pair() -> None:
    refutation = deny(":- policy(recent).\nc(X) <- a(X) SEQ b.", ["a(1) @ 1", "a(2) @ 2", "b @ 5"], "c(1)", 5)
    assert "the policy recent takes another pair" in [node.what for node in leaves(refutation)]


def test_of_a_fact_that_changes_it_is_told_until_when_it_was_valid() -> None:
    rules = "input fact berth/2 key 1.\nhappensAt(unload(V, B), T) :- happensAt(crane(V), T), berth(V, B).\n"
    rows = ["berth(v1, a) @ 10", "berth(v1, b) @ 40", "crane(v1) @ 40"]
    events = holdsfor.read_events(rows, format="terms")
    told = holdsfor.recognise(holdsfor.parse(rules), events, start=0, end=60).why_not("unload(v1,a)", at=40)
    assert "berth(v1,a)=true did not hold at 40 (it held from 10 until 40)" in str(told)
