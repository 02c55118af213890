"""Result tables as files: workers write parts into a draft, which replaces an earlier run's tables when it is whole."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from holdsfor.engine.input.window import LATE_SCHEMA
from holdsfor.engine.output.result import INTERVALS_SCHEMA, OCCURRENCES_SCHEMA
from holdsfor.io.events import REJECTS_SCHEMA
from holdsfor.io.storage.whole_file import open_whole

SCHEMAS: dict[str, pa.Schema] = {
    "intervals": INTERVALS_SCHEMA,
    "occurrences": OCCURRENCES_SCHEMA,
    "late": LATE_SCHEMA,
    "rejects": REJECTS_SCHEMA,
}


def draft(out: Path) -> str:
    """An empty folder for the parts of a run; a run that fails leaves what an earlier one wrote."""
    folder = _draft(out)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return str(folder.resolve())


def write_part(folder: Path, name: str, table: pa.Table) -> None:
    """Write one file of a table, there whole or not at all; a repeated task writes the same file again."""
    folder.mkdir(parents=True, exist_ok=True)
    with open_whole(folder / name) as file:
        pq.write_table(table, file, compression="zstd", compression_level=1)


def publish(out: Path) -> None:
    """Puts the draft in place: a folder of part files for each table, one without rows if there are none."""
    for name, schema in SCHEMAS.items():
        target, made = out / f"{name}.parquet", _draft(out) / f"{name}.parquet"
        if not made.exists():
            write_part(made, "part-0.parquet", schema.empty_table())
        if target.is_dir():
            shutil.rmtree(target)
        target.unlink(missing_ok=True)
        made.rename(target)
    shutil.rmtree(_draft(out), ignore_errors=True)


def _draft(out: Path) -> Path:
    return out / f".draft-{os.getpid()}"
