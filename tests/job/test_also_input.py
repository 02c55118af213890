"""What rules define may also come as input: its events are those of rules and rows, its intervals the union of both."""

from __future__ import annotations

import pytest

import holdsfor
from holdsfor.language import parse
from tests.conformance.engines import LOCAL, NAIVE, Engine, in_session, in_stream, in_tasks
from tests.naive.evaluate import Answer
from tests.naive.rows import Horizon

HORIZON = Horizon(window=60, step=20, start=0, end=60)
ENGINES = [NAIVE, *LOCAL, *map(in_tasks, (1, 2, 8)), *map(in_stream, (1, 2, 8)), in_session()]
each_engine = pytest.mark.parametrize("engine", ENGINES, ids=str)


def recognised(engine: Engine, rules: str, rows: list[str], horizon: Horizon = HORIZON) -> Answer:
    return engine.recognise(parse(rules), rows, horizon)


def ends(answer: Answer, event: str) -> set[tuple[str, int]]:
    return {(args[0], time) for name, args, time in answer.occurrences if name == event}


def holds(answer: Answer, fluent: str) -> dict[tuple[str, str], list[tuple[int, int | None]]]:
    return {(args[0], value): times for (name, args, value), times in answer.intervals.items() if name == fluent}


@each_engine
@pytest.mark.parametrize(
    "rules",
    [
        "a(X) <- b(X).\nc(X) <- a(X).",
        "happensAt(a(X), T) :- happensAt(b(X), T).\nhappensAt(c(X), T) :- happensAt(a(X), T).",
    ],
)
def test_events(rules: str, engine: Engine) -> None:
    answer = recognised(engine, rules, ["a|5|5|1", "b|7|7|2"])
    assert ends(answer, "a") == ends(answer, "c") == {("1", 5), ("2", 7)}


@each_engine
def test_an_occurrence_of_a_pattern_may_last(engine: Engine) -> None:
    rules = "a(X) <- b(X) SEQ c(X).\ninside(X) <- d(X) DURING a(X).\n"
    answer = recognised(engine, rules, ["a(1) @ [5,9]", "d(1) @ [6,7]", "b(2) @ 10", "d(2) @ [12,13]", "c(2) @ 14"])
    assert {(args[0], start, end) for name, args, start, end in answer.spans if name == "inside"} == {
        ("1", 5, 9),
        ("2", 10, 14),
    }


@each_engine
def test_recursion_goes_on_from_rows(engine: Engine) -> None:
    rules = "way(X,Y) <- step(X,Y).\nway(X,Z) <- way(X,Y) SEQ step(Y,Z).\n"
    answer = recognised(engine, rules, ["way|5|5|p|q", "step|7|7|q|r"])
    assert {args for name, args, _ in answer.occurrences if name == "way"} == {("p", "q"), ("q", "r"), ("p", "r")}


SIMPLE = """
initiatedAt(f(X)=true, T) :- happensAt(begin(X), T).
terminatedAt(f(X)=true, T) :- happensAt(finish(X), T).
happensAt(starts(X), T) :- happensAt(start(f(X)=true), T).
happensAt(stops(X), T) :- happensAt(end(f(X)=true), T).
"""


@each_engine
def test_intervals_are_united_and_have_one_start_and_end(engine: Engine) -> None:
    answer = recognised(engine, SIMPLE, ["f|5|5|9|true|x", "begin|7|7|x", "finish|14|14|x", "f|30|30|40|true|x"])
    assert holds(answer, "f") == {("x", "true"): [(5, 15), (30, 40)]}
    assert ends(answer, "starts") == {("x", 4), ("x", 29)}
    assert ends(answer, "stops") == {("x", 14), ("x", 39)}


@each_engine
def test_a_row_has_no_effect_on_inertia(engine: Engine) -> None:
    """It ends where it says, across windows, and what terminates the fluent does not end it."""
    answer = recognised(engine, SIMPLE, ["f|5|5|47|true|x", "finish|14|14|x"])
    assert holds(answer, "f") == {("x", "true"): [(5, 47)]}


