"""Feeds of a stream, on any host: a folder that gets new files, or a broker."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from glob import has_magic
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import pyarrow as pa

from holdsfor.errors import HoldsforError
from holdsfor.io.events import Events
from holdsfor.io.metrics.neighbours import SourceMetrics
from holdsfor.io.mqtt.payload import messages_to_events
from holdsfor.io.mqtt.settings import MqttSettings
from holdsfor.io.mqtt.spool import Segment, Spool, read_segment
from holdsfor.io.mqtt.spooler import Spooler
from holdsfor.io.mqtt.topics import topic_filters
from holdsfor.io.readers.mapping import Mapping, as_mapping
from holdsfor.io.storage.store import located
from holdsfor.job.live.input.files import FileFeed, FileReader, Offset
from holdsfor.job.live.input.reading import Reader
from holdsfor.language.description import Input

#: Is called with a function that gives the metrics of a source.
Watch: TypeAlias = Callable[[Callable[[], SourceMetrics]], None]
STANDARD_INPUT = ("-", "stdin")


class Feed(Protocol):
    """Rows, read from offset to offset. Offsets are what Spark keeps in its log, so that any host can go on."""

    def initial(self) -> Offset: ...

    def latest(self, start: Offset) -> Offset:
        """Up to where the next batch goes; the start itself if there is nothing new."""

    def tables(self, start: Offset, end: Offset) -> list[pa.Table]:
        """The rows between, by partition."""

    def seal(self) -> None:
        """From now on nothing new is looked for."""

    def forget(self, end: Offset) -> None:
        """All before it has been worked on, and is not asked for again."""


class SpoolFeed:
    """Messages of a broker, as a spooler keeps them. An offset is the number of the first segment not read yet."""

    def __init__(self, folder: str | Path, most: int | None = None) -> None:
        self.spool, self.most = Spool(folder), most
        self._target: int | None = None

    def initial(self) -> Offset:
        return {"segment": self.spool.first}

    def latest(self, start: Offset) -> Offset:
        waiting = self.waiting(start)
        return offset_after(first_rows(waiting, [segment.rows for segment in waiting], self.most), start)

    def waiting(self, start: Offset) -> list[Segment]:
        """The segments from there on that may be read."""
        waiting = [segment for segment in self.spool.segments() if segment.number >= start["segment"]]
        return [segment for segment in waiting if self._target is None or segment.number < self._target]

    def tables(self, start: Offset, end: Offset) -> list[pa.Table]:
        return [read_segment(segment.path) for segment in self.spool.between(start["segment"], end["segment"])]

    def seal(self) -> None:
        self._target = offset_after(self.spool.segments(), {"segment": 0})["segment"]

    def forget(self, end: Offset) -> None:
        self.spool.forget(end["segment"])


def first_rows(segments: Sequence[Segment], sizes: Sequence[int], most: int | None) -> Sequence[Segment]:
    """The first segments, so many that their sizes come to no more than `most`, and one in any case."""
    total = 0
    for count, size in enumerate(sizes):
        total += size
        if most is not None and total > most and count:
            return segments[:count]
    return segments


def offset_after(segments: Sequence[Segment], start: Offset) -> Offset:
    """Return the offset to go on from when the segments have been read; the start if there are none."""
    return {"segment": segments[-1].number + 1} if segments else start


@dataclass(frozen=True, slots=True)
class MessageReader:
    """Messages of a broker, as the spool keeps them. source: which broker and topics, for a checkpoint to know."""

    mapping: Mapping
    source: str = ""

    def read(self, table: pa.Table, inputs: Sequence[Input], source: str, row: int) -> Events:
        return messages_to_events(table, self.mapping, inputs)


@dataclass(frozen=True, slots=True)
class Folder:
    """The files that are in a folder (or match a pattern) and those that come later, each read once."""

    path: Path
    pattern: str
    seen: str  # the file with the list of those that were found
    format: str | None
    mapping: Mapping

    @staticmethod
    def of(place: str, checkpoint: str | Path, format: str | None = None, mapping: Any = None) -> Folder:
        path = Path(place)
        folder, pattern = (path, "*") if path.is_dir() else (path.parent, path.name)
        if not folder.is_dir():
            raise HoldsforError(f"no such folder: {folder}. A stream of files needs a folder, or a pattern in one.")
        if place in STANDARD_INPUT:
            raise HoldsforError("a stream cannot read standard input. Write to files in a folder, and name the folder.")
        if not (path.exists() or has_magic(place)):
            raise HoldsforError(f"{place} is not there. Make the folder (mkdir {place}), or give a pattern: '*.csv'.")
        seen = f"{located(checkpoint)}/files.jsonl"
        return Folder(folder.absolute(), pattern, seen, format, as_mapping(mapping))

    @property
    def reader(self) -> FileReader:
        return FileReader(self.mapping, f"{self.path}/{self.pattern} as {self.format or 'its names say'}")

    def feed(self, most_events: int | None, most_files: int | None) -> FileFeed:
        return FileFeed(self.path, Path(self.seen), self.pattern, self.format, most_events or 0, most_files or 0)


@contextmanager
def spooled_messages(
    address: str, spool: str, mapping: Any = None, take_over: bool = False, watch: Watch | None = None
) -> Iterator[tuple[str, MessageReader]]:
    """Spools the messages of a broker as long as the context lasts: the folder of the spool, and how to read them.

    watch: called with the function that tells how the broker is.
    """
    resolved = as_mapping(mapping)
    if resolved.tables:
        raise HoldsforError("[tables] is for files and data frames. For messages, use [topics] and [events].")
    settings = MqttSettings.parse(address)
    if not settings.topics:
        settings = replace(settings, topics=topic_filters(resolved))
    folder = located(spool)
    with Spooler(settings, folder, take_over=take_over) as spooler:
        if watch is not None:
            watch(spooler.source_metrics)
        yield folder, MessageReader(resolved, f"{settings.address} {', '.join(sorted(settings.topics))}")


@contextmanager
def open_feed(
    place: str,
    checkpoint: str | Path,
    format: str | None = None,
    mapping: Any = None,
    max_events: int | None = None,
    max_files: int | None = None,
    take_over: bool = False,
    watch: Watch | None = None,
) -> Iterator[tuple[Feed, Reader]]:
    """Open what `--from` names: a folder, a pattern, or a broker. max_events, max_files: of a batch, at most.

    watch: called with the function that tells how a broker is.
    """
    if "://" not in place:
        folder = Folder.of(place, checkpoint, format, mapping)
        yield folder.feed(max_events, max_files), folder.reader
        return
    with spooled_messages(place, f"{checkpoint}/spool", mapping, take_over, watch) as (spool, reader):
        yield SpoolFeed(spool, max_events), reader
