"""What is input, of which kind, and which of its arguments are numbers; the order of definitions; safe variables."""

from __future__ import annotations

import pytest

from holdsfor.language import parse
from holdsfor.language.description import Signature


def inputs(text: str) -> dict[str, tuple[str, bool, set[int]]]:
    return {str(each.signature): (each.kind, each.read, set(each.numbers)) for each in parse(text).inputs}


def test_names_only_in_bodies_are_input() -> None:
    description = parse(
        "initiatedAt(on(M)=true, T) :- happensAt(press(M), T), \\+ holdsAt(stuck(M)=true, T).\n"
        "holdsFor(both(M)=true, I) :- holdsFor(on(M)=true, I1), holdsFor(warm(M)=true, I2), union_all([I1,I2], I).\n"
        "happensAt(alarm(M), T) :- happensAt(start(both(M)=true), T).\n"
    )
    assert {str(each.signature): each.kind for each in description.inputs} == {
        "press/1": "event",
        "stuck/1": "interval",
        "warm/1": "interval",
    }
    assert description.events == {Signature("alarm", 1)}
    assert description.simple == {Signature("on", 1)}
    assert description.static == {Signature("both", 1)}


@pytest.mark.parametrize("declaration", ["points(walk(_)=true).", "buildFromPoints(walk(_)=true)."])
def test_points_make_a_point_fluent(declaration: str) -> None:
    rules = "initiatedAt(on(P)=true, T) :- happensAt(start(walk(P)=true), T).\n"
    assert inputs(rules + declaration)["walk/1"][0] == "point"
    assert inputs(rules + "buildFromPoints(_) :- fail.")["walk/1"][0] == "interval"


def test_what_is_declared_and_not_read_is_listed() -> None:
    found = inputs(
        "initiatedAt(on(P)=true, T) :- happensAt(press(P), T).\n"
        "grounding(on(P)=true) :- id(P). grounding(shout(P)) :- id(P). collectIntervals(rain=true). id(a).\n"
    )
    assert found == {
        "press/1": ("event", True, set()),
        "shout/1": ("event", False, set()),
        "rain/0": ("interval", False, set()),
    }


def test_input_declarations() -> None:
    found = inputs(
        "input event press/1, shout/1.\ninput fluent rain/0.\n"
        "initiatedAt(on(P)=true, T) :- happensAt(press(P), T), holdsAt(rain=true, T).\n"
    )
    assert found == {
        "press/1": ("event", True, set()),
        "rain/0": ("interval", True, set()),
        "shout/1": ("event", False, set()),
    }


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ("initiatedAt(f(X)=v, T) :- happensAt(e(X, S), T), S > 3.", {1}),
        ("initiatedAt(f(X)=v, T) :- happensAt(e(X, S), T), Y is S + 1, big(Y). big(4).", {1}),
        ("initiatedAt(f(X)=v, T) :- happensAt(e(X, S), T), \\+ (S > 3, S < 5).", {1}),
        ("initiatedAt(f(X)=v, T) :- happensAt(e(X, S), T), big(S). big(S) :- huge(S). huge(S) :- S > 3.", {1}),
        ("happensAt(d(S), T) :- happensAt(e(_, S), T).\ninitiatedAt(f=v, T) :- happensAt(d(S), T), S > 3.", {1}),
        ("initiatedAt(f(X)=v, T) :- happensAt(e(X, S), T), limit(X, S). limit(a, 3).", set()),
        ("initiatedAt(f(X)=v, T) :- happensAt(e(X, S), T), S == fast.", set()),
        ("initiatedAt(f(X)=v, T) :- happensAt(e(X, S), T), limit(S, L), 3 > L. limit(a, 3).", set()),
    ],
)
def test_arguments_that_rules_calculate_with_are_numbers(rules: str, expected: set[int]) -> None:
    assert inputs(rules)["e/2"][2] == expected


def test_strata_come_after_what_they_depend_on() -> None:
    description = parse(
        "holdsFor(c=true, I) :- holdsFor(b=true, I1), holdsFor(a=true, I2), union_all([I1,I2], I).\n"
        "initiatedAt(b=true, T) :- happensAt(d, T), \\+ holdsAt(a=true, T).\n"
        "happensAt(d, T) :- happensAt(e, T).\n"
        "initiatedAt(a=true, T) :- happensAt(e, T).\n"
    )
    names = [[signature.name for signature in stratum] for stratum in description.strata]
    assert names == [["d", "a"], ["b"], ["c"]]


@pytest.mark.parametrize(
    "rules",
    [
        "initiatedAt(f(X)=v, T) :- \\+ happensAt(d(X), T), happensAt(e(X), T).",
        "initiatedAt(f(X)=v, T) :- S > L, limit(X, L), happensAt(e(X, S), T). limit(a, 3).",
        "initiatedAt(f(X)=v, T) :- holdsAt(g(X)=v, T2), T2 is T + 5, happensAt(e(X), T).",
        "initiatedAt(f(X)=v, T) :- happensAt(e(X), T+5), happensAt(d(X), T).",
        "initiatedAt(f(X)=Y, T) :- Y = Z, happensAt(e(X, Z), T).",
        "initiatedAt(f(_)=v, T) :- happensAt(e, T).\ninitiatedAt(f(X)=w, T) :- happensAt(d(X), T).",
        "initiatedAt(f(X)=v, T) :- happensAt(e(X), T), \\+ holdsAt(g(X, Y)=Y, T).",
        "initiatedAt(f(X)=v, T) :- happensAt(e(X), T), over(S, 3), level(X, S). over(A, B) :- A > B. level(a, 5).",
        "holdsFor(f(X,Y)=v, I) :- X \\= Y, intersect_all([I1,I2], I), holdsFor(g(X)=v, I1), holdsFor(g(Y)=v, I2).",
        "holdsFor(f(X,Y)=v, I) :- X \\= Y, holdsFor(g(X)=v, I).\ngrounding(f(X,Y)=v) :- id(X), id(Y). id(a).",
    ],
)
def test_conditions_may_stand_in_any_order(rules: str) -> None:
    assert parse(rules).warnings == ()
