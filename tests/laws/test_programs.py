"""Random programs: ours is the naive answer, for every window and step, whatever the order of rules and rows.

HOLDSFOR_PROGRAMS sets how many programs are tried, HOLDSFOR_SEED the first one.
"""

from __future__ import annotations

import os
from dataclasses import replace
from random import Random

import pytest
from pyspark.sql import SparkSession

from holdsfor.language import DescriptionError, parse
from tests.conformance.compare import compared, differences
from tests.conformance.engines import LOCAL, NAIVE, TASKS, Engine, in_stream, on_spark
from tests.naive.evaluate import Answer
from tests.naive.functions import FUNCTIONS
from tests.naive.programs import Program, random_program
from tests.naive.rows import Horizon
from tests.naive.shrink import shrink

FIRST = int(os.environ.get("HOLDSFOR_SEED", "0"))
SEEDS = range(FIRST, FIRST + int(os.environ.get("HOLDSFOR_PROGRAMS", "36")))


def answer(engine: Engine, program: Program) -> Answer:
    return engine.recognise(parse(program.text, functions=FUNCTIONS), program.rows, program.horizon)


def skip_if_too_large(error: DescriptionError) -> None:
    """A random description may be refused for its size, and for nothing else."""
    if all(diagnostic.code == "too-large" for diagnostic in error.diagnostics if diagnostic.severity == "error"):
        pytest.skip("its conditions make more combinations than a plan may have")


def wrong(engine: Engine, program: Program, changed: Program | None = None) -> list[str]:
    """How the engine's answer differs from the naive one. changed: the same program, written differently."""
    expected = answer(NAIVE, program)
    try:
        return _differences(expected, answer(engine, changed or program), program.horizon)
    except DescriptionError as error:
        skip_if_too_large(error)
        return [f"{type(error).__name__}: {error}"]
    except Exception as error:  # a crash is shrunk like a wrong answer
        return [f"{type(error).__name__}: {error}"]


def _differences(expected: Answer, found: Answer, horizon: Horizon) -> list[str]:
    return differences(compared(expected, horizon), compared(found, horizon))


def fails_like(first: list[str], engine: Engine, program: Program) -> bool:
    """Still fails, and in the same way: with another answer, or with an error of the same kind."""
    try:
        lines = wrong(engine, program)
    except DescriptionError:
        return False
    return bool(lines) and _kind(lines) == _kind(first)


def _kind(lines: list[str]) -> str:
    return "answer" if "expected" in lines[0] else lines[0].split(": ")[0] + lines[0].split(": ")[-1][:40]


def explain(engine: Engine, program: Program, first: list[str]) -> str:
    small = shrink(program, lambda candidate: fails_like(first, engine, candidate))
    lines = wrong(engine, small)
    return "\n".join([f"{engine} differs from the naive evaluator on", str(small), *lines])


@pytest.mark.parametrize("engine", LOCAL, ids=str)
@pytest.mark.parametrize("seed", SEEDS)
def test_same_as_naive(seed: int, engine: Engine) -> None:
    program = random_program(seed)
    lines = wrong(engine, program)
    if lines:
        pytest.fail(explain(engine, program, lines), pytrace=False)


@pytest.mark.parametrize("seed", SEEDS)
def test_tasks_same_as_naive(seed: int) -> None:
    """What the workers of Spark do, with another number of buckets each time."""
    program = random_program(seed)
    engine = TASKS[seed % len(TASKS)]
    lines = wrong(engine, program)
    if lines:
        pytest.fail(explain(engine, program, lines), pytrace=False)


@pytest.mark.spark
@pytest.mark.parametrize("seed", SEEDS[:: max(1, len(SEEDS) // 6)])
def test_spark_same_as_naive(seed: int, spark: SparkSession) -> None:
    program = random_program(seed)
    engine = on_spark(spark, (1, 2, 7)[seed % 3])
    lines = wrong(engine, program)
    assert not lines, "\n".join([f"{engine} differs from the naive evaluator on", str(program), *lines])


@pytest.mark.parametrize("seed", SEEDS[:: max(1, len(SEEDS) // 100)])
def test_order_and_duplicates_do_not_matter(seed: int) -> None:
    random = Random(seed)
    program = random_program(seed)
    rules, background = list(program.rules), list(program.background)
    rows = [*program.rows, *random.choices(program.rows, k=5)]
    for part in (rules, background, rows):
        random.shuffle(part)
    changed = replace(program, rules=tuple(rules), background=tuple(background), rows=tuple(rows))
    assert not wrong(LOCAL[0], program, changed), f"{program}\nis not the same as\n{changed}"


@pytest.mark.parametrize("engine", LOCAL, ids=str)
@pytest.mark.parametrize("seed", SEEDS[:: max(1, len(SEEDS) // 100)])
def test_windows_do_not_matter(seed: int, engine: Engine) -> None:
    """The law of windows: where every row counts, one window over all gives what many small ones give."""
    random = Random(seed)
    program = random_program(seed)
    program = replace(program, rows=tuple(_punctual(row) for row in program.rows))
    given = program.horizon
    span, tick = given.end - given.start, given.sample_every
    whole = replace(given, window=span, step=span)
    step = tick * random.randint(1, max(1, span // tick))
    small = replace(whole, window=step + tick * random.randint(0, 5), step=step)
    expected = answer(NAIVE, replace(program, horizon=whole))
    try:
        found = answer(engine, replace(program, horizon=small))
    except DescriptionError as error:
        skip_if_too_large(error)
        raise
    assert not _differences(expected, found, whole), f"{whole} and\n{replace(program, horizon=small)}"


def _punctual(row: str) -> str:
    """The row as if it had arrived when it happened."""
    name, _, begin, *rest = row.split("|")
    return "|".join([name, begin, begin, *rest])


@pytest.mark.parametrize("engine", [*LOCAL, TASKS[0], in_stream(2)], ids=str)
@pytest.mark.parametrize("seed", SEEDS[:: max(1, len(SEEDS) // 10)])
def test_a_window_shorter_than_the_step_leaves_out_what_lies_between(seed: int, engine: Engine) -> None:
    """On every host: a row counts if it happened in the window before the query time at which it is first seen."""
    program = random_program(seed)
    given = program.horizon
    step = given.sample_every * 7
    program = replace(
        program, horizon=replace(given, window=given.sample_every * 3, step=step, end=given.start + 5 * step)
    )
    lines = wrong(engine, program)
    assert not lines, f"{engine} differs from the naive evaluator on\n{program}\n" + "\n".join(lines)
