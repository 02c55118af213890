"""The golden cases of interval patterns: on the naive evaluator and on every host."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet

from tests.conformance.check import sample
from tests.conformance.engines import NAIVE, Engine
from tests.conformance.patterns import (
    PATTERN_ENGINES,
    STEPPING_ENGINES,
    PatternCase,
    check_pattern,
    pattern_cases,
    written_cases,
)

CASES = pattern_cases()
BY_HAND = written_cases((Path(__file__).parent / "patterns.txt").read_text(encoding="utf-8"))
ENGINES = (NAIVE, *PATTERN_ENGINES)


def quick_or_slow(number: int, case: PatternCase, engine: Engine) -> ParameterSet:
    """Every case in process, and on one of the other hosts; on all of them in the long tests."""
    others = PATTERN_ENGINES[1:]
    is_quick = engine not in others or others[number % len(others)] is engine
    return pytest.param(case, engine, marks=() if is_quick else pytest.mark.slow, id=f"{case}-{engine}")


GOLDEN_CASES = [quick_or_slow(number, case, engine) for number, case in enumerate(CASES) for engine in ENGINES]


@pytest.mark.parametrize("engine", ENGINES, ids=str)
@pytest.mark.parametrize("case", BY_HAND, ids=str)
def test_pattern_by_hand(case: PatternCase, engine: Engine) -> None:
    check_pattern(case, engine)


@pytest.mark.parametrize(("case", "engine"), GOLDEN_CASES)
def test_golden_pattern(case: PatternCase, engine: Engine) -> None:
    check_pattern(case, engine)


@pytest.mark.spark
@pytest.mark.parametrize("case", sample(CASES, 6), ids=str)
def test_golden_pattern_on_spark(case: PatternCase, spark_engine: Engine) -> None:
    check_pattern(case, spark_engine)


@pytest.mark.parametrize("engine", STEPPING_ENGINES, ids=str)
@pytest.mark.parametrize("case", [*BY_HAND, *CASES[::5]], ids=str)
def test_windows_do_not_matter(case: PatternCase, engine: Engine) -> None:
    step = 1 + len(case.lines) % 4
    check_pattern(case, engine, replace(case.horizon, window=2 * step, step=step))
