"""Tables of different shape on Spark: as DataFrames, and as streams."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

import holdsfor
import holdsfor.spark
from holdsfor.errors import HoldsforError
from tests.local.test_several_tables import DOORS, MAPPING, READINGS, RULES, check

pytestmark = pytest.mark.spark


def test_data_frames_by_name(spark: SparkSession) -> None:
    tables = {"readings": spark.createDataFrame(READINGS), "doors": spark.createDataFrame(DOORS)}
    result = holdsfor.spark.recognise(spark, holdsfor.parse(RULES), tables, mapping=MAPPING, buckets=2)
    check(result.intervals.toArrow(), result.occurrences.toArrow())
    assert result.metrics["events_in"] == 7
    mixed: dict[str, Any] = {**tables, "doors": DOORS}
    with pytest.raises(HoldsforError, match="table 'doors' is not a Spark DataFrame"):
        holdsfor.spark.recognise(spark, holdsfor.parse(RULES), mixed, mapping=MAPPING)


def streamed(spark: SparkSession, table: pa.Table, folder: Path) -> DataFrame:
    folder.mkdir()
    pq.write_table(table, folder / "part.parquet")
    return spark.readStream.schema(spark.read.parquet(str(folder)).schema).parquet(str(folder))


def test_streams_by_name(spark: SparkSession, tmp_path: Path) -> None:
    tables = {
        "readings": streamed(spark, READINGS, tmp_path / "readings"),
        "doors": streamed(spark, DOORS, tmp_path / "doors"),
    }
    options: dict[str, Any] = {"window": 100, "step": 10, "start": 0, "end": 100, "buckets": 2, "once": True}
    live = holdsfor.spark.stream(
        spark, holdsfor.parse(RULES), tables, mapping=MAPPING, checkpoint=tmp_path / "state", **options
    )
    assert live.awaitTermination(120)
    check(*live.current())
    with pytest.raises(HoldsforError, match=r"give the events as a dict, by their names \(readings, doors\)"):
        holdsfor.spark.stream(
            spark, holdsfor.parse(RULES), tables["doors"], mapping=MAPPING, checkpoint=tmp_path / "other", **options
        )
