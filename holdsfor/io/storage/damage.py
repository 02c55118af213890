"""Damage to the files of a stream, and its remedies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from holdsfor.errors import HoldsforError
from holdsfor.io.storage.changelog import commit_name, compactions, needed_files
from holdsfor.io.storage.store import Store, Written

FROM_A_COPY = "Put it back from a copy, or begin anew with another checkpoint and another folder for the tables."


@dataclass(frozen=True, slots=True)
class Damage:
    """One thing that is wrong. place: the file, as messages name it. stops: a stream cannot go on with it."""

    place: str
    problem: str
    remedy: str = FROM_A_COPY
    stops: bool = True

    def __str__(self) -> str:
        return f"{self.place} {self.problem}. {self.remedy}"


def check_files(
    store: Store, files: Iterable[Written], sizes: Mapping[str, int], thorough: bool = False
) -> Iterator[Damage]:
    """Find files that are not there, or of another size; if thorough, also those with another checksum."""
    for file in files:
        place, size = store.shown(file.name), sizes.get(file.name)
        if size is None:
            yield Damage(place, "is not there: it was deleted or moved")
        elif size != file.size:
            yield Damage(place, f"is not what was written: it has {size:,} bytes and should have {file.size:,}")
        elif thorough:
            try:
                store.read(file.name, file.crc)
            except HoldsforError:
                yield Damage(place, "is not what was written: its checksum is another")


def check_tables(store: Store, last: int, thorough: bool = False) -> list[Damage]:
    """Check all that readers need of the tables up to batch `last`, by one listing."""
    sizes = store.sizes()
    try:
        done = compactions(store)
    except HoldsforError as error:
        return [Damage(store.shown("compactions"), f"cannot be read: {error}")]
    upto = done[-1].upto if done else -1
    damages = list(check_files(store, needed_files(done), sizes, thorough))
    for batch in range(upto + 1, last + 1):
        damages += _check_commit(store, batch, sizes, thorough)
    return damages


def _check_commit(store: Store, batch: int, sizes: Mapping[str, int], thorough: bool) -> list[Damage]:
    name = commit_name(batch)
    if name not in sizes:
        return [Damage(store.shown(name), "is not there: the tables lack what a batch has changed")]
    try:
        files = [Written(*file) for file in store.read_record(name)["files"]]
    except HoldsforError:
        return [Damage(store.shown(name), "is not what was written")]
    return list(check_files(store, files, sizes, thorough))
