"""The ledger of a stream: what each batch has done, written once all of it is on disk. A batch without it never was.

stream.json                          its id, and what the stream was begun with: rules, windows, source, ...
rules/0000001.json                   rules that took over, see `job.live.update`
commits/0000012.json                 a batch: its query times, the files of state and tables, with checksums
state/stage0-3/base-0000012.arrow    what a bucket carries after the batch
state/stage0-3/input-0000013.arrow   what came to it in a later batch

What a bucket carries after a batch is a base, and what came and fell due since: only now and then there is a new base.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

from holdsfor.errors import HoldsforError
from holdsfor.io.storage.changelog import commit_name, committed
from holdsfor.io.storage.store import Store, Written
from holdsfor.job.live.start.changed import find_changes

VERSION = 1  # of all files of a checkpoint; to be raised when one of them comes to mean something else
IDENTITY = "stream.json"


@dataclass(frozen=True, slots=True)
class Base:
    """A batch after which every bucket has written all it carries."""

    batch: int
    files: tuple[Written, ...]


@dataclass(frozen=True, slots=True)
class Logged:
    """Input that a batch has brought to buckets, and the query times that fell due with it.

    end: of the history, as it was then: closing a stream gives it an end that a later batch takes back.
    mark: of the attempt at the batch that counts; nothing else has it.
    """

    batch: int
    files: tuple[Written, ...]
    due: range
    end: int
    mark: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class StateFiles:
    """Files that hold the state of all buckets.

    bases: the newest is the last; the one before it is kept to go back to. log: all batches after that one that have
    brought anything or went through query times.
    """

    bases: tuple[Base, ...] = ()
    log: tuple[Logged, ...] = ()

    @property
    def since_base(self) -> tuple[Logged, ...]:
        """Batches that are logged after the newest base."""
        newest = self.bases[-1].batch if self.bases else -1
        return tuple(entry for entry in self.log if entry.batch > newest)

    @property
    def unseen(self) -> bool:
        """Whether something came after the last query time."""
        last = max((entry.batch for entry in self.log if entry.due), default=-1)
        return any(entry.files for entry in self.log if entry.batch > last)

    @property
    def for_restart(self) -> list[Written]:
        """Files that a restart would read: the newest base, and what came after it."""
        newest = [base.files for base in self.bases[-1:]]
        return [file for files in (*newest, *(entry.files for entry in self.since_base)) for file in files]

    @property
    def files(self) -> list[Written]:
        """Files that a restart may read, also those of the base before."""
        bases = [base.files for base in self.bases]
        return [file for files in (*bases, *(entry.files for entry in self.log)) for file in files]

    @property
    def names(self) -> set[str]:
        return {file.name for file in self.files}

    @property
    def base_bytes(self) -> int:
        return sum(file.size for base in self.bases[-1:] for file in base.files)

    @property
    def log_bytes(self) -> int:
        """Bytes of the input that is logged after the newest base."""
        return self.size - self.base_bytes

    @property
    def size(self) -> int:
        """Bytes that a restart would read."""
        return sum(file.size for file in self.for_restart)

    def add(self, entry: Logged, base: Base | None) -> StateFiles:
        """Return the files after a batch, which may have brought something, and may have written a base."""
        log = (*self.log, entry) if entry.files or entry.due else self.log
        if base is None:
            return replace(self, log=log)
        bases = (*self.bases, base)[-2:]
        first = bases[0].batch if len(bases) > 1 else -1
        return StateFiles(bases, tuple(entry for entry in log if entry.batch > first))


@dataclass(frozen=True, slots=True)
class SourcePlace:
    """Place of a batch in its source. batch: the last one of the source that is in it; closing a stream is none.

    spark: how far Spark's own log is, as texts of its files, so that it can be made again.
    """

    batch: int = -1
    spark: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RowsRead:
    """Rows of a stream, as far as it has read them. Times are None until there are any.

    watermark: the latest arrival. latest: the latest time of any row. doubted: how many rows in a row were set aside up
    to now, because they arrive too far ahead of the rest. seen: in the columns of files, by which these keep their
    types, see `column_types`.
    """

    watermark: int | None = None
    latest: int | None = None
    doubted: int = 0
    seen: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Commit:
    """State of a stream after a batch. Times are None until there are any.

    start: the history begins after it. fired: the last query time. settled: what was concluded up to it will not
    change, by the name of a fluent or event. written: when, in seconds since 1970. rules: how often they have changed.
    """

    batch: int
    start: int | None = None
    fired: int | None = None
    settled: Mapping[str, int] = field(default_factory=dict)
    closed: bool = False
    state: StateFiles = StateFiles()
    files: tuple[Written, ...] = ()
    counts: Mapping[str, float] = field(default_factory=dict)
    source: SourcePlace = SourcePlace()
    rows: RowsRead = RowsRead()
    written: float = field(default=0.0, compare=False)
    rules: int = 0

    @property
    def changes(self) -> int:
        """Return how many changes of intervals and occurrences the batch tells."""
        return int(self.counts.get("intervals_changed", 0) + self.counts.get("occurrences_changed", 0))

    def as_json(self) -> dict[str, Any]:
        return {
            "version": VERSION,
            "batch": self.batch,
            "source": self.source.batch,
            "start": self.start,
            "fired": self.fired,
            "watermark": self.rows.watermark,
            "latest": self.rows.latest,
            "settled": dict(self.settled),
            "closed": self.closed,
            "bases": [[base.batch, base.files] for base in self.state.bases],
            "log": [_entry_as_json(entry) for entry in self.state.log],
            "files": self.files,
            "counts": dict(self.counts),
            "doubted": self.rows.doubted,
            "written": self.written,
            "spark": dict(self.source.spark),
            "seen": dict(self.rows.seen),
            "rules": self.rules,
        }

    @staticmethod
    def from_json(content: Mapping[str, Any]) -> Commit:
        bases = tuple(Base(batch, _written(files)) for batch, files in content["bases"])
        seen = content.get("seen", {})  # an earlier Holdsfor typed each field by itself
        return Commit(
            content["batch"],
            content["start"],
            content["fired"],
            content["settled"],
            content["closed"],
            StateFiles(bases, tuple(map(_entry_of, content["log"]))),
            _written(content["files"]),
            content["counts"],
            SourcePlace(content["source"], content["spark"]),
            RowsRead(content["watermark"], content["latest"], content["doubted"], seen),
            content["written"],
            content.get("rules", 0),  # an earlier Holdsfor never changed them
        )


def _entry_of(entry: list[Any]) -> Logged:
    batch, files, due, end, mark = entry
    return Logged(batch, _written(files), range(*due), end, mark)


def _entry_as_json(entry: Logged) -> list[Any]:
    due = [entry.due.start, entry.due.stop, entry.due.step]
    return [entry.batch, entry.files, due, entry.end, entry.mark]


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

    def find(self, batch: int) -> Commit | None:
        """Return a batch that counts, if the ledger has it."""
        return self.commit(batch) if self.store.exists(commit_name(batch)) else None

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
                for name in before.state.names - after.state.names:
                    self.store.delete(name)

    def clean(self, last: Commit | None) -> None:
        """Removes what a driver that was killed has left behind."""
        with self.held():
            self.store.sweep()
            used = set() if last is None else last.state.names
            for name in self.store.names("state/"):
                if name not in used:
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
        """Refuse to go on with anything but what the stream was begun with."""
        changes = find_changes(self.identity(), identity)
        if changes:
            raise HoldsforError(
                f"the checkpoint {self.store.shown()} was begun with {'; '.join(changes)}. "
                "Go on as it was begun, or begin anew with another checkpoint. Other rules take over by "
                "`holdsfor update CHECKPOINT RULES`."
            )

    def identity(self) -> dict[str, Any]:
        """Read what the stream was begun with, and the rules that it has now."""
        identity, last = read_version(self.store, IDENTITY), self.last()
        return identity if last is None or not last.rules else identity | self.rules(last.rules)

    def rules(self, number: int) -> dict[str, Any]:
        """Read rules of the stream: those that it was begun with (0), or that took over later."""
        return read_version(self.store, rules_name(number) if number else IDENTITY)

    def write_rules(self, number: int, record: Mapping[str, Any]) -> None:
        """Write rules down; a commit makes them count."""
        with self.held():
            self.store.write_record(rules_name(number), {"version": VERSION, **record})


def rules_name(number: int) -> str:
    return f"rules/{number:07d}.json"


def read_version(store: Store, name: str) -> dict[str, Any]:
    """Read a record of this version; another one may mean something else."""
    content = store.read_json(name)
    version = content.get("version", VERSION) if isinstance(content, dict) else VERSION
    if version != VERSION:
        raise HoldsforError(
            f"{store.shown(name)} has version {version}, this Holdsfor reads {VERSION}. "
            "Go on with the Holdsfor that wrote it, or begin with a new checkpoint."
        )
    return store.read_record(name)
