"""A stream on Spark that tells of some definitions only, and keeps to them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from holdsfor.errors import HoldsforError
from holdsfor.language import parse
from tests.conformance.compare import differences
from tests.conformance.engines import LOCAL, answer
from tests.conformance.streamed import arrival
from tests.naive.internal import without
from tests.spark.live.files import Folder, live
from tests.spark.live.party import PAIRS, party
from tests.spark.live.undisturbed import WINDOWS

pytestmark = pytest.mark.spark
HORIZON = replace(WINDOWS, end=100)
ROWS = [row for row in sorted(party(11, 60), key=arrival) if arrival(row) <= HORIZON.end]


def test_others_are_in_no_table_and_no_log(spark: SparkSession, tmp_path: Path) -> None:
    description = parse(PAIRS)
    folder = Folder(tmp_path / "in")
    folder.add(ROWS)
    query = live(spark, description, folder, HORIZON, tmp_path / "state", only=["meeting", "rest/1"])
    assert query.awaitTermination(120)
    defined = description.defined.all
    hidden = {owner for owner in defined if owner.name not in ("meeting", "rest")}
    expected = without(LOCAL[0].recognise(description, ROWS, HORIZON), hidden)
    assert expected.intervals, "there is something to tell"
    assert not differences(expected, answer(*query.current()))
    intervals, occurrences = query.changes()
    assert set(intervals["fluent"].to_pylist()) == {"meeting"}
    assert set(occurrences["event"].to_pylist()) <= {"rest"}
    with pytest.raises(HoldsforError, match="which are asked for now"):
        live(spark, description, folder, HORIZON, tmp_path / "state")
