"""One run: recognise, in process or on Spark, and put the tables into a folder."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from holdsfor.cli.console import progress
from holdsfor.cli.found import Finding, summarise, summarise_frame
from holdsfor.duration import TickUnit
from holdsfor.io.wide import SHAPES, Shape
from holdsfor.io.write import write_tables

if TYPE_CHECKING:
    import pyarrow as pa

    from holdsfor.io.readers.read import EventSource
    from holdsfor.language import EventDescription
    from holdsfor.spark.batch import SparkResult

WIDE = "wide"
TABLES = ("intervals", "occurrences", "rejects", "late")


class Times(TypedDict):
    """The part of a call of `recognise` that is about time, in ticks."""

    window: int | None
    step: int | None
    start: int | None
    end: int | None
    tick: int
    tick_unit: TickUnit


@dataclass(frozen=True, slots=True)
class Writing:
    """Which tables a run writes, and where. wide: also one for each fluent and event."""

    out: Path
    form: str
    wide: bool = False
    changes: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    metrics: dict[str, Any]
    rejected: dict[str, Any] | None  # the first row that could not be used
    findings: tuple[Finding, ...]


def in_process(description: EventDescription, source: EventSource, times: Times, writing: Writing) -> Outcome:
    import holdsfor

    with progress("Recognising"):
        result = holdsfor.recognise(description, source, **times, stepped=writing.changes)
    tables = {name: getattr(result, name) for name in (*TABLES, *(["changes"] if writing.changes else []))}
    with progress(f"Writing {writing.out}"):
        _clear(writing.out)
        write_tables(tables, writing.out, writing.form, result.metrics)
        if writing.wide:
            wide = {name: result.table(wanted).to_arrow() for name, wanted in wide_names(result.metrics)}
            write_tables(wide, writing.out / WIDE, writing.form)
    findings = (*summarise(result.intervals), *summarise(result.occurrences))
    return Outcome(result.metrics, _first(result.rejects), findings)


def on_spark(
    description: EventDescription,
    source: EventSource,
    times: Times,
    writing: Writing,
    master: str | None,
    settings: Mapping[str, str],
) -> Outcome:
    from holdsfor.spark import recognise, session

    with progress("Starting Spark"):
        spark = session(master, settings)
    try:
        with progress("Recognising on Spark"):
            written = writing.out if writing.form == "parquet" else None  # by the workers
            result = recognise(spark, description, source, **times, out=written)
            first = _first(result.rejects.limit(1).toArrow())
        with progress(f"Writing {writing.out}"):
            tables = {} if written else {name: getattr(result, name).toArrow() for name in TABLES}
            _clear(writing.out, written=written is not None)
            write_tables(tables, writing.out, writing.form, result.metrics)
            if writing.wide:
                _write_wide(result, writing)
        with progress("Looking at what was found"):
            findings = (*summarise_frame(result.intervals), *summarise_frame(result.occurrences))
        return Outcome(result.metrics, first, findings)
    finally:
        spark.stop()


def wide_names(metrics: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What the table of each fluent and event is called, and what it is asked for by: `near`, or `near_2`, `near/2`."""
    shapes = [Shape.from_json(value) for value in metrics[SHAPES]]
    often = Counter(shape.name for shape in shapes)
    return [
        (shape.name if often[shape.name] == 1 else f"{shape.name}_{len(shape.columns)}", str(shape)) for shape in shapes
    ]


def _write_wide(result: SparkResult, writing: Writing) -> None:
    for name, wanted in wide_names(result.metrics):
        if writing.form == "csv":
            write_tables({name: result.table(wanted).toArrow()}, writing.out / WIDE, writing.form)
        else:
            result.table(wanted).write.parquet(str((writing.out / WIDE / f"{name}.parquet").absolute()))


def _clear(out: Path, written: bool = False) -> None:
    """Takes away the tables of an earlier run, whatever their format: the folder tells of one run."""
    forms = ("csv",) if written else ("parquet", "csv")
    gone = [out / f"{name}.{form}" for name in TABLES for form in forms]
    for path in [*gone, *(out / f"changes.{form}" for form in ("parquet", "csv")), out / WIDE]:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def _first(rejects: pa.Table) -> dict[str, Any] | None:
    rows: list[dict[str, Any]] = rejects.slice(0, 1).to_pylist()
    return rows[0] if rows else None
