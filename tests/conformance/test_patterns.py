"""The golden cases of interval patterns: on the naive evaluator, and on every host once the engine has patterns."""

from __future__ import annotations

import pytest

from tests.conformance.cases import ABSENT, GOLDEN
from tests.conformance.engines import NAIVE, Engine
from tests.conformance.patterns import PatternCase, check_pattern, pattern_cases

if not GOLDEN.exists():
    pytest.skip(ABSENT, allow_module_level=True)

CASES = pattern_cases()
#: Add LOCAL, TASKS and STREAMS of engines.py here when the engine evaluates patterns.
ENGINES: tuple[Engine, ...] = (NAIVE,)


@pytest.mark.parametrize("engine", ENGINES, ids=str)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_golden_pattern(case: PatternCase, engine: Engine) -> None:
    check_pattern(case, engine)
