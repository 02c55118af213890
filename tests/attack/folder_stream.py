"""A stream of files with all its parts on disk, without a JVM: our code, and a model of what Spark does."""

from __future__ import annotations

import json
import os
import re
import shutil
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pyarrow as pa

import holdsfor
from holdsfor.io.readers.mapping import Mapping
from holdsfor.io.storage.changelog import read_changes, read_current
from holdsfor.io.storage.lease import take_lease
from holdsfor.job.live.batch.after_commit import Compactor
from holdsfor.job.live.batch.crew import Alone
from holdsfor.job.live.batch.delivery import Delivery, here
from holdsfor.job.live.batch.microbatch import Setting, Stream
from holdsfor.job.live.input.files import FileReader
from holdsfor.job.live.start.identity import identity_of
from holdsfor.job.live.start.opening import Places, open_stream
from holdsfor.job.live.state.ledger import Commit, Ledger
from holdsfor.job.live.state.progress import read_progress
from holdsfor.spark.live.files import FileStreamReader
from tests.conformance.engines import answer
from tests.conformance.streamed import setting_of
from tests.naive.evaluate import Answer
from tests.naive.rows import Horizon
from tests.spark.live.undisturbed import Recorder

RULES = """
initiatedAt(slow(V)=true, T) :- happensAt(velocity(V, Knots), T), Knots < 5.
terminatedAt(slow(V)=true, T) :- happensAt(velocity(V, Knots), T), Knots >= 5.
"""
WINDOWS = Horizon(window=40, step=20, start=0, end=400)
FILES, ROWS = 6, 60


def lines(number: int) -> str:
    """The rows of a file; each has some of every vessel."""
    times = range(1 + number * ROWS, 1 + (number + 1) * ROWS)
    return "".join(f"velocity|{t}|{t}|v{t % 5}|{(t * 37) % 11}.5\n" for t in times)


