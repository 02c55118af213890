"""What is true because something is absent is concluded in one bucket only: the one that would have the rows."""

from __future__ import annotations

import pytest

import holdsfor
from holdsfor.language import EventDescription, parse
from tests.conformance.engines import LOCAL, Engine, answer, in_session, in_stream, in_tasks
from tests.naive.rows import Horizon

HORIZON = Horizon(window=60, step=60, start=0, end=60)


def on_threads(count: int) -> Engine:
    def recognise(description: EventDescription, lines: list[str], horizon: Horizon) -> object:
        events = holdsfor.read_events(lines, format="rtec")
        result = holdsfor.recognise(description, events, start=horizon.start, end=horizon.end, threads=count)
        return answer(result.intervals, result.occurrences)

    return Engine(f"{count} threads", recognise)  # type: ignore[arg-type]


ENGINES = [*LOCAL, on_threads(2), on_threads(8), *map(in_tasks, (2, 8)), *map(in_stream, (2, 8)), in_session()]

DUTY = "initiatedAt(duty(X)=on, T) :- happensAt(enter(X), T).\n"
NEAR = "near(c3, b2). near(c4, b2). near(c5, b9).\n"
ROWS = ["enter|40|40|c3", "enter|30|30|b2", "sound|50|50"]


def holds(rules: str, engine: Engine) -> dict[tuple[str, ...], list[tuple[int, int | None]]]:
    found = engine.recognise(parse(DUTY + NEAR + rules), ROWS, HORIZON)
    return {args: intervals for (fluent, args, _), intervals in found.intervals.items() if fluent == "lock"}


@pytest.mark.parametrize("engine", ENGINES, ids=str)
@pytest.mark.parametrize(
    "last", ["complement_all([D], I)", "complement_all([], All), relative_complement_all(All, [D], I)"]
)
def test_a_complement_of_whom_facts_tell(last: str, engine: Engine) -> None:
    rules = f"holdsFor(lock(X)=true, I) :- near(X, _), holdsFor(duty(X)=on, D), {last}."
    assert holds(rules, engine) == {("c3",): [(1, 41)], ("c4",): [(1, None)], ("c5",): [(1, None)]}


@pytest.mark.parametrize("engine", ENGINES, ids=str)
def test_a_complement_about_another_than_the_head(engine: Engine) -> None:
    rules = "holdsFor(lock(X)=true, I) :- near(X, Y), holdsFor(duty(Y)=on, D), complement_all([D], I)."
    assert holds(rules, engine) == {("c3",): [(1, 31)], ("c4",): [(1, 31)], ("c5",): [(1, None)]}


@pytest.mark.parametrize("engine", ENGINES, ids=str)
def test_a_complement_of_what_is_declared(engine: Engine) -> None:
    rules = """
        grounding(lock(X)=true) :- near(X, _).
        holdsFor(lock(X)=true, I) :- holdsFor(duty(X)=on, D), complement_all([D], I).
    """
    assert holds(rules, engine) == {("c3",): [(1, 41)], ("c4",): [(1, None)], ("c5",): [(1, None)]}


@pytest.mark.parametrize("engine", ENGINES, ids=str)
@pytest.mark.parametrize(
    "absent",
    [
        "\\+ holdsAt(duty(X)=on, T)",
        "\\+ happensAt(enter(X), T-10)",
        "findall(X, holdsAt(duty(X)=on, T), L), length(L, 0)",
    ],
)
def test_a_negation_or_a_count_of_none_of_whom_facts_tell(absent: str, engine: Engine) -> None:
    """At 50: c3 is on duty, and has come ten ticks before."""
    rules = f"initiatedAt(lock(X)=true, T) :- happensAt(sound, T), near(X, _), {absent}."
    assert holds(rules, engine) == {("c4",): [(51, None)], ("c5",): [(51, None)]}


@pytest.mark.parametrize("engine", ENGINES, ids=str)
def test_what_holds_initially_of_whom_facts_tell(engine: Engine) -> None:
    rules = """
        initially(lock(X)=true) :- near(X, _).
        terminatedAt(lock(X)=true, T) :- happensAt(enter(X), T).
    """
    assert holds(rules, engine) == {("c3",): [(1, 41)], ("c4",): [(1, None)], ("c5",): [(1, None)]}


@pytest.mark.parametrize("engine", ENGINES, ids=str)
def test_a_pattern_between_points_in_time(engine: Engine) -> None:
    """c3 comes between 35 and 45, nobody between 45 and 55."""
    rules = """
        come(X) <- enter(X).
        quiet(1) <- NOT(come(_)).[35, 45].
        quiet(2) <- NOT(come(_)).[45, 55].
    """
    found = engine.recognise(parse(DUTY + rules), ROWS, HORIZON)
    assert {args for event, args, *_ in found.spans if event == "quiet"} == {("2",)}
