"""Explanations of each construct: what the tree says follows from the rules, and its leaves yield the fact again."""

from __future__ import annotations

import json

import pytest

import holdsfor
from holdsfor.why.derivation import Derivation
from holdsfor.why.printing import shown_causes
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
    return [cause.what for cause in shown_causes(derivation)]


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
    assert "open" in str(found)


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
    nodes, rows = plain["nodes"], plain["rows"]
    assert (plain["version"], plain["history"]) == (1, {"start": 0, "end": 20, "tick": 1})
    assert (nodes[0]["what"], nodes[0]["kind"], nodes[0]["by"]) == ("alarm(v1)", "happens", "rule")
    near = nodes[nodes[0]["causes"][1]]
    assert (near["fact"], near["by"], near["initiated"]) == ("near(v1,p1)=true", "initiated", 1)
    (entered,) = [nodes[place] for place in near["causes"]]
    assert rows[entered["rows"][0]] == {"row": "enter(v1,p1) @ 1 arrives 1", "arrival": 1, "source": "<lines>"}
    speed = next(node for node in nodes if node["kind"] == "comparison")
    assert (speed["left"], speed["op"], speed["right"], speed["written"]) == ("7", ">", "5", "S > 5")


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


def test_a_union_is_explained_by_the_operand_that_holds_then() -> None:
    rules = """
initiatedAt(on(X)=true, T) :- happensAt(press(X), T).
terminatedAt(on(X)=true, T) :- happensAt(release(X), T).
holdsFor(busy(X)=true, I) :- holdsFor(on(X)=true, I1), holdsFor(shift(X)=true, I2), union_all([I1,I2], I).
"""
    rows = ["press(a) @ 2", "release(a) @ 5", "shift(a)=true @ [4,9)"]
    early, late = (explain(rules, rows, "busy(a)=true", at) for at in (3, 8))
    assert (early.since, early.until) == (late.since, late.until) == (3, 9)
    assert whats(early) == ["on(a)=true"]
    assert whats(late) == ["shift(a)=true"]
    assert dict(late.bindings) == {"X": "a"}


def test_an_intersection_needs_all_operands_and_a_difference_the_absence_of_one() -> None:
    rules = """
holdsFor(both(X)=true, I) :- holdsFor(a(X)=true, I1), holdsFor(b(X)=true, I2), intersect_all([I1,I2], I).
holdsFor(only(X)=true, I) :- holdsFor(a(X)=true, I1), holdsFor(b(X)=true, I2), relative_complement_all(I1, [I2], I).
"""
    rows = ["a(x)=true @ [1,9)", "b(x)=true @ [4,6)"]
    assert whats(explain(rules, rows, "both(x)=true", 5)) == ["a(x)=true", "b(x)=true"]
    assert whats(explain(rules, rows, "only(x)=true", 7)) == ["a(x)=true", "not b(x)=true"]


def test_a_duration_is_explained_over_the_whole_interval() -> None:
    rules = """
initiatedAt(on(X)=true, T) :- happensAt(press(X), T).
terminatedAt(on(X)=true, T) :- happensAt(release(X), T).
holdsFor(long(X)=true, I) :- holdsFor(on(X)=true, I1), intDurGreater(I1, 4, I).
holdsFor(brief(X)=true, I) :- holdsFor(on(X)=true, I1), intDurLess(I1, 4, I).
"""
    rows = ["press(a) @ 1", "release(a) @ 8", "press(a) @ 10", "release(a) @ 12"]
    found = explain(rules, rows, "long(a)=true", 3)
    assert whats(found) == ["lasts 7 > 4"]
    assert whats(found.causes[0]) == ["on(a)=true"]
    assert whats(explain(rules, rows, "brief(a)=true", 11)) == ["lasts 2 < 4"]


def test_intervals_that_stand_so_to_each_other_are_both_shown() -> None:
    rules = "holdsFor(after(X)=true, I) :- holdsFor(a(X)=true, I1), holdsFor(b(X)=true, I2), before(I1, I2, target, I)."
    found = explain(rules, ["a(x)=true @ [1,3)", "b(x)=true @ [6,9)"], "after(x)=true", 7)
    assert whats(found) == ["before (target)"]
    (pair,) = found.causes[0].causes
    assert pair.details["spans"] == [[1, 3], [6, 9]]
    assert [(node.what, node.since, node.until) for node in pair.causes] == [
        ("a(x)=true", 1, 3),
        ("b(x)=true", 6, 9),
    ]


def test_a_complement_needs_a_grounding_and_an_absence() -> None:
    rules = """
holdsFor(away(X)=true, I) :- person(X), holdsFor(in(X)=true, I1), complement_all([I1], I).
person(x).
"""
    found = explain(rules, ["in(x)=true @ [5,9)"], "away(x)=true", 12)
    assert whats(found) == ["person(x)", "not in(x)=true"]