@each_engine
def test_a_row_of_one_value_ends_no_other(engine: Engine) -> None:
    rules = """
        initiatedAt(f(X)=on, T) :- happensAt(begin(X), T).
        fi(f(X)=on, f(X)=off, 10).
    """
    answer = recognised(engine, rules, ["begin|7|7|x", "f|12|12|20|off|x", "f|30|30|33|on|x", "f|40|40|50|else|x"])
    assert holds(answer, "f") == {("x", "on"): [(8, 18), (30, 33)], ("x", "off"): [(12, None)]}


@each_engine
def test_the_rules_of_a_circle_see_what_they_derive(engine: Engine) -> None:
    rules = """
        initiatedAt(f(X)=true, T) :- happensAt(begin(X), T), \\+ holdsAt(g(X)=true, T).
        initiatedAt(g(X)=true, T) :- happensAt(begin(X), T), holdsAt(f(X)=true, T).
    """
    answer = recognised(engine, rules, ["g|5|5|20|true|x", "begin|10|10|x"])
    assert holds(answer, "f") == {("x", "true"): [(11, None)]}
    assert holds(answer, "g") == {("x", "true"): [(5, 20)]}


@each_engine
def test_a_statically_determined_fluent(engine: Engine) -> None:
    rules = "holdsFor(f(X)=true, I) :- holdsFor(g(X)=true, J), union_all([J], I)."
    answer = recognised(engine, rules, ["f|5|5|9|true|x", "g|9|9|12|true|x", "f|20|20|25|true|y"])
    assert holds(answer, "f") == {("x", "true"): [(5, 12)], ("y", "true"): [(20, 25)]}


@each_engine
def test_points_of_a_fluent(engine: Engine) -> None:
    rows = ["f|5|5|true|x", "f|6|6|true|x", "begin|6|6|x", "finish|9|9|x"]
    assert holds(recognised(engine, SIMPLE, rows), "f") == {("x", "true"): [(5, 10)]}


@each_engine
def test_groundings_that_are_not_declared_are_left_out(engine: Engine) -> None:
    rules = "happensAt(a(X), T) :- happensAt(b(X), T).\ngrounding(a(X)) :- known(X).\nknown(p).\n"
    assert ends(recognised(engine, rules, ["a|5|5|p", "a|6|6|q", "b|7|7|p", "b|8|8|q"]), "a") == {("p", 5), ("p", 7)}


@each_engine
def test_where_inputs_are_declared_only_those_come(engine: Engine) -> None:
    rules = "input event a/1, b/1.\na(X) <- b(X).\nc(X) <- a(X).\n"
    answer = recognised(engine, rules, ["a|5|5|1", "b|7|7|2", "c|9|9|3"])
    assert ends(answer, "c") == {("1", 5), ("2", 7)}


def test_late_rows_and_retractions_in_a_session() -> None:
    live = holdsfor.session(parse(SIMPLE), window=30, step=10, start=0)
    live.add(["f|5|5|9|true|x", "begin|7|7|x"], format="rtec")
    live.advance(10)
    assert live.current()[0].column("start").to_pylist() == [5]
    live.add(["retract|f|15|5|9|true|x", "insert|f|15|2|4|true|x"], format="rtec")
    live.advance(20)
    assert live.current()[0].select(["start", "end"]).to_pylist() == [
        {"start": 2, "end": 4},
        {"start": 8, "end": None},
    ]


def test_late_rows_keep_their_name() -> None:
    result = holdsfor.recognise(
        parse("a(X) <- b(X)."), ["a|40|5|1", "b|41|41|2"], format="rtec", window=10, step=10, start=0, end=50
    )
    assert result.late.column("name").to_pylist() == ["a"]
    assert result.metrics["events_unused"] == 0
