"""A folder of messages: segments that are complete and never change, and one log that grows.

000000000012-4096.arrow     segment 12 with 4,096 messages, an Arrow IPC file
000000000013.log            what will be segment 13
forgotten                   the number of the first segment that is still wanted
session.json                the name of the client and what it has subscribed to
owner/                      which process writes here (see `holdsfor.io.storage.lease`)
"""

from __future__ import annotations

import json
import os
import re
import secrets
import struct
import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from holdsfor.errors import HoldsforError
from holdsfor.io.storage.lease import take_lease
from holdsfor.io.storage.store import Store
from holdsfor.io.storage.whole_file import open_whole, sync_folder

_HEADER = struct.Struct("<II")  # length and checksum of the batch that follows


class LogWriter:
    """Writes a log from its beginning."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
        self._end = 0
        sync_folder(path.parent)

    def append(self, batch: pa.RecordBatch) -> None:
        """Write a batch to disk. OSError leaves the log as it was: the next attempt writes over it."""
        body = batch.serialize().to_pybytes()
        frame = memoryview(_HEADER.pack(len(body), zlib.crc32(body)) + body)
        written = 0
        while written < len(frame):
            written += os.pwrite(self._file, frame[written:], self._end + written)
        os.fsync(self._file)
        self._end += len(frame)

    def close(self) -> None:
        os.close(self._file)


def read_log(path: Path, schema: pa.Schema) -> list[pa.RecordBatch]:
    """Read all batches that were written completely."""
    data = path.read_bytes()
    batches: list[pa.RecordBatch] = []
    at = 0
    while at + _HEADER.size <= len(data):
        length, checksum = _HEADER.unpack_from(data, at)
        body = data[at + _HEADER.size : at + _HEADER.size + length]
        if not length or len(body) < length or zlib.crc32(body) != checksum:
            break
        batches.append(pa.ipc.read_record_batch(pa.py_buffer(body), schema))
        at += _HEADER.size + length
    return batches


#: What readers of messages get.
MESSAGES_SCHEMA = pa.schema(
    [("id", pa.string()), ("topic", pa.string()), ("payload", pa.binary()), ("received", pa.int64())]
)
#: What segments hold: also the packet identifier, by which a message that is delivered again is recognised.
SEGMENT_SCHEMA = pa.schema([*MESSAGES_SCHEMA, ("packet", pa.int32())])

# The last messages stay on disk after they are forgotten, to recognise those that a broker sends again after a crash.
KEPT_ROWS, KEPT_BYTES, KEPT_SEGMENTS = 100_000, 1 << 28, 1000

_SEGMENT = re.compile(r"^(\d{12})-(\d+)\.arrow$")


class Segment(NamedTuple):
    number: int
    rows: int
    path: Path


class Spool:
    """Reads a folder of messages; any number of processes may, while one writes."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def segments(self) -> list[Segment]:
        """List all complete segments on disk, in order, forgotten ones among them."""
        try:
            names = os.listdir(self.folder)
        except FileNotFoundError:
            return []
        matches = [(match, name) for name in names if (match := _SEGMENT.match(name))]
        return sorted(Segment(int(match[1]), int(match[2]), self.folder / name) for match, name in matches)

    @property
    def first(self) -> int:
        """Return the number of the first segment that is not forgotten."""
        try:
            return int((self.folder / "forgotten").read_text())
        except FileNotFoundError:
            return 0

    def between(self, start: int, end: int) -> list[Segment]:
        """List segments start .. end-1; a missing one is an error, for its messages would be lost silently."""
        by_number = {segment.number: segment for segment in self.segments() if start <= segment.number < end}
        missing = next((number for number in range(start, end) if number not in by_number), None)
        if missing is not None:
            raise HoldsforError(
                f"segment {missing} is missing from the spool {self.folder}. Was the folder emptied, or is another "
                "query reading it? Each query needs a spool of its own; with a new spool, take a new checkpoint."
            )
        return [by_number[number] for number in range(start, end)]

    def forget(self, before: int) -> int:
        """Remove segments below `before`, except the last ones; return how many."""
        if before > self.first:
            replace_file(self.folder / "forgotten", str(before).encode())
        segments = self.segments()
        last = {segment.number for segment in _last(segments)}
        forgotten = [segment for segment in segments if segment.number < before and segment.number not in last]
        for segment in forgotten:
            segment.path.unlink(missing_ok=True)
        return len(forgotten)

    def last(self) -> list[Segment]:
        """List the segments that stay on disk even if they are forgotten."""
        return _last(self.segments())


