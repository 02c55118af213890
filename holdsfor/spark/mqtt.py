"""MQTT as a source of a Spark stream: reads what a spooler has written, from as many tasks as there is work for.

    spark.dataSource.register(MqttSource)
    spark.readStream.format("holdsfor-mqtt").option("folder", "spool").load()

Options: folder; maxMessages or maxSegments, how much a batch takes at most; partitions, how many tasks read (default:
one for each core); forget, whether what is committed is removed from the spool (default: true).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxBytes,
    ReadMaxFiles,
    ReadMaxRows,
    SupportsTriggerAvailableNow,
)
from pyspark.sql.types import StructType

from holdsfor.errors import HoldsforError
from holdsfor.io.mqtt.spool import MESSAGES_SCHEMA, Segment, read_segment
from holdsfor.job.live.input.feeds import SpoolFeed, first_rows, offset_after
from holdsfor.job.live.input.files import Offset
from holdsfor.spark.frames import ddl_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FORMAT = "holdsfor-mqtt"
#: Messages for which another task is worth its start.
ROWS_A_TASK = 10_000


class MqttSource(DataSource):
    @classmethod
    def name(cls) -> str:
        return FORMAT

    def schema(self) -> str:
        return ddl_of(MESSAGES_SCHEMA)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        return MqttStreamReader(self.options)


class MqttPartition(InputPartition):
    """Segments that one task reads, in order."""

    def __init__(self, paths: tuple[str, ...]) -> None:
        self.paths = paths


class MqttStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """An offset is the number of the first segment that is not read yet."""

    def __init__(self, options: Mapping[str, str]) -> None:
        settings = {key.lower(): value for key, value in options.items()}
        if "folder" not in settings:
            raise HoldsforError(f'format("{FORMAT}") needs the folder of a spool: .option("folder", ...).')
        self.feed = SpoolFeed(settings["folder"])
        self.limit = _limit(settings)
        self.tasks = _number(settings, "partitions") or os.cpu_count() or 1
        self.forgets = settings.get("forget", "true").lower() != "false"

    def initialOffset(self) -> Offset:
        return self.feed.initial()

    def getDefaultReadLimit(self) -> ReadLimit:
        return self.limit

    def prepareForTriggerAvailableNow(self) -> None:
        self.feed.seal()

    def latestOffset(self, start: Offset, limit: ReadLimit) -> Offset:
        """At least one segment, if there is one, however large."""
        return offset_after(admitted(self.feed.waiting(start), limit), start)

    def reportLatestOffset(self) -> Offset:
        return offset_after(self.feed.spool.segments(), self.feed.initial())

    def partitions(self, start: Offset, end: Offset) -> Sequence[InputPartition]:
        return shared_out(self.feed.spool.between(start["segment"], end["segment"]), self.tasks)

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, MqttPartition)
        for path in partition.paths:
            yield from read_segment(path).to_batches()

    def commit(self, end: Offset) -> None:
        if self.forgets:
            self.feed.forget(end)


def mqtt_stream(spark: SparkSession, folder: str, **options: object) -> DataFrame:
    """The messages in a spool as a stream: id, topic, payload, received (milliseconds since 1970)."""
    spark.dataSource.register(MqttSource)
    texts = {key: str(value) for key, value in options.items()}
    return spark.readStream.format(FORMAT).option("folder", os.fspath(folder)).options(**texts).load()


def admitted(waiting: Sequence[Segment], limit: ReadLimit) -> Sequence[Segment]:
    """The first of the segments, as many as the limit allows, and one in any case."""
    if isinstance(limit, ReadMaxFiles):
        return waiting[: max(1, limit.max_files)]
    if isinstance(limit, ReadMaxRows):
        return first_rows(waiting, [segment.rows for segment in waiting], limit.max_rows)
    if isinstance(limit, ReadMaxBytes):
        return first_rows(waiting, [segment.path.stat().st_size for segment in waiting], limit.max_bytes)
    return waiting


def shared_out(segments: Sequence[Segment], tasks: int) -> list[InputPartition]:
    """Runs of segments with about the same number of messages each."""
    rows = sum(segment.rows for segment in segments)
    share = max(ROWS_A_TASK, -(-rows // tasks))
    runs: list[list[str]] = []
    room = 0
    for segment in segments:
        if not runs or room <= 0:
            runs.append([])
            room = share
        runs[-1].append(str(segment.path))
        room -= segment.rows
    return [MqttPartition(tuple(run)) for run in runs]


def _limit(settings: Mapping[str, str]) -> ReadLimit:
    rows, segments = _number(settings, "maxMessages"), _number(settings, "maxSegments")
    if rows and segments:
        raise HoldsforError("give maxMessages or maxSegments, not both.")
    if rows:
        return ReadMaxRows(rows)
    return ReadMaxFiles(segments) if segments else ReadAllAvailable()


def _number(settings: Mapping[str, str], name: str) -> int | None:
    text = settings.get(name.lower())
    if text is None:
        return None
    if not text.isdigit() or int(text) < 1:
        raise HoldsforError(f"option {name} = {text!r}: write a number above 0.")
    return int(text)
