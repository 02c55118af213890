"""The golden cases of interval patterns: on the naive evaluator, and on every host once the engine has patterns."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.cases import ABSENT, GOLDEN
from tests.conformance.engines import NAIVE, Engine
from tests.conformance.patterns import PATTERN_ENGINES, PatternCase, check_pattern, pattern_cases, written_cases

CASES = pattern_cases() if GOLDEN.exists() else []
BY_HAND = written_cases((Path(__file__).parent / "patterns.txt").read_text(encoding="utf-8"))
ENGINES = (NAIVE, *PATTERN_ENGINES)


@pytest.mark.parametrize("engine", ENGINES, ids=str)
@pytest.mark.parametrize("case", BY_HAND, ids=str)
def test_pattern_by_hand(case: PatternCase, engine: Engine) -> None:
    check_pattern(case, engine)


@pytest.mark.skipif(not CASES, reason=ABSENT)
@pytest.mark.parametrize("engine", ENGINES, ids=str)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_golden_pattern(case: PatternCase, engine: Engine) -> None:
    check_pattern(case, engine)
