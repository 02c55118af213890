"""Results of Spark as tables of one fluent or event: the same as in process."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

import holdsfor
import holdsfor.spark
from tests.local.test_tables import HOT, MAPPING, READINGS

pytestmark = pytest.mark.spark


def rows(frame: DataFrame) -> list[dict[str, Any]]:
    """In the order of start; Spark gives time stamps without a zone, in that of this machine."""
    found = frame.orderBy("start").toArrow()
    times = {name: pa.timestamp("us", "UTC") for name in ("start", "end") if pa.types.is_timestamp(found[name].type)}
    for name, kind in times.items():
        found = found.set_column(found.column_names.index(name), name, found[name].cast(kind))
    return list(found.to_pylist())


@pytest.mark.parametrize("written", [False, True])
def test_tables_are_those_of_one_process(written: bool, spark: SparkSession, tmp_path: Path) -> None:
    description = holdsfor.parse(HOT)
    table = pa.table(READINGS)
    pq.write_table(table, tmp_path / "events.parquet")
    out = tmp_path / "out" if written else None
    result = holdsfor.spark.recognise(
        spark, description, tmp_path / "events.parquet", mapping=MAPPING, buckets=3, out=out
    )
    expected = holdsfor.recognise(description, table, mapping=MAPPING)
    assert sorted(row["args"][0] for row in result.intervals.collect()) == ["Line 1", "M-004", "it's"]
    for name in ("hot", "alarm"):
        known = sorted(expected.table(name).to_pylist(), key=lambda row: row["start"])
        assert rows(result.table(name)) == known
    first = rows(result.table("hot"))[0]
    assert first["Machine"] == "M-004"
    assert first["start"] == datetime(2026, 3, 1, 8, 0, 1, tzinfo=UTC)


def test_numbers_given_as_text_stay_text(spark: SparkSession) -> None:
    events = spark.createDataFrame([("17", 95.0, 1), ("18", 96.0, 2)], "machine string, degrees double, time bigint")
    result = holdsfor.spark.recognise(spark, holdsfor.parse(HOT), events, mapping=MAPPING, buckets=2)
    assert rows(result.table("hot")) == [
        {"Machine": name, "value": "true", "start": start, "end": None, "duration": None}
        for name, start in (("17", 2), ("18", 3))
    ]
    assert rows(result.table("alarm")) == []
