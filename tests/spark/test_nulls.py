"""A row is an event for the arguments it has, on real Spark, too: DataFrames, files, streams."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import holdsfor
import holdsfor.spark
from tests.local.test_nulls import HEARD, INTERVALS, MAPPING, ROWS, RULES, TOLD

pytestmark = pytest.mark.spark
SCHEMA = "time bigint, machine string, degrees double, bar double"


def check(intervals: list[dict[str, Any]], occurrences: list[dict[str, Any]]) -> None:
    assert sorted((row["fluent"], *row["args"], row["start"], row["end"]) for row in intervals) == INTERVALS
    assert sorted((row["event"], *row["args"], row["start"]) for row in occurrences) == HEARD + TOLD


def test_data_frames_and_files(spark: SparkSession, tmp_path: Path) -> None:
    pq.write_table(pa.table(ROWS), tmp_path / "events.parquet")
    frame = spark.createDataFrame(
        list(zip(*ROWS.values(), strict=True)), SCHEMA.replace("degrees double", "degrees bigint")
    )
    for events in (frame, str(tmp_path / "events.parquet")):
        result = holdsfor.spark.recognise(spark, holdsfor.parse(RULES), events, mapping=MAPPING, buckets=2)
        check(result.intervals.toArrow().to_pylist(), result.occurrences.toArrow().to_pylist())
        assert result.metrics["events_rejected"] == 0


def test_a_stream(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    table = pa.table(ROWS).set_column(2, "degrees", pa.array(ROWS["degrees"], pa.float64()))
    pq.write_table(table, tmp_path / "in" / "events.parquet")
    incoming = spark.readStream.schema(SCHEMA).parquet(str(tmp_path / "in"))
    live = holdsfor.spark.stream(
        spark,
        holdsfor.parse(RULES),
        incoming,
        mapping=MAPPING,
        window=60,
        step=20,
        checkpoint=tmp_path / "state",
        buckets=2,
        once=True,
    )
    assert live.awaitTermination(120)
    intervals, occurrences = live.current()
    check(intervals.to_pylist(), occurrences.to_pylist())
    assert live.table("hot").to_arrow().column_names[0] == "M"
