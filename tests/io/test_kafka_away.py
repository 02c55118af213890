"""A Kafka that takes nothing is a receiver that is away, not a fault of ours."""

from __future__ import annotations

import pytest

from holdsfor.errors import HoldsforError
from holdsfor.spark.kafka import KafkaSink


def test_what_spark_says_of_a_broker_that_is_away() -> None:
    sink = KafkaSink.parse("kafka://host:9092/t")
    message = r"^kafka \(host:9092\) did not take the changes: Topic t not present in metadata after 60000 ms\. Is "
    with pytest.raises(HoldsforError, match=message), sink._failures():
        raise RuntimeError(
            "An error occurred while calling o1.save.\n: org.apache.spark.SparkException: \n"
            "org.apache.kafka.common.errors.TimeoutException: Topic t not present in metadata after 60000 ms.\n"
        )
