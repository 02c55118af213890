"""Random programs over facts that change: every host gives the answer that is worked out point by point.

HOLDSFOR_PROGRAMS sets how many programs are tried on each host, HOLDSFOR_SEED the first one.
"""

from __future__ import annotations

import os

import pytest

from holdsfor.language import parse
from tests.conformance.compare import compared, differences
from tests.conformance.engines import LOCAL, TASKS, Engine, in_session, in_stream
from tests.naive.draw_facts import random_facts
from tests.naive.evaluate import Answer
from tests.naive.facts import FactProgram, recognise
from tests.naive.rows import Horizon

FIRST = int(os.environ.get("HOLDSFOR_SEED", "0"))
SEEDS = range(FIRST, FIRST + int(os.environ.get("HOLDSFOR_PROGRAMS", "12")))
HOSTS = (*LOCAL, *TASKS, in_stream(2), in_session())


def shown(answer: Answer, horizon: Horizon) -> Answer:
    """What is compared; that a fact ends after the history is known of some, and shows no difference."""
    result = compared(answer, horizon)
    for times in result.intervals.values():
        times[:] = [(start, None if end is None or end > horizon.end + 1 else end) for start, end in times]
    return result


def check(program: FactProgram, engine: Engine) -> None:
    found = engine.recognise(parse(program.text), program.rows, program.horizon)
    lines = differences(shown(recognise(program), program.horizon), shown(found, program.horizon))
    if lines:
        pytest.fail("\n".join([program.text, *program.rows, str(program.horizon), *lines]), pytrace=False)


@pytest.mark.parametrize("engine", HOSTS, ids=str)
@pytest.mark.parametrize("seed", SEEDS)
def test_same_as_point_by_point(seed: int, engine: Engine) -> None:
    check(random_facts(seed), engine)


@pytest.mark.parametrize("engine", HOSTS, ids=str)
@pytest.mark.parametrize("seed", SEEDS)
def test_what_comes_too_late_counts_from_the_window_on(seed: int, engine: Engine) -> None:
    check(random_facts(seed, in_time=False), engine)
