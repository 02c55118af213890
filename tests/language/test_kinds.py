"""What is input, of which kind, and which of its arguments are numbers; the order of definitions; safe variables."""

from __future__ import annotations

import pytest

from holdsfor.language import parse
from holdsfor.language.description import Signature
from holdsfor.language.passes.order.strata import components


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
    assert description.defined.events == {Signature("alarm", 1)}
    assert description.defined.simple == {Signature("on", 1)}
    assert description.defined.static == {Signature("both", 1)}


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
    names = [[signature.name for signature in stratum] for stratum in description.order.strata]
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
        "holdsFor(f(X,Y)=v, I) :- X \\= Y, holdsFor(g(X)=v, I).\n"
        "grounding(f(X,Y)=v) :- id(X), id(Y). id(a). collectIntervals(g(_)=v).",
    ],
)
def test_conditions_may_stand_in_any_order(rules: str) -> None:
    assert all(warning.code == "unending" for warning in parse(rules).warnings)


def test_groups_come_after_what_they_need_however_long_the_chain() -> None:
    needs = {number: [number + 1] for number in range(5000)} | {5000: [4999, 4998], 5001: [5001, 7], 5002: []}
    groups = components(needs)
    assert groups[0] == [4998, 4999, 5000]
    assert groups[1:4999] == [[number] for number in range(4997, -1, -1)]
    assert groups[4999:] == [[5001], [5002]]


@pytest.mark.parametrize(
    ("rules", "cycles", "strata"),
    [
        ("initiatedAt(a=v, T) :- happensAt(e, T), \\+ holdsAt(a=v, T).", ["a"], ["a"]),
        ("initiatedAt(a=v, T) :- happensAt(e, T).\nfi(a=v, a=w, 5).", ["a"], ["a"]),
        ("initiatedAt(a=v, T) :- happensAt(e, T).\ninitially(b=w).", [], ["a b"]),
        (
            "initiatedAt(c=v, T) :- happensAt(start(a=v), T).\n"
            "initiatedAt(a=v, T) :- happensAt(e, T), (holdsAt(b=v, T) ; holdsAt(z=v, T)).\n"
            "initiatedAt(b=v, T) :- happensAt(d, T), \\+ holdsAt(a=v, T-2).\n"
            "initiatedAt(z=v, T) :- happensAt(e, T).",
            ["a b"],
            ["z", "a b", "c"],
        ),
    ],
)
def test_simple_fluents_that_need_each_other_share_a_stratum(rules: str, cycles: list[str], strata: list[str]) -> None:
    description = parse(rules)
    assert [" ".join(each.name for each in group) for group in description.order.cycles] == cycles
    assert [" ".join(each.name for each in group) for group in description.order.strata] == strata


@pytest.mark.parametrize(
    "rules",
    [
        "happensAt(d(X), T) :- happensAt(e(X), T), happensAt(c(X), T).",
        "initiatedAt(f(X)=v, T) :- \\+ happensAt(fault(X), T), happensAt(e(X), T).",
        "initiatedAt(f(X)=v, T) :- big(X), happensAt(e(X), T). big(a).",
        "initiatedAt(f(X)=v, T) :- happensAt(e(X), T), happensAt(d(X), T+60).",
        "initiatedAt(f(g(a))=h(1, [b]), T) :- happensAt(e(g(a)), T), holdsAt(f(g(a))=h(1, [c]), T).\n"
        "initiatedAt(f(g(a))=h(1, [c]), T) :- happensAt(d, T).",
        "happensAt(d(X, _Y), T) :- happensAt(e(X), T). grounding(d(X, Y)) :- id(X), id(Y). grounding(d(_, c)). id(a).",
    ],
)
def test_what_rtec_leaves_out_without_a_word_is_read(rules: str) -> None:
    assert all(warning.code == "unending" for warning in parse(rules).warnings)


@pytest.mark.parametrize(
    "rules",
    [
        "initiatedAt(f(X)=v, T) :- (happensAt(a(X), T) ; happensAt(b(X, Y), T), Y > 3).",
        "initiatedAt(f(X)=v, T) :- S > 3, (happensAt(a(X, S), T) ; happensAt(b(S, X), T)).",
        "initiatedAt(f(X)=v, T) :- (X == a ; holdsAt(g(X)=v, T)), happensAt(e(X), T).",
        "initiatedAt(f(X)=v, T) :- N > 3, length(L, N), findall(Y, holdsAt(g(X,Y)=v, T), L), happensAt(e(X), T).",
        "initiatedAt(f(X)=v, T) :- happensAt(e(X), T), \\+ (findall(Y, holdsAt(g(X,Y)=v, T), L), length(L, 0)).",
        "initiatedAt(f(X)=S, T) :- findall(Y, (Y > 1, size(X, Y)), L), sum_list(L, S), happensAt(e(X), T). size(a, 2).",
        "holdsFor(f(X)=v, I) :- allen(before, I1, I2, source, I), holdsFor(g(X)=v, I1), holdsFor(h(X)=v, I2).",
        "initially(f(X)=V) :- V > 3, size(X, V). size(a, 2). initiatedAt(f(X)=9, T) :- happensAt(e(X), T).",
        "initiatedAt(f(X)=v, T) :- happensAt(e(X), T). fi(f(X)=v, f(X)=w, D) :- D is E * 2, size(X, E). size(a, 2).",
    ],
)
def test_alternatives_and_aggregates_may_stand_in_any_order(rules: str) -> None:
    assert all(warning.code == "unending" for warning in parse(rules).warnings)
