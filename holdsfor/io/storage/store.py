"""Files of a checkpoint and of results, on any filesystem that pyarrow knows: whole or not at all, with a checksum."""

from __future__ import annotations

import errno
import json
import os
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet as pq

from holdsfor.errors import HoldsforError
from holdsfor.io.brokers.address import hide_passwords, is_uri, show_location
from holdsfor.io.storage.whole_file import open_whole, sync_folder, temporary_path

Data: TypeAlias = bytes | bytearray | memoryview | pa.Buffer

# There a file appears when it is complete, and folders are only parts of names.
OBJECT_STORES = ("s3", "gcs", "abfs")


class CorruptFile(HoldsforError):
    """A file that is not what was written."""


class MissingFile(HoldsforError):
    """A file that should be there and is not."""


class Written(NamedTuple):
    """A file as a commit remembers it, so that whoever reads it can tell that it is the same. JSON has it as a list."""

    name: str
    size: int
    crc: int


def located(location: str | Path) -> str:
    """Return a URI as it is, a path from the root: other processes work in other folders."""
    text = str(location)
    return text if is_uri(text) else str(Path(text).expanduser().absolute())


class Store:
    """A folder, by path or by URI (`file:`, `s3:`, `gs:`, `hdfs:`, ...). Names are relative to it, with `/` between.

    Only the location is pickled; each process opens the filesystem for itself. Without `sync` files are still whole or
    not at all for other processes, but may be lost when the machine fails. private: what it makes on a local filesystem
    is for its owner only.
    """

    def __init__(
        self,
        location: str | Path,
        filesystem: pa.fs.FileSystem | None = None,
        sync: bool = True,
        private: bool = False,
    ) -> None:
        self.location = located(location) if filesystem is None else str(location)
        self._said_as = str(location)
        self.sync = sync
        self.private = private
        self._given = filesystem

    def __repr__(self) -> str:
        return f"Store({self.shown()!r})"

    def __getstate__(self) -> dict[str, Any]:
        names = ("location", "sync", "private", "_given", "_said_as")
        return {name: getattr(self, name) for name in names}

    def copy(self, sync: bool, private: bool) -> Store:
        """Return a store of the same folder that writes in another way."""
        store = Store(self.location, self._given, sync, private)
        store._said_as = self._said_as
        return store

    def shown(self, name: str = "") -> str:
        """Return the place as messages name it: without a password that the URI may have."""
        place = show_location(self._said_as).rstrip("/")
        return f"{place}/{name}" if name else place or "/"

    @cached_property
    def _opened(self) -> tuple[pa.fs.FileSystem, str]:
        if self._given is not None:
            return self._given, self.location.rstrip("/")
        if not is_uri(self.location):
            return pa.fs.LocalFileSystem(), self.location
        try:
            filesystem, path = pa.fs.FileSystem.from_uri(self.location)
        except (pa.ArrowException, OSError, ValueError) as error:
            reason = hide_passwords(str(error).replace(self.location, self.shown()), [self.location])
        else:
            return filesystem, path.rstrip("/")
        raise HoldsforError(  # here, where the cause, which may show a password, is no part of it
            f"cannot open {self.shown()}: {reason}. "
            "Give a path, or a URI of a filesystem that pyarrow knows (file:, s3:, gs:, hdfs:)."
        )

    @property
    def filesystem(self) -> pa.fs.FileSystem:
        return self._opened[0]

    @cached_property
    def local(self) -> bool:
        return isinstance(self.filesystem, pa.fs.LocalFileSystem)

    def path(self, name: str) -> str:
        """Return the path of a file for its filesystem."""
        if name.startswith("/") or not {"", ".", ".."}.isdisjoint(name.rstrip("/").split("/")):
            raise ValueError(f"not a name below a store: {name!r}")
        return f"{self._base}{name.rstrip('/')}"

    @property
    def _base(self) -> str:
        path = self._opened[1]
        return path and f"{path}/"

    def make(self) -> None:
        """Make the folder, if the filesystem has folders of its own. Those above it are not ours to close."""
        if self.local:
            folder = self._opened[1] or "/"
            with self.reported("make", ""):
                make_folder(os.path.dirname(folder), self.sync)
                make_folder(folder, self.sync, self.private)

    def write(self, name: str, data: Data) -> Written:
        """Replace the file, or leave what was there. A task that is repeated writes the same file again."""
        path = Path(self.path(name))
        with self.reported("write", name):
            if self.local:
                make_folder(str(path.parent), self.sync, self.private)
                with open_whole(path, self.sync, self.private) as file:
                    file.write(data)
            else:
                self._write_remote(path, data)
        return Written(name, len(memoryview(data)), zlib.crc32(data))

    def _write_remote(self, path: Path, data: Data) -> None:
        folder, temporary = str(path.parent), str(temporary_path(path))
        if folder not in (".", "/") and self.filesystem.type_name not in OBJECT_STORES:
            self.filesystem.create_dir(folder, recursive=True)
        try:
            with self.filesystem.open_output_stream(temporary) as stream:
                stream.write(data)
            self.filesystem.move(temporary, str(path))
        except BaseException:
            with suppress(OSError, pa.ArrowException):  # it was never made; if the disk is gone, that is said already
                self.filesystem.delete_file(temporary)
            raise

    def read(self, name: str, crc: int | None = None) -> pa.Buffer:
        """Read the whole content, memory-mapped if the file is local; test it, if its checksum is given."""
        path = self.path(name)
        with self.reported("read", name):
            if not self.local:
                with self.filesystem.open_input_file(path) as stream:
                    content = stream.read_buffer()
            elif os.path.getsize(path):
                with pa.memory_map(path) as mapped:
                    content = mapped.read_buffer()
            else:
                content = pa.py_buffer(b"")  # nothing cannot be mapped
        if crc is not None and (actual := zlib.crc32(content)) != crc:
            raise CorruptFile(
                f"{self.shown(name)} is not what was written: its checksum should be {crc:08x} and is {actual:08x} "
                f"({content.size:,} bytes). The disk or whoever copied it has changed it. "
                "Put the file back from a copy, or go back to an older version."
            )
        return content

    def exists(self, name: str) -> bool:
        with self.reported("look for", name):
            return bool(self.filesystem.get_file_info(self.path(name)).type == pa.fs.FileType.File)

    def names(self, prefix: str = "") -> list[str]:
        """List all files that begin with the prefix, in subfolders too, sorted. Unfinished files are left out."""
        return list(self.sizes(prefix))

    def sizes(self, prefix: str = "") -> dict[str, int]:
        """Return the sizes in bytes of the files that `names` lists."""
        return {name: size for name, size in self._listed(prefix).items() if not _unfinished(name)}

    def _listed(self, prefix: str) -> dict[str, int]:
        folder = prefix.rpartition("/")[0]
        place = self.path(folder) if folder else self._opened[1]
        selector = pa.fs.FileSelector(place, allow_not_found=True, recursive=True)
        with self.reported("list", folder):
            infos = self.filesystem.get_file_info(selector)
        files = [info for info in infos if info.type == pa.fs.FileType.File]
        sizes = {info.path.removeprefix(self._base): info.size for info in files}
        return {name: sizes[name] for name in sorted(sizes) if name.startswith(prefix)}

    def delete(self, name: str) -> None:
        """Delete a file; one that is not there is fine."""
        with self.reported("delete", name):
            try:
                self.filesystem.delete_file(self.path(name))
            except FileNotFoundError:
                return
            except OSError:
                if self.filesystem.get_file_info(self.path(name)).type != pa.fs.FileType.NotFound:
                    raise

    def delete_tree(self, prefix: str) -> None:
        """Delete a folder and all in it; one that is not there is fine."""
        with self.reported("delete", prefix):
            self.filesystem.delete_dir_contents(self.path(prefix), missing_dir_ok=True)
            if self.filesystem.get_file_info(self.path(prefix)).type == pa.fs.FileType.Directory:
                self.filesystem.delete_dir(self.path(prefix))

    def sweep(self, prefix: str = "") -> int:
        """Delete what killed processes have left unfinished. Only for when nobody writes there."""
        left = [name for name in self._listed(prefix) if _unfinished(name)]
        for name in left:
            self.delete(name)
        return len(left)

    def write_json(self, name: str, value: object) -> Written:
        return self.write(name, (json.dumps(value, ensure_ascii=False) + "\n").encode())

    def read_json(self, name: str, crc: int | None = None) -> Any:
        content = self.read(name, crc)
        try:
            return json.loads(content.to_pybytes())
        except ValueError as error:
            raise CorruptFile(f"{self.shown(name)} is not JSON: {error}. Put it back from a copy.") from error

    def write_record(self, name: str, content: Mapping[str, Any]) -> Written:
        """Write JSON with its own checksum, for files that no other file lists."""
        return self.write_json(name, {**content, "checksum": _checksum(content)})

    def read_record(self, name: str) -> dict[str, Any]:
        """Read a file of `write_record`, and nothing else."""
        content = self.read_json(name)
        checksum = content.pop("checksum", None) if isinstance(content, dict) else None
        if checksum is None or checksum != _checksum(content):
            raise CorruptFile(f"{self.shown(name)} is not what was written. Put it back from a copy.")
        return dict(content)

    def write_table(self, name: str, table: pa.Table) -> Written:
        """Write a table as Parquet."""
        sink = pa.BufferOutputStream()
        pq.write_table(table, sink, compression="zstd")
        return self.write(name, sink.getvalue())

    def read_table(self, name: str, crc: int | None = None) -> pa.Table:
        content = self.read(name, crc)
        try:
            return pq.read_table(pa.BufferReader(content))
        except (pa.ArrowException, OSError) as error:
            raise CorruptFile(f"{self.shown(name)} is not a Parquet file: {error}. Put it back from a copy.") from error

    @contextmanager
    def reported(self, doing: str, name: str) -> Iterator[None]:
        """Turn what the filesystem raises into an error that says what to do."""
        try:
            yield
        except FileNotFoundError as error:
            raise MissingFile(
                f"cannot {doing} {self.shown(name)}: it is not there. Was it deleted or moved by hand?"
            ) from error
        except (OSError, pa.ArrowException) as error:
            raise HoldsforError(f"cannot {doing} {self.shown(name)}: {error}. {_advice(error)}") from error


