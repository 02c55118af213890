"""The ledger of a stream: what each batch has done, written once all of it is on disk. A batch without it never was.

stream.json                          its id, and what the stream was begun with: rules, windows, source, ...
commits/0000012.json                 a batch: its query times, the files of state and tables, with checksums
state/stage0-3/base-0000012.arrow    what a bucket carries after the batch
state/stage0-3/input-0000013.arrow   what came to it in a later batch
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from holdsfor.errors import HoldsforError
from holdsfor.io.storage.changelog import commit_name, committed
from holdsfor.io.storage.store import Store, Written
from holdsfor.job.live.changed import find_changes

VERSION = 2  # of all files of a checkpoint; to be raised when one of them comes to mean something else
IDENTITY = "stream.json"


@dataclass(frozen=True, slots=True)
class Base:
    """A batch after which every bucket has written all it carries. due: the query times of that batch.

    end: of the history, as it was then: closing a stream gives it an end that a later batch takes back.
    """

    batch: int
    due: range
    files: tuple[Written, ...]
    end: int


@dataclass(frozen=True, slots=True)
class Commit:
    """What is known after a batch. Times are None until there are any.

    source: the last batch of the source that is in it; closing the stream is a batch without one.
    start: the history begins after it. fired: the last query time. watermark: the latest arrival. latest: the latest
    time of any row. settled: what was concluded up to it will not change, by the name of a
    fluent or event.
    doubted: how many rows in a row were set aside up to now, because they arrive too far ahead of the rest.
    written: when, in seconds since 1970.
    bases: the newest is the last; the one before it is kept to go back to. inputs: what came after that one, by batch.
    spark: how far Spark's own log is, as texts of its files, so that it can be made again.
    """

    batch: int
    start: int | None = None
    fired: int | None = None
    watermark: int | None = None
    latest: int | None = None
    settled: Mapping[str, int] = field(default_factory=dict)
    closed: bool = False
    bases: tuple[Base, ...] = ()
    inputs: tuple[tuple[int, tuple[Written, ...]], ...] = ()
    files: tuple[Written, ...] = ()
    counts: Mapping[str, float] = field(default_factory=dict)
    source: int = -1
    doubted: int = 0
    written: float = field(default=0.0, compare=False)
    spark: Mapping[str, str] = field(default_factory=dict)

    @property
    def waiting(self) -> int:
        """How many batches of input came after the newest base."""
        newest = self.bases[-1].batch if self.bases else -1
        return sum(batch > newest for batch, _ in self.inputs)

    @property
    def unseen(self) -> bool:
        """Whether something came after the last query time."""
        return self.waiting > 0 or (bool(self.bases) and not self.bases[-1].due)

    @property
    def state_bytes(self) -> int:
        """What a restart would read."""
        newest = self.bases[-1:]
        after = newest[0].batch if newest else -1
        files = [*(file for base in newest for file in base.files)]
        files += [file for batch, found in self.inputs if batch > after for file in found]
        return sum(file.size for file in files)

    @property
    def state_files(self) -> tuple[Written, ...]:
        """All that a restart may read."""
        lists = [base.files for base in self.bases] + [files for _, files in self.inputs]
        return tuple(file for files in lists for file in files)

    def as_json(self) -> dict[str, Any]:
        return {
            "version": VERSION,
            "batch": self.batch,
            "source": self.source,
            "start": self.start,
            "fired": self.fired,
            "watermark": self.watermark,
            "latest": self.latest,
            "settled": dict(self.settled),
            "closed": self.closed,
            "bases": [[b.batch, [b.due.start, b.due.stop, b.due.step], _listed(b.files), b.end] for b in self.bases],
            "inputs": [[batch, _listed(files)] for batch, files in self.inputs],
            "files": _listed(self.files),
            "counts": dict(self.counts),
            "doubted": self.doubted,
            "written": self.written,
            "spark": dict(self.spark),
        }

    @staticmethod
    def from_json(found: Mapping[str, Any]) -> Commit:
        return Commit(
            found["batch"],
            found["start"],
            found["fired"],
            found["watermark"],
            found["latest"],
            found["settled"],
            found["closed"],
            tuple(Base(batch, range(*due), _written(files), end) for batch, due, files, end in found["bases"]),
            tuple((batch, _written(files)) for batch, files in found["inputs"]),
            _written(found["files"]),
            found["counts"],
            found["source"],
            found["doubted"],
            found["written"],
            found["spark"],
        )


def _listed(files: tuple[Written, ...]) -> list[tuple[str, int, int]]:
    return [(file.name, file.size, file.crc) for file in files]


def _written(files: list[list[Any]]) -> tuple[Written, ...]:
    return tuple(Written(*file) for file in files)


class Ledger:
    """The ledger of one checkpoint. Commits older than the last few are removed: nothing goes back so far.

    held: entered for whatever is written or deleted; raises if the checkpoint has another owner by now.
    """

    KEPT = 20

    def __init__(self, store: Store, held: Callable[[], AbstractContextManager[object]] = nullcontext) -> None:
        self.store = store
        self.held = held

    def last(self) -> Commit | None:
        """The last batch that counts."""
        batches = committed(self.store)
        return self.commit(batches[-1]) if batches else None

    def commit(self, batch: int) -> Commit:
        return Commit.from_json(read_version(self.store, commit_name(batch)))

    def write(self, commit: Commit) -> None:
        """From here on the batch counts."""
        name = commit_name(commit.batch)
        with self.held():
            if self.store.exists(name):
                raise HoldsforError(
                    f"{self.store.shown(name)} is there already: another process has written it. "
                    "End the other one, then start again."
                )
            self.store.write_record(name, commit.as_json())

    def tidy(self, before: Commit | None, after: Commit) -> None:
        """Removes the files that no batch can go back to any more."""
        with self.held():
            if after.batch >= self.KEPT:
                self.store.delete(commit_name(after.batch - self.KEPT))
            if before is not None:
                for name in _state_names(before) - _state_names(after):
                    self.store.delete(name)

    def clean(self, last: Commit | None) -> None:
        """Removes what a driver that was killed has left behind."""
        with self.held():
            self.store.sweep()
            known = set() if last is None else _state_names(last)
            for name in self.store.names("state/"):
                if name not in known:
                    self.store.delete(name)

    def begin(self, identity: Mapping[str, Any], tables: str = "") -> str:
        """Writes down what the stream is begun with; gives the id that its other files are known by.

        tables: where they are, for those who look at the checkpoint alone.
        """
        stream = uuid.uuid4().hex
        with self.held():
            self.store.write_record(IDENTITY, {"version": VERSION, "id": stream, "tables": tables, **identity})
        return stream

    def resume(self, identity: Mapping[str, Any]) -> str:
        """The id of a stream that goes on; what it was begun with must be the same."""
        self.check_identity(identity)
        return str(self.identity()["id"])

    def check_identity(self, identity: Mapping[str, Any]) -> None:
        """What is given of what a stream goes on with must be as it was begun."""
        changes = find_changes(self.identity(), identity)
        if changes:
            raise HoldsforError(
                f"the checkpoint {self.store.shown()} was begun with {'; '.join(changes)}. "
                "Go on as it was begun, or begin anew with another checkpoint."
            )

    def identity(self) -> dict[str, Any]:
        return read_version(self.store, IDENTITY)


def read_version(store: Store, name: str) -> dict[str, Any]:
    """A record of this version; another one may mean something else."""
    content = store.read_json(name)
    version = content.get("version", VERSION) if isinstance(content, dict) else VERSION
    if version != VERSION:
        raise HoldsforError(
            f"{store.shown(name)} has version {version}, this Holdsfor reads {VERSION}. "
            "Go on with the Holdsfor that wrote it, or begin with a new checkpoint."
        )
    return store.read_record(name)


def _state_names(commit: Commit) -> set[str]:
    return {file.name for file in commit.state_files}
