"""Folders and brokers as streaming DataFrames, with how to read them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from holdsfor.errors import HoldsforError
from holdsfor.io.brokers.kafka import SCHEME, Kafka
from holdsfor.io.mqtt.topics import topic_filters
from holdsfor.io.readers.mapping import as_mapping
from holdsfor.job.live.input.feeds import Folder, MessageReader, Watch, spooled_messages
from holdsfor.job.live.input.reading import Reader
from holdsfor.spark.session import require_spark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def require_sources() -> None:
    """Refuses a Spark whose sources in Python know no limits: with it a stream would not know where it was."""
    require_spark()
    if find_spec("pyspark.sql.streaming.datasource") is None:
        from pyspark import __version__

        raise HoldsforError(
            f"Spark {__version__} is too old to stream from folders and brokers. Install a newer one (pip install "
            "'pyspark>=4.3'), write --engine local, or give holdsfor.spark.stream a streaming DataFrame of your own."
        )


@contextmanager
def open_source(
    spark: SparkSession,
    place: str,
    checkpoint: str,
    format: str | None = None,
    mapping: Any = None,
    max_events: int | None = None,
    max_files: int | None = None,
    take_over: bool = False,
    watch: Watch | None = None,
) -> Iterator[tuple[DataFrame, Reader]]:
    """Open what `--from` names as a streaming DataFrame, as `open_feed` does for this process."""
    from holdsfor.spark.kafka import read_topics

    if place.startswith(SCHEME):
        resolved = as_mapping(mapping)
        kafka = Kafka.parse(place)
        kafka = replace(kafka, topics=kafka.topics or topic_filters(resolved))
        yield (
            read_topics(spark, kafka, max_events),
            MessageReader(resolved, f"{kafka.servers} {', '.join(kafka.topics)}"),
        )
        return
    require_sources()
    from holdsfor.spark.live.files import file_stream
    from holdsfor.spark.mqtt import mqtt_stream

    if "://" not in place:
        folder = Folder.of(place, checkpoint, format, mapping)
        limits = {"pattern": folder.pattern, "format": format, "maxFiles": max_files, "maxEvents": max_events}
        yield file_stream(spark, folder.path, folder.seen, **limits), folder.reader
        return
    with spooled_messages(place, f"{checkpoint}/spool", mapping, take_over, watch) as (spool, reader):
        yield mqtt_stream(spark, spool, **({} if max_events is None else {"maxMessages": max_events})), reader
