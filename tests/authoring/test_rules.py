"""Hold rules in Python to the same rules as text: the same description, and mistakes told at their Python line."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

import holdsfor as hf
from holdsfor.authoring.translate import translate
from holdsfor.language.diagnostics import Source
from holdsfor.loading import make_plan
from tests.docs.examples import ROOT, examples

V, A, B, K, M = hf.variables("V A B K M")
velocity = hf.event("velocity", "vessel", "knots")
gap = hf.event("gap", "vessel")
near = hf.given("near", "a", "b")
slow = hf.fluent("slow", V, starts=velocity(V, K) & (K < 5), ends=velocity(V, K) & (K >= 5))


def assert_same(rules: hf.EventDescription, text: str) -> None:
    """Hold rules in Python to rule text: what is evaluated is the same."""
    assert make_plan(rules).identity == make_plan(hf.parse(text)).identity


def test_a_simple_fluent_begins_and_ends() -> None:
    text = """
    initiatedAt(slow(V)=true, T) :- happensAt(velocity(V, K), T), K < 5.
    terminatedAt(slow(V)=true, T) :- happensAt(velocity(V, K), T), K >= 5.
    """
    assert_same(hf.rules(slow), text)


def test_what_a_rule_uses_is_taken_along() -> None:
    meeting = hf.fluent("meeting", A, B, while_=(near(A, B) & slow(A) & slow(B)).longer_than("10 min"))
    dark = hf.event("wentDark", A, B, when=gap(B) & meeting(A, B))
    text = """
    initiatedAt(slow(V)=true, T) :- happensAt(velocity(V, K), T), K < 5.
    terminatedAt(slow(V)=true, T) :- happensAt(velocity(V, K), T), K >= 5.
    holdsFor(meeting(A, B)=true, I) :- holdsFor(near(A, B)=true, N), holdsFor(slow(A)=true, I1),
        holdsFor(slow(B)=true, I2), intersect_all([N, I1, I2], J), intDurGreater(J, 10 min, I).
    happensAt(wentDark(A, B), T) :- happensAt(gap(B), T), holdsAt(meeting(A, B)=true, T).
    """
    assert_same(hf.rules(dark), text)


def test_values_have_rules_of_their_own() -> None:
    opens, closes, removed = (hf.event(name, "machine") for name in ("opens", "closes", "removed"))
    valve = hf.fluent(
        "valve", M, starts={"open": opens(M), "closed": [closes(M), removed(M)]}, ends={...: removed(M)}, internal=True
    )
    text = """
    initiatedAt(valve(M)=open, T) :- happensAt(opens(M), T).
    initiatedAt(valve(M)=closed, T) :- happensAt(closes(M), T).
    initiatedAt(valve(M)=closed, T) :- happensAt(removed(M), T).
    terminatedAt(valve(M)=_, T) :- happensAt(removed(M), T).
    internal valve/1.
    """
    assert_same(hf.rules(valve), text)


def test_a_pattern_has_a_policy_of_its_own() -> None:
    smoke, heat, ok = (hf.event(name, "place") for name in ("smoke", "heat", "ok"))
    alarm = hf.pattern("alarm", V, (smoke(V) >> heat(V)).without(ok(V)).within(timedelta(minutes=30)), policy="recent")
    other = hf.pattern("other", V, is_=smoke(V) >> heat(V))
    text = """
    :- policy(recent).
    alarm(V) <- (NOT(ok(V)).[smoke(V), heat(V)]).30min.
    :- policy(unrestricted).
    other(V) <- smoke(V) SEQ heat(V).
    """
    assert_same(hf.rules(alarm, other), text)


def test_counts_times_and_facts() -> None:
    Q, N = hf.variables("Q N")
    kind = hf.facts("kind", [("v1", "tug"), ("v2", "ferry")])
    inside = hf.given("inside", "vessel")
    busy = hf.event("busy", N, when=gap(V) & kind(V, "tug") & N.is_(hf.count(Q, inside(Q))) & ~slow(V).ago("1 min"))
    text = """
    initiatedAt(slow(V)=true, T) :- happensAt(velocity(V, K), T), K < 5.
    terminatedAt(slow(V)=true, T) :- happensAt(velocity(V, K), T), K >= 5.
    kind(v1, tug). kind(v2, ferry).
    happensAt(busy(N), T) :- happensAt(gap(V), T), kind(V, tug), findall(Q, holdsAt(inside(Q)=true, T), L),
        length(L, N), \\+ holdsAt(slow(V)=true, T - 60).
    """
    assert_same(hf.rules(busy), text)


def distance(a: str, b: str) -> float:
    return float(len(a) - len(b))


def is_tanker(vessel: str) -> bool:
    return vessel.startswith("t")


def test_functions_are_called_and_come_with_the_rules() -> None:
    apart, tanker = hf.function(distance), hf.condition(is_tanker)
    hour, upper, starts_with = hf.function("hour"), hf.function("upper"), hf.condition("starts_with")
    close = hf.predicate("close", A, B, when=apart(A, B) < 10)
    text = """
    close(A, B) :- distance(A, B) < 10.
    initiatedAt(early(upper(A))=distance(A, B), T) :-
        happensAt(start(near(A, B)=true), T), close(A, B), \\+ is_tanker(A),
        hour(T, 'UTC') =:= 5.
    happensAt(tug(A), T) :- happensAt(gap(A), T), starts_with(A, tug).
    """
    early = hf.fluent(
        "early",
        upper(A),
        starts={apart(A, B): hf.start(near(A, B)) & close(A, B) & ~tanker(A) & (hour(hf.now, "UTC") == 5)},
    )
    rules = hf.rules(early, hf.event("tug", A, when=gap(A) & starts_with(A, "tug")))
    functions = {"distance": distance, "is_tanker": is_tanker}
    assert make_plan(rules).identity == make_plan(hf.parse(text, functions=functions)).identity
    assert "initiatedAt(early(upper(A))=distance(A, B), T) :-" in str(rules)


def test_facts_that_change_have_a_key_by_name() -> None:
    berth = hf.changing("berth", "vessel", "quay", "since", key=("vessel", "quay"))
    rules = hf.rules(hf.event("moored", A, K, when=gap(A) & berth(A, K, ...)))
    text = "input fact berth/3 key (1, 2). happensAt(moored(A, K), T) :- happensAt(gap(A), T), berth(A, K, _)."
    assert_same(rules, text)
    assert_same(hf.parse(str(rules)), text)


def test_python_has_its_own_words_for_numbers() -> None:
    N, Q = hf.variables("N", "Q")
    inside = hf.given("inside", "vessel")
    busy = hf.event("busy", N, when=gap(V) & velocity(V, K) & (hf.count(Q, inside(Q)) == N) & (round(K) // 2 == 1))
    text = """
    happensAt(busy(N), T) :- happensAt(gap(V), T), happensAt(velocity(V, K), T),
        findall(Q, holdsAt(inside(Q)=true, T), L), length(L, N), floor(round(K) / 2) =:= 1.
    """
    assert_same(hf.rules(busy), text)


def test_advice_is_in_python() -> None:
    with pytest.raises(hf.DescriptionError) as refused:
        hf.rules(hf.event("x", K, when=gap(V) & (K == M + 1) & velocity(V, M)))
    assert [each.hint for each in refused.value.diagnostics] == [
        "bind it in another condition; to calculate it, write K.is_(M+1)"
    ]
    (warning,) = hf.rules(hf.fluent("x", V, starts=gap(V))).warnings
    assert "give ends=..., or hf.deadline(...)" in warning.hint


def test_a_definition_names_its_table() -> None:
    result = hf.recognise(hf.rules(slow), ["velocity(v1,3) @ 10", "velocity(v1,8) @ 25"])
    assert str(result.table(slow)) == str(result.table("slow"))


def test_durations_follow_the_unit_of_ticks() -> None:
    long = hf.fluent("long", A, B, while_=near(A, B).longer_than("2 s"))
    text = ":- tick(ms). holdsFor(long(A,B)=true, I) :- holdsFor(near(A,B)=true, J), intDurGreater(J, 2 s, I)."
    assert_same(hf.rules(long, tick_unit="ms"), text)


def test_rule_files_and_objects_make_one_description(tmp_path: Path) -> None:
    file = tmp_path / "moored.ec"
    file.write_text(
        "holdsFor(moored(V)=true, I) :- holdsFor(berthed(V)=true, I1), holdsFor(slow(V)=true, I2), "
        "intersect_all([I1, I2], I)."
    )
    rules = hf.rules(file, slow)
    result = hf.recognise(rules, hf.read_events(["berthed(v1) @ [5,20)", "velocity(v1,2) @ 9"], format="terms"))
    assert [row["start"] for row in result.intervals.to_pylist() if row["fluent"] == "moored"] == [10]


def test_a_description_is_printed_as_rule_text() -> None:
    text = str(hf.rules(slow))
    assert text.startswith("initiatedAt(slow(V)=true, T) :-\n    happensAt(velocity(V, K), T),\n    K < 5.\n")
    assert_same(hf.rules(slow), text)


def test_events_come_from_a_table_and_its_mapping() -> None:
    import pyarrow as pa

    table = pa.table({"mmsi": ["v1", "v1"], "sog": [3.0, 8.0], "t": [10, 25]})
    named = hf.events(table, {"event": "velocity", "time": "t"})
    assert (named["velocity"].name, named["velocity"].arity) == ("velocity", 2)
    described = hf.events(None, {"events": {"velocity": ["mmsi", "sog"]}, "fluents": {"near": ["a", "b"]}})
    assert {name: (each.kind, each.arity) for name, each in described.items()} == {
        "velocity": ("event", 2),
        "near": ("fluent", 2),
    }
    stopped = hf.fluent("stopped", V, starts=named["velocity"](V, K) & (K < 5))
    result = hf.recognise(hf.rules(stopped), table, mapping={"event": "velocity", "time": "t"})
    assert [row["start"] for row in result.intervals.to_pylist()] == [11]


def test_what_is_recognised_is_the_same(tmp_path: Path) -> None:
    events = hf.read_events(["velocity(v1,3) @ 10", "velocity(v1,8) @ 25"], format="terms")
    result = hf.recognise(hf.rules(slow), events, end=40)
    assert [(row["start"], row["end"]) for row in result.intervals.to_pylist()] == [(11, 26)]


@pytest.mark.parametrize(
    ("make", "marked", "message"),
    [
        (lambda: velocity(V), "velocity(V)", "velocity does not take 1 argument"),
        (lambda: velocity(V, K) & K < 5, "velocity(V, K) & K", "binds tighter than a comparison"),  # type: ignore[operator]
        (lambda: gap(hf.variables("V")), 'gap(hf.variables("V"))', "a tuple with one variable"),  # type: ignore[arg-type]
        (lambda: gap(gap), "gap(gap)", "gap is not called"),  # type: ignore[arg-type]
        (lambda: hf.fluent("x", V, starts=gap), 'hf.fluent("x", V, starts=gap)', "gap is not a condition"),  # type: ignore[arg-type]
        (lambda: hf.fluent("x", V, ends="gap"), 'hf.fluent("x", V, ends="gap")', "str is not a condition"),  # type: ignore[arg-type]
        (lambda: hf.changing("b", "x", key="y"), 'hf.changing("b", "x", key="y")', "b has no argument 'y'"),
        (lambda: hf.function(distance)(A), "hf.function(distance)(A)", "the function distance takes 2 arguments"),
        (lambda: hf.condition(distance), "hf.condition(distance)", "gives float, not True or False"),
        (lambda: hf.function(7), "hf.function(7)", "int is not a function"),  # type: ignore[arg-type]
        (lambda: hf.function(lambda x: x), "hf.function(lambda x: x)", "is no name that rules can write"),
        (lambda: 0 < K < 5, "0 < K < 5", "each comparison in parentheses"),
        (lambda: hf.variables("v"), 'hf.variables("v")', "begin with an upper-case letter"),
        (lambda: gap(V).without(gap(A)), "gap(V).without(gap(A))", "which two events"),
        (lambda: hf.rules(hf.fluent("f", V, while_=near(V, A).longer_than("10 eons"))), "", "is not a duration"),
        (lambda: hf.rules(hf.event("e", V, when=gap(V) >> gap(V))), "gap(V) >> gap(V)", "patterns are for hf.pattern"),
        (lambda: hf.rules(hf.event("e", V, when=slow(V))), "slow(V)", "no event says when"),
        (lambda: hf.rules(hf.event("e", A, when=gap(V))), "", "A"),
        (lambda: hf.rules(hf.event("e", V, when=velocity(V, K) & (K < "low"))), 'K < "low"', "number is needed"),
        (lambda: hf.rules(), "hf.rules()", "there are no rules"),
        (lambda: hf.starts(gap(V), when=gap(V)), "hf.starts(gap(V), when=gap(V))", "about a fluent"),
    ],
)
def test_a_mistake_is_told_at_its_python_line(make: Callable[[], object], marked: str, message: str) -> None:
    with pytest.raises(hf.DescriptionError) as caught:
        make()
    diagnostic = next(each for each in caught.value.diagnostics if each.severity == "error")
    place = diagnostic.place
    assert place.file.endswith("test_rules.py")
    assert marked in diagnostic.line[place.column - 1 :]
    assert message in str(diagnostic)
    assert diagnostic.hint


@pytest.mark.slow
def test_types_of_the_documents_programs_are_accepted(tmp_path: Path) -> None:
    """Both the programs that are written by hand and those that `holdsfor translate` writes, by mypy --strict."""
    programs = [
        block.text
        for example in examples(ROOT / "docs" / "python-rules.md")
        for block in example.blocks
        if block.kind == "python" and "try:" not in block.text
    ]
    tutorial = [example.blocks[0].text for example in examples(ROOT / "docs" / "tutorial.md")]
    programs += [translate(Source("rules.ec", text)) for text in tutorial]
    for number, program in enumerate(programs):
        (tmp_path / f"program_{number}.py").write_text(program)
    command = [sys.executable, "-m", "mypy", "--strict", *map(str, sorted(tmp_path.glob("*.py")))]
    outcome = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert outcome.returncode == 0, outcome.stdout
