"""Rule tests: what passes, what fails and with which reasons, and what is an error before it runs."""

from __future__ import annotations

from pathlib import Path

import pytest

import holdsfor
from holdsfor.testing import modes
from holdsfor.testing.suite import RuleDefaults, collect_tests, read_tests
from tests.testing.written import MOVES, RULES, block, problems, run, write

NEVER = "% start=0 end=20\n"
MOVING = "fluent value start end\nmoving(v1) true 4 10\n"


def test_what_comes_out_is_what_must(tmp_path: Path) -> None:
    (outcome,) = run(tmp_path, MOVES)
    assert outcome.passed
    assert outcome.test.name.endswith("ship.test.ec:3 It moves")


def test_a_missing_line_has_its_why_not(tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, MOVES.replace("  10", "  12"))
    lines = problem.splitlines()
    assert lines[:2] == ["- moving(v1)=true from 4 until 12", "+ moving(v1)=true from 4 until 10"]
    assert lines[2].strip() == "why not moving(v1)=true at 10:"
    assert "ended: terminated at 9" in problem


def test_a_line_too_much_has_its_why(tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, MOVES.replace("  10", "   8"))
    assert "why moving(v1)=true at 8:" in problem
    assert "speed(v1,7) at 3" in problem


def test_each_fluent_and_event_that_differs_is_a_problem_of_its_own(tmp_path: Path) -> None:
    wrong = problems(tmp_path, block(NEVER + "speed(v1,7) @ 3\nenter(v1,p) @ 1", "event time\nalarm(v2) 3"))
    assert [one.splitlines()[0] for one in wrong] == [
        "+ alarm(v1) at 3",
        "- alarm(v2) at 3",
        "+ moving(v1)=true from 4, open",
        "+ near(v1,p)=true from 2, open",
    ]


def test_only_looks_at_some_names(tmp_path: Path) -> None:
    events = NEVER + "speed(v1,7) @ 3\nenter(v1,p) @ 1"
    assert problems(tmp_path, block(events, "% only=alarm\nevent time\nalarm(v1) 3")) == []
    assert problems(tmp_path, block(events, "% only=near/2,alarm\nevent time\nalarm(v1) 3")) != []


def test_times_retractions_and_late_rows_are_those_of_the_test(tmp_path: Path) -> None:
    text = """
```events
% window=10 step=5 start=0 end=20
speed(v1,7) @ 3
speed(v1,2) @ 9
speed(v1,8) @ 10
retract speed(v1,8) @ 10 arrives 12
speed(v1,9) @ 1 arrives 19
```
```result
fluent      value  start  end
moving(v1)  true       4   10
```
```late
input  start end arrival query_time late_by
speed(v1,9) 1 1 19 20 10
```
"""
    assert problems(tmp_path, text) == []
    (problem,) = problems(tmp_path, text.replace("late_by\nspeed(v1,9) 1 1 19 20 10", "late_by"))
    assert problem.startswith("late:")


def test_rows_that_are_refused_must_be_claimed(tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, MOVES.replace("speed(v1,2) @ 9", "speed(v1,2) @ 9\nspeed(v1,fast) @ 11"))
    assert "argument 2 of speed/2 is not a number" in problem


@pytest.mark.parametrize("kind", ["rtec", "csv"])
def test_other_formats_of_events(tmp_path: Path, kind: str) -> None:
    rows = {"rtec": "speed|3|3|v1|7\nspeed|9|9|v1|2", "csv": "when,name,speed\n3,v1,7\n9,v1,2"}[kind]
    mapping = '```toml\nevent = "speed"\ntime = "when"\n[events]\nspeed = ["name", "speed"]\n```\n'
    text = f"```{kind}\n{rows}\n```\n{mapping if kind == 'csv' else ''}```result\n{MOVING}```\n"
    assert problems(tmp_path, text) == []


# ---------------------------------------------------------------- modes


@pytest.mark.parametrize("mode", ["windowed", "shuffled", "live"])
def test_a_mode_that_gives_something_else_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str) -> None:
    right = modes.MODES[mode]
    monkeypatch.setitem(modes.MODES, mode, lambda case: {row for row in right(case) if row.name != "moving/1"})
    (problem,) = problems(tmp_path, MOVES)
    assert problem.splitlines() == [
        f"{mode} differs from the whole history:",
        "- moving(v1)=true from 4 until 10",
    ]


