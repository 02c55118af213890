"""Whole applications against the original's final history: three generated streams, and the real CAVIAR recording."""

from __future__ import annotations

import pytest

from tests.conformance.cases import ABSENT, APPLICATIONS, GOLDEN, application
from tests.conformance.check import check
from tests.conformance.engines import LOCAL, STREAMS, Engine

if not GOLDEN.exists():
    pytest.skip(ABSENT, allow_module_level=True)


#: On Spark the quick tests take the streams with delays, and the recording.
ON_SPARK = [pytest.param(name, marks=pytest.mark.slow if name.endswith("_d0") else ()) for name in APPLICATIONS]


@pytest.mark.parametrize("engine", [*LOCAL, STREAMS[-1]], ids=str)
@pytest.mark.parametrize("name", APPLICATIONS)
def test_application(name: str, engine: Engine) -> None:
    check(application(name), engine)


@pytest.mark.spark
@pytest.mark.parametrize("name", ON_SPARK)
def test_application_on_spark(name: str, spark_engine: Engine) -> None:
    check(application(name), spark_engine)
