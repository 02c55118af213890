"""The files that a stream has found in a folder, in order, and what has become of them since."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path

from holdsfor.errors import HoldsforError
from holdsfor.io.readers.formats import recognise_format
from holdsfor.io.storage.whole_file import open_private

HIDDEN = (".", "_")
UNFINISHED = (".tmp", ".part", ".crc")
SAMPLE = 1 << 16  # bytes of a text file from which the number of its lines is guessed


@dataclass(frozen=True, slots=True)
class SeenFile:
    """A file as it was when it was found. change: it was found before; what has happened to it since."""

    path: str
    rows: int  # for text files a guess
    size: int
    modified: int
    ends: int  # a checksum of its beginning and its end
    change: str = ""

    def describe_change(self, now: SeenFile) -> str:
        """Empty if it has the same content."""
        if now.size > self.size:
            what = f"grew from {self.size:,} to {now.size:,} bytes"
        elif now.size < self.size:
            what = f"shrank from {self.size:,} to {now.size:,} bytes"
        elif now.ends != self.ends:
            what = "was written again"
        else:
            return ""
        return (
            f"the file {what} after the stream had found it: rows written since then may be missing. "
            "Move files into the folder when they are complete; give new rows in a new file"
        )


class Seen:
    """The files that have been found, in order: a line of JSON each, only ever added to."""

    def __init__(self, path: Path, repair: bool = True) -> None:
        self.path = path
        self.known: list[SeenFile] = []
        if path.exists():
            self.known, whole = read_seen(path)
            if repair and whole < path.stat().st_size:
                os.truncate(path, whole)
        self._sums = [0]
        self._latest: dict[str, SeenFile] = {}
        self._take(self.known)

    def checksum(self, count: int) -> int:
        """Return the checksum of the first files in the list; -1 if there are not so many."""
        return self._sums[count] if count < len(self._sums) else -1

    def look(self, folder: Path, pattern: str) -> list[SeenFile]:
        """All files that are there now or have been, and once each that has changed since."""
        entries = list(_data_files(folder, pattern))
        files = [*self._changes(entries), *self._fresh(entries)]
        if files:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with open(self.path, "a", encoding="utf-8", opener=open_private) as log:
                log.writelines(json.dumps(asdict(file)) + "\n" for file in files)
                log.flush()
                os.fsync(log.fileno())
            self.known += files
            self._take(files)
        return self.known

    def _take(self, files: Sequence[SeenFile]) -> None:
        for file in files:
            line = os.fsencode(file.path) + f"\n{bool(file.change)}\n".encode()
            self._sums.append(zlib.crc32(line, self._sums[-1]))
            self._latest[file.path] = file

    def _fresh(self, entries: Sequence[os.DirEntry[str]]) -> list[SeenFile]:
        fresh = []
        for entry in entries:
            if entry.path not in self._latest:
                with suppress(FileNotFoundError):  # removed at this moment
                    fresh.append(look_at(Path(entry.path)))
        return sorted(fresh, key=lambda file: (file.modified, file.path))

    def _changes(self, entries: Sequence[os.DirEntry[str]]) -> list[SeenFile]:
        """Return the files that have changed; one that changes again and again is told once."""
        latest = [(entry, self._latest[entry.path]) for entry in entries if entry.path in self._latest]
        changes = [self._change(entry, before) for entry, before in latest if not before.change]
        return [change for change in changes if change is not None]

    def _change(self, entry: os.DirEntry[str], before: SeenFile) -> SeenFile | None:
        try:
            stat = entry.stat()
            if (stat.st_size, stat.st_mtime_ns) == (before.size, before.modified):
                return None
            now = look_at(Path(entry.path), count_rows=False)
        except FileNotFoundError:
            return None  # removed at this moment: it was read, or reading it will say so
        self._latest[entry.path] = replace(now, change=before.describe_change(now))
        return self._latest[entry.path] if self._latest[entry.path].change else None


def read_seen(path: Path) -> tuple[list[SeenFile], int]:
    """The list of files, and how many bytes of it are whole: a last line without an end was torn."""
    lines = path.read_bytes().split(b"\n")[:-1]
    try:
        return [SeenFile(**json.loads(line)) for line in lines], sum(len(line) + 1 for line in lines)
    except (ValueError, TypeError) as error:
        raise HoldsforError(
            f"{path} is damaged ({error}). Delete it: it is made again from the folder, if the files are still there."
        ) from None


def look_at(path: Path, count_rows: bool = True) -> SeenFile:
    """Describe a file as it is now."""
    with path.open("rb") as file:
        stat = os.fstat(file.fileno())
        ends = file.read(SAMPLE)
        file.seek(max(stat.st_size - SAMPLE, 0))
        ends += file.read(SAMPLE)
    return SeenFile(str(path), _rows(path) if count_rows else 0, stat.st_size, stat.st_mtime_ns, zlib.crc32(ends))


def _data_files(folder: Path, pattern: str) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if fnmatchcase(entry.name, pattern) and _is_data(entry.name) and entry.is_file():
                yield entry


def _is_data(name: str) -> bool:
    return not name.startswith(HIDDEN) and not name.endswith(UNFINISHED)


def _rows(path: Path) -> int:
    """Estimate the rows of a file; 1 for one that cannot be read, which becomes one reject."""
    form = recognise_format(path)
    if form is not None and form.pieces is not None:
        try:
            return sum(form.pieces.count_rows(path))
        except HoldsforError:
            return 1
    with path.open("rb") as file:
        sample = file.read(SAMPLE)
    lines = max(sample.count(b"\n"), 1)
    return max(1, path.stat().st_size * lines // max(len(sample), 1))
