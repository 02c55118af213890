"""The naive evaluator on the rest of the language, by hand: initial values, deadlines, cycles, Allen, findall, ..."""

from __future__ import annotations

import pytest

from tests.naive.allen import allen
from tests.naive.intervals import FOREVER, Intervals
from tests.naive.rows import Horizon
from tests.naive.test_evaluate import answer

LEASE = """
initiatedAt(lease(R)=held, T) :- happensAt(take(R), T).
terminatedAt(lease(R)=held, T) :- happensAt(lose(R), T).
fi(lease(R)=held, lease(R)=free, 5).
"""
CHAIN = LEASE + "fi(lease(R)=free, lease(R)=gone, 3).\n"
EXTENSIBLE = LEASE + "p(lease(_)=held).\n"
Times = list[tuple[int, int | None]]


@pytest.mark.parametrize(
    ("text", "rows", "held", "free"),
    [
        (LEASE, "take|3|3|r", [(4, 9)], [(9, None)]),
        (LEASE, "take|3|3|r lose|7|7|r", [(4, 8)], []),
        (LEASE, "take|3|3|r lose|8|8|r", [(4, 9)], [(9, None)]),  # it still holds at 8
        (LEASE, "take|3|3|r take|6|6|r", [(4, 9)], [(9, None)]),  # the second deadline comes to nothing
        (LEASE, "take|3|3|r take|8|8|r", [(4, 9)], []),  # cancelled at 8: no deadline at 13
        (LEASE, "take|3|3|r lose|3|3|r", [], []),
        (EXTENSIBLE, "take|3|3|r take|6|6|r", [(4, 12)], [(12, None)]),
        (EXTENSIBLE, "take|3|3|r take|8|8|r", [(4, 14)], [(14, None)]),
        (CHAIN, "take|3|3|r", [(4, 9)], [(9, 12)]),
    ],
)
def test_deadlines(text: str, rows: str, held: Times, free: Times) -> None:
    found = answer(text, rows).intervals
    assert found.get(("lease", ("r",), "held"), []) == held
    assert found.get(("lease", ("r",), "free"), []) == free


def test_deadlines_count_time_not_ticks() -> None:
    found = answer(LEASE, "take|13|13|r", Horizon(100, 100, 0, 100, sample_every=10)).intervals
    assert found[("lease", ("r",), "held")] == [(20, None)]  # 18 is before it holds at all
    found = answer(LEASE.replace("5", "15"), "take|13|13|r", Horizon(100, 100, 0, 100, sample_every=10)).intervals
    assert found[("lease", ("r",), "held")] == [(20, 30)]  # 28 takes effect at 30


def test_what_holds_initially_neither_starts_nor_has_a_deadline() -> None:
    text = LEASE + "initially(lease(X)=held) :- res(X). res(q). res(r). initially(lease(r)=free).\n"
    text += "happensAt(begun(R), T) :- happensAt(start(lease(R)=_), T)."
    found = answer(text, "lose|20|20|q")
    assert found.intervals == {("lease", ("q",), "held"): [(1, 21)]}  # the values of r cancel each other
    assert not found.occurrences


def test_a_cycle_sees_what_happened_before() -> None:
    text = """
    initiatedAt(lamp(L)=on, T) :- happensAt(click(L), T), \\+ holdsAt(lamp(L)=on, T).
    terminatedAt(lamp(L)=on, T) :- happensAt(click(L), T), holdsAt(lamp(L)=on, T).
    """
    found = answer(text, "click|2|2|a click|5|5|a click|6|6|a")
    assert found.intervals == {("lamp", ("a",), "on"): [(3, 6), (7, None)]}


def test_a_cycle_across_entities() -> None:
    text = """
    initiatedAt(ill(X)=true, T) :- happensAt(bite(X), T).
    initiatedAt(ill(Y)=true, T) :- happensAt(day, T), near(X,Y), holdsAt(ill(X)=true, T).
    near(a,b). near(b,c).
    """
    found = answer(text, "bite|1|1|a day|3|3 day|5|5")
    assert found.intervals == {("ill", (x,), "true"): [(s, None)] for x, s in [("a", 2), ("b", 4), ("c", 6)]}


def test_complements_over_what_there_was_or_a_domain() -> None:
    text = "holdsFor(away(X)=true, J) :- holdsFor(here(X)=true, I), complement_all([I], J).\n"
    rows = "here|9|5|9|true|a"
    assert answer(text, rows).intervals == {("away", ("a",), "true"): [(1, 5), (9, None)]}
    declared = text + "grounding(away(X)=true) :- who(X). who(b)."
    assert answer(declared, rows).intervals == {("away", ("b",), "true"): [(1, None)]}


def test_complements_of_pairs_are_about_the_pairs_that_there_were() -> None:
    text = "holdsFor(apart(X,Y)=true, J) :- holdsFor(near(X,Y)=true, I), complement_all([I], J).\n"
    found = answer(text, "near|9|5|9|true|a|b near|9|7|9|true|c|d").intervals
    assert found == {("apart", pair, "true"): [(1, s), (9, None)] for pair, s in [(("a", "b"), 5), (("c", "d"), 7)]}


def test_alternatives_bind_and_test() -> None:
    text = (
        "happensAt(alert(S), T) :- (happensAt(fire(S), T) ; happensAt(smoke(S,N), T), N > 3), \\+ drill(S). drill(c)."
    )
    found = answer(text, "fire|1|1|a smoke|2|2|a|3 smoke|3|3|b|4 fire|4|4|c")
    assert found.occurrences == {("alert", ("a",), 1), ("alert", ("b",), 3)}


