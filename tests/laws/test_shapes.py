"""Random descriptions with many stages: whatever has to be together, the answer is the naive one on every host.

HOLDSFOR_PROGRAMS sets how many descriptions are tried, HOLDSFOR_SEED the first one.
"""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from tests.conformance.engines import LOCAL, Engine, in_session, in_stream, in_tasks, on_spark
from tests.laws.test_programs import SEEDS, explain, wrong
from tests.naive.shapes import random_shapes

HOSTS = (LOCAL[0], in_tasks(2), in_tasks(7), in_stream(3), in_session())


@pytest.mark.parametrize("seed", SEEDS[::3])
def test_shapes_same_as_naive(seed: int) -> None:
    program = random_shapes(seed)
    for engine in HOSTS:
        lines = wrong(engine, program)
        if lines:
            pytest.fail(explain(engine, program, lines), pytrace=False)


@pytest.mark.spark
@pytest.mark.parametrize("seed", SEEDS[:: max(1, len(SEEDS) // 3)])
def test_shapes_on_spark(seed: int, spark: SparkSession) -> None:
    program = random_shapes(seed)
    engine: Engine = on_spark(spark, (2, 7)[seed % 2])
    lines = wrong(engine, program)
    assert not lines, "\n".join([f"{engine} differs from the naive evaluator on", str(program), *lines])
