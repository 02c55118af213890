"""One run: recognise, in process or on Spark, and put the tables into a folder."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from holdsfor.cli.console import progress
from holdsfor.io.write import write_tables

if TYPE_CHECKING:
    import pyarrow as pa

    from holdsfor.io.readers.read import EventSource
    from holdsfor.language import EventDescription

TABLES = ("intervals", "occurrences", "rejects", "late")


class Times(TypedDict):
    """The part of a call of `recognise` that is about time, in ticks."""

    window: int | None
    step: int | None
    start: int | None
    end: int | None
    tick: int


@dataclass(frozen=True, slots=True)
class Outcome:
    metrics: dict[str, Any]
    rejected: dict[str, Any] | None  # the first row that could not be used


def in_process(
    description: EventDescription, source: EventSource, times: Times, out: Path, form: str, changes: bool
) -> Outcome:
    import holdsfor

    with progress("Recognising"):
        result = holdsfor.recognise(description, source, **times, stepped=changes)
    tables = (*TABLES, "changes") if changes else TABLES
    with progress(f"Writing {out}"):
        _clear(out)
        write_tables({name: getattr(result, name) for name in tables}, out, form, result.metrics)
    return Outcome(result.metrics, _first(result.rejects))


def on_spark(
    description: EventDescription,
    source: EventSource,
    times: Times,
    out: Path,
    form: str,
    master: str | None,
    settings: Mapping[str, str],
) -> Outcome:
    from holdsfor.spark import recognise, session

    with progress("Starting Spark"):
        spark = session(master, settings)
    try:
        with progress("Recognising on Spark"):
            written = out if form == "parquet" else None  # by the workers
            result = recognise(spark, description, source, **times, out=written)
            first = _first(result.rejects.limit(1).toArrow())
        with progress(f"Writing {out}"):
            tables = {} if written else {name: getattr(result, name).toArrow() for name in TABLES}
            _clear(out, written=written is not None)
            write_tables(tables, out, form, result.metrics)
        return Outcome(result.metrics, first)
    finally:
        spark.stop()


def _clear(out: Path, written: bool = False) -> None:
    """Takes away the tables of an earlier run, whatever their format: the folder tells of one run."""
    forms = ("csv",) if written else ("parquet", "csv")
    gone = [out / f"{name}.{form}" for name in TABLES for form in forms]
    for path in [*gone, *(out / f"changes.{form}" for form in ("parquet", "csv"))]:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def _first(rejects: pa.Table) -> dict[str, Any] | None:
    rows: list[dict[str, Any]] = rejects.slice(0, 1).to_pylist()
    return rows[0] if rows else None
