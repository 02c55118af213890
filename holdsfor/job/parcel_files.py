"""Files in which parcels wait for the tasks that read them, if all tasks run on one machine.

Between processes of one machine bytes need not pass through Spark, which copies them half a dozen times on the way:
a task leaves its parcels in a file, the row that travels says where, and whoever reads them maps that file.
"""

from __future__ import annotations

import json
import tempfile
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from holdsfor.io.columns.wire import write_blocks
from holdsfor.io.events import Block

#: Arrow's columns begin at such places, so that they can be read where they lie.
ALIGNMENT = 64
Labelled = tuple[str, Block]


@dataclass(frozen=True, slots=True)
class Depot:
    """folder: on the machine of all tasks; whoever has made it removes it when the last task is done."""

    folder: str

    def leave(self, lots: Iterable[Iterable[Labelled]]) -> Iterator[bytes]:
        """Writes each lot into one file of this task alone; gives for each the ticket by which it is collected."""
        path = Path(self.folder) / f"{uuid.uuid4().hex}.arrow"
        with pa.OSFile(str(path), "wb") as file:
            for lot in lots:
                begin = file.tell()
                write_blocks(file, lot)
                yield json.dumps([str(path), begin, file.tell() - begin]).encode()
                file.write(bytes(-file.tell() % ALIGNMENT))

    def clear(self) -> None:
        """All that was left has been used."""
        for path in Path(self.folder).iterdir():
            path.unlink(missing_ok=True)


def collect(ticket: bytes) -> pa.Buffer:
    """The lot that was left: a view of its file, not a copy."""
    path, begin, size = json.loads(ticket)
    with pa.memory_map(path) as file:
        file.seek(begin)
        return file.read_buffer(size)


def make_depot_folder(local: str | None) -> tempfile.TemporaryDirectory[str]:
    """A folder for the depot of one run. local: the folders, separated by commas, of which it lies in the first, and
    which need not be there yet; None: it lies where temporary files do."""
    above = Path(local.split(",")[0].strip()) if local else None
    if above is not None:
        above.mkdir(parents=True, exist_ok=True)
    return tempfile.TemporaryDirectory(prefix="holdsfor-depot-", dir=above, ignore_cleanup_errors=True)
