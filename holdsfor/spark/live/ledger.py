"""The ledger of a stream: what each batch has done, written once all of it is on disk. A batch without it never was.

stream.json                          what the stream was begun with: rules, windows, buckets
commits/0000012.json                 a batch: its query times, the files of state and tables, with checksums
state/entity-3/base-0000012.arrow    what a bucket carries after the batch
state/entity-3/input-0000013.arrow   what came to it in a later batch
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from holdsfor.errors import HoldsforError
from holdsfor.io.changelog import commit_name, committed
from holdsfor.io.store import CorruptFile, Store, Written

VERSION = 1


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
    time of any row. settled: what was concluded up to it will not change.
    doubted: how many rows in a row were set aside up to now, because they arrive too far ahead of the rest.
    written: when, in seconds since 1970.
    bases: the newest is the last; the one before it is kept to go back to. inputs: what came after that one, by batch.
    """

    batch: int
    start: int | None = None
    fired: int | None = None
    watermark: int | None = None
    latest: int | None = None
    settled: int | None = None
    closed: bool = False
    bases: tuple[Base, ...] = ()
    inputs: tuple[tuple[int, tuple[Written, ...]], ...] = ()
    files: tuple[Written, ...] = ()
    counts: Mapping[str, float] = field(default_factory=dict)
    source: int = -1
    doubted: int = 0
    written: float = field(default=0.0, compare=False)

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

    def as_json(self) -> dict[str, Any]:
        return {
            "version": VERSION,
            "batch": self.batch,
            "source": self.source,
            "start": self.start,
            "fired": self.fired,
            "watermark": self.watermark,
            "latest": self.latest,
            "settled": self.settled,
            "closed": self.closed,
            "bases": [[b.batch, [b.due.start, b.due.stop, b.due.step], _listed(b.files), b.end] for b in self.bases],
            "inputs": [[batch, _listed(files)] for batch, files in self.inputs],
            "files": _listed(self.files),
            "counts": dict(self.counts),
            "doubted": self.doubted,
            "written": self.written,
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
        )


def _checksum(content: Mapping[str, Any]) -> int:
    return zlib.crc32(json.dumps(content, sort_keys=True).encode())


def _listed(files: tuple[Written, ...]) -> list[tuple[str, int, int]]:
    return [(file.name, file.size, file.crc) for file in files]


def _written(files: list[list[Any]]) -> tuple[Written, ...]:
    return tuple(Written(*file) for file in files)


class Ledger:
    """The ledger of one checkpoint. Commits older than the last few are removed: nothing goes back so far."""

    KEPT = 20

    def __init__(self, store: Store) -> None:
        self.store = store

    def last(self) -> Commit | None:
        """The last batch that counts."""
        batches = committed(self.store)
        return self.commit(batches[-1]) if batches else None

    def commit(self, batch: int) -> Commit:
        name = commit_name(batch)
        found = self.store.read_json(name)
        content = found if isinstance(found, dict) else {}
        if content.get("version", VERSION) != VERSION:
            raise HoldsforError(
                f"{self.store.shown(name)} has version {content['version']}, this Holdsfor reads "
                f"{VERSION}. Go on with the Holdsfor that wrote it, or begin with a new checkpoint."
            )
        checksum = content.pop("checksum", None)
        if checksum != _checksum(content):
            raise CorruptFile(f"{self.store.shown(name)} is not what was written. Put it back from a copy.")
        return Commit.from_json(content)

    def write(self, commit: Commit) -> None:
        """From here on the batch counts."""
        content = commit.as_json()
        self.store.write_json(commit_name(commit.batch), content | {"checksum": _checksum(content)})

    def tidy(self, before: Commit | None, after: Commit) -> None:
        """Removes the files that no batch can go back to any more."""
        if after.batch >= self.KEPT:
            self.store.delete(commit_name(after.batch - self.KEPT))
        if before is not None:
            for name in _state_names(before) - _state_names(after):
                self.store.delete(name)

    def clean(self, last: Commit | None) -> None:
        """Removes what a driver that was killed has left behind. Only for when no other one runs."""
        self.store.sweep()
        known = set() if last is None else _state_names(last)
        for name in self.store.names("state/"):
            if name not in known:
                self.store.delete(name)

    def begin(self, setting: Mapping[str, Any]) -> dict[str, Any]:
        """What the stream was begun with; a stream that is resumed must be the same."""
        if not self.store.exists("stream.json"):
            self.store.write_json("stream.json", {"version": VERSION, **setting})
            return dict(setting)
        known = self.store.read_json("stream.json")
        for name, wanted in setting.items():
            if wanted is not None and known.get(name) != wanted:
                raise HoldsforError(
                    f"the checkpoint {self.store.shown()} was begun with {_shown(name, known.get(name))}, not "
                    f"{_shown(name, wanted)}. Go on as it was begun, or begin anew with another checkpoint."
                )
        return {name: known.get(name) for name in setting}


def _shown(name: str, value: Any) -> str:
    return f"other rules ({value[:12]})" if name == "rules" and value else f"{name} {value}"


def _state_names(commit: Commit) -> set[str]:
    lists = [base.files for base in commit.bases] + [files for _, files in commit.inputs]
    return {file.name for files in lists for file in files}
