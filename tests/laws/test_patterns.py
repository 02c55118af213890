"""Random patterns: ours is the naive answer, for every window and step, on every host.

HOLDSFOR_PATTERNS sets how many programs are tried, HOLDSFOR_SEED the first one.
"""

from __future__ import annotations

import os

import pytest

from tests.conformance.engines import Engine
from tests.conformance.patterns import PATTERN_ENGINES
from tests.laws.test_programs import explain, wrong
from tests.naive.draw_patterns import random_patterns

FIRST = int(os.environ.get("HOLDSFOR_SEED", "0"))
SEEDS = range(FIRST, FIRST + int(os.environ.get("HOLDSFOR_PATTERNS", "100")))


@pytest.mark.parametrize("engine", PATTERN_ENGINES, ids=str)
@pytest.mark.parametrize("mixed", [False, True], ids=["patterns", "with fluents"])
@pytest.mark.parametrize("seed", SEEDS)
def test_same_as_naive(seed: int, mixed: bool, engine: Engine) -> None:
    program = random_patterns(seed, mixed)
    lines = wrong(engine, program)
    if lines:
        pytest.fail(explain(engine, program, lines), pytrace=False)
