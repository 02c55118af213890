"""Result tables in a folder: each file whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

from holdsfor.errors import HoldsforError
from holdsfor.io.parallel import map_in_order

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
    write = _write_parquet if format == "parquet" else _write_csv

    def write_one(name: str) -> Path:
        path = folder / f"{name}.{format}"
        _replace(path, partial(write, tables[name]))
        return path

    written = list(map_in_order(write_one, tables))  # side by side: Arrow compresses without holding up others
    if metrics is not None:
        text = json.dumps(metrics, indent=2) + "\n"
        _replace(folder / "metrics.json", lambda path: path.write_text(text, encoding="utf-8"))
        written.append(folder / "metrics.json")
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


def _replace(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file under another name, then rename it: a reader never sees half of it."""
    temporary = temporary_name(path)
    try:
        write(temporary)
        temporary.replace(path)
    except OSError as error:
        raise cannot_write(path, error) from error
    finally:
        temporary.unlink(missing_ok=True)


def temporary_name(path: Path) -> Path:
    """Return the name of a file until it is whole."""
    return path.with_name(f".{path.name}.{os.getpid()}.tmp")


def cannot_write(path: Path, error: OSError) -> HoldsforError:
    return HoldsforError(f"cannot write {path}: {error.strerror or error}. Is there space, and may you write there?")


def _write_parquet(table: pa.Table, path: Path) -> None:
    pq.write_table(table, path)


def _write_csv(table: pa.Table, path: Path) -> None:
    """Write CSV with a header; null (an open end) is an empty field."""
    columns = [list_text(c) if pa.types.is_list(c.type) or pa.types.is_large_list(c.type) else c for c in table.columns]
    flat = pa.table(dict(zip(table.column_names, columns, strict=True)))
    flat = flat.combine_chunks()  # Arrow 18 writes the header again after a chunk without rows
    pa.csv.write_csv(flat, path, pa.csv.WriteOptions(quoting_style="needed"))