def put(folder: Path, number: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{number}.csv"
    path.write_text(lines(number))
    os.utime(path, (1_700_000_000 + number,) * 2)


def history(files: int) -> Answer:
    """What a batch run says."""
    rows = holdsfor.read_events("".join(map(lines, range(files))).splitlines(), format="rtec")
    run = holdsfor.recognise(holdsfor.parse(RULES), rows, window=40, step=20, start=0, end=files * ROWS)
    return answer(run.intervals, run.occurrences)


class Killed(BaseException):
    """The process ends here."""


@dataclass
class FolderStream:
    """One stream; `run` is a process that reads what there is, one file a batch, and ends."""

    folder: Path
    setting: Setting = field(init=False)
    sink: Recorder = field(default_factory=Recorder)
    out: Path | None = None

    def __post_init__(self) -> None:
        setting = setting_of(holdsfor.parse(RULES), WINDOWS, 2)
        self.setting = replace(
            setting, times=replace(setting.times, end=None), reader=FileReader(Mapping(), f"{self.incoming}/*")
        )

    @property
    def incoming(self) -> Path:
        return self.folder / "in"

    @property
    def checkpoint(self) -> Path:
        return self.folder / "state"

    @property
    def places(self) -> Places:
        return Places.of(self.checkpoint, self.out, sync=False)

    def copy(self, folder: Path) -> FolderStream:
        """As another place has it; the list of files and the source go by paths, which stay as they are."""
        if folder.exists():
            shutil.rmtree(folder)
        shutil.copytree(self.folder, folder, symlinks=True)
        return FolderStream(folder, replace(self.sink, got=dict(self.sink.got)), self.out)

    def run(self, close: bool = True, kill_after: str = "") -> Commit | None:
        """kill_after: `offsets` or `batch`, at the last batch."""
        places = self.places
        with take_lease(places.root, f"the checkpoint {places.root.shown()}") as lease:
            ledger = Ledger(places.state, lease.held)
            open_stream(ledger, places.tables, places.spark, identity_of(self.setting, 2))
            told = [Delivery(self.sink, places.state, places.tables, here), Compactor(places.tables, here, every=2)]
            job = Stream(self.setting, ledger, places.tables, told)
            self._spark(job, places, kill_after)
            return job.close(Alone([])) if close else None

    def _spark(self, job: Stream, places: Places, kill_after: str) -> None:
        """As Spark does: the last batch of its log again if it is not committed there, then new ones."""
        reader = self.reader()
        reader.prepareForTriggerAvailableNow()
        log = SparkLog(self.checkpoint / "spark")
        log.begin()
        start, batch = reader.initialOffset(), 0
        if (latest := log.latest("offsets")) is not None:
            end = log.offset(latest)
            start = log.offset(latest - 1) if latest else start
            if log.latest("commits") != latest:
                self._batch(job, places, reader, latest, start, end)
                log.write("commits", latest, {})
            start, batch = end, latest + 1
        while (end := reader.latestOffset(start, reader.getDefaultReadLimit())) != start:
            log.write("offsets", batch, {}, end)
            is_last = end["files"] == len(reader.feed.seen.known)
            if is_last and kill_after == "offsets":
                raise Killed
            self._batch(job, places, reader, batch, start, end)
            if is_last and kill_after == "batch":
                raise Killed
            log.write("commits", batch, {})
            start, batch = end, batch + 1

    def reader(self) -> FileStreamReader:
        seen = str(self.checkpoint / "files.jsonl")
        return FileStreamReader({"folder": str(self.incoming), "seen": seen, "maxFiles": "1"})

    def _batch(
        self,
        job: Stream,
        places: Places,
        reader: FileStreamReader,
        batch: int,
        start: dict[str, int],
        end: dict[str, int],
    ) -> None:
        parts = [pa.Table.from_batches(reader.read(part)) for part in reader.partitions(start, end)]
        job.run(batch, Alone(parts), read_progress(places.spark, batch))

    def answer(self) -> Answer:
        return answer(*read_current(self.places.tables))

    def log_rows(self) -> list[str]:
        return sorted(str(row) for log in read_changes(self.places.tables) for row in log.to_pylist())


@dataclass(frozen=True)
class SparkLog:
    """Files as Spark writes them, with Hadoop's checksums beside them."""

    folder: Path

    def latest(self, part: str) -> int | None:
        names = os.listdir(self.folder / part) if (self.folder / part).exists() else []
        return max((int(name) for name in names if re.fullmatch(r"\d+", name)), default=None)

    def begin(self) -> None:
        """Spark's error: STREAMING_CHECKPOINT_MISSING_METADATA_FILE."""
        path = self.folder / "metadata"
        if path.exists():
            assert json.loads(self._read("metadata"))["id"]
            return
        assert self.latest("offsets") is self.latest("commits") is None, "the metadata file is missing"
        self.folder.mkdir(parents=True, exist_ok=True)
        path.write_text('{"id":"5e2f"}')
        path.with_name(".metadata.crc").write_bytes(checksums(path.read_bytes()))

    def offset(self, batch: int) -> dict[str, int]:
        first, *rest = self._read(f"offsets/{batch}").splitlines()
        assert first == "v1"
        return dict(json.loads(rest[-1]))

    def _read(self, name: str) -> str:
        path = self.folder / name
        content, beside = path.read_bytes(), path.with_name(f".{path.name}.crc")
        assert not beside.exists() or fits(beside.read_bytes(), content), "ChecksumException"
        return content.decode()

    def write(self, part: str, batch: int, *values: object) -> None:
        (self.folder / part).mkdir(parents=True, exist_ok=True)
        content = "\n".join(["v1", *map(json.dumps, values)]).encode()
        (self.folder / part / f"{batch}").write_bytes(content)
        (self.folder / part / f".{batch}.crc").write_bytes(checksums(content))


def fits(sums: bytes, content: bytes) -> bool:
    """As Hadoop sees it: the file of checksums says itself how many bytes each is about."""
    each = int.from_bytes(sums[4:8], "big", signed=True)
    return each > 0 and sums == checksums(content, each)


def checksums(content: bytes, each: int = 512) -> bytes:
    parts: Sequence[bytes] = [content[at : at + each] for at in range(0, len(content), each)]
    return b"crc\0" + struct.pack(">I", each) + b"".join(struct.pack(">I", zlib.crc32(part)) for part in parts)
