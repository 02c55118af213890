"""Claims on a folder: who works on it, and who was told to stop. On any filesystem; see `lease` for how they are used.

owner/<token>.json      a claim, written anew at each beat, so that others see that its owner lives
owner/<token>.over      another has taken over from this owner, which must stop, and removes the file when it has
owner/guard             local folders: locked while claims are compared, and while an owner writes what must be its own
"""

from __future__ import annotations

import fcntl
import os
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime

from holdsfor.errors import HoldsforError
from holdsfor.io.storage.process import Process, has_ended
from holdsfor.io.storage.store import CorruptFile, MissingFile, Store, make_folder

FOLDER = "owner"
EVERY = 5.0
UNKNOWN = Process("a machine that is not known", "", "", 0, "", "someone", "unknown")


@dataclass(frozen=True, slots=True)
class Timing:
    """every: seconds between two signs of life. stale: after so many of these without one, an owner is taken for dead.

    settle: where nothing can be locked, how long a new claim waits for rivals to show up; writing a file must take
    less. lock: how long to wait for those who compare claims at the same moment.
    """

    every: float = EVERY
    stale: int = 4
    settle: float = 2.0
    lock: float = 10.0
    sleep: Callable[[float], None] = time.sleep
    now: Callable[[], float] = time.monotonic


@dataclass(frozen=True, slots=True)
class Claim:
    """since, seen: when it was made and last written, by the clock of its owner. held: no longer waiting for rivals."""

    token: str
    process: Process
    since: float
    seen: float
    beat: int = 0
    every: float = EVERY
    held: bool = True

    def __str__(self) -> str:
        return f"{self.process}, since {_shown(self.since)}, last sign of life {_shown(self.seen)} by its clock"

    def next(self) -> Claim:
        return replace(self, beat=self.beat + 1, seen=time.time())


def _shown(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


@dataclass(frozen=True, slots=True)
class Claims:
    """All claims on the folder of a store."""

    store: Store
    here: Process
    timing: Timing

    def all(self) -> list[Claim]:
        names = self.store.names(f"{FOLDER}/")
        tokens = [name.removeprefix(f"{FOLDER}/").removesuffix(".json") for name in names if name.endswith(".json")]
        return [claim for token in tokens if (claim := self.read(token)) is not None]

    def read(self, token: str) -> Claim | None:
        """Read a claim; None: it is not there. One that a power cut has torn is known by its content only."""
        name = _claim(token)
        try:
            content = self.store.read_record(name)
            return Claim(**{**content, "process": Process(**content["process"])})
        except MissingFile:
            return None
        except (CorruptFile, TypeError, KeyError):
            return self._torn(token)

    def _torn(self, token: str) -> Claim | None:
        try:
            return Claim(token, UNKNOWN, 0.0, 0.0, zlib.crc32(self.store.read(_claim(token))))
        except MissingFile:
            return None

    def write(self, claim: Claim) -> None:
        self.store.write_record(_claim(claim.token), asdict(claim))

    def delete(self, token: str) -> None:
        self.store.delete(_claim(token))

    def is_alive(self, claim: Claim) -> bool:
        """Return whether an owner lives. On other machines we watch for beats: clocks may differ."""
        ended = has_ended(claim.process, self.here)
        if ended is not None:
            return not ended
        deadline = self.timing.now() + self.timing.stale * claim.every
        while self.timing.now() < deadline:
            self.timing.sleep(claim.every / 4)
            current = self.read(claim.token)
            if current is None:
                return False
            if current.beat != claim.beat:
                return True
        return False

    def depose(self, claim: Claim) -> None:
        """Take a claim away. An owner that may still run finds a note."""
        if not has_ended(claim.process, self.here):
            self.store.write_record(_note(claim.token), asdict(claim))
        self.delete(claim.token)

    def is_deposed(self, token: str) -> bool:
        return self.store.exists(_note(token)) or not self.store.exists(_claim(token))

    def forget(self, token: str) -> None:
        """Delete the claim of an owner that has stopped, and a note to it."""
        self.delete(token)
        self.store.delete(_note(token))

    def await_end(self, tokens: list[str]) -> None:
        """Give owners that were deposed the time to notice and to stop."""
        deadline = self.timing.now() + self.timing.stale * self.timing.every
        while any(self.store.exists(_note(token)) for token in tokens) and self.timing.now() < deadline:
            self.timing.sleep(self.timing.every / 10)

    @contextmanager
    def guard(self, create: bool = False) -> Iterator[bool]:
        """Let nobody else compare claims meanwhile; yield False if the filesystem has no such lock.

        create: also the folder. An owner does not: if its folder is gone, so is its claim.
        """
        if not self.store.local:
            yield False
            return
        path = self.store.path(f"{FOLDER}/guard")
        with self.store.reported("lock", f"{FOLDER}/guard"):
            if create:
                make_folder(os.path.dirname(path), private=True)
            handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            yield self._lock(handle)
        finally:
            os.close(handle)

    def _lock(self, handle: int) -> bool:
        deadline = self.timing.now() + self.timing.lock
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return True
            except BlockingIOError:
                if self.timing.now() > deadline:
                    raise HoldsforError(
                        f"cannot lock {self.store.shown(f'{FOLDER}/guard')}: another process keeps it locked. "
                        "Is one stopped, or does the disk not answer? End that process, then start again."
                    ) from None
                time.sleep(0.01)
            except OSError:
                return False  # a network filesystem without locks


def _claim(token: str) -> str:
    return f"{FOLDER}/{token}.json"


def _note(token: str) -> str:
    return f"{FOLDER}/{token}.over"


def claim_of(process: Process, token: str, timing: Timing) -> Claim:
    now = time.time()
    return Claim(token, process, now, now, 0, timing.every, held=False)
