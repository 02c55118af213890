"""New files in a folder as a stream. What travels are their names; workers read the files themselves, by columns.

    spark.dataSource.register(FileSource)
    spark.readStream.format("holdsfor-files").option("folder", "incoming").option("seen", "state/files.jsonl").load()

Files are read in the order of their time of change, and of their names where that is equal. `seen` is the list of files
in the order in which they were found; an offset is a place in it, with a checksum of the list up to there. Options:
pattern (of names, default *), format, maxEvents or maxFiles (how much a batch takes at most).

A file is read once. One that grows or changes after it was found comes again, as a reject that says so.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, SupportsTriggerAvailableNow
from pyspark.sql.types import StructType

from holdsfor.errors import HoldsforError
from holdsfor.io.events import REJECTS_SCHEMA, Events
from holdsfor.io.join import join_events
from holdsfor.io.readers.columns import check_mapping
from holdsfor.io.readers.mapping import Mapping as ColumnMapping
from holdsfor.io.readers.read import EventSource, guess_format
from holdsfor.io.readers.sieve import unreadable
from holdsfor.job.live.seen import Found, Seen
from holdsfor.job.parts import Part, parts_of
from holdsfor.language.description import Input

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FORMAT = "holdsfor-files"
SCHEMA = "path binary, form string, groups array<int>, row bigint"  # names of files need not be UTF-8
ARROW = pa.schema([("path", pa.binary()), ("form", pa.string()), ("groups", pa.list_(pa.int32())), ("row", pa.int64())])
CHANGED = "changed"  # the form of a file that is not read but reported
#: The machine's faults, which pass; whatever else is wrong with a file stays so when it is read again.
PASSING = (errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ESTALE, errno.ETIMEDOUT, errno.ENOTCONN)


class FileSource(DataSource):
    @classmethod
    def name(cls) -> str:
        return FORMAT

    def schema(self) -> str:
        return SCHEMA

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        return FileStreamReader(self.options)


class FilePartition(InputPartition):
    def __init__(self, part: Part) -> None:
        self.part = part


class FileStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """An offset is the number of files, in the order in which they were found, that have been read."""

    def __init__(self, options: Mapping[str, str]) -> None:
        given = {key.lower(): value for key, value in options.items()}
        self.folder, self.pattern = Path(given["folder"]), given.get("pattern", "*")
        self.form = given.get("format")
        self.seen = Seen(Path(given["seen"]))
        self.most_events, self.most_files = (int(given.get(name, 0)) for name in ("maxevents", "maxfiles"))
        self._target: int | None = None

    def initialOffset(self) -> dict[str, int]:
        return self._offset(0)

    def _offset(self, count: int) -> dict[str, int]:
        return {"files": count, "names": self.seen.checksum(count)}

    def _check(self, offset: dict[str, int]) -> None:
        """The list must still begin with the files that were read: else others would be passed over in silence."""
        if self.seen.checksum(offset["files"]) != offset["names"]:
            raise HoldsforError(
                f"{self.seen.path} is not the list of files that the stream has read so far, and {self.folder} no "
                "longer has the same files in the same order to make it again. Put the list back from a copy, or put "
                "the files back and delete the list; or begin anew with another checkpoint."
            )

    def getDefaultReadLimit(self) -> ReadLimit:
        return ReadAllAvailable()  # the limits are our own: a batch has at least one file, however large

    def prepareForTriggerAvailableNow(self) -> None:
        self._target = len(self.seen.look(self.folder, self.pattern))

    def latestOffset(self, start: dict[str, int], limit: ReadLimit) -> dict[str, int]:
        known = self.seen.look(self.folder, self.pattern) if self._target is None else self.seen.known[: self._target]
        self._check(start)
        return self._offset(start["files"] + self._admitted(known[start["files"] :]))

    def _admitted(self, waiting: Sequence[Found]) -> int:
        """How many of the files that wait a batch takes."""
        waiting = waiting[: self.most_files or len(waiting)]
        events = 0
        for count, file in enumerate(waiting):
            events += file.rows
            if self.most_events and events > self.most_events and count:
                return count
        return len(waiting)

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> Sequence[InputPartition]:
        if len(self.seen.known) < end["files"]:
            self.seen.look(self.folder, self.pattern)  # the list was deleted: it is made again
        self._check(end)
        files = self.seen.known[start["files"] : end["files"]]
        return [FilePartition(part) for file in files for part in self._parts(file)]

    def _parts(self, file: Found) -> list[Part]:
        """What cannot be read is one part, too: who reads it says why not."""
        path = Path(file.path)
        if file.change:
            return [Part(EventSource((path,), (f"{CHANGED}: {file.change}",), ColumnMapping()))]
        try:
            return parts_of(EventSource((path,), (self.form or guess_format(path),), ColumnMapping()))
        except HoldsforError:
            return [Part(EventSource((path,), (self.form or "",), ColumnMapping()))]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, FilePartition)
        part = partition.part
        (path,), (form,) = part.source.paths, part.source.formats
        row = {"path": os.fsencode(path), "form": form, "groups": list(part.groups), "row": part.first_row}
        yield pa.RecordBatch.from_pylist([row], ARROW)


@dataclass(frozen=True, slots=True)
class FileReader:
    """Reads the files that the stream names. One that is gone or cannot be read becomes a reject.

    source: which these are, for a checkpoint to know.
    """

    mapping: ColumnMapping
    source: str = ""

    def read(self, table: pa.Table, inputs: Sequence[Input], source: str, row: int) -> Events:
        check_mapping(self.mapping, inputs)  # what is wrong with that is no fault of a file
        return join_events(self._read(found, inputs) for found in table.to_pylist())

    def _read(self, found: Mapping[str, Any], inputs: Sequence[Input]) -> Events:
        path = Path(os.fsdecode(found["path"]))
        form, _, change = (found["form"] or "").partition(": ")
        if form == CHANGED:
            return changed_file(str(path), change)
        try:
            one = EventSource((path,), (found["form"] or guess_format(path),), self.mapping)
            return Part(one, tuple(found["groups"]), found["row"]).read(inputs)
        except HoldsforError as error:
            if isinstance(error.__cause__, OSError) and error.__cause__.errno in PASSING:
                raise
            return unreadable(str(path), str(error))


def changed_file(path: str, change: str) -> Events:
    """No events, but a reject about the file as a whole."""
    rejects = pa.Table.from_pylist([{"source": path, "row": 0, "text": "", "reason": change}], REJECTS_SCHEMA)
    return Events((), rejects, 0, 0, files_changed=1)


def file_stream(spark: SparkSession, folder: Path, seen: str, **options: object) -> DataFrame:
    spark.dataSource.register(FileSource)
    given = {key: str(value) for key, value in options.items() if value is not None}
    frame = spark.readStream.format(FORMAT).option("folder", str(folder.absolute())).option("seen", seen)
    return frame.options(**given).load()
