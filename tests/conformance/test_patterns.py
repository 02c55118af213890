"""The golden cases of interval patterns: on the naive evaluator and on every host."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.conformance.cases import ABSENT, GOLDEN
from tests.conformance.engines import LOCAL, NAIVE, STREAMS, TASKS, Engine, in_session, in_stream, in_tasks
from tests.conformance.patterns import PatternCase, check_pattern, pattern_cases

if not GOLDEN.exists():
    pytest.skip(ABSENT, allow_module_level=True)

CASES = pattern_cases()
ENGINES: tuple[Engine, ...] = (NAIVE, *LOCAL, *TASKS, *STREAMS, in_session())


@pytest.mark.parametrize("engine", ENGINES, ids=str)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_golden_pattern(case: PatternCase, engine: Engine) -> None:
    check_pattern(case, engine)


@pytest.mark.parametrize("engine", (LOCAL[1], in_tasks(3), in_stream(2), in_session()), ids=str)
@pytest.mark.parametrize("case", CASES[::2], ids=str)
def test_windows_do_not_matter(case: PatternCase, engine: Engine) -> None:
    """Short steps, and windows that slide."""
    step = 1 + len(case.lines) % 4
    check_pattern(case, engine, replace(case.horizon, window=2 * step, step=step))
