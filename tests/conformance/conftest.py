"""The engine on Spark, for all golden cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.conformance.engines import Engine


@pytest.fixture(scope="session")
def spark_engine(spark: SparkSession) -> Engine:
    from tests.conformance.engines import on_spark

    return on_spark(spark, buckets=3)
