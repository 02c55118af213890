"""Kafka's messages as Spark's connector gives them; the connector itself is not installed here."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import holdsfor
from holdsfor.errors import HoldsforError
from holdsfor.io.brokers.kafka import Kafka
from holdsfor.io.mqtt.payload import messages_to_events
from holdsfor.io.readers.mapping import as_mapping
from holdsfor.job.live.input.feeds import MessageReader
from holdsfor.spark import stream
from holdsfor.spark.kafka import KafkaSink, as_messages, kafka_package, read_topics
from tests.io.test_kafka import CHANGES

pytestmark = pytest.mark.spark

#: As the connector's documents have it.
SCHEMA = "key binary, value binary, topic string, partition int, offset bigint, timestamp timestamp, timestampType int"
RULES = """
initiatedAt(hot(M)=true, T) :- happensAt(reading(M, C), T), C > 90.
terminatedAt(hot(M)=true, T) :- happensAt(reading(M, C), T), C =< 90.
"""
MAPPING: dict[str, Any] = {
    "time": "ts",
    "events": {"reading": ["machine", "celsius"]},
    "topics": {"plant/{machine}/reading": "reading"},
}
READINGS = [("m1", 10, 95.0), ("m2", 15, 99.0), ("m1", 40, 80.0)]


def rows() -> list[tuple[Any, ...]]:
    payloads = [json.dumps({"ts": ts, "celsius": celsius}).encode() for _, ts, celsius in READINGS]
    topics = [f"plant.{machine}.reading" for machine, _, _ in READINGS]
    at = datetime(2026, 3, 1, tzinfo=UTC)
    found: list[tuple[Any, ...]] = [
        (None, p, t, 0, n, at, 0) for n, (p, t) in enumerate(zip(payloads, topics, strict=True))
    ]
    return [*found, (b"m1", None, "plant.m1.reading", 0, 9, at, 0)]  # a tombstone


def test_rows_of_kafka_are_messages(spark: SparkSession) -> None:
    table = as_messages(spark.createDataFrame(rows(), SCHEMA)).toArrow()
    assert table["id"].to_pylist() == [f"plant.{m}.reading/0/{n}" for n, (m, _, _) in enumerate(READINGS)]
    assert set(table["received"].to_pylist()) == {int(datetime(2026, 3, 1, tzinfo=UTC).timestamp() * 1000)}
    events = messages_to_events(table, MAPPING, holdsfor.parse(RULES).inputs)
    assert (events.read, events.rejects.num_rows) == (3, 0)


def test_a_stream_of_kafkas_schema(spark: SparkSession, tmp_path: Path) -> None:
    spark.createDataFrame(rows(), SCHEMA).write.parquet(str(tmp_path / "topic"))
    incoming = as_messages(spark.readStream.schema(SCHEMA).parquet(str(tmp_path / "topic")))
    reader = MessageReader(as_mapping(MAPPING), "kafka")
    live = stream(
        spark, holdsfor.parse(RULES), incoming, format=reader, window=100, step=50, start=0,
        checkpoint=str(tmp_path / "state"), once=True, buckets=1,
    )  # fmt: skip
    assert live.awaitTermination(120)
    found = {(row["args"][0], row["start"], row["end"]) for row in live.current()[0].to_pylist()}
    assert found == {("m1", 11, 41), ("m2", 16, None)}


def test_without_the_connector_the_message_says_how_to_install_it(spark: SparkSession) -> None:
    with pytest.raises(HoldsforError, match=f"spark.jars.packages={kafka_package()}"):
        read_topics(spark, Kafka.parse("kafka://host/topic"))
    with pytest.raises(HoldsforError, match="Spark has no connector for Kafka here"):
        KafkaSink.parse("kafka://host/topic").deliver(0, "0", CHANGES)
    assert KafkaSink.parse("kafka://host/topic").deliver(0, "0", CHANGES.slice(0, 0)) == 0
