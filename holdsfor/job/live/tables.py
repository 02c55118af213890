"""Read the tables of a stream from their folder, whether it runs or not."""

from __future__ import annotations

from pathlib import Path

from holdsfor.io.storage import changelog
from holdsfor.io.storage.fold import Changes, Current
from holdsfor.io.storage.store import Store


def read_current(folder: str | Path) -> Current:
    """Read the intervals and occurrences that the tables of a stream come to. folder: a path or a URI."""
    return changelog.read_current(Store(folder))


def read_changes(folder: str | Path) -> Changes:
    """Read the logs of changes from the tables of a stream: all of them, in order. folder: a path or a URI."""
    return changelog.read_changes(Store(folder))