def test_shuffled_rows_are_all_there_and_in_time(tmp_path: Path) -> None:
    rows = "\n".join(f"speed(v{number},7) @ {number}" for number in range(1, 40))
    (test,) = read_tests(write(tmp_path, block("% window=30 step=10 start=0 end=60\n" + rows, MOVING)), RuleDefaults())
    description = test.rules.description
    events = modes.read_once(test.source, description, test.times)
    result = modes.run_whole(description, events, test.times)
    assert result.origin is not None
    windows = result.origin.windows
    (before,) = events.blocks
    after = modes.shuffle(before, windows)
    assert sorted(after.start.tolist()) == before.start.tolist() != after.start.tolist()
    assert (after.arrival >= after.start).all()
    assert (after.arrival > after.start).any()
    assert (after.start > windows.first_seen(after.arrival) - windows.window).all()


# ---------------------------------------------------------------- errors before a test runs


@pytest.mark.parametrize(
    ("events", "result", "words"),
    [
        ("speed(v1,7) @ 3", "% only=alarm\nnothing", "cannot make alarm/1: there are no rows of enter/2, leave/2"),
        ("speed(v1,7) @ 3", "% only=alrm\nnothing", "no rule defines alrm"),
        ("spede(v1,7) @ 3\nspeed(v1,7) @ 3", MOVING, "1 row of events is read by no rule"),
        ("lost(v1) @ 3", "nothing", "nothing can come of these events"),
        ("leave(v1,p) @ 3", "% only=near\nnothing", "cannot make near/2"),
        ("speed(v1,7) @ 3", "moving(v1) true 4 10", "is in no table"),
        ("speed(v1,7) @ 3", "fluent value start end\nmoving(v1) 4 10", "has no value"),
        ("% strt=0\nspeed(v1,7) @ 3", MOVING, "strt is no time"),
    ],
)
def test_a_test_that_cannot_be_judged_is_an_error(tmp_path: Path, events: str, result: str, words: str) -> None:
    (outcome,) = run(tmp_path, block(events, result))
    assert outcome.is_error
    assert words in outcome.problems[0]


def test_what_could_come_but_does_not_is_no_error(tmp_path: Path) -> None:
    assert problems(tmp_path, block("speed(v1,7) @ 3\nleave(v1,p) @ 2\nenter(v1,p) @ 5", "% only=alarm\nnothing")) == []


def test_initially_needs_no_event(tmp_path: Path) -> None:
    rules = "initially(on=true).\nterminatedAt(on=true, T) :- happensAt(off, T).\n"
    assert problems(tmp_path, block("% start=0 end=9\noff @ 5", "fluent value start end\non true 1 6"), rules) == []


# ---------------------------------------------------------------- where rules come from


def test_rules_are_beside_in_a_block_or_those_that_are_named(tmp_path: Path) -> None:
    other = tmp_path / "other.test.ec"
    other.write_text(MOVES, encoding="utf-8")
    with pytest.raises(holdsfor.HoldsforError, match="there are no rules for this test"):
        read_tests(other, RuleDefaults())
    rules = tmp_path / "rules.ec"
    rules.write_text(RULES, encoding="utf-8")
    assert len(read_tests(other, RuleDefaults((rules,)))) == 1
    other.write_text("```prolog\n:- ['rules.ec'].\n```\n" + MOVES, encoding="utf-8")
    (test,) = read_tests(other, RuleDefaults())
    assert "moving/1" in repr(test.rules.description)


def test_places_of_rules_in_a_block_are_those_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "own.test.ec"
    path.write_text(f"# Title\n\n```prolog\n{RULES}```\n{MOVES}", encoding="utf-8")
    (test,) = read_tests(path, RuleDefaults())
    assert [rule.place.line for rule in test.rules.description.rules] == [4, 5, 6, 7, 8]


def test_a_folder_gives_its_test_files(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    write(tmp_path / "inside", MOVES)
    (tmp_path / "notes.md").write_text("no tests", encoding="utf-8")
    assert len(list(collect_tests([tmp_path], RuleDefaults()))) == 1
    with pytest.raises(holdsfor.HoldsforError, match="there is no test in it"):
        list(collect_tests([tmp_path / "notes.md"], RuleDefaults()))
