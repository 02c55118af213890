"""Rules of a stream on Spark change: while it runs, and while it stands still."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import holdsfor
from tests.local.test_stream import until
from tests.local.test_stream_updates import FASTER, RULES, UNTOUCHED, after, expected, lines, rows, settled_by
from tests.naive.rows import Horizon
from tests.spark.live.files import Folder, live

pytestmark = pytest.mark.spark
HORIZON = Horizon(window=40, step=20, start=0, end=300)


def test_the_new_rules_take_over_on_a_running_stream_and_go_back_on_its_checkpoint(
    spark: SparkSession, tmp_path: Path
) -> None:
    folder, options = Folder(tmp_path / "in"), dict[str, Any](buckets=4)
    folder.add(lines(0).splitlines())
    folder.add(lines(1).splitlines())
    old, new = holdsfor.parse(RULES), holdsfor.parse(FASTER)
    query = live(spark, old, folder, HORIZON, tmp_path / "state", once=False, **options)
    until(lambda: len(query.recentProgress) == 2, 120)
    update = query.update(new)
    folder.add(lines(2).splitlines())
    until(lambda: len(query.recentProgress) == 4, 120)
    query.stop()
    folder.add(lines(3).splitlines())
    folder.add(lines(4).splitlines())
    again = live(spark, new, folder, HORIZON, tmp_path / "state", **options)
    assert again.awaitTermination(120)
    assert after(rows(again), settled_by(update)) == after(expected(FASTER, 5), settled_by(update))
    found, whole = ({row for row in each if row[0] == UNTOUCHED} for each in (rows(again), expected(RULES, 5)))
    assert found == whole != set()
    assert holdsfor.update(tmp_path / "state").number == 2
    back = live(spark, old, folder, HORIZON, tmp_path / "state", **options)
    assert back.awaitTermination(120)
