"""A live session on disk: one record, which lists the files that count with their checksums.

session.json                 what the session was begun with, how far it is, and the names of its files
state-0000012.arrow          what it carries, and rows that have not arrived by the last query time
intervals-0000012.parquet    the last word on each interval; occurrences likewise
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa

from holdsfor.duration import TickUnit
from holdsfor.engine.output.changes import Report
from holdsfor.engine.stepping.carried import Carried, from_labelled, labelled
from holdsfor.errors import HoldsforError
from holdsfor.io.columns.wire import pack, unpack
from holdsfor.io.events import Block
from holdsfor.io.storage.store import Store, Written
from holdsfor.job.live.start.changed import RULES
from holdsfor.job.times import Times

VERSION = 1
RECORD = "session.json"


@dataclass(frozen=True, slots=True)
class SessionTerms:
    """Terms that a session is begun with. keep: how many ticks what is over stays in `current`; None: for ever."""

    times: Times
    tick_unit: TickUnit = "s"
    report: Report = "eager"
    keep: int | None = None


@dataclass(frozen=True, slots=True)
class Saved:
    """All of a session but its rules, of which it has digests, also of each definition.

    start: None if no row has told it yet. columns: those that mappings have listed, by event or fluent. seen: in
    columns of text, by which these keep their types. types: of arguments, as they came. latest: the last time of any
    row. updates: of the rules, and since when definitions are there that came with them.
    """

    rules: Mapping[str, Any]
    terms: SessionTerms
    start: int | None
    carried: Carried
    waiting: tuple[Block, ...]
    intervals: pa.Table
    occurrences: pa.Table
    metrics: Mapping[str, int]
    columns: Mapping[str, tuple[str, ...]]
    seen: Mapping[str, int]
    types: Mapping[str, str]
    latest: int | None = None
    updates: int = 0
    since: Sequence[Sequence[int]] = ()


def write_session(store: Store, saved: Saved) -> None:
    """Files of an earlier save count until the new record is there."""
    before: dict[str, Any] = store.read_record(RECORD) if store.exists(RECORD) else {"save": 0, "files": {}}
    save = before["save"] + 1
    meta, blocks = labelled(saved.carried)
    blocks += [("waiting", block) for block in saved.waiting]
    files = {
        "state": store.write(f"state-{save:07d}.arrow", pack(blocks, meta)),
        "intervals": store.write_table(f"intervals-{save:07d}.parquet", saved.intervals),
        "occurrences": store.write_table(f"occurrences-{save:07d}.parquet", saved.occurrences),
    }
    record = {
        "version": VERSION,
        "save": save,
        **saved.rules,
        "terms": asdict(saved.terms),
        "start": saved.start,
        "metrics": dict(saved.metrics),
        "columns": dict(saved.columns),
        "seen": dict(saved.seen),
        "types": dict(saved.types),
        "latest": saved.latest,
        "updates": saved.updates,
        "since": list(saved.since),
        "files": {name: file._asdict() for name, file in files.items()},
    }
    store.write_record(RECORD, record)
    for file in before["files"].values():
        store.delete(file["name"])


def read_session(store: Store) -> Saved:
    if not store.exists(RECORD):
        raise HoldsforError(f"{store.shown()} has no {RECORD}: give the folder of `live.save(folder)`.")
    version = store.read_json(RECORD).get("version")
    if version != VERSION:
        raise HoldsforError(
            f"{store.shown(RECORD)} has version {version}; this Holdsfor reads version {VERSION}. "
            "Go on with the Holdsfor that wrote it, or begin anew."
        )
    record = store.read_record(RECORD)
    files = {name: Written(**file) for name, file in record["files"].items()}
    state = files["state"]
    meta, blocks = unpack(store.read(state.name, state.crc), store.shown(state.name))
    terms = record["terms"]
    return Saved(
        {name: record[name] for name in RULES},
        SessionTerms(**terms | {"times": Times(**terms["times"])}),
        record["start"],
        from_labelled(meta, blocks),
        tuple(block for use, block in blocks if use == "waiting"),
        store.read_table(files["intervals"].name, files["intervals"].crc),
        store.read_table(files["occurrences"].name, files["occurrences"].crc),
        record["metrics"],
        {name: tuple(columns) for name, columns in record["columns"].items()},
        record["seen"],
        record["types"],
        record.get("latest"),
        record.get("updates", 0),
        record.get("since", ()),
    )
