"""Types of columns on Spark: parts that workers read apart are of one type."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession

import holdsfor
import holdsfor.spark
from holdsfor.engine.definitions.evaluate import make_program
from holdsfor.engine.input.window import Ticks
from holdsfor.io.readers.read import read_events
from holdsfor.job.batch import run_batch
from holdsfor.job.parts import parts_of
from holdsfor.plan import plan
from tests.job.alone_in_batch import AloneInBatch

RULES = "initiatedAt(hot(M)=true, T) :- happensAt(on(M), T). terminatedAt(hot(M)=true, T) :- happensAt(off(M), T)."
EXPECTED = [("3e7", 2, 6), ("7", 3, 8)]


def write(folder: Path) -> list[Path]:
    """7 is a number by itself in the second file, and 3e7 in the third."""
    files = {"1.csv": ["on,1,3e7", "on,2,7", "on,3,x"], "2.csv": ["off,7,7"], "3.csv": ["off,5,3e7"]}
    for name, rows in files.items():
        (folder / name).write_text("\n".join(["event,time,machine", *rows]) + "\n")
    return [folder / name for name in files]


def test_tasks_agree(tmp_path: Path) -> None:
    description = holdsfor.parse(RULES)
    crew = AloneInBatch(parts_of(read_events(write(tmp_path))), description.inputs)
    for buckets in (1, 8):
        run_batch(make_program(plan(description)), Ticks(None, None, 0, 20, 1), buckets, crew)
        rows = crew.table("intervals").to_pylist()
        assert sorted((row["args"][0], row["start"], row["end"]) for row in rows if row["end"]) == EXPECTED


def test_workers_agree(spark: SparkSession, tmp_path: Path) -> None:
    result = holdsfor.spark.recognise(spark, holdsfor.parse(RULES), write(tmp_path), start=0, end=20)
    rows = result.intervals.collect()
    assert sorted((row["args"][0], row["start"], row["end"]) for row in rows if row["end"]) == EXPECTED
