"""Declared groundings are the domain: what lies outside has no effect, and is counted."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.blocks import check, recognise

LAMP = """
initiatedAt(lamp(X)=on, T) :- happensAt(press(X), T).
initiatedAt(lamp(X)=dim, T) :- happensAt(turn(X), T).
room(hall). room(attic).
"""


def left_out(rules: str, stream: str, **asked: Any) -> list[int]:
    return [
        recognise(rules, stream, changes=stepped, **asked).metrics["groundings_outside_domain"]
        for stepped in (False, True)
    ]


def test_outside_there_is_nothing() -> None:
    rules = LAMP + "grounding(lamp(X)=on) :- room(X). grounding(lamp(X)=dim) :- room(X)."
    stream = """
        press(hall)    @ 5
        press(garden)  @ 5
        press(garden)  @ 7
        turn(garden)   @ 9
        press(shed)    @ 5
    """
    check(rules, stream, "lamp(hall)=on @ [6,inf)")
    assert left_out(rules, stream) == [3, 3]  # garden on, garden dim, shed on


def test_what_is_left_out_does_not_end_other_values() -> None:
    rules = LAMP + "grounding(lamp(X)=on) :- room(X). grounding(lamp(X)=dim) :- room(X), X \\= attic."
    stream = "press(attic) @ 5 \n turn(attic) @ 10 \n press(hall) @ 5 \n turn(hall) @ 10"
    check(rules, stream, "lamp(attic)=on @ [6,inf) \n lamp(hall)=on @ [6,11) \n lamp(hall)=dim @ [11,inf)")


def test_all_clauses_count() -> None:
    rules = LAMP + "grounding(lamp(X)=on) :- room(X). grounding(lamp(cellar)=on)."
    check(rules, "press(cellar) @ 5 \n press(hall) @ 5", "lamp(cellar)=on @ [6,inf) \n lamp(hall)=on @ [6,inf)")


def test_of_events() -> None:
    rules = LAMP + "happensAt(ring(X), T) :- happensAt(press(X), T). grounding(ring(X)) :- room(X)."
    stream = "press(hall) @ 5 \n press(garden) @ 5 \n press(garden) @ 6"
    check(rules, stream, "lamp(hall)=on @ [6,inf) \n lamp(garden)=on @ [6,inf) \n ring(hall) @ 5")
    assert left_out(rules, stream) == [1, 1]


def test_of_statically_determined_fluents() -> None:
    rules = """
        holdsFor(lit(X)=true, I) :- holdsFor(sun(X)=true, I).
        grounding(lit(X)=true) :- room(X).
        room(hall).
    """
    check(rules, "sun(hall)=true @ [5,9) \n sun(garden)=true @ [5,9)", "lit(hall)=true @ [5,9)")
    assert left_out(rules, "sun(hall)=true @ [5,9) \n sun(garden)=true @ [5,9)") == [1, 1]


def test_pairs_in_holds_for_come_from_the_domain() -> None:
    """No condition has both: the declaration says which pairs there are."""
    rules = """
        holdsFor(both(X,Y)=true, I) :-
            holdsFor(sun(X)=true, A), holdsFor(sun(Y)=true, B), intersect_all([A,B], I).
        grounding(both(X,Y)=true) :- room(X), room(Y), X @< Y.
        room(a). room(b). room(c).
    """
    stream = "sun(a)=true @ [5,20) \n sun(b)=true @ [10,30) \n sun(d)=true @ [1,90)"
    check(rules, stream, "both(a,b)=true @ [10,20)")


def test_without_a_domain_nothing_is_left_out() -> None:
    assert left_out(LAMP, "press(garden) @ 5") == [0, 0]


@pytest.mark.parametrize("stepped", [False, True])
def test_a_dynamic_domain_only_filters(stepped: bool) -> None:
    """Groundings fed by a dynamic domain come from the data; the rest of the declaration still holds."""
    rules = (
        LAMP
        + "dynamicDomain(seen(_)). grounding(lamp(X)=on) :- seen(X), X \\= attic. grounding(lamp(X)=dim) :- seen(X)."
    )
    found = recognise(rules, "press(garden) @ 5 \n press(attic) @ 5", changes=stepped)
    assert found.intervals.column("args").to_pylist() == [["garden"]]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("initiatedAt", "lamp(hall)=on @ [3,inf) \n lamp(kitchen)=on @ [6,inf)"),
        ("terminatedAt", "lamp(hall)=on @ [3,inf) \n lamp(cellar)=on @ [3,6)"),
    ],
)
def test_an_argument_that_only_a_negation_has_ranges_over_the_domain(kind: str, expected: str) -> None:
    """At 5 the rule is about all rooms but the hall."""
    rules = f"""
        {kind}(lamp(X)=on, T) :- happensAt(night, T), \\+ happensAt(guest(X), T).
        initiatedAt(lamp(X)=on, T) :- happensAt(press(X), T).
        initiatedAt(lamp(X)=dim, T) :- happensAt(turn(X), T).
        grounding(lamp(X)=on) :- room(X).
        grounding(lamp(X)=dim) :- attic(X).
        room(hall). room({"kitchen" if kind == "initiatedAt" else "cellar"}). attic(top).
    """
    pressed = "press(hall) @ 2" + ("" if kind == "initiatedAt" else " \n press(cellar) @ 2")
    check(rules, f"{pressed} \n night @ 5 \n guest(hall) @ 5", expected)


PAIRS = """
    initiatedAt(inside(P)=true, T) :- happensAt(enter(P), T).
    terminatedAt(inside(P)=true, T) :- happensAt(leave(P), T).
    holdsFor(meeting(P,Q)=true, I) :-
        holdsFor(inside(P)=true, A), holdsFor(inside(Q)=true, B), intersect_all([A,B], I).
    holdsFor(apart(P,Q)=true, I) :- holdsFor(meeting(P,Q)=true, A), complement_all([A], I).
    holdsFor(either(P,Q)=true, I) :-
        holdsFor(inside(P)=true, A), holdsFor(inside(Q)=true, B), union_all([A,B], I).
    dynamicDomain(person(_)).
    grounding(enter(P)) :- person(P).
    grounding(leave(P)) :- person(P).
    grounding(inside(P)=true) :- person(P).
    grounding(meeting(P,Q)=true) :- person(P), person(Q), P @< Q.
    grounding(apart(P,Q)=true) :- person(P), person(Q), P @< Q.
    grounding(either(P,Q)=true) :- person(P), person(Q), P @< Q.