def _checksum(content: Mapping[str, Any]) -> int:
    return zlib.crc32(json.dumps(content, sort_keys=True).encode())


def make_folder(folder: str, sync: bool = False, private: bool = False) -> None:
    """Make a folder and those above it. A name is safe on disk only when the folder that has it is."""
    if os.path.isdir(folder):
        return
    above = os.path.dirname(folder)
    if above != folder:
        make_folder(above, sync, private)
    try:
        os.mkdir(folder, 0o700 if private else 0o777)
    except FileExistsError:
        if not os.path.isdir(folder):
            raise
    if sync:
        sync_folder(Path(above))


def _unfinished(name: str) -> bool:
    last = name.rpartition("/")[2]
    return last.startswith(".") and last.endswith(".tmp")


def _advice(error: Exception) -> str:
    match getattr(error, "errno", None):
        case errno.ENOSPC | errno.EDQUOT:
            return "The disk is full: make space, then start again; nothing that was written before is lost."
        case errno.EACCES | errno.EPERM | errno.EROFS:
            return "Give a folder that you may read and write, the same user on every worker."
        case errno.ENOTDIR | errno.EEXIST | errno.EISDIR:
            return "A file is where a folder should be, or the other way round: give another folder."
        case _:
            return "Is the place there, can every worker reach it, and is there space?"
