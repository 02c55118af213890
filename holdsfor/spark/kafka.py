"""Kafka in and out, through Spark's own connector."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from holdsfor.errors import HoldsforError
from holdsfor.io.brokers.kafka import OPTIONS, Kafka, subscription
from holdsfor.io.mqtt.sink import IN_TOPICS, change_fields, check_placeholders
from holdsfor.io.sinks.messages import in_order, write_messages
from holdsfor.spark.errors import reason_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

RESERVED = re.compile(r"[^A-Za-z0-9._-]")  # what a topic of Kafka's may not have

# ---------------------------------------------------------------- in


def read_topics(spark: SparkSession, kafka: Kafka, max_events: int | None = None) -> DataFrame:
    """The messages of the topics as a stream."""
    limits = {} if max_events is None else {"maxOffsetsPerTrigger": str(max_events)}
    own = {name: value for name, value in kafka.options.items() if name in OPTIONS}
    with required_connector():
        source = spark.readStream.format("kafka").options(**kafka.connection, **subscription(kafka.topics))
        return as_messages(source.options(**own, **limits).load())


def as_messages(frame: DataFrame) -> DataFrame:
    """Rows as Kafka's connector gives them, as `messages_to_events` takes them; without those that have no value."""
    from pyspark.sql import functions as f

    return frame.filter(f.col("value").isNotNull()).select(
        f.concat_ws("/", "topic", "partition", "offset").alias("id"),
        f.translate(f.col("topic"), ".", "/").alias("topic"),
        f.col("value").alias("payload"),
        f.unix_millis("timestamp").alias("received"),
    )


# ---------------------------------------------------------------- out


@dataclass(frozen=True, slots=True)
class KafkaSink:
    """Publishes changes as JSON; the key is the id of the interval, so that its changes stay in order.

    topic: `{fluent}` (of an occurrence: its event), `{value}`, `{op}`, `{id}` and `{batch}` are replaced.
    """

    kafka: Kafka
    topic: str
    name: str = "kafka"
    on_driver: bool = True  # where the session is

    def __post_init__(self) -> None:
        check_placeholders(self.topic)

    @staticmethod
    def parse(address: str, name: str = "kafka") -> KafkaSink:
        kafka = Kafka.parse(address, check_topics=False)
        if len(kafka.topics) > 1:
            raise HoldsforError(
                "changes go to one topic; it may have {fluent} in it: kafka://host/recognised.{fluent}."
            )
        topic = kafka.topics[0] if kafka.topics else "recognised.{fluent}"
        return KafkaSink(kafka, topic, name)

    def deliver(self, batch: int, part: str, changes: pa.Table) -> int:
        from pyspark.sql import SparkSession

        if not changes.num_rows:
            return 0
        spark = SparkSession.builder.getOrCreate()
        rows = spark.createDataFrame(self.records(batch, changes).to_pylist(), "topic string, key string, value string")
        with required_connector(), self._failures():
            rows.coalesce(1).write.format("kafka").options(**self.kafka.connection).save()
        return len(changes)

    @contextmanager
    def _failures(self) -> Iterator[None]:
        """Raise what Spark says of a broker that takes nothing as an error of this receiver."""
        try:
            yield
        except Exception as error:
            raise HoldsforError(
                f"{self.name} ({self.kafka.servers}) did not take the changes: {reason_of(error)} Is the broker up?"
            ) from error

    def records(self, batch: int, changes: pa.Table) -> pa.Table:
        """Topic, key and value of each change, in the order of query times."""
        rows = list(change_fields(batch, in_order(changes)))
        topics = [self.topic.format(**{name: _plain(row[name]) for name in IN_TOPICS}) for row in rows]
        return pa.table({"topic": topics, "key": [row["id"] for row in rows], "value": write_messages(batch, changes)})


def _plain(value: object) -> str:
    return RESERVED.sub("_", str(value))


@contextmanager
def required_connector() -> Iterator[None]:
    """Tell how to install the connector if Spark has none."""
    try:
        yield
    except Exception as error:
        message = f"{error} {error.__cause__}"
        if "find data source: kafka" not in message and "data source `kafka`" not in message:
            raise
        raise HoldsforError(
            "Spark has no connector for Kafka here. Let Spark fetch it when it starts: "
            f"--conf spark.jars.packages={kafka_package()}"
        ) from error


def kafka_package() -> str:
    """Return the package of the connector for this Spark, which spark.jars.packages fetches."""
    from pyspark import __version__

    return f"org.apache.spark:spark-sql-kafka-0-10_2.13:{__version__}"