"""


def test_pairs_in_holds_for_come_from_a_product_of_dynamic_domains() -> None:
    """c has only left, and is in the domain: nothing is about c and another but what holds for all pairs."""
    stream = "enter(a) @ 10 \n enter(b) @ 20 \n leave(a) @ 30 \n leave(c) @ 40"
    expected = """
        inside(a)=true @ [11,31)
        inside(b)=true @ [21,inf)
        meeting(a,b)=true @ [21,31)
        apart(a,b)=true @ [1,21)
        apart(a,b)=true @ [31,inf)
        apart(a,c)=true @ [1,inf)
        apart(b,c)=true @ [1,inf)
        either(a,b)=true @ [11,inf)
        either(a,c)=true @ [11,31)
        either(b,c)=true @ [21,inf)
    """
    check(PAIRS, stream, expected)


def test_a_complement_holds_for_all_of_a_dynamic_domain() -> None:
    """b2 is a bus, and has never been loud."""
    rules = """
        initiatedAt(noise(B)=Level, T) :- happensAt(change(B, Level), T).
        holdsFor(bearable(B)=true, I) :- holdsFor(noise(B)=high, High), complement_all([High], I).
        dynamicDomain(bus(_)).
        grounding(change(B, _)) :- bus(B).
        grounding(noise(B)=high) :- bus(B).
        grounding(bearable(B)=true) :- bus(B).
    """
    expected = "noise(b1)=high @ [11,inf) \n bearable(b1)=true @ [1,11) \n bearable(b2)=true @ [1,inf)"
    check(rules, "change(b1, high) @ 10 \n change(b2, low) @ 20", expected)
