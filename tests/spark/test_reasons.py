"""Reasons of what Spark has recognised are those of the same history in process."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import holdsfor
import holdsfor.spark
from tests.why.test_why import MOVING, ROWS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
TIMES = {"start": 0, "end": 20, "window": 20, "step": 5}


@pytest.mark.parametrize("as_frame", [False, True])
def test_a_result_on_spark_explains_itself(spark: SparkSession, tmp_path: Path, as_frame: bool) -> None:
    (tmp_path / "events.txt").write_text("\n".join(ROWS))
    description, events = holdsfor.parse(MOVING), holdsfor.read_events(ROWS, format="terms")
    expected = holdsfor.recognise(description, events, **TIMES)
    given, mapping = holdsfor.read_events(tmp_path / "events.txt", format="terms"), None
    if as_frame:
        rows = [("speed", 3, "v1", 7), ("speed", 5, "v2", 8), ("speed", 9, "v1", 2)]
        places = [("enter", 1, "v1", "p1"), ("leave", 12, "v1", "p1")]
        given = {
            "speeds": spark.createDataFrame(rows, "event string, time bigint, v string, s bigint"),
            "places": spark.createDataFrame(places, "event string, time bigint, v string, p string"),
        }
        mapping = {
            "tables": {
                "speeds": {"events": {"speed": ["v", "s"]}},
                "places": {"events": {"enter": ["v", "p"], "leave": ["v", "p"]}},
            }
        }
    result = holdsfor.spark.recognise(spark, description, given, mapping=mapping, buckets=2, **TIMES)
    for fact, at in (("moving(v1)=true", 6), ("alarm(v1)", 3), ("near(v1,p1)=true", 8)):
        found, same = result.why(fact, at=at), expected.why(fact, at=at)
        assert [node.what for node in found.nodes()] == [node.what for node in same.nodes()]
    assert "without speed(v1,2) at 9" in [str(one) for one in result.why_not("moving(v1)=true", at=12).changes]
    assert result.why("moving(v1)=true", at=5, as_of=5).until is None
    assert len(result.why_changed("moving(v1)=true")) == 2
