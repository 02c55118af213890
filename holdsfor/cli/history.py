"""One run: recognise, in process or on Spark, and put the tables into a folder."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from holdsfor.cli.console import progress
from holdsfor.io.write import write_tables

if TYPE_CHECKING:
    import pyarrow as pa

    from holdsfor.io.read import EventSource
    from holdsfor.language import EventDescription
    from holdsfor.spark import SparkResult

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


def in_process(description: EventDescription, source: EventSource, times: Times, out: Path, form: str) -> Outcome:
    import holdsfor

    with progress("Recognising"):
        result = holdsfor.recognise(description, source, **times)
    with progress(f"Writing {out}"):
        _clear(out)
        write_tables({name: getattr(result, name) for name in TABLES}, out, form, result.metrics)
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
    from holdsfor.spark.errors import worker_errors

    with progress("Starting Spark"):
        spark = session(master, settings)
    draft = out / f".draft-{os.getpid()}"  # a run that fails leaves what an earlier one wrote
    try:
        with progress("Recognising on Spark"), worker_errors():
            result = recognise(spark, description, source, **times, out=draft.resolve())
            first = _first(result.rejects.limit(1).toArrow())
        with progress(f"Writing {out}"):
            _publish(result, draft, out, form)
        return Outcome(result.metrics, first)
    finally:
        spark.stop()
        shutil.rmtree(draft, ignore_errors=True)


def _publish(result: SparkResult, draft: Path, out: Path, form: str) -> None:
    """What the workers wrote, in the place of an earlier run's: Parquet as they left it, a folder a table."""
    from holdsfor.spark.batch import SCHEMAS

    if form == "csv":
        tables = {name: getattr(result, name).toArrow() for name in TABLES}
    else:
        tables = {name: SCHEMAS[name].empty_table() for name in TABLES if not (draft / f"{name}.parquet").exists()}
    _clear(out)
    if form == "parquet":
        for folder in draft.glob("*.parquet"):
            folder.rename(out / folder.name)
    write_tables(tables, out, form, result.metrics)


def _clear(out: Path) -> None:
    """Takes away the tables of an earlier run, whatever their format: the folder tells of one run."""
    for path in [out / f"{name}.{form}" for name in TABLES for form in ("parquet", "csv")]:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def _first(rejects: pa.Table) -> dict[str, Any] | None:
    rows: list[dict[str, Any]] = rejects.slice(0, 1).to_pylist()
    return rows[0] if rows else None
