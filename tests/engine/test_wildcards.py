"""Heads with arguments that no condition binds: every grounding that is alive, or all of a declared domain."""

from __future__ import annotations

from tests.engine.blocks import check

MEETING = """
initiatedAt(meeting(P,Q)=true, T) :- happensAt(greet(P,Q), T).
"""


def test_termination_of_all_that_is_alive() -> None:
    rules = MEETING + "terminatedAt(meeting(P,_)=true, T) :- happensAt(leave(P), T)."
    stream = """
        greet(a,b)  @ 5
        greet(a,c)  @ 8
        greet(b,a)  @ 8
        leave(a)    @ 20
        greet(a,c)  @ 30
    """
    expected = """
        meeting(a,b)=true  @ [6,21)
        meeting(a,c)=true  @ [9,21)
        meeting(b,a)=true  @ [9,inf)
        meeting(a,c)=true  @ [31,inf)
    """
    check(rules, stream, expected)


def test_the_second_argument_and_both() -> None:
    rules = (
        MEETING
        + """
        terminatedAt(meeting(_,Q)=true, T) :- happensAt(leave(Q), T).
        terminatedAt(meeting(_,_)=true, T) :- happensAt(alarm, T).
        """
    )
    stream = """
        greet(a,b)  @ 5
        greet(c,b)  @ 5
        greet(b,a)  @ 5
        leave(b)    @ 10
        alarm       @ 20
    """
    expected = """
        meeting(a,b)=true  @ [6,11)
        meeting(c,b)=true  @ [6,11)
        meeting(b,a)=true  @ [6,21)
    """
    check(rules, stream, expected)


def test_initiation_of_what_is_alive() -> None:
    """A wildcard initiates nothing that does not hold some value already, or gets one at that very point."""
    rules = """
        initiatedAt(lamp(X)=on, T) :- happensAt(press(X), T).
        initiatedAt(lamp(_)=dim, T) :- happensAt(dusk, T).
        terminatedAt(lamp(X)=_, T) :- happensAt(cut(X), T).
    """
    stream = """
        press(a)  @ 5
        press(b)  @ 20
        dusk      @ 10
        cut(a)    @ 30
        dusk      @ 40
    """
    expected = """
        lamp(a)=on   @ [6,11)
        lamp(a)=dim  @ [11,31)
        lamp(b)=on   @ [21,41)
        lamp(b)=dim  @ [41,inf)
    """
    check(rules, stream, expected)


def test_initiation_of_two_values_at_one_point_by_a_wildcard() -> None:
    rules = """
        initiatedAt(lamp(X)=on, T) :- happensAt(press(X), T).
        initiatedAt(lamp(_)=dim, T) :- happensAt(dusk, T).
    """
    check(rules, "press(a) @ 5 \n press(a) @ 10 \n dusk @ 10 \n press(b) @ 10", "lamp(a)=on @ [6,11)")


def test_initiation_over_a_declared_domain() -> None:
    """Every declared grounding, whether it was ever seen or not; and none other."""
    rules = """
        initiatedAt(lamp(X)=on, T) :- happensAt(press(X), T).
        initiatedAt(lamp(_)=on, T) :- happensAt(dusk, T).
        terminatedAt(lamp(_)=on, T) :- happensAt(dawn, T).
        grounding(lamp(X)=on) :- room(X).
        room(hall). room(attic).
    """
    stream = """
        press(hall)    @ 5
        press(garden)  @ 5
        dawn           @ 10
        dusk           @ 20
    """
    expected = """
        lamp(hall)=on   @ [6,11)
        lamp(hall)=on   @ [21,inf)
        lamp(attic)=on  @ [21,inf)
    """
    check(rules, stream, expected)


def test_a_domain_of_pairs() -> None:
    rules = (
        MEETING
        + """
        initiatedAt(meeting(P,_)=true, T) :- happensAt(shout(P), T).
        terminatedAt(meeting(_,Q)=true, T) :- happensAt(leave(Q), T).
        grounding(meeting(P,Q)=true) :- person(P), person(Q), P \\= Q.
        person(a). person(b). person(c).
        """
    )
    stream = """
        greet(a,a)  @ 5
        shout(a)    @ 10
        leave(c)    @ 20
    """
    check(rules, stream, "meeting(a,b)=true @ [11,inf) \n meeting(a,c)=true @ [11,21)")


def test_wildcards_in_conditions_mean_some() -> None:
    rules = (
        MEETING
        + """
        terminatedAt(meeting(P,Q)=true, T) :- happensAt(part(P,Q), T).
        happensAt(busy(P), T) :- happensAt(ask(P), T), holdsAt(meeting(P,_)=true, T).
        happensAt(idle(P), T) :- happensAt(ask(P), T), \\+ holdsAt(meeting(P,_)=true, T).
        """
    )
    stream = """
        ask(a)      @ 3
        greet(a,b)  @ 5
        greet(a,c)  @ 5
        part(a,b)   @ 8
        ask(a)      @ 10
        part(a,c)   @ 15
        ask(a)      @ 20
    """
    expected = """
        meeting(a,b)=true  @ [6,9)
        meeting(a,c)=true  @ [6,16)
        idle(a)            @ 3
        busy(a)            @ 10
        idle(a)            @ 20
    """
    check(rules, stream, expected)


def test_values_of_a_wildcard_come_in_any_order() -> None:
    """A wildcard beside a value from the data, whose events do not come in the order of their values."""
    rules = """
        initiatedAt(load(X,X)=L, T) :- happensAt(weigh(X,L), T).
        initiatedAt(load(X,_)=L, T) :- happensAt(weigh(X,L), T).
    """
    stream = """
        weigh(c,high)  @ 10
        weigh(c,low)   @ 12
        weigh(c,high)  @ 14
    """
    expected = """
        load(c,c)=high  @ [11,13)
        load(c,c)=low   @ [13,15)
        load(c,c)=high  @ [15,inf)
    """
    check(rules, stream, expected)
