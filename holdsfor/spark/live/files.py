"""New files in a folder as a stream of Spark's (see `job.live.files`).

    spark.dataSource.register(FileSource)
    spark.readStream.format("holdsfor-files").option("folder", "incoming").option("seen", "state/files.jsonl").load()

Options: pattern (of names, default *), format, maxEvents or maxFiles (how much a batch takes at most).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, SupportsTriggerAvailableNow
from pyspark.sql.types import StructType

from holdsfor.job.live.input.files import SCHEMA, FileFeed, Offset
from holdsfor.spark.frames import ddl_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FORMAT = "holdsfor-files"


class FileSource(DataSource):
    @classmethod
    def name(cls) -> str:
        return FORMAT

    def schema(self) -> str:
        return ddl_of(SCHEMA)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        return FileStreamReader(self.options)


class FilePartition(InputPartition):
    def __init__(self, table: pa.Table) -> None:
        self.table = table


class FileStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    def __init__(self, options: Mapping[str, str]) -> None:
        values = {key.lower(): value for key, value in options.items()}
        self.feed = FileFeed(
            Path(values["folder"]),
            Path(values["seen"]),
            values.get("pattern", "*"),
            values.get("format"),
            *(int(values.get(name, 0)) for name in ("maxevents", "maxfiles")),
        )

    def initialOffset(self) -> Offset:
        return self.feed.initial()

    def getDefaultReadLimit(self) -> ReadLimit:
        return ReadAllAvailable()  # the limits are our own: a batch has at least one file, however large

    def prepareForTriggerAvailableNow(self) -> None:
        self.feed.seal()

    def latestOffset(self, start: Offset, limit: ReadLimit) -> Offset:
        return self.feed.latest(start)

    def partitions(self, start: Offset, end: Offset) -> Sequence[InputPartition]:
        return [FilePartition(table) for table in self.feed.tables(start, end)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, FilePartition)
        yield from partition.table.to_batches()


def file_stream(spark: SparkSession, folder: Path, seen: str, **options: object) -> DataFrame:
    spark.dataSource.register(FileSource)
    texts = {key: str(value) for key, value in options.items() if value is not None}
    frame = spark.readStream.format(FORMAT).option("folder", str(folder.absolute())).option("seen", seen)
    return frame.options(**texts).load()
