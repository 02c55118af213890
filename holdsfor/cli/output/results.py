"""Result tables in a folder: those that a run wrote, or those of a stream as it stands."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from holdsfor.errors import HoldsforError
from holdsfor.io.clock import Clock, clock_of

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Results:
    intervals: pa.Table
    occurrences: pa.Table
    clock: Clock = "ticks"  # what a tick is, where the input had time stamps
    defined: tuple[str, ...] = ()  # what rules define; () where an earlier version has not noted it down

    def names(self) -> set[str]:
        """List the fluents and events of which something was found."""
        columns = (self.intervals["fluent"], self.occurrences["event"])
        return {name for column in columns for name in column.unique().to_pylist()}


def read_results(folder: Path) -> Results:
    """Read the tables of a folder. Of a stream it is that of its tables, or its checkpoint with the tables inside."""
    for tables in (folder, folder / "tables"):
        if (tables / "commits").is_dir():
            return _read_stream(tables)
    intervals, occurrences = (_read_table(folder, name) for name in ("intervals", "occurrences"))
    return Results(intervals, occurrences, *_read_metrics(folder))


def _read_stream(tables: Path) -> Results:
    from holdsfor.io.storage.changelog import read_current
    from holdsfor.io.storage.store import Store
    from holdsfor.job.live.start.opening import read_defined

    store = Store(str(tables))
    stream = read_current(store)
    return Results(*stream, _guess_clock(*stream), read_defined(store))


def _guess_clock(*tables: pa.Table) -> Clock:
    """Guess what a tick is, which a stream does not note down: as on the page, numbers of our time are dates."""
    import pyarrow.compute as pc

    from holdsfor.view.lanes import guess_unit

    spans = [pc.min_max(table["start"]).as_py() for table in tables if table.num_rows]
    if not spans:
        return "ticks"
    return guess_unit(min(span["min"] for span in spans), max(span["max"] for span in spans))


def _read_table(folder: Path, name: str) -> pa.Table:
    import pyarrow.parquet as pq

    path = folder / f"{name}.parquet"
    if not path.exists():
        other = (
            f" There is {name}.csv: run again with --output-format parquet."
            if path.with_suffix(".csv").exists()
            else ""
        )
        raise HoldsforError(
            f"{path} is not there. Name a folder that `holdsfor run` wrote, or the tables of a stream.{other}"
        )
    try:
        return pq.read_table(path)
    except (OSError, ValueError) as error:
        raise HoldsforError(
            f"{path} is not a Parquet file that can be read: {error}. Run again to replace it."
        ) from error


def _read_metrics(folder: Path) -> tuple[Clock, tuple[str, ...]]:
    """Read what a tick is, and the names of what rules define."""
    from holdsfor.io.tables.wide import NANOSECONDS, SHAPES

    path = folder / "metrics.json"
    metrics = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return clock_of(metrics.get(NANOSECONDS)), tuple(shape["name"] for shape in metrics.get(SHAPES, ()))
