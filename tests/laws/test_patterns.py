"""Random patterns: ours is the naive answer, for every window and step, on every host.

HOLDSFOR_PATTERNS sets how many programs are tried, HOLDSFOR_SEED the first one.
"""

from __future__ import annotations

import os
from dataclasses import replace
from itertools import count, islice
from random import Random

import pytest
from _pytest.mark.structures import ParameterSet

from holdsfor.language import parse
from holdsfor.language.literals import all_variables
from holdsfor.language.nodes import find_all
from holdsfor.language.patterns import Absence
from tests.conformance.compare import compared, differences
from tests.conformance.engines import LOCAL, NAIVE, Engine, in_session, in_stream, in_tasks
from tests.conformance.patterns import PATTERN_ENGINES
from tests.conformance.streamed import arrival
from tests.laws.test_programs import answer, explain, wrong
from tests.naive.draw_patterns import random_patterns
from tests.naive.functions import FUNCTIONS

FIRST = int(os.environ.get("HOLDSFOR_SEED", "0"))
SEEDS = range(FIRST, FIRST + int(os.environ.get("HOLDSFOR_PATTERNS", "30")))


def quick_or_slow(seed: int, engine: Engine) -> ParameterSet:
    """Every program in process, and on one of the other hosts; on all of them in the long tests."""
    others = PATTERN_ENGINES[1:]
    is_quick = engine not in others or others[seed % len(others)] is engine
    return pytest.param(seed, engine, marks=() if is_quick else pytest.mark.slow, id=f"{seed}-{engine}")


@pytest.mark.parametrize("mixed", [False, True], ids=["patterns", "with fluents"])
@pytest.mark.parametrize(
    ("seed", "engine"), [quick_or_slow(seed, engine) for seed in SEEDS for engine in PATTERN_ENGINES]
)
def test_same_as_naive(seed: int, mixed: bool, engine: Engine) -> None:
    program = random_patterns(seed, mixed)
    lines = wrong(engine, program)
    if lines:
        pytest.fail(explain(engine, program, lines), pytrace=False)


def shares_with_outside(seed: int) -> bool:
    """Whether a NOT has a variable that neither of the events around it has."""
    rules = parse(random_patterns(seed).text, functions=FUNCTIONS).patterns
    absences = [part for rule in rules for part in find_all(rule.pattern, Absence)]
    shared = (
        all_variables(each.what).difference(*(all_variables(part) for part in each.together)) for each in absences
    )
    return any(not variable.name.startswith("_") for variables in shared for variable in variables)


BUCKETS = (in_tasks(1), in_tasks(2), in_tasks(8), in_stream(1), in_stream(8), LOCAL[1], in_session())
SHARING = list(islice(filter(shares_with_outside, count(FIRST)), len(SEEDS) // 2))


def in_turn(place: int, seed: int, engine: Engine) -> ParameterSet:
    is_quick = BUCKETS[place % len(BUCKETS)] is engine
    return pytest.param(seed, engine, marks=() if is_quick else pytest.mark.slow, id=f"{seed}-{engine}")


@pytest.mark.parametrize(
    ("seed", "engine"), [in_turn(place, seed, engine) for place, seed in enumerate(SHARING) for engine in BUCKETS]
)
def test_a_variable_of_not_that_is_bound_outside(seed: int, engine: Engine) -> None:
    program = random_patterns(seed)
    lines = wrong(engine, program)
    if lines:
        pytest.fail(explain(engine, program, lines), pytrace=False)


@pytest.mark.parametrize("engine", [in_stream(2, "final"), in_stream(2, "settling"), in_session("final")], ids=str)
@pytest.mark.parametrize("seed", SEEDS[::4])
def test_every_report_comes_to_the_same(seed: int, engine: Engine) -> None:
    program = random_patterns(seed, mixed=seed % 8 == 0)
    lines = wrong(engine, program)
    if lines:
        pytest.fail(explain(engine, program, lines), pytrace=False)


@pytest.mark.parametrize("engine", [LOCAL[0], LOCAL[1], in_stream(3), in_session()], ids=str)
@pytest.mark.parametrize("seed", SEEDS[::4])
def test_what_is_taken_back_has_never_been(seed: int, engine: Engine) -> None:
    program = random_patterns(seed, mixed=seed % 8 == 0)
    whole = replace(program.horizon, window=10 * program.horizon.end)  # so that nothing is too late
    random = Random(seed)
    gone = {row.partition(" arrives ")[0] for row in program.rows if random.random() < 0.3}
    left = [row for row in program.rows if row.partition(" arrives ")[0] not in gone]
    back = [f"retract {row} arrives {random.randint(program.horizon.end - 3, program.horizon.end)}" for row in gone]
    rows = [row for row in program.rows if arrival(row) < program.horizon.end - 3 or row in left]
    expected = answer(NAIVE, replace(program, rows=tuple(left), horizon=whole))
    found = answer(engine, replace(program, rows=(*rows, *sorted(back)), horizon=whole))
    assert not differences(compared(expected, whole), compared(found, whole)), (str(program), gone)
