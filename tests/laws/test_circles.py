"""Random intervals that depend on themselves: the answer is the naive one on every host, whatever comes late or goes.

HOLDSFOR_PROGRAMS sets how many descriptions are tried, HOLDSFOR_SEED the first one.
"""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from holdsfor.engine.output.changes import REPORTS
from tests.conformance.compare import compared, differences
from tests.conformance.engines import LOCAL, TASKS, Engine, in_session, in_stream, on_spark
from tests.laws.test_programs import SEEDS, answer, explain, wrong
from tests.naive.circles import random_circles


def hosts(seed: int) -> tuple[Engine, ...]:
    """Each seed tries all hosts, with another number of buckets and another report."""
    report = REPORTS[seed % len(REPORTS)]
    return (*LOCAL, TASKS[seed % len(TASKS)], in_stream((1, 2, 8)[seed % 3], report), in_session(report))


@pytest.mark.parametrize("seed", SEEDS)
def test_circles_same_as_naive(seed: int) -> None:
    program = random_circles(seed)
    for engine in hosts(seed):
        lines = wrong(engine, program)
        if lines:
            pytest.fail(explain(engine, program, lines), pytrace=False)


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_that_are_taken_back(seed: int) -> None:
    """As if they had never been said: in one evaluation, and wherever answers have to be taken back."""
    program = random_circles(seed, retracts=True)
    expected = compared(answer(LOCAL[0], program), program.horizon)
    for engine in hosts(seed):
        found = compared(answer(engine, program), program.horizon)
        assert not differences(expected, found), f"{engine}\n{program}"


@pytest.mark.spark
@pytest.mark.parametrize("seed", SEEDS[:: max(1, len(SEEDS) // 3)])
def test_circles_on_spark(seed: int, spark: SparkSession) -> None:
    program = random_circles(seed)
    engine = on_spark(spark, (1, 2, 8)[seed % 3])
    lines = wrong(engine, program)
    assert not lines, "\n".join([f"{engine} differs from the naive evaluator on", str(program), *lines])
