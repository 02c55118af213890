"""Arguments inside terms: a program answers as it does with them side by side, on every engine.

HOLDSFOR_PROGRAMS sets how many programs are tried, HOLDSFOR_SEED the first one.
"""

from __future__ import annotations

from random import Random

import pytest

from tests.conformance.compare import compared, differences
from tests.conformance.engines import LOCAL, NAIVE, TASKS, Engine
from tests.laws.test_programs import SEEDS, answer
from tests.naive.programs import random_program
from tests.naive.wrapped import random_wrapping, wrapped


def _differences(seed: int, engine: Engine) -> list[str]:
    random = Random(seed)
    program = random_program(seed)
    wrapping = random_wrapping(program, random)
    other = wrapped(program, wrapping, random)
    expected = wrapping.answer(answer(NAIVE, program))
    lines = differences(compared(expected, program.horizon), compared(answer(engine, other), program.horizon))
    return [str(other), *lines] if lines else []


@pytest.mark.parametrize("engine", [*LOCAL, NAIVE], ids=str)
@pytest.mark.parametrize("seed", SEEDS[::5])
def test_terms_are_transparent(seed: int, engine: Engine) -> None:
    lines = _differences(seed, engine)
    assert not lines, "\n".join(lines)


@pytest.mark.parametrize("seed", SEEDS[::5])
def test_terms_are_transparent_to_tasks(seed: int) -> None:
    lines = _differences(seed, TASKS[seed % len(TASKS)])
    assert not lines, "\n".join(lines)
