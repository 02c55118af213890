"""The law of `internal` and `only`: they leave definitions out of results, and change nothing else, on every host.

HOLDSFOR_PROGRAMS and HOLDSFOR_SEED as for the laws of programs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from random import Random

import pytest
from pyspark.sql import SparkSession

import holdsfor
from holdsfor.language import DescriptionError, EventDescription, parse
from holdsfor.language.choosing import choose_results
from tests.conformance.compare import compared, differences
from tests.conformance.engines import LOCAL, NAIVE, TASKS, Engine, in_session, in_stream, on_spark
from tests.conformance.engines import answer as as_answer
from tests.laws.test_programs import SEEDS, answer, skip_if_too_large
from tests.naive.draw_patterns import random_patterns
from tests.naive.evaluate import Answer
from tests.naive.functions import FUNCTIONS
from tests.naive.internal import declare_internal, defined, draw, without
from tests.naive.programs import Program, random_program
from tests.naive.rows import Horizon, line_format
from tests.naive.shapes import random_shapes


def in_threads(description: EventDescription, lines: Sequence[str], horizon: Horizon) -> Answer:
    events = holdsfor.read_events(list(lines), format=line_format(lines))
    result = holdsfor.recognise(description, events, **asdict(horizon), threads=2)
    return as_answer(result.intervals, result.occurrences)


HOSTS = (*LOCAL, Engine("threads", in_threads), TASKS[2], in_stream(3), in_session())
PROGRAMS = {
    "programs": random_program,
    "patterns": lambda seed: random_patterns(seed, mixed=True),
    "stages": random_shapes,
}


def plain(kind: str, seed: int) -> Program:
    """A random program without `internal`."""
    program = PROGRAMS[kind](seed)
    kept = tuple(line for line in program.declarations if not line.startswith("internal "))
    return replace(program, declarations=kept)


def check(engine: Engine, program: Program, seed: int) -> None:
    chosen = draw(program, Random(f"law {seed}"))
    expected = compared(without(answer(NAIVE, program), set(chosen)), program.horizon)
    try:
        found = answer(engine, declare_internal(program, chosen))
    except DescriptionError as error:
        skip_if_too_large(error)
        raise
    assert not differences(expected, compared(found, program.horizon)), f"{chosen} of\n{program}"


@pytest.mark.parametrize("kind", PROGRAMS)
@pytest.mark.parametrize("seed", SEEDS[::2])
def test_internal_leaves_out_and_changes_nothing(seed: int, kind: str) -> None:
    check(HOSTS[seed % len(HOSTS)], plain(kind, seed), seed)


@pytest.mark.parametrize("kind", PROGRAMS)
@pytest.mark.parametrize("seed", SEEDS[::6])
def test_only_is_internal_for_the_others(seed: int, kind: str) -> None:
    program, engine = plain(kind, seed), HOSTS[seed % len(HOSTS)]
    owners = defined(program)
    chosen = draw(program, Random(f"only {seed}")) or owners[:1]
    expected = without(answer(NAIVE, program), {*owners} - {*chosen})
    description = choose_results(parse(program.text, functions=FUNCTIONS), map(str, chosen))
    found = engine.recognise(description, program.rows, program.horizon)
    assert not differences(compared(expected, program.horizon), compared(found, program.horizon)), str(program)


@pytest.mark.spark
@pytest.mark.parametrize("kind", PROGRAMS)
def test_spark_leaves_out_and_changes_nothing(kind: str, spark: SparkSession) -> None:
    check(on_spark(spark, 3), plain(kind, 5), 5)
