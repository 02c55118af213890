"""Keeps the current table cheap to read: now and then the log of many batches becomes a few files.

    tasks = plan_compaction(store, upto)                         on the driver
    done = [compact_part(store, task) for task in tasks]         a bucket each, on the workers
    finish_compaction(store, upto, done)                         on the driver

A crash at any point loses nothing: the new files count from the moment `compactions/<upto>.json` is there, and only
then are the old ones deleted. What a crash leaves undeleted is not read, and deleted by the next `clean`.

What can never change again goes to a file of its own, written once, so that a compaction rewrites only the rest: its
cost follows from the changes since the last one, not from the length of the stream.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.io.storage.changelog import (
    CURRENT,
    FINAL,
    LOGS,
    Compaction,
    File,
    batch_files,
    commit_name,
    committed,
    compactions,
    log_name,
    needed_files,
    part_of,
    read_files,
)
from holdsfor.io.storage.fold import last_words
from holdsfor.io.storage.store import Store, Written

COMMITS_KEPT = 20


@dataclass(frozen=True)
class CompactPart:
    """A task: compact the logs of one bucket. For each log its files, and the last words of before."""

    part: str
    upto: int
    settled: Mapping[str, int]
    logs: dict[str, tuple[File, ...]]
    current: dict[str, tuple[File, ...]]


@dataclass(frozen=True)
class Compacted:
    """Files written for one bucket, by folder."""

    files: dict[str, Written]


def plan_compaction(store: Store, upto: int, settled: Mapping[str, int] | None = None) -> list[CompactPart]:
    """Plan one task a bucket, over the committed batches up to `upto` that no compaction has covered yet.

    No recovery may go back to a batch before `upto`. settled: by the name of a fluent or event, what ended at
    or before it is known not to change any more.
    """
    before = compactions(store)
    since = before[-1].upto if before else -1
    batches = [batch for batch in committed(store) if since < batch <= upto]
    logs = {log: _by_part(batch_files(store, log, batches)) for log in LOGS}
    current = {log: _by_part(before[-1].of(CURRENT[log]) if before else []) for log in LOGS}
    parts = sorted({part for files in (*logs.values(), *current.values()) for part in files})
    return [
        CompactPart(
            part,
            upto,
            settled or {},
            {log: tuple(logs[log].get(part, ())) for log in LOGS},
            {log: tuple(current[log].get(part, ())) for log in LOGS},
        )
        for part in parts
    ]


def compact_part(store: Store, task: CompactPart) -> Compacted:
    """Write the merged logs of a bucket and the last words by them. Repeated, it writes the same files again."""
    files: dict[str, Written] = {}
    for log, schema in LOGS.items():
        added = read_files(store, task.logs[log], schema)
        before = read_files(store, task.current[log], schema)
        final, rest = _apart(
            last_words(pa.concat_tables([before, added])),
            "fluent" if "fluent" in schema.names else "event",
            task.settled,
        )
        merged = log_name(log, task.upto, task.part).replace("/part-", "/merged-")
        for folder, name, table in (
            (log, merged, added),
            (FINAL[log], _snapshot(FINAL[log], task), final),
            (CURRENT[log], _snapshot(CURRENT[log], task), rest),
        ):
            if len(table):
                files[folder] = store.write_table(name, table)
    return Compacted(files)


def finish_compaction(store: Store, upto: int, done: Iterable[Compacted]) -> Compaction:
    """Let the new files count from here on, and delete the old ones."""
    files: dict[str, list[Written]] = defaultdict(list)
    for compacted in done:
        for folder, written in compacted.files.items():
            files[folder].append(written)
    since = max((before.upto for before in compactions(store) if before.upto < upto), default=-1)
    compaction = Compaction(upto, {folder: tuple(written) for folder, written in files.items()}, since)
    store.write_record(Compaction.name(upto), compaction.to_json())
    clean(store)
    return compaction


def clean(store: Store) -> int:
    """Delete log and snapshot files that no reader needs any more; return how many. Only for the driver.

    A batch whose log is not compacted yet counts only as long as its commit is there, so nobody else may delete
    commits. Those of compacted batches go here, but for the last few.
    """
    done = compactions(store)
    if not done:
        return 0
    needed = {written.name for written in needed_files(done)}
    deleted = 0
    for folder in (*LOGS, *FINAL.values(), *CURRENT.values()):
        files = ((name, _number(name)) for name in store.names(f"{folder}/"))
        old = [name for name, batch in files if batch is not None and batch <= done[-1].upto and name not in needed]
        for name in old:
            store.delete(name)
        for group in sorted({name.rpartition("/")[0] for name in old} - {n.rpartition("/")[0] for n in needed}):
            store.delete_tree(group)
        deleted += len(old)
    for batch in committed(store)[:-COMMITS_KEPT]:
        if batch <= done[-1].upto:
            store.delete(commit_name(batch))
            deleted += 1
    return deleted


def _apart(words: pa.Table, name: str, settled: Mapping[str, int]) -> tuple[pa.Table, pa.Table]:
    """Separate what will not change any more from the rest. A withdrawal is about something in an older file: it stays.

    name: the column with the name of the fluent or event.
    """
    if not settled:
        return words.slice(0, 0), words
    names = pc.index_in(words[name], pa.array(settled.keys(), pa.string())).fill_null(len(settled)).to_numpy()
    cuts = np.array([*settled.values(), np.iinfo(np.int64).min], np.int64)[names]
    ends = words["end"].fill_null(np.iinfo(np.int64).max).to_numpy()
    done = (ends <= cuts) & (words["op"].to_numpy() != "withdraw")
    return words.filter(pa.array(done)), words.filter(pa.array(~done))


def _by_part(files: Iterable[File]) -> dict[str, list[File]]:
    by_part: dict[str, list[File]] = defaultdict(list)
    for file in files:
        by_part[part_of(file[0])].append(file)
    return by_part


def _snapshot(folder: str, task: CompactPart) -> str:
    return f"{folder}/upto={task.upto:07d}/{task.part}.parquet"


def _number(name: str) -> int | None:
    """Return the batch in the name of a file's folder; what others have put there has none."""
    match = re.search(r"=(\d+)/[^/]*$", name)
    return int(match[1]) if match else None