@pytest.mark.parametrize(
    ("function", "rows", "value"),
    [
        ("length", "go|1|1 see|1|1|a|7 see|1|1|b|7 see|1|1|b|7", "2"),  # equal templates count, equal events do not
        ("length", "go|1|1", "0"),
        ("sum_list", "go|1|1 see|1|1|a|7 see|1|1|b|7", "14"),
        ("sum_list", "go|1|1", "0"),
        ("min_list", "go|1|1 see|1|1|a|7 see|1|1|b|5", "5"),
        ("max_list", "go|1|1 see|1|1|a|7 see|1|1|b|5", "7"),
        ("max_list", "go|1|1", None),
    ],
)
def test_aggregates(function: str, rows: str, value: str | None) -> None:
    text = f"happensAt(total(N), T) :- happensAt(go, T), findall(V, happensAt(see(_,V), T), L), {function}(L, N)."
    assert answer(text, rows).occurrences == ({("total", (value,), 1)} if value is not None else set())


@pytest.mark.parametrize(
    ("relation", "source", "target"),
    [
        ("before", (2, 6), (6, 9)),
        ("meets", (2, 7), (6, 9)),
        ("starts", (2, 6), (2, FOREVER)),
        ("finishes", (4, FOREVER), (2, FOREVER)),
        ("during", (3, 5), (2, 6)),
        ("overlaps", (2, 6), (4, FOREVER)),
        ("equal", (2, FOREVER), (2, FOREVER)),
    ],
)
def test_each_pair_of_intervals_stands_in_one_relation(
    relation: str, source: tuple[int, int], target: tuple[int, int]
) -> None:
    names = ("before", "meets", "starts", "finishes", "during", "overlaps", "equal")
    assert [name for name in names if allen(name, [source], [target], "source", 1)] == [relation]


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("source", [(2, 6)]),
        ("target", [(4, 9)]),
        ("union", [(2, 9)]),
        ("intersection", [(4, 6)]),
        ("relative_complement", [(2, 4)]),
        ("relative_complement_inverse", [(6, 9)]),
    ],
)
def test_modes_keep_only_what_is_related(mode: str, expected: Intervals) -> None:
    assert allen("overlaps", [(2, 6), (20, 30)], [(4, 9), (40, 50)], mode, 1) == expected


def test_terms_are_matched_by_structure() -> None:
    text = """
    initiatedAt(per(close(C,M))=true, T) :- happensAt(second(C,M), T).
    terminatedAt(per(close(_,M))=true, T) :- happensAt(reset(M), T).
    happensAt(wide(V,G), T) :- happensAt(reads(V,N), T), gap(between(N,10,G)), G > 3.
    happensAt(inner(X), T) :- happensAt(tells(f(g(X),X)), T).
    gap(between(A,B,D)) :- X is A - B, D is abs(X).
    gap(beyond(_,_,0)).
    """
    found = answer(
        text, "second|1|1|a|m second|2|2|b|n reset|5|5|m reads|1|1|v|15 tells|1|1|f(g(a),a) tells|2|2|f(a,a)"
    )
    assert found.intervals == {
        ("per", ("close(a,m)",), "true"): [(2, 6)],
        ("per", ("close(b,n)",), "true"): [(3, None)],
    }
    assert found.occurrences == {("wide", ("v", "5"), 1), ("inner", ("a",), 1)}


def test_declared_terms_may_be_open_inside() -> None:
    text = """
    initiatedAt(free(slot(X,Y))=true, T) :- happensAt(at(X,Y), T).
    initiatedAt(free(slot(_,Y))=false, T) :- happensAt(off(Y), T).
    grounding(free(slot(X,_))=true) :- who(X).
    grounding(free(slot(X,1))=false) :- who(X).
    who(a). who(b).
    """
    found = answer(text, "at|1|1|a|1 at|1|1|c|1 at|1|1|b|2 off|4|4|1 off|4|4|2").intervals
    assert found == {
        ("free", ("slot(a,1)",), "true"): [(2, 5)],
        ("free", ("slot(a,1)",), "false"): [(5, None)],
        ("free", ("slot(b,1)",), "false"): [(5, None)],
        ("free", ("slot(b,2)",), "true"): [(2, None)],
    }


def test_pairs_of_a_dynamic_domain() -> None:
    text = """
    dynamicDomain(person(_)).
    grounding(enter(P)) :- person(P).
    grounding(meeting(P,Q)=true) :- person(P), person(Q), P @< Q.
    grounding(apart(P,Q)=true) :- person(P), person(Q), P @< Q.
    initiatedAt(inside(P)=true, T) :- happensAt(enter(P), T).
    holdsFor(meeting(P,Q)=true, I) :- holdsFor(inside(P)=true, A), holdsFor(inside(Q)=true, B), intersect_all([A,B], I).
    holdsFor(apart(P,Q)=true, I) :- holdsFor(meeting(P,Q)=true, A), complement_all([A], I).
    """
    found = answer(text, "enter|3|3|a enter|5|5|b").intervals
    assert found["meeting", ("a", "b"), "true"] == [(6, None)]
    assert found["apart", ("a", "b"), "true"] == [(1, 6)]
