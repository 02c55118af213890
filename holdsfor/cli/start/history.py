"""One run: recognise, in process or on Spark, and put the tables into a folder."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from holdsfor.cli.output.console import complain, progress
from holdsfor.cli.output.findings import summarise, summarise_parts
from holdsfor.cli.start.order import HistoryRun, RunOrder, Writing, choose_engine
from holdsfor.cli.start.watching import WatchedSource, share_of_tasks, tell_of_compiling
from holdsfor.duration import GivenTimes
from holdsfor.engine.input.window import check_ticks
from holdsfor.engine.output.result import INTERVALS_SCHEMA, OCCURRENCES_SCHEMA, Result
from holdsfor.io.readers.read import EventSource, read_events
from holdsfor.io.tables.file_names import file_names
from holdsfor.io.tables.wide import NANOSECONDS, SHAPES, TableShape, widen
from holdsfor.io.tables.write import make_folder, write_tables
from holdsfor.job.output import write_part
from holdsfor.kernels.text.lines import cut_lines
from holdsfor.local.recognise import recognise_for
from holdsfor.plan import plan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from holdsfor.language.description import EventDescription

WIDE = "wide"
TABLES = ("intervals", "occurrences", "rejects", "late")


def load_first_kernel() -> None:
    """Load Numba's runtime by calling any kernel: what each run needs, before it is known which."""
    cut_lines(np.frombuffer(b"a|b\n", np.uint8), ord("|"))


def carry_out(order: RunOrder) -> HistoryRun | None:
    """Carry out a run in this process; return None if it is for Spark."""
    plan.keep(order.description, order.plan)
    times, out = order.times, order.writing.out
    check_ticks(times, times.tick_unit or "s")
    source = read_events(order.sources, format=order.form, mapping=order.mapping)
    make_folder(out)  # before the work, not after it
    choice = choose_engine(order.engine, source, order.needs_spark, order.needs_process)
    if order.engine == "auto":
        complain(f"{'On Spark' if choice.on_spark else 'In this process'}: {choice.reason}.", style="")
    if choice.on_spark:
        return None
    return in_process(order.description, source, times, order.writing, order.threads)


def carry_out_on_spark(order: RunOrder, master: str | None, settings: Mapping[str, str]) -> HistoryRun:
    from holdsfor.spark.session import start_session

    source = read_events(order.sources, format=order.form, mapping=order.mapping)
    with progress("Starting Spark"):
        spark = start_session(master, settings, for_one_run=True, is_lean=True)
    try:
        return on_spark(spark, order.description, source, order.times, order.writing)
    finally:
        spark.stop()


def in_process(
    description: EventDescription, source: EventSource, times: GivenTimes, writing: Writing, threads: int | None = None
) -> HistoryRun:
    """Recognise in this process."""
    with tell_of_compiling(), progress("Reading") as step:
        watched = WatchedSource(source.parts, step)
        result = recognise_for(description, watched, times, changes=writing.changes, threads=threads)
    with progress(f"Writing {writing.out}"), ThreadPoolExecutor(1) as pool:
        written = pool.submit(write_result, result, writing)
        findings = (*summarise(result.intervals), *summarise(result.occurrences))
        written.result()
    return HistoryRun(result.metrics, _first(result.rejects), findings, result.metrics.get(NANOSECONDS))


def write_result(result: Result, writing: Writing) -> None:
    """Write the tables of a result."""
    names = [*TABLES, *(["changes"] if writing.changes else [])]
    tables = {name: getattr(result, name) for name in names}
    _clear(writing.out)
    write_tables(tables, writing.out, writing.form, result.metrics)
    if writing.wide:
        write_tables(wide_tables(tables, result.metrics), writing.out / WIDE, writing.form)


def on_spark(
    spark: SparkSession, description: EventDescription, source: EventSource, times: GivenTimes, writing: Writing
) -> HistoryRun:
    from holdsfor.spark import recognise as recognise_on_spark

    with progress("Recognising on Spark", lambda: share_of_tasks(spark)):
        written = writing.out if writing.form == "parquet" else None  # by the workers
        result = recognise_on_spark(spark, description, source, **asdict(times), out=written)
    with progress(f"Writing {writing.out}"):
        tables = {} if written else {name: getattr(result, name).toArrow() for name in TABLES}
        _clear(writing.out, written=written is not None)
        write_tables(tables, writing.out, writing.form, result.metrics)
        if writing.wide and written:
            write_wide_parts(writing.out, result.metrics)
        elif writing.wide:
            write_tables(wide_tables(tables, result.metrics), writing.out / WIDE, writing.form)
    with progress("Looking at what was found"):
        parts = {name: [tables[name]] if tables else _read_parts(writing.out, name) for name in TABLES}
        findings = (*summarise_parts(parts["intervals"]), *summarise_parts(parts["occurrences"]))
        first = next(filter(None, map(_first, parts["rejects"])), None)
    return HistoryRun(result.metrics, first, findings, result.metrics.get(NANOSECONDS))


def wide_tables(tables: Mapping[str, pa.Table], metrics: Mapping[str, Any]) -> dict[str, pa.Table]:
    """Make a table for each fluent and event, by the name of its file: `near`, or `near_2` where there are several."""
    shapes = sorted(map(TableShape.from_json, metrics[SHAPES]), key=lambda shape: (shape.name, len(shape.columns)))
    often = Counter(shape.name for shape in shapes)
    names = [shape.name if often[shape.name] == 1 else f"{shape.name}_{len(shape.columns)}" for shape in shapes]
    return {
        name: widen(tables["occurrences" if shape.is_event else "intervals"], shape, metrics.get(NANOSECONDS))
        for name, shape in zip(file_names(names), shapes, strict=True)
    }


def write_wide_parts(out: Path, metrics: Mapping[str, Any]) -> None:
    """Make wide tables of those that workers have written in parts, one part at a time: together they may be large."""
    nothing = {"intervals": INTERVALS_SCHEMA.empty_table(), "occurrences": OCCURRENCES_SCHEMA.empty_table()}
    _write_wide_part(out, "empty.parquet", wide_tables(nothing, metrics))  # so that each table is there
    for name in nothing:
        for part in _part_files(out, name):
            wide = wide_tables(nothing | {name: pq.ParquetFile(part).read()}, metrics)
            _write_wide_part(out, part.name, {table: rows for table, rows in wide.items() if rows.num_rows})


def _part_files(out: Path, name: str) -> list[Path]:
    return sorted((out / f"{name}.parquet").glob("*.parquet"))


def _read_parts(out: Path, name: str) -> Iterable[pa.Table]:
    """Read the files that workers have written, one after the other. Spark would take longer to begin than this to
    end.
    """
    return (pq.ParquetFile(part).read() for part in _part_files(out, name))


def _write_wide_part(out: Path, part: str, wide: Mapping[str, pa.Table]) -> None:
    for name, table in wide.items():
        write_part(out / WIDE / f"{name}.parquet", part, table)


def _clear(out: Path, written: bool = False) -> None:
    """Remove the tables of an earlier run, whatever their format: the folder tells of one run."""
    forms = ("csv",) if written else ("parquet", "csv")
    stale = [out / f"{name}.{form}" for name in TABLES for form in forms]
    for path in [*stale, *(out / f"changes.{form}" for form in ("parquet", "csv")), out / WIDE]:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def _first(rejects: pa.Table) -> dict[str, Any] | None:
    rows: list[dict[str, Any]] = rejects.slice(0, 1).to_pylist()
    return rows[0] if rows else None
