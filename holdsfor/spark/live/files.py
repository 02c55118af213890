"""New files in a folder as a stream. What travels are their names; workers read the files themselves, by columns.

    spark.dataSource.register(FileSource)
    spark.readStream.format("holdsfor-files").option("folder", "incoming").option("seen", "state/files.jsonl").load()

Files are read in the order of their time of change, and of their names where that is equal. `seen` is the list of files
in the order in which they were found; an offset is a place in it. Options: pattern (of names, default *), format,
maxEvents or maxFiles (how much a batch takes at most).
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, SupportsTriggerAvailableNow
from pyspark.sql.types import StructType

from holdsfor.errors import HoldsforError
from holdsfor.io.columns import check_mapping
from holdsfor.io.events import Events
from holdsfor.io.join import join_events
from holdsfor.io.mapping import Mapping as ColumnMapping
from holdsfor.io.read import EventSource, guess_format
from holdsfor.io.sieve import unreadable
from holdsfor.language.description import Input
from holdsfor.spark.sources import Part, parts_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FORMAT = "holdsfor-files"
SCHEMA = "path binary, form string, groups array<int>, row bigint"  # names of files need not be UTF-8
ARROW = pa.schema([("path", pa.binary()), ("form", pa.string()), ("groups", pa.list_(pa.int32())), ("row", pa.int64())])
HIDDEN = (".", "_")
UNFINISHED = (".tmp", ".part", ".crc")
SAMPLE = 1 << 16  # bytes of a text file from which the number of its lines is guessed
#: The machine's faults, which pass; whatever else is wrong with a file stays so when it is read again.
PASSING = (errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ESTALE, errno.ETIMEDOUT, errno.ENOTCONN)


@dataclass(frozen=True, slots=True)
class Found:
    path: str
    rows: int  # for text files a guess


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
        return {"files": 0}

    def getDefaultReadLimit(self) -> ReadLimit:
        return ReadAllAvailable()  # the limits are our own: a batch has at least one file, however large

    def prepareForTriggerAvailableNow(self) -> None:
        self._target = len(self.seen.look(self.folder, self.pattern))

    def latestOffset(self, start: dict[str, int], limit: ReadLimit) -> dict[str, int]:
        known = self.seen.look(self.folder, self.pattern) if self._target is None else self.seen.known[: self._target]
        return {"files": start["files"] + self._admitted(known[start["files"] :])}

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
        files = self.seen.known[start["files"] : end["files"]]
        return [FilePartition(part) for file in files for part in self._parts(Path(file.path))]

    def _parts(self, path: Path) -> list[Part]:
        """What cannot be read is one part, too: who reads it says why not."""
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


class Seen:
    """The files that have been found, in order: a line of JSON each, only ever added to."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.known: list[Found] = []
        if path.exists():
            lines = path.read_text(encoding="utf-8").split("\n")
            self.known = [Found(**json.loads(line)) for line in lines[:-1]]  # a last line without an end was torn
            whole = sum(len(line.encode()) + 1 for line in lines[:-1])
            if whole < path.stat().st_size:
                os.truncate(path, whole)
        self._paths = {file.path for file in self.known}

    def look(self, folder: Path, pattern: str) -> list[Found]:
        """All files that are there now or have been."""
        fresh = sorted(
            (changed, entry.name, str(entry))
            for entry in folder.glob(pattern)
            if str(entry) not in self._paths
            and entry.is_file()
            and _is_data(entry.name)
            and (changed := _time_of_change(entry)) is not None
        )
        added = [Found(path, _rows(Path(path))) for _, _, path in fresh]
        if added:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8") as log:
                log.writelines(json.dumps(asdict(file)) + "\n" for file in added)
                log.flush()
                os.fsync(log.fileno())
            self.known += added
            self._paths.update(file.path for file in added)
        return self.known


def _is_data(name: str) -> bool:
    return not name.startswith(HIDDEN) and not name.endswith(UNFINISHED)


def _time_of_change(path: Path) -> int | None:
    """In nanoseconds; None: the file has gone since it was listed."""
    try:
        return path.stat().st_mtime_ns
    except FileNotFoundError:
        return None


def _rows(path: Path) -> int:
    """How many rows a file has, about; 1 for one that cannot be read, which becomes one reject."""
    try:
        if ".parquet" in path.suffixes:
            return int(pq.read_metadata(path).num_rows)
        with path.open("rb") as file:
            sample = file.read(SAMPLE)
        lines = max(sample.count(b"\n"), 1)
        return max(1, path.stat().st_size * lines // max(len(sample), 1))
    except (OSError, pa.ArrowException):
        return 1


@dataclass(frozen=True, slots=True)
class FileReader:
    """Reads the files that the stream names. One that is gone or cannot be read becomes a reject."""

    mapping: ColumnMapping

    def read(self, table: pa.Table, inputs: Sequence[Input], source: str, row: int) -> Events:
        check_mapping(self.mapping, inputs)  # what is wrong with that is no fault of a file
        return join_events(self._read(found, inputs) for found in table.to_pylist())

    def _read(self, found: Mapping[str, Any], inputs: Sequence[Input]) -> Events:
        path = Path(os.fsdecode(found["path"]))
        try:
            one = EventSource((path,), (found["form"] or guess_format(path),), self.mapping)
            return Part(one, tuple(found["groups"]), found["row"]).read(inputs)
        except HoldsforError as error:
            if isinstance(error.__cause__, OSError) and error.__cause__.errno in PASSING:
                raise
            return unreadable(str(path), str(error))


def file_stream(spark: SparkSession, folder: Path, seen: str, **options: object) -> DataFrame:
    spark.dataSource.register(FileSource)
    given = {key: str(value) for key, value in options.items() if value is not None}
    frame = spark.readStream.format(FORMAT).option("folder", str(folder.absolute())).option("seen", seen)
    return frame.options(**given).load()