def test_a_deadline_goes_back_to_the_initiation_of_its_source() -> None:
    rules = """
initiatedAt(door(X)=open, T) :- happensAt(open(X), T).
initiatedAt(door(X)=closed, T) :- happensAt(close(X), T).
fi(door(X)=open, door(X)=alarmed, 5).
"""
    found = explain(rules, ["open(a) @ 2"], "door(a)=alarmed", 9)
    assert found.notes == ("initiated at 2, deadline after 5",)
    assert whats(found) == ["door(a)=open"]
    source = explain(rules, ["open(a) @ 2"], "door(a)=open", 4)
    assert source.until == 8
    assert source.ended[0].what == "a deadline was reached"


def test_another_value_ends_a_value() -> None:
    rules = """
initiatedAt(mode(X)=V, T) :- happensAt(set(X,V), T).
"""
    found = explain(rules, ["set(a,low) @ 2", "set(a,high) @ 6"], "mode(a)=low", 4)
    assert [(one.what, one.at) for one in found.ended] == [("mode(a)=high was initiated", 6)]


def test_what_holds_initially_says_so() -> None:
    rules = """
initially(lamp(X)=off) :- lamps(X).
initiatedAt(lamp(X)=on, T) :- happensAt(press(X), T).
lamps(a).
"""
    found = explain(rules, ["press(a) @ 6"], "lamp(a)=off", 3)
    assert found.notes == ("initially",)
    assert whats(found) == ["lamps(a)"]


def test_fluents_that_depend_on_each_other_go_back_in_time() -> None:
    rules = """
initiatedAt(odd=true, T) :- happensAt(tick, T), holdsAt(even=true, T).
terminatedAt(odd=true, T) :- happensAt(tick, T), holdsAt(odd=true, T).
initiatedAt(even=true, T) :- happensAt(tick, T), holdsAt(odd=true, T).
terminatedAt(even=true, T) :- happensAt(tick, T), holdsAt(even=true, T).
initially(even=true).
"""
    rows = [f"tick @ {time}" for time in range(1, 2500)]
    result = recognised(rules, rows, end=2500)
    found = result.why("odd=true", at=2498)
    assert found.unexplained == ()
    assert len(list(found.nodes())) > 2500  # deeper than calls can be
    assert len(str(found).splitlines()) > 2500
    assert holds_again(rules, found, "odd=true", 2498, end=2500)


def test_an_aggregate_has_the_solutions_that_counted() -> None:
    rules = """
initiatedAt(crowd(P)=true, T) :- happensAt(enter(_,P), T),
    findall(X, (member(X), holdsAt(in(X,P)=true, T)), L), length(L, N), N >= 2.
initiatedAt(in(X,P)=true, T) :- happensAt(enter(X,P), T).
member(a). member(b). member(c).
"""
    found = explain(rules, ["enter(a,p) @ 1", "enter(b,p) @ 2", "enter(c,p) @ 5"], "crowd(p)=true", 9)
    (counted,) = [cause for cause in found.causes if cause.what.startswith("the count")]
    assert counted.what == "the count is 2"
    assert (counted.details["function"], counted.details["value"]) == ("count", "2")
    assert [solution.bindings for solution in counted.causes] == [(("X", "a"),), (("X", "b"),)]
    assert [whats(solution) for solution in counted.causes] == [
        ["in(a,p)=true", "member(a)"],
        ["in(b,p)=true", "member(b)"],
    ]


def test_arithmetic_has_its_values() -> None:
    rules = """
happensAt(big(X,M), T) :- happensAt(load(X,N), T), limit(X,L), M is N - L, M > 3.
limit(a,10).
"""
    found = explain(rules, ["load(a,15) @ 4"], "big(a,5)", 4)
    assert whats(found) == ["load(a,15)", "limit(a,10)", "5 is 15-10", "5 > 3"]
    assert found.causes[2].notes == ("M is N-L",)
    assert "limit(a,10) [fact, <text>:3]" in str(found)


def test_a_negation_stays_true_for_the_leaves_alone() -> None:
    """The row that keeps the guard from being off is not in the tree, and without it the negation would be false."""
    rules = """
initiatedAt(guarded(X)=true, T) :- happensAt(arm(X), T).
terminatedAt(guarded(X)=true, T) :- happensAt(leave(X), T), \\+ happensAt(relief(X), T).
initiatedAt(safe(X)=true, T) :- happensAt(check(X), T), \\+ holdsAt(open(X)=true, T), happensAt(leave(X), T2), T2 =< T.
initiatedAt(open(X)=true, T) :- happensAt(leave(X), T), \\+ happensAt(relief(X), T).
"""
    rows = ["arm(a) @ 1", "leave(a) @ 5", "relief(a) @ 5", "check(a) @ 9"]
    explain(rules, rows, "safe(a)=true", 12)
    explain(rules, rows, "guarded(a)=true", 12)


ALARM = """
alarm(L,X) <- smoke(L) SEQ heat(L,X) WHERE X > 30.
quiet(L) <- NOT(heat(L,_)).[smoke(L), 5 ticks].
pair(L) <- NOT(reset(L)).[smoke(L), heat(L,_)].
"""


