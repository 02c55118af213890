"""New files in a folder as a stream. What a batch has are their names; whoever does the work reads the files.

Files are read in the order of their time of change, and of their names where that is equal. `Seen` is the list of files
in the order in which they were found; an offset is a place in it, with a checksum of the list up to there.

A file is read once. One that grows or changes after it was found comes again, as a reject that says so.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from holdsfor.errors import HoldsforError
from holdsfor.io.events import REJECTS_SCHEMA, Events
from holdsfor.io.join import join_events
from holdsfor.io.readers.column_types import Agreed
from holdsfor.io.readers.columns import check_mapping
from holdsfor.io.readers.formats import guess_format
from holdsfor.io.readers.mapping import Mapping as ColumnMapping
from holdsfor.io.readers.read import EventPart
from holdsfor.io.readers.sieve import unreadable
from holdsfor.job.live.input.found_files import Seen, SeenFile
from holdsfor.job.parts import Part, cut
from holdsfor.language.description import Input

#: Names of files need not be UTF-8.
SCHEMA = pa.schema(
    [("path", pa.binary()), ("form", pa.string()), ("groups", pa.list_(pa.int32())), ("row", pa.int64())]
)
LINK = "it is a symbolic link, which a stream does not follow: put the file itself into the folder"
CHANGED = "changed"  # the form of a file that is not read but reported
#: The machine's faults, which pass; whatever else is wrong with a file stays so when it is read again.
PASSING = (errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ESTALE, errno.ETIMEDOUT, errno.ENOTCONN)

Offset = dict[str, int]


class FileFeed:
    """An offset is the number of files, in the order in which they were found, that have been read.

    form: of all files; None: as their names and first lines say. most_events, most_files: how much a batch takes at
    most, though at least one file; 0: all there is.
    """

    def __init__(
        self,
        folder: Path,
        seen: Path,
        pattern: str = "*",
        form: str | None = None,
        most_events: int = 0,
        most_files: int = 0,
    ) -> None:
        self.folder, self.pattern, self.form = folder, pattern, form
        self.seen = Seen(seen)
        self.most_events, self.most_files = most_events, most_files
        self._target: int | None = None

    def initial(self) -> Offset:
        return self._offset(0)

    def _offset(self, count: int) -> Offset:
        return {"files": count, "names": self.seen.checksum(count)}

    def _check(self, offset: Offset) -> None:
        """The list must still begin with the files that were read: else others would be passed over in silence."""
        if self.seen.checksum(offset["files"]) != offset["names"]:
            raise HoldsforError(
                f"{self.seen.path} is not the list of files that the stream has read so far, and {self.folder} no "
                "longer has the same files in the same order to make it again. Put the list back from a copy, or put "
                "the files back and delete the list; or begin anew with another checkpoint."
            )

    def seal(self) -> None:
        """From now on no other files are looked for."""
        self._target = len(self.seen.look(self.folder, self.pattern))

    def latest(self, start: Offset) -> Offset:
        """Up to where the next batch goes; the start itself if there is nothing new."""
        entries = self.seen.look(self.folder, self.pattern) if self._target is None else self.seen.known[: self._target]
        self._check(start)
        return self._offset(start["files"] + self._admitted(entries[start["files"] :]))

    def _admitted(self, waiting: Sequence[SeenFile]) -> int:
        """Return how many of the files that wait a batch takes."""
        waiting = waiting[: self.most_files or len(waiting)]
        events = 0
        for count, file in enumerate(waiting):
            events += file.rows
            if self.most_events and events > self.most_events and count:
                return count
        return len(waiting)

    def tables(self, start: Offset, end: Offset) -> list[pa.Table]:
        """A row for each part of a file, each in a table of its own, so that they can be shared out."""
        if len(self.seen.known) < end["files"]:
            self.seen.look(self.folder, self.pattern)  # the list was deleted: it is made again
        self._check(end)
        files = self.seen.known[start["files"] : end["files"]]
        return [_row_of(part) for file in files for part in self._parts(file)]

    def _parts(self, file: SeenFile) -> list[Part]:
        """Return the parts of a file; one that cannot be read is one part, too: who reads it says why not."""
        path = Path(file.path)
        if file.change:
            return [Part(EventPart(path, f"{CHANGED}: {file.change}", ColumnMapping()))]
        if path.is_symlink():
            return [Part(EventPart(path, self.form or "", ColumnMapping()))]
        try:
            return list(cut(EventPart(path, self.form or guess_format(path), ColumnMapping())))
        except HoldsforError:
            return [Part(EventPart(path, self.form or "", ColumnMapping()))]

    def forget(self, end: Offset) -> None:
        """Files stay where they are."""


def _row_of(part: Part) -> pa.Table:
    row = {
        "path": os.fsencode(part.path),
        "form": part.events.format,
        "groups": list(part.groups),
        "row": part.first_row,
    }
    return pa.Table.from_pylist([row], SCHEMA)


@dataclass(frozen=True, slots=True)
class FileReader:
    """Reads the files that the stream names. One that is gone or cannot be read becomes a reject.

    source: which these are, for a checkpoint to know.
    """

    mapping: ColumnMapping
    source: str = ""

    def agreeing(self, types: Agreed) -> FileReader:
        """Return a reader with the types that columns have by now."""
        return replace(self, mapping=self.mapping.agreeing(types)) if types else self

    def read(self, table: pa.Table, inputs: Sequence[Input], source: str, row: int) -> Events:
        for mapping in self.mapping.tables.values() or [self.mapping]:
            check_mapping(mapping, inputs)  # what is wrong with that is no fault of a file
        return join_events(self._read(entry, inputs) for entry in table.to_pylist())

    def _read(self, entry: Mapping[str, Any], inputs: Sequence[Input]) -> Events:
        path = Path(os.fsdecode(entry["path"]))
        if path.is_symlink():
            return unreadable(str(path), LINK)
        form, _, change = (entry["form"] or "").partition(": ")
        if form == CHANGED:
            return changed_file(str(path), change)
        try:
            events = EventPart(path, entry["form"] or guess_format(path), self.mapping.of_file(path))
            return Part(events, tuple(entry["groups"]), entry["row"]).read(inputs)
        except HoldsforError as error:
            if isinstance(error.__cause__, OSError) and error.__cause__.errno in PASSING:
                raise
            return unreadable(str(path), str(error))


def changed_file(path: str, change: str) -> Events:
    """Return no events, and a reject about the file as a whole."""
    rejects = pa.Table.from_pylist([{"source": path, "row": 0, "text": "", "reason": change}], REJECTS_SCHEMA)
    return Events((), rejects, 0, 0, files_changed=1)
