"""Whole applications against the original's final history: three generated streams, and the real CAVIAR recording."""

from __future__ import annotations

import pytest

from tests.conformance.cases import APPLICATIONS, application, recording
from tests.conformance.check import check
from tests.conformance.engines import LOCAL, STREAMS, Engine
from tests.recorded import ABSENT, SHARED

#: On Spark the quick tests take the streams with delays.
ON_SPARK = [pytest.param(name, marks=pytest.mark.slow if name.endswith("_d0") else ()) for name in APPLICATIONS]


@pytest.mark.parametrize("engine", [*LOCAL, STREAMS[-1]], ids=str)
@pytest.mark.parametrize("name", APPLICATIONS)
def test_application(name: str, engine: Engine) -> None:
    check(application(name), engine)


@pytest.mark.skipif(not SHARED.is_dir(), reason=ABSENT)
@pytest.mark.parametrize("engine", [*LOCAL, STREAMS[-1]], ids=str)
def test_real_recording(engine: Engine) -> None:
    check(recording(), engine)


@pytest.mark.spark
@pytest.mark.parametrize("name", ON_SPARK)
def test_application_on_spark(name: str, spark_engine: Engine) -> None:
    check(application(name), spark_engine)


@pytest.mark.spark
@pytest.mark.skipif(not SHARED.is_dir(), reason=ABSENT)
def test_real_recording_on_spark(spark_engine: Engine) -> None:
    check(recording(), spark_engine)
