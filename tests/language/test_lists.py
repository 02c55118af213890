"""Lists in facts: what is asked of them is what Python says of the same lists."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import holdsfor

NUMBERS = st.integers(-3, 3) | st.sampled_from([0.5, 7.25])
LISTS = st.lists(NUMBERS, max_size=4) | st.lists(st.sampled_from(["a", "b", "c"]) | NUMBERS, max_size=4)
ROUTES = st.lists(st.tuples(st.sampled_from(["r1", "r2", "r3"]), LISTS), min_size=1, max_size=4)
Route = tuple[str, list[object]]
#: How a rule asks, and what it is to be told of a list, each answer as text.
QUESTIONS: dict[str, Callable[[list[object]], set[tuple[object, ...]]]] = {
    "member(X, L)": lambda items: {(item,) for item in items},
    "memberchk(X, L)": lambda items: {(item,) for item in items},
    "length(L, X)": lambda items: {(len(items),)},
    "nth0(X, L, Y)": lambda items: set(enumerate(items)),
    "nth1(X, L, Y)": lambda items: set(enumerate(items, 1)),
    "sum_list(L, X)": lambda items: {(sum(items),)} if _are_numbers(items) else set(),
    "max_list(L, X)": lambda items: {(max(items),)} if items and _are_numbers(items) else set(),
    "min_list(L, X)": lambda items: {(min(items),)} if items and _are_numbers(items) else set(),
    "X = 1, \\+ member(a, L)": lambda items: set() if "a" in items else {(1,)},
    "findall(I, nth0(I, L, b), Is), length(Is, X)": lambda items: {(items.count("b"),)},
}


def _are_numbers(items: list[object]) -> bool:
    return all(isinstance(item, int | float) for item in items)


def facts_of(routes: list[Route]) -> str:
    return "".join(f"route({name}, [{', '.join(map(str, items))}]).\n" for name, items in routes)


def answers(rules: str, facts: str, names: str) -> set[tuple[str, ...]]:
    events = holdsfor.read_events([f"asked({name}) @ {time}" for time, name in enumerate(names.split(), 1)], "terms")
    rows = holdsfor.recognise(holdsfor.parse(rules, facts), events).occurrences.to_pylist()
    return {tuple(row["args"]) for row in rows}


@settings(max_examples=20, deadline=None)
@given(routes=ROUTES)
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("through", ["route(R, L)", "way(R, L)"])
def test_what_is_asked_of_a_list_is_what_python_says(question: str, through: str, routes: list[Route]) -> None:
    head = "told(R, X, Y)" if "Y" in question else "told(R, X)"
    rules = f"way(A, B) :- route(A, B).\nhappensAt({head}, T) :- happensAt(asked(R), T), {through}, {question}."
    expected = {(name, *map(_text, answer)) for name, items in routes for answer in QUESTIONS[question](items)}
    assert answers(rules, facts_of(routes), "r1 r2 r3") == expected


def _text(value: object) -> str:
    return str(value)


def test_a_list_is_read_in_background_clauses_and_patterns_and_beside_recursion() -> None:
    rules = """
    leg(A, B) :- route(_, L), nth0(I, L, A), nth1(I1, L, B), I1 =:= I + 2.
    reach(A, B) :- leg(A, B).
    reach(A, C) :- leg(A, B), reach(B, C).
    on(A, R) <- asked(A) WHERE (route(R, L), member(A, L)).
    happensAt(to(A, B), T) :- happensAt(asked(A), T), reach(A, B).
    """
    routes = {"r1": list("abc"), "r2": list("cd")}
    legs = {pair for stops in routes.values() for pair in itertools.pairwise(stops)}
    expected = {("a", name) for name, stops in routes.items() if "a" in stops}
    reached, fresh = set[str](), {"a"}
    while fresh:
        fresh = {b for a, b in legs if a in fresh} - reached
        reached |= fresh
    facts = facts_of(list(routes.items()))
    assert answers(rules, facts, "a") == expected | {("a", stop) for stop in reached}


def test_columns_of_lists_are_lists() -> None:
    table = pa.table({"route": ["r1", "r2", "r3"], "stops": [["a", "Two words"], [], ["b"]]})
    numbers = pa.table({"route": ["r1", "r2"], "times": pa.array([[1, 2], [3]], pa.large_list(pa.int32()))})
    rules = """
    happensAt(at(R, S), T) :- happensAt(asked(R), T), route(R, L), member(S, L).
    happensAt(takes(R, S), T) :- happensAt(asked(R), T), times(R, L), sum_list(L, S).
    """
    description = holdsfor.parse(rules, facts={"route": table, "times": numbers})
    events = holdsfor.read_events(["asked(r1) @ 1", "asked(r2) @ 2"], "terms")
    rows = holdsfor.recognise(description, events).occurrences.to_pylist()
    assert {(row["event"], *row["args"]) for row in rows} == {
        ("at", "r1", "a"),
        ("at", "r1", "Two words"),
        ("takes", "r1", "3"),
        ("takes", "r2", "3"),
    }


def test_a_predicate_of_the_same_name_is_the_users_own() -> None:
    rules = "member(x, club).\nhappensAt(is(X), T) :- happensAt(asked(X), T), member(X, club), route(_, _)."
    assert answers(rules, "route(r, [y]).", "x y") == {("x",)}


def test_a_list_of_an_event_is_refused_where_others_come_from_facts() -> None:
    rules = """
    happensAt(a(X), T) :- happensAt(asked(R), T), route(R, L), member(X, L).
    happensAt(b(X), T) :- happensAt(given(L), T), member(X, L).
    happensAt(c(X), T) :- happensAt(given(L), T), has(L, X).
    has(L, X) :- member(X, L).
    """
    with pytest.raises(holdsfor.DescriptionError) as caught:
        holdsfor.parse(rules, "route(r, [y]).")
    places = [(each.place.line, each.message) for each in caught.value.diagnostics if each.severity == "error"]
    assert places == [(line, "member is for lists that facts have, and none in this rule gives L") for line in (3, 5)]


def test_an_event_of_the_same_name_is_an_event() -> None:
    rules = """
    happensAt(a(X, S), T) :- happensAt(asked(R), T), happensAt(member(X, L), T), route(R, L), member(S, L).
    """
    events = holdsfor.read_events(["asked(r) @ 1", "member(ann, [y, z]) @ 1", "member(bob, [y]) @ 1"], "terms")
    rows = holdsfor.recognise(holdsfor.parse(rules, "route(r, [y, z])."), events).occurrences.to_pylist()
    assert {tuple(row["args"]) for row in rows} == {("ann", "y"), ("ann", "z")}
