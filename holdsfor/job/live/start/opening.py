"""Before a stream begins or goes on: do its parts belong together, and is all there that it needs?

A stream has three places: its ledger with the state, Spark's own log, and the tables. Each knows enough of the others
to notice that one was deleted, mixed up or put back from an older copy. What can be made again is made again.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from holdsfor.errors import HoldsforError
from holdsfor.io.storage.changelog import commit_name, committed, compactions
from holdsfor.io.storage.damage import FROM_A_COPY, check_tables
from holdsfor.io.storage.lease import take_lease
from holdsfor.io.storage.store import CorruptFile, Store
from holdsfor.job.live.state.ledger import IDENTITY, VERSION, Ledger, read_version
from holdsfor.job.live.state.progress import repair_progress
from holdsfor.job.live.update.rules_in_force import WRITTEN

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Places:
    """root: the checkpoint. Only the tables may lie elsewhere, where others may be allowed to read them."""

    root: Store
    state: Store
    spark: Store
    tables: Store

    @staticmethod
    def of(checkpoint: str | Path, out: str | Path | None, sync: bool) -> Places:
        tables = Store(f"{checkpoint}/tables" if out is None else out, sync=sync, private=out is None)
        state, spark = (Store(f"{checkpoint}/{part}", sync=sync, private=True) for part in ("holdsfor", "spark"))
        return Places(Store(checkpoint, sync=sync, private=True), state, spark, tables)


def open_stream(
    ledger: Ledger,
    tables: Store,
    spark: Store,
    identity: Mapping[str, Any],
    defined: Sequence[str] = (),
    written: Mapping[str, Any] | None = None,
) -> None:
    """Begins a stream, or makes sure that it can go on. The checkpoint must be ours.

    defined: the fluents and events that tables may have, for whoever reads them. written: the rules, as text.
    """
    if ledger.store.exists(IDENTITY):
        stream = ledger.resume(identity)
    else:
        _refuse_remains(ledger.store, spark, tables)
        stream = ledger.begin({**identity, WRITTEN: written}, tables.location)
    owned = _owns_tables(tables, stream)
    if owned:
        _restore_newest(ledger, tables)
    last = ledger.last()
    with ledger.held():
        damages = repair_progress(spark, last)
    for damage in damages:
        _log.warning("%s", damage)
    _republish(ledger, tables)
    for damage in check_tables(tables, -1 if last is None else last.batch):
        raise HoldsforError(str(damage))
    if not owned:
        _mark_tables(tables, stream, ledger.store.location, defined)


def _refuse_remains(state: Store, spark: Store, tables: Store) -> None:
    """A new stream must not begin on what another has left."""
    if tables.exists(IDENTITY) and _checkpoint_of(tables) != state.location:
        raise HoldsforError(_foreign(tables))
    for store, prefix in ((state, ""), (spark, ""), (tables, IDENTITY), (tables, "commits/"), (tables, "compactions/")):
        for name in store.names(prefix):
            raise HoldsforError(
                f"{state.shown(IDENTITY)} is not there, but {store.shown(name)} is: a part of the stream was deleted. "
                f"{FROM_A_COPY}"
            )


def _owns_tables(tables: Store, stream: str) -> bool:
    """Whether the tables are marked as those of this stream; raises if they are another's."""
    if not tables.exists(IDENTITY):
        return False
    if read_version(tables, IDENTITY)["id"] != stream:
        raise HoldsforError(_foreign(tables))
    return True


def _checkpoint_of(tables: Store) -> str:
    return str(read_version(tables, IDENTITY)["checkpoint"])


def _foreign(tables: Store) -> str:
    return (
        f"the tables in {tables.shown()} belong to another stream, whose checkpoint is {_checkpoint_of(tables)}. "
        "Give each stream a folder of its own (--out), or go on with that checkpoint."
    )


def _mark_tables(tables: Store, stream: str, checkpoint: str, defined: Sequence[str]) -> None:
    """Two streams that begin at the same moment with one folder for tables cannot both have it."""
    with take_lease(tables, f"the folder for tables {tables.shown()}"):
        if not _owns_tables(tables, stream):
            mark = {"version": VERSION, "id": stream, "checkpoint": checkpoint, "defined": list(defined)}
            tables.write_record(IDENTITY, mark)


def read_defined(tables: Store) -> tuple[str, ...]:
    """Read the fluents and events that tables may have; () where an earlier version has begun the stream."""
    return tuple(read_version(tables, IDENTITY).get("defined", ())) if tables.exists(IDENTITY) else ()


def _restore_newest(ledger: Ledger, tables: Store) -> None:
    """The tables have a copy of each commit; one that only they have was deleted from the ledger."""
    newest = max(committed(tables), default=-1)
    if newest <= max(committed(ledger.store), default=-1):
        return
    name = commit_name(newest)
    content = read_version(tables, name)
    with ledger.held():
        ledger.store.write_record(name, content)
    _log.warning("%s was not there; made again from %s.", ledger.store.shown(name), tables.shown(name))


def _republish(ledger: Ledger, tables: Store) -> None:
    """Commits that the tables lack, as far as the ledger still has them."""
    done = compactions(tables)
    upto = done[-1].upto if done else -1
    for batch in committed(ledger.store):
        name = commit_name(batch)
        if batch > upto and not _is_record(tables, name):
            with ledger.held():
                tables.write_record(name, ledger.commit(batch).as_json())
            _log.warning("%s was not there, or damaged; made again from the ledger.", tables.shown(name))


def _is_record(store: Store, name: str) -> bool:
    try:
        return store.exists(name) and bool(store.read_record(name))
    except CorruptFile:
        return False
