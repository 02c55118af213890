"""Addresses of Kafka, and how Spark's connector is told of them."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pytest

from holdsfor.errors import HoldsforError
from holdsfor.io.brokers.kafka import Kafka, subscription
from holdsfor.spark.kafka import KafkaSink

CHANGES = pa.table(
    {
        "query_time": [20, 10],
        "op": ["extend", "insert"],
        "id": ["b2", "a1"],
        "fluent": ["hot", "too hot"],
        "args": [["M-1"], ["M-2"]],
        "value": ["true", "true"],
        "start": [5, 6],
        "end": pa.array([None, None], pa.int64()),
    }
)


def test_an_address_has_brokers_topics_and_options() -> None:
    kafka = Kafka.parse("kafka://a:9093,b/plant.readings,plant.doors?startingOffsets=earliest&kafka.client.id=x")
    assert kafka.servers == "a:9093,b:9092"
    assert kafka.topics == ("plant.readings", "plant.doors")
    assert kafka.connection == {"kafka.bootstrap.servers": "a:9093,b:9092", "kafka.client.id": "x"}
    assert kafka.options["startingOffsets"] == "earliest"


def test_secrets_come_from_a_file_and_are_not_shown(tmp_path: Path) -> None:
    (tmp_path / "jaas").write_text("secret module required;\n")
    kafka = Kafka.parse(f"kafka://a/t?kafka.security.protocol=SASL_SSL&jaas_file={tmp_path / 'jaas'}")
    assert kafka.connection["kafka.sasl.jaas.config"] == "secret module required;"
    assert "secret" not in repr(kafka)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("kafka:///topic", "is not a Kafka address. Write kafka://host:9092/topic"),
        ("kafka://me:secret@host/topic", "User and password go into a file"),
        ("kafka://host:port/topic", "is not a Kafka address"),
        ("kafka://host/a#b", "is not a topic filter"),
        ("kafka://host/t?startingOffset=latest", "Did you mean 'startingOffsets'?"),
    ],
)
def test_a_wrong_address_is_refused(address: str, message: str) -> None:
    with pytest.raises(HoldsforError) as refused:
        Kafka.parse(address)
    assert message in str(refused.value)
    assert "secret" not in str(refused.value)


def test_topics_are_subscribed_to_by_name_or_by_pattern() -> None:
    assert subscription(("plant.readings", "plant/doors")) == {"subscribe": "plant.readings,plant.doors"}
    pattern = subscription(("plant/+/reading", "doors/#"))["subscribePattern"]
    for topic in ("plant.m1.reading", "doors", "doors.north.gate"):
        assert re.fullmatch(pattern, topic), topic
    for topic in ("plant.m1.x.reading", "plant.reading", "plantXm1Xreading", "doorsteps"):
        assert not re.fullmatch(pattern, topic), topic
    with pytest.raises(HoldsforError, match="there is no Kafka topic"):
        subscription(())


def test_changes_become_records_in_order() -> None:
    sink = KafkaSink.parse("kafka://host/alarms.{fluent}")
    rows = sink.records(3, CHANGES).to_pylist()
    assert [(row["topic"], row["key"]) for row in rows] == [("alarms.too_hot", "a1"), ("alarms.hot", "b2")]
    assert rows[0]["value"].startswith('{"batch":3,"query_time":10,"op":"insert","id":"a1","fluent":"too hot"')
    assert KafkaSink.parse("kafka://host").topic == "recognised.{fluent}"


@pytest.mark.parametrize(
    ("address", "message"), [("kafka://h/{x}", "{x} in the topic"), ("kafka://h/a,b", "one topic")]
)
def test_a_wrong_topic_to_publish_to_is_refused(address: str, message: str) -> None:
    with pytest.raises(HoldsforError, match=re.escape(message)):
        KafkaSink.parse(address)
