"""Stores on which a process ends, or the disk is full, at a chosen operation."""

from __future__ import annotations

import errno
import os
import uuid
from dataclasses import dataclass, field

from holdsfor.io.storage.store import Data, Store, Written


class Crash(BaseException):
    """The process ends here, as with SIGKILL: nothing that follows is done."""


@dataclass
class Fuse:
    """Counts what is written and deleted; blows at the operation of that number (None: never), and at all after it."""

    at: int | None = None
    full: bool = False  # the disk is full, rather than the process killed
    done: list[str] = field(default_factory=list)

    def blown(self, operation: str) -> bool:
        self.done.append(operation)
        return self.at is not None and len(self.done) > self.at


class Breaking(Store):
    """A file whose writing is interrupted is left unfinished beside its place: renaming is all or nothing."""

    def __init__(self, location: str, fuse: Fuse) -> None:
        super().__init__(location, sync=False)
        self.fuse = fuse

    def write(self, name: str, data: Data) -> Written:
        if self.fuse.blown(f"write {name}"):
            if self.fuse.full:
                with self.reported("write", name):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            self._leave_half(name, data)
            raise Crash(name)
        return super().write(name, data)

    def _leave_half(self, name: str, data: Data) -> None:
        folder, _, last = self.path(name).rpartition("/")
        os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/.{last}.{uuid.uuid4().hex}.tmp", "wb") as file:
            file.write(bytes(memoryview(data))[: len(memoryview(data)) // 2])

    def delete(self, name: str) -> None:
        if not self.fuse.full and self.fuse.blown(f"delete {name}"):
            raise Crash(name)
        super().delete(name)

    def delete_tree(self, prefix: str) -> None:
        if not self.fuse.full and self.fuse.blown(f"delete {prefix}"):
            raise Crash(prefix)
        super().delete_tree(prefix)
