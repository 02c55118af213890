"""Where a stream comes from: a folder that gets new files, or a broker. As a streaming DataFrame and how to read it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.errors import HoldsforError
from holdsfor.io.events import Events
from holdsfor.io.fields import open_text
from holdsfor.io.files import csv_events
from holdsfor.io.mapping import Mapping, as_mapping
from holdsfor.io.mqtt.payload import messages_to_events, topic_filters
from holdsfor.io.mqtt.settings import Settings
from holdsfor.io.mqtt.spooler import Spooler
from holdsfor.io.read import guess_format
from holdsfor.language.description import Input
from holdsfor.spark.live.reading import ColumnReader, LineReader, Reader, joined_lines
from holdsfor.spark.sources import moved

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

HIDDEN = (".", "_")


@dataclass(frozen=True, slots=True)
class MessageReader:
    """Messages of a broker, as the spool keeps them."""

    mapping: Mapping

    def read(self, table: pa.Table, inputs: Sequence[Input], source: str, row: int) -> Events:
        return messages_to_events(table, self.mapping, inputs)


@dataclass(frozen=True, slots=True)
class CsvReader:
    """Lines of CSV files that begin with the same header."""

    header: str
    mapping: Mapping

    def read(self, table: pa.Table, inputs: Sequence[Input], source: str, row: int) -> Events:
        lines = table.column("value").drop_null().combine_chunks()
        lines = lines.filter(pc.not_equal(lines, self.header))
        data = self.header.encode() + b"\n" + joined_lines(lines)
        return moved(csv_events(data, self.mapping, inputs, source), row - 1)


def folder_stream(
    spark: SparkSession, place: str, format: str | None, mapping: Any, limits: dict[str, str]
) -> tuple[DataFrame, Reader]:
    """The files that are in a folder (or match a pattern) and those that come later, each read once.

    limits: options of Spark's file source, such as maxFilesPerTrigger.
    """
    files = spark.readStream.options(**limits)
    folder = Path(place)
    if folder.is_file():
        files, place = files.option("pathGlobFilter", folder.name), str(folder.parent)
    example = _example(Path(place), folder.name if folder.is_file() else "*")
    if example is None and format in (None, "columns"):
        raise HoldsforError(
            f"there is no file in {place} yet, so its columns are not known. "
            "Put a first file there, or say --format rtec for lines of RTEC's CSV."
        )
    form = format or guess_format(example if example is not None else ())
    if form != "columns":
        return files.text(place), LineReader(form)
    assert example is not None
    if ".parquet" in example.suffixes:
        schema = spark.read.parquet(str(example)).schema
        return files.schema(schema).parquet(place), ColumnReader(as_mapping(mapping))
    with open_text(example) as lines:
        header = lines.readline().decode().rstrip("\r\n")
    return files.text(place), CsvReader(header, as_mapping(mapping))


def _example(place: Path, pattern: str) -> Path | None:
    """One of the files, to see what they are like."""
    if place.is_dir():
        found = place.glob(pattern)
    elif place.parent.is_dir():
        found = place.parent.glob(place.name)
    else:
        raise HoldsforError(f"no such folder: {place}. A stream of files needs a folder, or a pattern in one.")
    return min((path for path in found if path.is_file() and not path.name.startswith(HIDDEN)), default=None)


@contextmanager
def message_stream(
    spark: SparkSession, address: str, spool: str, mapping: Any, most: int | None
) -> Iterator[tuple[DataFrame, Reader]]:
    """The messages of a broker, spooled to a folder as long as the context lasts. most: messages a batch."""
    from holdsfor.spark.mqtt import messages

    known = as_mapping(mapping)
    settings = Settings.parse(address)
    if not settings.topics:
        settings = replace(settings, topics=topic_filters(known))
    with Spooler(settings, spool):
        options = {} if most is None else {"maxMessages": most}
        yield messages(spark, spool, **options), MessageReader(known)
