"""Looks at all files of a stream, without changing them: what is right, what is damaged, what can be made again.

Needs neither Spark nor rules. A stream that is running meanwhile goes on, and files that it replaces may look missing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from holdsfor.errors import HoldsforError
from holdsfor.io.mqtt.spool import Spool, read_segment
from holdsfor.io.storage.changelog import commit_name, committed
from holdsfor.io.storage.claims import Claims, Timing
from holdsfor.io.storage.damage import FROM_A_COPY, Damage, check_files, check_tables
from holdsfor.io.storage.process import has_ended, this_process
from holdsfor.io.storage.store import Store, Written
from holdsfor.job.live.input.found_files import Seen
from holdsfor.job.live.state.ledger import IDENTITY, Commit, Ledger, read_version
from holdsfor.job.live.state.progress import find_damage

NEXT_START = "The next start makes it again."


@dataclass(frozen=True, slots=True)
class VerifiedPart:
    """One part of a stream: what there is of it, and what is wrong with it."""

    name: str
    about: str
    damages: tuple[Damage, ...] = ()


@dataclass(slots=True)
class Checkpoint:
    """A checkpoint that is verified. last: the last commit that can be read."""

    root: Store
    state: Store
    spark: Store
    tables: Store
    stream: str = ""
    last: Commit | None = None


def verify_stream(checkpoint: str | Path) -> list[VerifiedPart]:
    """Verify all parts of a stream."""
    root, state = Store(checkpoint), Store(f"{checkpoint}/holdsfor")
    if not root.names():
        raise HoldsforError(f"there is no checkpoint in {root.shown()}. Give the folder that --checkpoint names.")
    parts = [_owner(root), _identity(state)]
    identity = {} if parts[-1].damages else Ledger(state).rules(0)
    place = identity.get("tables") or f"{checkpoint}/tables"
    looked = Checkpoint(root, state, Store(f"{checkpoint}/spark"), Store(place), str(identity.get("id", "")))
    checks: list[Callable[[Checkpoint], VerifiedPart]] = [
        _commits,
        _state,
        _deliveries,
        _tables,
        _spark,
        _files,
        _spool,
    ]
    return parts + [check(looked) for check in checks]


def report_lines(parts: list[VerifiedPart]) -> list[str]:
    width = max(len(part.name) for part in parts)
    lines = []
    for part in parts:
        lines.append(f"{part.name:<{width}}  {'damaged' if part.damages else 'right':<7}  {part.about}".rstrip())
        lines += [f"{'':<{width}}  {damage}" for damage in part.damages]
    damages = [damage for part in parts for damage in part.damages]
    if not damages:
        return [*lines, "All is right."]
    stops = sum(damage.stops for damage in damages)
    can = "The stream can go on all the same." if not stops else f"The stream cannot go on with {stops} of them."
    return [*lines, f"{len(damages)} damaged. {can}"]


def _owner(root: Store) -> VerifiedPart:
    here = this_process()
    claims = [c for c in Claims(root, here, Timing()).all() if not has_ended(c.process, here)]
    return VerifiedPart("owner", f"in use by {claims[0]}" if claims else "not in use")


def _identity(state: Store) -> VerifiedPart:
    try:
        identity = read_version(state, IDENTITY)
    except HoldsforError as error:
        return VerifiedPart("identity", "", (Damage(state.shown(IDENTITY), f"cannot be used: {error}"),))
    return VerifiedPart("identity", f"stream {identity['id']}")


def _commits(looked: Checkpoint) -> VerifiedPart:
    ledger, batches = Ledger(looked.state), committed(looked.state)
    damages = []
    for batch in batches:
        try:
            looked.last = ledger.commit(batch)
        except HoldsforError as error:
            damages.append(_damaged_commit(looked, batch, str(error), newest=batch == batches[-1]))
    for batch in committed(looked.tables)[-1:]:
        if batch > max(batches, default=-1):
            damages.append(Damage(looked.state.shown(commit_name(batch)), "is not there", NEXT_START, stops=False))
    return VerifiedPart("commits", _count(len(batches), "commit"), tuple(damages))


def _damaged_commit(looked: Checkpoint, batch: int, problem: str, newest: bool) -> Damage:
    name = commit_name(batch)
    place = looked.state.shown(name)
    if not newest:
        return Damage(place, f"is damaged: {problem}", "It is not needed: you may delete it.", stops=False)
    try:
        read_version(looked.tables, name)
    except HoldsforError:
        return Damage(place, f"is damaged: {problem}")
    return Damage(place, f"is damaged: {problem}", f"Copy {looked.tables.shown(name)} over it.")


def _state(looked: Checkpoint) -> VerifiedPart:
    last = looked.last
    if last is None:
        return VerifiedPart("state", "none yet")
    files, sizes = last.state.files, looked.state.sizes("state/")
    damages = {d.place: d for d in check_files(looked.state, files, sizes, thorough=True)}
    bad = [file for file in files if looked.state.shown(file.name) in damages]
    weighed = [_weighed(looked.state, last, file, bad, damages[looked.state.shown(file.name)]) for file in bad]
    return VerifiedPart("state", _count(len(files), "file"), tuple(weighed))


def _weighed(state: Store, last: Commit, file: Written, bad: list[Written], damage: Damage) -> Damage:
    """A base can be made again from the one before it (the first: from nothing) and all that its bucket got since."""
    *older, newest = [base.files for base in last.state.bases] or [()]
    mine = [other for other in bad if _bucket(other) == _bucket(file)]
    if file in newest and mine == [file]:
        return Damage(damage.place, damage.problem, NEXT_START, stops=False)
    if any(file in base for base in older) and mine == [file]:
        return Damage(damage.place, damage.problem, "It is not needed: there is a newer one.", stops=False)
    return damage


def _bucket(file: Written) -> str:
    return file.name.rpartition("/")[0]


def _deliveries(looked: Checkpoint) -> VerifiedPart:
    names, damages = looked.state.names("delivered/"), []
    for name in names:
        try:
            looked.state.read_record(name)
        except HoldsforError:
            remedy = "Delete it: the sink then gets the last batch once more."
            damages.append(Damage(looked.state.shown(name), "is not what was written", remedy))
    return VerifiedPart("deliveries", _count(len(names), "sink"), tuple(damages))


def _tables(looked: Checkpoint) -> VerifiedPart:
    last = -1 if looked.last is None else looked.last.batch
    damages = [*_marker(looked), *check_tables(looked.tables, last, thorough=True)]
    return VerifiedPart(
        "tables", f"{looked.tables.shown()}, up to batch {last}", tuple(_mend(looked, d) for d in damages)
    )


def _marker(looked: Checkpoint) -> Iterator[Damage]:
    place = looked.tables.shown(IDENTITY)
    if not looked.tables.exists(IDENTITY):
        yield Damage(place, "is not there", NEXT_START, stops=False)
        return
    try:
        if read_version(looked.tables, IDENTITY)["id"] != looked.stream:
            yield Damage(place, "says that the tables belong to another stream", "Give --out the right folder.")
    except HoldsforError:
        yield Damage(place, "is not what was written", "Delete it: the next start makes it again.")


def _mend(looked: Checkpoint, damage: Damage) -> Damage:
    """A commit of the tables can be made again as long as the ledger has it."""
    committed_files = {looked.tables.shown(commit_name(batch)) for batch in committed(looked.state)}
    return Damage(damage.place, damage.problem, NEXT_START, stops=False) if damage.place in committed_files else damage


def _spark(looked: Checkpoint) -> VerifiedPart:
    count = len(looked.spark.names("offsets/"))
    return VerifiedPart(
        "spark", "Spark's own log" if count else "none yet", tuple(find_damage(looked.spark, looked.last))
    )


def _files(looked: Checkpoint) -> VerifiedPart:
    """The list of files of a stream that reads a folder; on the machine where that stream runs."""
    path = Path(looked.root.location) / "files.jsonl"
    if not looked.root.local or not path.exists():
        return VerifiedPart("files read", "no list")
    try:
        seen = Seen(path, repair=False)
    except HoldsforError as error:
        return VerifiedPart("files read", "", (Damage(str(path), f"cannot be read: {error}", "", stops=True),))
    offset = _offset(looked.last)
    if offset and seen.checksum(offset["files"]) != offset["names"]:
        problem = "is not the list of files that the stream has read"
        remedy = f"If all files are still in their folder, delete it: {NEXT_START} Else: {FROM_A_COPY}"
        return VerifiedPart("files read", "", (Damage(str(path), problem, remedy),))
    return VerifiedPart("files read", _count(len(seen.known), "file"))


def _offset(last: Commit | None) -> dict[str, int]:
    """How far in that list the last batch has read."""
    for line in (last.source.spark.get("offsets", "") if last else "").splitlines():
        if line.startswith('{"files"'):
            return dict(json.loads(line))
    return {}


def _spool(looked: Checkpoint) -> VerifiedPart:
    folder = Path(looked.root.location) / "spool"
    if not looked.root.local or not folder.is_dir():
        return VerifiedPart("spool", "none")
    spool = Spool(folder)
    segments = [segment for segment in spool.segments() if segment.number >= spool.first]
    damages = []
    for expected, segment in enumerate(segments, segments[0].number if segments else 0):
        if segment.number != expected:
            damages.append(Damage(f"{folder}/{expected:012}-*.arrow", "is not there"))
            break
        try:
            whole = read_segment(segment.path).num_rows == segment.rows
        except (pa.ArrowException, OSError):
            whole = False
        if not whole:
            damages.append(Damage(str(segment.path), "is not what was written"))
    return VerifiedPart("spool", _count(len(segments), "segment"), tuple(damages))


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
