"""Where a stream comes from: a folder that gets new files, or a broker. As a streaming DataFrame and how to read it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from holdsfor.errors import HoldsforError
from holdsfor.io.events import Events
from holdsfor.io.mqtt.payload import messages_to_events, topic_filters
from holdsfor.io.mqtt.settings import Settings
from holdsfor.io.mqtt.spooler import Spooler
from holdsfor.io.readers.mapping import Mapping, as_mapping
from holdsfor.io.storage.store import located
from holdsfor.job.live.reading import Reader
from holdsfor.language.description import Input
from holdsfor.spark.live.files import FileReader, file_stream

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True, slots=True)
class MessageReader:
    """Messages of a broker, as the spool keeps them. source: which broker and topics, for a checkpoint to know."""

    mapping: Mapping
    source: str = ""

    def read(self, table: pa.Table, inputs: Sequence[Input], source: str, row: int) -> Events:
        return messages_to_events(table, self.mapping, inputs)


def folder_stream(
    spark: SparkSession, place: str, checkpoint: str, format: str | None, mapping: Any, limits: dict[str, int | None]
) -> tuple[DataFrame, Reader]:
    """The files that are in a folder (or match a pattern) and those that come later, each read once.

    limits: maxEvents or maxFiles, how much a batch takes at most.
    """
    path = Path(place)
    folder, pattern = (path, "*") if path.is_dir() else (path.parent, path.name)
    if not folder.is_dir():
        raise HoldsforError(f"no such folder: {folder}. A stream of files needs a folder, or a pattern in one.")
    seen = f"{located(checkpoint)}/files.jsonl"
    frame = file_stream(spark, folder, seen, pattern=pattern, format=format, **limits)
    source = f"{folder.absolute()}/{pattern} as {format or 'its names say'}"
    return frame, FileReader(as_mapping(mapping), source)


@contextmanager
def message_stream(
    spark: SparkSession, address: str, spool: str, mapping: Any, most: int | None, take_over: bool = False
) -> Iterator[tuple[DataFrame, Reader]]:
    """The messages of a broker, spooled to a folder as long as the context lasts. most: messages a batch."""
    from holdsfor.spark.mqtt import messages

    known = as_mapping(mapping)
    settings = Settings.parse(address)
    if not settings.topics:
        settings = replace(settings, topics=topic_filters(known))
    spool = located(spool)
    with Spooler(settings, spool, take_over=take_over):
        options = {} if most is None else {"maxMessages": most}
        source = f"{settings.address} {', '.join(sorted(settings.topics))}"
        yield messages(spark, spool, **options), MessageReader(known, source)
