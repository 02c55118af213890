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
        {"Machine": name, "value": True, "start": start, "end": None, "duration": None}
        for name, start in (("17", 2), ("18", 3))
    ]
    assert rows(result.table("alarm")) == []


def test_local_times_of_a_zone(spark: SparkSession) -> None:
    """In Athens the clock goes from 3 to 4 on the morning of 29 March 2026, and from 4 to 3 on 25 October."""
    moments = ["2026-03-29 00:30:00", "2026-03-29 01:30:00", "2026-10-25 00:30:00", "2026-10-25 01:30:00"]
    rows = [("m", 95.0 if number % 2 == 0 else 80.0, moment) for number, moment in enumerate(moments)]
    events = spark.createDataFrame(rows, "machine string, degrees double, time string")
    result = holdsfor.spark.recognise(spark, holdsfor.parse(HOT), events, mapping=MAPPING, buckets=2)
    table = result.table("hot", zone="Europe/Athens").orderBy("duration", "start")
    assert dict(table.dtypes)["start"] == "timestamp_ntz"
    assert [(str(row["start"]), str(row["end"])) for row in table.collect()] == [
        ("2026-03-29 02:30:01", "2026-03-29 04:30:01"),
        ("2026-10-25 03:30:01", "2026-10-25 03:30:01"),
    ]
    with pytest.raises(holdsfor.HoldsforError, match="Europe/Athen"):
        result.table("hot", zone="Europe/Athen")


def test_relative_paths_are_those_of_the_program(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spark's workers stay where the session was begun."""
    pq.write_table(pa.table(READINGS), tmp_path / "events.parquet")
    monkeypatch.chdir(tmp_path)
    result = holdsfor.spark.recognise(
        spark, holdsfor.parse(HOT), "events.parquet", mapping=MAPPING, buckets=2, out="found"
    )
    assert result.intervals.count() == 3
    assert (tmp_path / "found" / "intervals.parquet").exists()