class SpoolWriter:
    """Writes a folder of messages. What `append` has taken is on disk; `close` makes it a segment that readers see."""

    def __init__(self, folder: str | Path, take_over: bool = False) -> None:
        self.spool = Spool(folder)
        self._lease = take_lease(Store(self.spool.folder, private=True), f"the spool {folder}", take_over)
        self._lease.when_lost(lambda _: self._lease.release())  # all that is written asks for the lease first
        self._batches: list[pa.RecordBatch] = []
        self._log: LogWriter | None = None
        try:
            self.number = self._recover()
        except BaseException:
            self._lease.release()
            raise
        self.rows = 0
        self.bytes = 0

    def append(self, batch: pa.RecordBatch) -> None:
        """Write messages, and return when they are safe; after OSError they may be given again."""
        with self._lease.held():
            if self._log is None:
                self._log = LogWriter(self._log_path(self.number))
            self._log.append(batch)
        self._batches.append(batch)
        self.rows += batch.num_rows
        self.bytes += batch.nbytes

    def close(self) -> None:
        """Publish what was appended as a segment. OSError changes nothing: it is still in the log."""
        self._lease.check()
        if self.rows:
            write_segment(self.spool.folder, self.number, self._batches)
            self.number += 1
            self.rows = self.bytes = 0
            self._batches = []
        log, self._log = self._log, None
        if log is not None:
            log.close()
            log.path.unlink(missing_ok=True)

    def release(self) -> None:
        """Let another spooler have the folder."""
        if self._log is not None:
            self._log.close()
            self._log = None
        self._lease.release()

    def _recover(self) -> int:
        """Make a segment of what a crash left behind; return the number of the next one."""
        for half in self.spool.folder.glob("*.tmp"):
            half.unlink()
        segments = self.spool.segments()
        number = max([self.spool.first, *(segment.number + 1 for segment in segments)])
        for path in sorted(self.spool.folder.glob("*.log")):
            if int(path.stem) >= number:  # else it was published, and only removing it was left to do
                batches = read_log(path, SEGMENT_SCHEMA)
                if batches:
                    number = int(path.stem)
                    write_segment(self.spool.folder, number, batches)
                    number += 1
            path.unlink()
        return number

    def _log_path(self, number: int) -> Path:
        return self.spool.folder / f"{number:012}.log"


@dataclass(frozen=True, slots=True)
class BrokerSession:
    """The session of a spool folder with the broker, as the folder remembers it."""

    folder: Path
    name: str  # of this spool: no other gives its messages the same ids
    client_id: str
    topics: tuple[str, ...] = ()  # what the broker has taken as subscriptions

    @classmethod
    def load(cls, folder: Path, client_id: str | None) -> BrokerSession:
        """Load the session of a folder; make a new one if there was none, or if it was another client's."""
        path = folder / "session.json"
        name = secrets.token_hex(4)
        if path.exists():
            stored = json.loads(path.read_text(encoding="utf-8"))
            if client_id in (None, stored["client_id"]):
                return cls(folder, stored["name"], stored["client_id"], tuple(stored["topics"]))
            name = stored["name"]
        session = cls(folder, name, client_id or f"holdsfor-{name}")
        session._save()
        return session

    def subscribed(self, topics: tuple[str, ...]) -> BrokerSession:
        session = replace(self, topics=topics)
        session._save()
        return session

    def _save(self) -> None:
        fields = asdict(self)
        del fields["folder"]
        replace_file(self.folder / "session.json", json.dumps(fields).encode())


def write_segment(folder: Path, number: int, batches: Sequence[pa.RecordBatch]) -> None:
    """Write one file with one batch, whole or not at all."""
    table = pa.Table.from_batches(batches, SEGMENT_SCHEMA).combine_chunks()
    path = folder / f"{number:012}-{table.num_rows}.arrow"
    with open_whole(path, sync=True, private=True) as file, pa.ipc.new_file(file, SEGMENT_SCHEMA) as writer:
        writer.write_table(table)


def read_segment(path: str | Path, schema: pa.Schema = MESSAGES_SCHEMA) -> pa.Table:
    """Read the messages of a segment."""
    places = [SEGMENT_SCHEMA.get_field_index(name) for name in schema.names]
    with pa.memory_map(str(path)) as source:
        return pa.ipc.open_file(source, options=pa.ipc.IpcReadOptions(included_fields=places)).read_all()


def replace_file(path: Path, content: bytes) -> None:
    """Write a small file, whole or not at all."""
    with open_whole(path, sync=True, private=True) as file:
        file.write(content)


def _last(segments: Sequence[Segment]) -> list[Segment]:
    rows = size = 0
    last: list[Segment] = []
    for segment in reversed(segments):
        if rows >= KEPT_ROWS or size >= KEPT_BYTES or len(last) >= KEPT_SEGMENTS:
            break
        last.append(segment)
        rows, size = rows + segment.rows, size + _size(segment.path)
    return last[::-1]


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
