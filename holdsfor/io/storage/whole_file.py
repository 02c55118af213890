"""Files that readers see whole or not at all: written under another name, then renamed."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


@contextmanager
def open_whole(path: Path, sync: bool = False, private: bool = False) -> Iterator[BinaryIO]:
    """Open a file that takes the place of another when it is complete; after an error that one stays.

    sync: it is safe on disk before it does. private: for its owner only.
    """
    temporary = temporary_path(path)
    try:
        with open(temporary, "wb", opener=open_private if private else None) as file:
            yield file
            if sync:
                file.flush()
                os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):  # it was never made; if the disk is gone, that is said already
            temporary.unlink()
        raise
    if sync:
        sync_folder(path.parent)


def temporary_path(path: Path) -> Path:
    """Return a path for a file until it is complete."""
    return path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")


def open_private(path: str, flags: int) -> int:
    """Open a file for `open`: it is for its owner only."""
    return os.open(path, flags, 0o600)


def sync_folder(folder: Path) -> None:
    """Make names in a folder as durable as the files they stand for."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
