"""The change log of a stream on disk, and what is current by it.

    commits/0000012.json                                  the batch counts; without it, what follows is not there
    changes/batch=0000012/part-stage0-3.parquet           what it changed in a bucket (`occurrence_changes` likewise)
    changes/batch=0000010/merged-stage0-3.parquet         the log of many batches up to 10 (see `compaction`)
    current/upto=0000010/stage0-3.parquet                 the last words up to batch 10 on what may still change
    final/upto=0000010/stage0-3.parquet                   those on what will not, since the compaction before
    compactions/0000010.json                              which of these files count

A commit may list the files of its batch under `files` (names, or what `Store.write` returned): then only those count,
so that what an earlier attempt of the batch has left is not read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import pyarrow as pa

from holdsfor.errors import HoldsforError
from holdsfor.io.storage.fold import INTERVAL_LOG, OCCURRENCE_LOG, Changes, Current, fold_intervals, fold_occurrences
from holdsfor.io.storage.store import MissingFile, Store, Written

LOGS = {"changes": INTERVAL_LOG, "occurrence_changes": OCCURRENCE_LOG}
CURRENT = {"changes": "current", "occurrence_changes": "current_occurrences"}
FINAL = {"changes": "final", "occurrence_changes": "final_occurrences"}
ATTEMPTS = 5  # a compaction may delete what a reader has just found; after it, the same is in another file

File: TypeAlias = tuple[str, int | None]  # name, checksum if known


def commit_name(batch: int) -> str:
    return f"commits/{batch:07d}.json"


def changes_name(batch: int, part: str) -> str:
    """Name the file of a bucket's changes of intervals; `part` is stage and bucket: `stage0-3`."""
    return log_name("changes", batch, part)


def occurrence_changes_name(batch: int, part: str) -> str:
    return log_name("occurrence_changes", batch, part)


def log_name(log: str, batch: int, part: str) -> str:
    return f"{log}/batch={batch:07d}/part-{part}.parquet"


def part_of(name: str) -> str:
    """Return stage and bucket that a file is about."""
    return re.sub(r"^(part|merged)-", "", name.rpartition("/")[2].removesuffix(".parquet"))


@dataclass(frozen=True)
class Compaction:
    """Files that a compaction has written, by folder, and the last batch that they cover.

    since: the last batch that the compaction before it covers, -1 if it is the first.
    """

    upto: int
    files: dict[str, tuple[Written, ...]]
    since: int = -1

    @staticmethod
    def name(upto: int) -> str:
        return f"compactions/{upto:07d}.json"

    def to_json(self) -> dict[str, Any]:
        return {"upto": self.upto, "files": self.files, "since": self.since}

    @staticmethod
    def from_json(value: dict[str, Any]) -> Compaction:
        files = {folder: tuple(Written(*w) for w in written) for folder, written in value["files"].items()}
        return Compaction(value["upto"], files, value["since"])

    def of(self, folder: str) -> list[File]:
        return [(written.name, written.crc) for written in self.files.get(folder, ())]


def committed(store: Store) -> list[int]:
    """List the batches that count, in order."""
    return _numbers(store, "commits/")


def compactions(store: Store) -> list[Compaction]:
    """Read all compactions, in order. Each covers the batches after the one before."""
    uptos = _numbers(store, "compactions/")
    done = [Compaction.from_json(store.read_record(Compaction.name(upto))) for upto in uptos]
    for before, compaction in zip([-1, *uptos], done, strict=False):
        if compaction.since != before:
            raise MissingFile(
                f"cannot read {store.shown(Compaction.name(compaction.since))}: it is not there. "
                "Was it deleted or moved by hand? Put it back from a copy."
            )
    return done


def needed_files(done: Sequence[Compaction]) -> list[Written]:
    """List the files of compactions that readers still need: of the snapshots of what may change only the last."""
    files = [w for c in done for folder in (*LOGS, *FINAL.values()) for w in c.files.get(folder, ())]
    return files + [w for c in done[-1:] for folder in CURRENT.values() for w in c.files.get(folder, ())]


def read_changes(store: Store) -> Changes:
    """Read the whole log of intervals and of occurrences: all committed batches, in order."""
    intervals, occurrences = (_steadily(store, _log, log) for log in LOGS)
    return Changes(intervals, occurrences)


def read_current(store: Store) -> Current:
    """Read the current intervals and occurrences, by all committed batches."""
    intervals, occurrences = (_steadily(store, _last_words, log) for log in LOGS)
    return Current(fold_intervals(intervals), fold_occurrences(occurrences))


def batch_files(store: Store, log: str, batches: Iterable[int]) -> list[File]:
    """List the files of batches, in order of batches."""
    chosen: list[File] = []
    for batch in batches:
        folder = f"{log}/batch={batch:07d}/"
        listed = store.read_record(commit_name(batch)).get("files")
        if listed is None:
            chosen += [(name, None) for name in store.names(f"{folder}part-")]
        else:
            files = [(f, None) if isinstance(f, str) else (f[0], f[2]) for f in listed]
            chosen += [file for file in files if file[0].startswith(folder)]
    return chosen


def read_files(store: Store, files: Sequence[File], schema: pa.Schema) -> pa.Table:
    """Read all rows of the files, one file after the other."""
    tables = (store.read_table(*file).select(schema.names).cast(schema) for file in files)  # some name an update
    return pa.concat_tables([schema.empty_table(), *tables])


def _log(store: Store, log: str) -> pa.Table:
    merged = compactions(store)
    rest = _after(committed(store), merged)
    files = [file for compaction in merged for file in compaction.of(log)]
    return read_files(store, files + batch_files(store, log, rest), LOGS[log])


def _last_words(store: Store, log: str) -> pa.Table:
    """Read the last words on each id. Final ones come first: should a later batch have a word on one, that counts."""
    merged = compactions(store)
    rest = _after(committed(store), merged)
    files = [file for compaction in merged for file in compaction.of(FINAL[log])]
    files += merged[-1].of(CURRENT[log]) if merged else []
    tables = (files, batch_files(store, log, rest))
    return pa.concat_tables([read_files(store, part, LOGS[log]) for part in tables])


def _after(batches: list[int], merged: list[Compaction]) -> list[int]:
    return [batch for batch in batches if not merged or batch > merged[-1].upto]


def _numbers(store: Store, folder: str) -> list[int]:
    matches = (re.fullmatch(r"(\d+)\.json", name.removeprefix(folder)) for name in store.names(folder))
    return sorted(int(match[1]) for match in matches if match)


def _steadily(store: Store, read: Callable[[Store, str], pa.Table], log: str) -> pa.Table:
    """Read, and again if a compaction has come between: what it deletes is missing, or not even listed."""
    for _ in range(ATTEMPTS):
        before = _numbers(store, "compactions/")
        missing = None
        try:
            table = read(store, log)
        except MissingFile as error:
            missing = error
        if _numbers(store, "compactions/") == before:
            if missing is not None:
                raise missing
            return table
    raise HoldsforError(f"{store.shown()} changes faster than it can be read. Compact less often.")
