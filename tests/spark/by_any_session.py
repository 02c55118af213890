"""A program: the batch job through Spark Connect (`connect`), or here (`here`), gives what this process gives.

It runs in a process of its own: one process has one kind of session.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import holdsfor
import holdsfor.spark
from holdsfor.errors import HoldsforError
from holdsfor.spark.sharing import count_cores
from holdsfor.spark.shipping import ship

RULES = """
initiatedAt(hot(M)=true, T) :- happensAt(reading(M, C), T), C > 90.
terminatedAt(hot(M)=true, T) :- happensAt(reading(M, C), T), C =< 90.
holdsFor(both(L, M, N)=true, I) :-
    holdsFor(hot(M)=true, Left), holdsFor(hot(N)=true, Right), line(M, L), line(N, L), M \\= N,
    intersect_all([Left, Right], I).
line(m0, a). line(m1, a). line(m2, b). line(m3, b).
"""
MAPPING = {"event": "reading", "time": "ts", "events": {"reading": ["machine", "celsius"]}}


def session(kind: str) -> Any:
    if kind == "here":
        return holdsfor.spark.session("local[2]")
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    return SparkSession.builder.remote("local[2]").getOrCreate()


def rows_of(table: pa.Table) -> list[Any]:
    return sorted(map(str, table.to_pylist()))


def main(kind: str) -> None:
    times = range(0, 4000, 10)
    readings = pa.table(
        {
            "ts": list(times),
            "machine": [f"m{t // 10 % 4}" for t in times],
            "celsius": [80.0 + t * 7919 % 23 for t in times],
        }
    )
    description = holdsfor.parse(RULES)
    expected = holdsfor.recognise(description, readings, mapping=MAPPING)
    assert expected.intervals.num_rows > 20
    spark = session(kind)
    assert count_cores(spark) == 2
    ship(spark)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "readings.parquet")
        pq.write_table(readings, path)
        frame = spark.createDataFrame(readings.to_pandas())
        for events in (frame, str(path)):
            result = holdsfor.spark.recognise(spark, description, events, mapping=MAPPING, buckets=3)
            assert rows_of(result.intervals.toArrow()) == rows_of(expected.intervals)
            assert result.table("hot").count() == expected.table("hot").to_arrow().num_rows
    if kind == "connect":
        rates = spark.readStream.format("rate").load()
        with pytest.raises(HoldsforError, match="Spark Connect"):
            holdsfor.spark.stream(spark, description, rates, window=10, step=10, checkpoint="nowhere")
    spark.stop()
    print("the same", expected.intervals.num_rows)


if __name__ == "__main__":
    main(sys.argv[1])
