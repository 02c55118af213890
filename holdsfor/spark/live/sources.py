"""Folders and brokers as streaming DataFrames, with how to read them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from holdsfor.job.live.feeds import Folder, spooled_messages
from holdsfor.job.live.reading import Reader
from holdsfor.spark.live.files import file_stream

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


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
) -> Iterator[tuple[DataFrame, Reader]]:
    """What `--from` names, as `job.live.feeds.open_feed`."""
    from holdsfor.spark.mqtt import messages

    if "://" not in place:
        folder = Folder.of(place, checkpoint, format, mapping)
        limits = {"pattern": folder.pattern, "format": format, "maxFiles": max_files, "maxEvents": max_events}
        yield file_stream(spark, folder.path, folder.seen, **limits), folder.reader
        return
    with spooled_messages(place, f"{checkpoint}/spool", mapping, take_over) as (spool, reader):
        yield messages(spark, spool, **({} if max_events is None else {"maxMessages": max_events})), reader
