"""Facts that change on Spark: as DataFrames, as a stream of them, and as files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import holdsfor
import holdsfor.spark
from tests.io.changing_facts import MAPPING, OPTIONS, RULES, answer_of, draw_rows, table_of

pytestmark = pytest.mark.spark


@pytest.mark.parametrize("seed", [1, 2])
def test_frames_and_files_and_streams(seed: int, spark: SparkSession, tmp_path: Path) -> None:
    rows = sorted(draw_rows(seed), key=lambda row: row.arrival)
    rules = holdsfor.parse(RULES, mapping=MAPPING)
    lines = holdsfor.read_events([row.term for row in rows], format="terms")
    expected = answer_of(holdsfor.recognise(rules, lines, **OPTIONS))
    (tmp_path / "in").mkdir()
    for number, low in enumerate(range(0, len(rows), 30)):
        path = tmp_path / "in" / f"{number}.parquet"
        pq.write_table(table_of(rows[low : low + 30]), path)
        os.utime(path, (number, number))  # Spark takes files by their age
    options: dict[str, Any] = {**OPTIONS, "mapping": MAPPING, "buckets": 3}
    frame = spark.read.parquet(str(tmp_path / "in"))
    for events in (frame, tmp_path / "in"):
        result = holdsfor.spark.recognise(spark, rules, events, **options)
        assert answer_of((result.intervals.toArrow(), result.occurrences.toArrow())) == expected
        assert result.metrics["events_in"] == len(rows)
    stream = spark.readStream.schema(frame.schema).option("maxFilesPerTrigger", 1).parquet(str(tmp_path / "in"))
    live = holdsfor.spark.stream(spark, rules, stream, checkpoint=tmp_path / "state", once=True, **options)
    assert live.awaitTermination(120)
    assert answer_of(live.current()) == expected
