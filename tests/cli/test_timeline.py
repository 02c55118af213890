"""`holdsfor timeline` with rules, input and groups."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import holdsfor
from holdsfor.cli import app
from holdsfor.cli.output.definitions import page_definitions
from holdsfor.view.inputs import input_table
from holdsfor.view.lanes import RuleText
from tests.view.test_timeline import data_of, lanes_of

RULES = """\
% hot above 90
initiatedAt(hot(M)=true, T) :-
    happensAt(reading(M, C), T), C > 90.
terminatedAt(hot(M)=true, T) :- happensAt(reading(M, C), T), C =< 90.

% a pattern
alarm(M) <- (hot(M)=true) DURING shift(M).
initially(ready(M)=true) :- machine(M).
terminatedAt(ready(M)=true, T) :- happensAt(stop(M), T).
machine('M-1').
"""
EVENTS = """\
reading('M-1', 95) @ 10
reading('M-1', 80) @ 20
stop('M-1') @ 15
shift('M-1') @ [5,40]
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("rules.ec").write_text(RULES)
    Path("events.txt").write_text(EVENTS)
    Path("groups.csv").write_text("machine,line\nM-1,Line 1\n")
    done = call("run", "rules.ec", "--events", "events.txt", "--start", "0", "--out", "found")
    assert done.exit_code == 0, done.stderr
    return tmp_path


def call(*args: str) -> Any:
    return CliRunner().invoke(app, args)


def drawn(*more: str) -> dict[str, Any]:
    done = call("timeline", "found", *more)
    assert done.exit_code == 0, done.stderr
    return data_of(Path("found/timeline.html"))


def test_input_stands_below_the_results(here: Path) -> None:
    content = drawn("--rules", "rules.ec", "--events", "events.txt")
    assert lanes_of(content) == {
        ("M-1", "hot"): [("hot(M-1) = true", 11, 21)],
        ("M-1", "ready"): [("ready(M-1) = true", 1, 16)],
        ("M-1", "alarm"): [("alarm(M-1)", 5, 40)],
        ("M-1", "reading"): [("reading(M-1,95)", 10, 10), ("reading(M-1,80)", 20, 20)],
        ("M-1", "stop"): [("stop(M-1)", 15, 15)],
        ("M-1", "shift"): [("shift(M-1)", 5, 40)],
    }
    assert [kind["name"] for kind in content["kinds"] if kind["input"]] == ["reading", "shift", "stop"]
    assert "4 input rows" in content["summary"]


def test_each_result_has_its_rules_and_the_input_they_look_at(here: Path) -> None:
    kinds = {kind["name"]: kind for kind in drawn("--rules", "rules.ec", "--events", "events.txt")["kinds"]}
    names = list(kinds)
    needs = {name: {names[place] for place in kind["needs"]} for name, kind in kinds.items() if kind["needs"]}
    assert needs == {"hot": {"reading"}, "ready": {"stop"}, "alarm": {"reading", "shift"}}
    lines = RULES.splitlines()
    assert kinds["hot"]["rules"] == [
        ["rules.ec:2", "\n".join(lines[0:3])],  # with the comment above it
        ["rules.ec:4", lines[3]],
    ]
    assert kinds["ready"]["rules"] == [["rules.ec:8", lines[7]], ["rules.ec:9", lines[8]]]
    assert kinds["alarm"]["rules"] == [["rules.ec:7", "\n".join(lines[5:7])]]


def test_without_rules_there_are_results_only(here: Path) -> None:
    content = drawn()
    assert [(kind["name"], kind["rules"]) for kind in content["kinds"]] == [("hot", []), ("ready", []), ("alarm", [])]
    assert content["groups"] == []


def test_groups(here: Path) -> None:
    assert drawn("--groups", "groups.csv")["groups"] == ["Line 1"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--events", "events.txt"), "need --rules"),
        (("--rules", "no.ec"), "no.ec"),
        (("--rules", "rules.ec", "--events", "evnts.txt"), "Did you mean 'events.txt'?"),
        (("--groups", "one.csv"), "needs two: an entity, and its group"),
        (("--groups", "no.csv"), "no.csv"),
    ],
)
def test_mistakes(args: tuple[str, ...], message: str, here: Path) -> None:
    Path("one.csv").write_text("machine\nM-1\n")
    done = call("timeline", "found", *args)
    assert done.exit_code in (1, 2)
    assert message in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_input_rows_as_they_were_read() -> None:
    description = holdsfor.parse("initiatedAt(f(X)=true, T) :- happensAt(e(X, N), T), holdsAt(g(X)=high, T), N > 0.")
    lines = [
        "e('Two words', 7) @ 3",
        "retract e('Two words', 7) @ 3 arrives 9",
        "g(a)=high @ [1,4)",
        "g(a)=low @ [4,inf)",
    ]
    rows = input_table(holdsfor.read_events(lines, format="terms").read(description.inputs)).to_pylist()
    assert sorted(rows, key=str) == sorted(
        [
            {"is_event": True, "name": "e", "args": ["Two words", "7"], "value": None, "start": 3, "end": 3},
            {"is_event": True, "name": "e", "args": ["Two words", "7"], "value": "taken back", "start": 3, "end": 3},
            {"is_event": False, "name": "g", "args": ["a"], "value": "high", "start": 1, "end": 4},
            {"is_event": False, "name": "g", "args": ["a"], "value": "low", "start": 4, "end": None},
        ],
        key=str,
    )


def test_rules_by_way_of_others() -> None:
    description = holdsfor.parse(RULES + "happensAt(called(M), T) :- happensAt(alarm(M), T).")
    called = next(each for each in page_definitions(description) if each.name == "called")
    assert called.inputs == {(True, "reading"), (True, "shift")}
    assert called.rules == (RuleText("<text>:11", "happensAt(called(M), T) :- happensAt(alarm(M), T)."),)


def test_a_page_with_reasons_has_those_of_the_run(here: Path) -> None:
    content = drawn("--why")
    reasons = {key.split("@")[0]: each for key, each in content["reasons"].items()}
    assert reasons.keys() == {"hot(M-1)=true", "ready(M-1)=true"}
    hot = reasons["hot(M-1)=true"]
    assert hot["lines"][0].startswith("hot('M-1')=true from 11 until 21")
    assert [key.split("@")[0] for key in hot["evidence"]] == ["reading(M-1,95)=null", "reading(M-1,80)=null"]
    assert any(content["kinds"][lane["kind"]]["input"] for lane in content["lanes"])