def test_a_match_has_its_parts_and_its_conditions() -> None:
    found = explain(ALARM, ["smoke(a) @ 1", "heat(b,90) @ 2", "heat(a,40) @ 4"], "alarm(a,40)", 4)
    assert (found.since, found.at) == (1, 4)
    assert whats(found) == ["smoke(a)", "heat(a,40)", "40 > 30"]


def test_an_absence_says_between_what() -> None:
    assert whats(explain(ALARM, ["smoke(a) @ 1"], "quiet(a)", 6)) == ["smoke(a)", "no heat(a,_) between 1 and 6"]
    found = explain(ALARM, ["smoke(a) @ 1", "reset(b) @ 2", "heat(a,40) @ 4"], "pair(a)", 4)
    assert whats(found) == ["smoke(a)", "heat(a,40)", "no reset(a) between 1 and 4"]


def test_a_policy_says_that_it_takes_the_pair() -> None:
    rules = ":- policy(recent).\nc <- a SEQ b."
    found = explain(rules, ["a @ 1", "a @ 2", "b @ 5"], "c", 5)
    assert (found.since, whats(found)) == (2, ["a", "b", "the policy recent takes it, and not the one from 1 to 5"])
    assert [found.causes[0].causes[0].at, found.causes[0].causes[2].details["instead"]] == [2, [[1, 5]]]


def test_a_fluent_in_a_pattern_is_a_whole_interval() -> None:
    rules = "watched(X) <- look(X) FINISHES (on(X)=true)."
    found = explain(rules, ["on(a)=true @ [2,9)", "look(a) @ 8"], "watched(a)", 8)
    assert whats(found) == ["look(a)", "on(a)=true from begin to end"]


def test_patterns_about_each_other_go_back_step_by_step() -> None:
    rules = "chain(X) <- start(X).\nchain(Y) <- chain(X) SEQ link(X,Y)."
    found = explain(rules, ["start(a) @ 1", "link(a,b) @ 3", "link(b,c) @ 5"], "chain(c)", 5)
    assert whats(found) == ["chain(b)", "link(b,c)"]
    assert whats(shown_causes(found)[0]) == ["chain(a)", "link(a,b)"]


def test_rows_of_a_definition_that_also_comes_as_input_are_its_reason() -> None:
    rules = "input event alarm/1.\ninput event smoke/1.\nhappensAt(alarm(X), T) :- happensAt(smoke(X), T)."
    rows = ["smoke(a) @ 1", "alarm(b) @ 4"]
    assert explain(rules, rows, "alarm(b)", 4).kind == "input"
    assert whats(explain(rules, rows, "alarm(a)", 1)) == ["smoke(a)"]


BACKGROUND = """
happensAt(off(V), T) :- happensAt(turn(V,C,H), T), differ(C,H,D), abs(D) > 15.
differ(C,H,D) :- C > H, D is C - H.
differ(C,H,D) :- C =< H, D is H - C.
happensAt(inside(V), T) :- happensAt(at(V,P), T), within(P,world).
within(X,Y) :- part(X,Y).
within(X,Z) :- part(X,Y), within(Y,Z).
part(crete,greece). part(greece,europe). part(europe,world).
"""


def test_a_clause_that_is_called_has_its_conditions() -> None:
    found = explain(BACKGROUND, ["turn(v,40,10) @ 3"], "off(v)", 3)
    assert whats(found) == ["turn(v,40,10)", "differ(40,10,30)", "abs(30) > 15"]
    _, call, compared = found.causes
    assert (call.kind, call.rule.line if call.rule else 0) == ("call", 3)
    assert whats(call) == ["40 > 10", "30 is 40-10"]
    assert compared.details["left"] == "30"
    assert "abs(30) = 30" in compared.notes


def test_a_clause_that_calls_itself_goes_back_to_facts() -> None:
    found = explain(BACKGROUND, ["at(v,crete) @ 3"], "inside(v)", 3)
    (_, call) = found.causes
    assert [node.what for node in call.nodes()] == [
        "within(crete,world)",
        "part(crete,greece)",
        "within(greece,world)",
        "part(greece,europe)",
        "within(europe,world)",
        "part(europe,world)",
    ]
    assert "part(europe,world) [fact, <text>:8]" in str(found)


def test_a_call_is_told_as_its_own_rule_has_it() -> None:
    rules = """
initially(near(X,Y)=true) :- linked(X,Y).
initiatedAt(a(X)=true, T) :- happensAt(e(X), T), \\+ linked(12,_).
linked(X,Y) :- road(X,Y).
road(a1,a2).
"""
    assert "linked(a1,a2)" in str(recognised(rules, ["e(a1) @ 3"]).why("near(a1,a2)=true", at=5))


def test_an_interval_of_input_and_of_a_rule_is_told_in_pieces() -> None:
    rules = """
initiatedAt(a=true, T) :- happensAt(e, T).
terminatedAt(a=true, T) :- happensAt(f, T).
"""
    tree = recognised(rules, ["e @ 3", "f @ 6", "a=true @ [7,9)"]).why("a=true", at=5)
    assert (tree.since, tree.until, tree.details["by"]) == (4, 9, "pieces")
    assert [(cause.since, cause.until) for cause in tree.causes] == [(4, 7)]
