"""Tests made of a history: the fewest rows that show a fact, written so that the test passes."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import pytest
from typer.testing import CliRunner

import holdsfor
from holdsfor.cli import app
from holdsfor.language import DescriptionError
from holdsfor.testing.run import run_test
from holdsfor.testing.shrink import Shrunk, minimise, recognise_rows, shrink
from holdsfor.testing.suite import RuleDefaults, read_tests
from tests.naive.draw_patterns import random_patterns
from tests.naive.functions import FUNCTIONS
from tests.naive.programs import Program, random_program
from tests.naive.rows import line_format
from tests.testing.written import RULES
from tests.why.evidence import Fact, facts_of, yields

ROWS = [
    "enter(v1,p1) @ 1",
    *(f"speed(v{number},7) @ {number}" for number in range(2, 12)),
    "speed(v1,6) @ 3 arrives 5",
    "lost(v1) @ 4",
    "speed(v1,2) @ 9",
    "leave(v1,p1) @ 12",
]
FIRST = int(os.environ.get("HOLDSFOR_SEED", "0"))
SEEDS = range(FIRST, FIRST + int(os.environ.get("HOLDSFOR_PROGRAMS", "10")))


def shrunk(fact: str, at: int) -> Shrunk:
    """Shrink the history of the rows above."""
    events = holdsfor.read_events(ROWS, format="terms")
    result = holdsfor.recognise(holdsfor.parse(RULES), events, start=0, end=20)
    assert result.origin is not None
    return shrink(result.origin, fact, at)


def test_what_is_left_shows_the_fact_and_nothing_of_it_can_go() -> None:
    small = shrunk("alarm(v1)", 3)
    assert small.as_test().split("```")[1].splitlines()[1:] == [
        "% start=0 end=20",
        "enter(v1,p1) @ 1",
        "speed(v1,6) @ 3 arrives 5",
    ]


@pytest.mark.parametrize(("fact", "at", "rows"), [("moving(v1)=true", 8, 1), ("moving(v7)=true", 20, 1)])
def test_a_fluent_needs_what_began_it(fact: str, at: int, rows: int) -> None:
    assert len(shrunk(fact, at).rows) == rows


def test_what_is_not_so_cannot_be_shrunk() -> None:
    with pytest.raises(holdsfor.HoldsforError, match="did not hold at 15"):
        shrunk("moving(v1)=true", 15)


def test_rows_are_left_out_until_none_can_go() -> None:
    needed = {3, 17, 18, 40}
    rows: list[int] = list(range(50))
    assert minimise(rows, lambda left: needed <= set(left)) == [3, 17, 18, 40]  # type: ignore[arg-type, comparison-overlap]
    assert minimise(rows, lambda left: True) == []  # type: ignore[arg-type]


def test_the_command_writes_a_test_that_passes(tmp_path: Path) -> None:
    (tmp_path / "ship.ec").write_text(RULES, encoding="utf-8")
    (tmp_path / "rows.txt").write_text("\n".join(ROWS), encoding="utf-8")
    test = tmp_path / "ship.test.ec"
    command = ["test", str(tmp_path / "ship.ec"), "--events", str(tmp_path / "rows.txt"), "--format", "terms"]
    answer = CliRunner().invoke(
        app, [*command, "--start", "0", "--end", "20", "--from", "alarm(v1)", "--at", "3", "-o", str(test)]
    )
    assert answer.exit_code == 0, answer.output
    assert CliRunner().invoke(app, ["test", str(test)]).stdout == "1 test, all passed\n"
    run = ["run", *command[1:], "--start", "0", "--end", "20", "-o", str(tmp_path / "out"), "--engine", "local"]
    assert CliRunner().invoke(app, run).exit_code == 0
    answer = CliRunner().invoke(app, ["test", str(tmp_path / "out"), "--from", "alarm(v1)", "--at", "3"])
    assert answer.stdout == test.read_text(encoding="utf-8")
    answer = CliRunner().invoke(app, [*command, "--from", "alarm(v1)"])
    assert answer.exit_code == 2
    assert "--at" in answer.output


@pytest.mark.parametrize("mixed", [None, False, True], ids=["rules", "patterns", "with fluents"])
@pytest.mark.parametrize("seed", SEEDS)
def test_of_random_histories_the_test_passes_and_no_row_can_go(seed: int, mixed: bool | None, tmp_path: Path) -> None:
    program = random_program(seed) if mixed is None else random_patterns(seed, mixed)
    fact, small = _one_of(program, seed)
    for place in range(len(small.rows)):
        rows = small.rows[:place] + small.rows[place + 1 :]
        assert not yields(recognise_rows(rows, small.origin), fact), f"{program}\n{fact}\n{small.as_test()}"
    path = tmp_path / "program.test.ec"
    path.write_text(f"```prolog\n{program.text}\n```\n{small.as_test()}", encoding="utf-8")
    (test,) = read_tests(path, RuleDefaults(functions=FUNCTIONS))
    outcome = run_test(test)
    if not small.rows and outcome.is_error:
        return  # it holds initially, for a definition that no input is read for
    assert outcome.passed, f"{path.read_text()}\n{outcome.problems}"


def _one_of(program: Program, seed: int) -> tuple[Fact, Shrunk]:
    """Shrink a fact of a program that its tree explains."""
    horizon = program.horizon
    times = {name: getattr(horizon, name) for name in ("window", "step", "start", "end", "sample_every")}
    try:
        description = holdsfor.parse(program.text, functions=FUNCTIONS)
    except DescriptionError:
        pytest.skip("its conditions make more combinations than a plan may have")
    events = holdsfor.read_events(list(program.rows), format=line_format(program.rows))
    result = holdsfor.recognise(description, events, **times)
    facts = facts_of(result, horizon.end)
    if not facts:
        pytest.skip("nothing comes of it")
    fact = Random(seed).choice(facts)
    assert result.origin is not None
    return fact, shrink(result.origin, fact.text, fact.at)
