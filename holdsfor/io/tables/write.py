"""Result tables in a folder: each file whole or not at all, also one that grows while its rows are being found."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

from holdsfor.errors import HoldsforError
from holdsfor.io.parallel import map_in_order
from holdsfor.io.storage.whole_file import open_whole, temporary_path

FORMATS = ("parquet", "csv")


def write_tables(
    tables: Mapping[str, pa.Table],
    directory: str | Path,
    format: str = "parquet",
    metrics: Mapping[str, Any] | None = None,
) -> list[Path]:
    """Write each table as `name.parquet` or `name.csv`, and the metrics as `metrics.json`; return the paths."""
    if format not in FORMATS:
        raise HoldsforError(f"cannot write format {format!r}. Formats: {', '.join(FORMATS)}.")
    folder = make_folder(directory)
    write_table = pq.write_table if format == "parquet" else _write_csv

    def write_one(name: str) -> Path:
        return _write(folder / f"{name}.{format}", partial(write_table, tables[name]))

    written = list(map_in_order(write_one, tables))  # side by side: Arrow compresses without holding up others
    if metrics is not None:
        text = json.dumps(metrics, indent=2) + "\n"
        written.append(_write(folder / "metrics.json", lambda file: file.write(text.encode())))
    return written


def make_folder(directory: str | Path) -> Path:
    """Make the folder for results if it is not there; raise at once if nothing can be written into it."""
    folder = Path(directory)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".probe-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except (FileExistsError, NotADirectoryError) as error:
        raise HoldsforError(f"cannot write to {folder}: it is, or lies in, a file. Give another folder.") from error
    except OSError as error:
        raise HoldsforError(
            f"cannot write to {folder}: {error.strerror}. Give a folder that you may write to."
        ) from error
    return folder


def list_text(lists: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Write each list of texts as one text: `[v1,Two words]`."""
    return pc.binary_join_element_wise("[", pc.binary_join(lists, ","), "]", "")


def _write(path: Path, write: Callable[[BinaryIO], object]) -> Path:
    try:
        with open_whole(path) as file:
            write(file)
    except OSError as error:
        raise cannot_write(path, error) from error
    return path


def cannot_write(path: Path, error: OSError) -> HoldsforError:
    return HoldsforError(f"cannot write {path}: {error.strerror or error}. Is there space, and may you write there?")


def _write_csv(table: pa.Table, file: BinaryIO) -> None:
    """Write CSV with a header; null (an open end) is an empty field."""
    columns = [list_text(c) if pa.types.is_list(c.type) or pa.types.is_large_list(c.type) else c for c in table.columns]
    flat = pa.table(dict(zip(table.column_names, columns, strict=True)))
    flat = flat.combine_chunks()  # Arrow 18 writes the header again after a chunk without rows
    pa.csv.write_csv(flat, file, pa.csv.WriteOptions(quoting_style="needed"))


#: Rows of a row group at least, and as a share of all rows before it: files of many small ones are slow to read, and
#: in a large file none need be small.
LEAST_ROWS, LEAST_SHARE = 1 << 15, 8


class GrowingTable:
    """Whole or not at all, as other tables are: nobody sees the file before `finish`. To be used in a `with`."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._path, self._schema = path, schema
        self._temporary = temporary_path(path)
        self._file: pq.ParquetWriter | None = None
        self._waiting: list[pa.Table] = []
        self._rows = 0  # of all groups
        self._groups: list[Future[None]] = []
        self._pool = ThreadPoolExecutor(1)

    def __enter__(self) -> GrowingTable:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._pool.shutdown(cancel_futures=True)
        self._discard()

    def receive(self, rows: pa.Table) -> None:
        self._waiting.append(rows)
        if sum(map(len, self._waiting)) >= max(LEAST_ROWS, self._rows // LEAST_SHARE):
            self._submit()

    def restart(self) -> None:
        """Begin anew, without what was received so far."""
        self._waiting.clear()
        self._pool.submit(self._discard).result()  # after what is being written
        self._groups.clear()
        self._rows = 0

    def finish(self) -> None:
        """Wait until all is written; raise if some of it could not be."""
        if self._waiting or not self._groups:
            self._submit()
        try:
            for group in self._groups:
                group.result()
            self._pool.submit(self._close).result()
            self._temporary.replace(self._path)
        except OSError as error:
            raise cannot_write(self._path, error) from error

    def _submit(self) -> None:
        rows = pa.concat_tables(self._waiting or [self._schema.empty_table()])
        self._waiting.clear()
        self._rows += len(rows)
        self._groups.append(self._pool.submit(self._write, rows))

    def _write(self, rows: pa.Table) -> None:
        if self._file is None:
            self._file = pq.ParquetWriter(self._temporary, self._schema)
        self._file.write_table(rows)

    def _close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _discard(self) -> None:
        try:
            self._close()
        except OSError:  # told by `finish`, if anybody wants the file
            self._file = None
        self._temporary.unlink(missing_ok=True)
