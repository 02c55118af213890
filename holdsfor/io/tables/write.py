"""Result tables in a folder: each file whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

from holdsfor.errors import HoldsforError
from holdsfor.io.parallel import map_in_order
from holdsfor.io.storage.whole_file import open_whole

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
