"""Rows that no rule reads make query times due and bring deadlines about, in streams as in sessions and histories."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import holdsfor
import holdsfor.spark
from holdsfor.engine.definitions.evaluate import make_program
from holdsfor.engine.input.window import Ticks
from holdsfor.job.batch import run_batch
from holdsfor.job.parts import parts_of
from holdsfor.language import parse
from holdsfor.plan import plan
from tests.conformance.streamed import setting_of, with_times
from tests.job.alone_in_batch import AloneInBatch
from tests.naive.evaluate import Answer
from tests.naive.rows import Horizon
from tests.spark.live.by_hand import ByHand

RULES = parse("initiatedAt(l=on, T) :- happensAt(m, T).\nfi(l=on, l=off, 10).\nlate <- NOT(n).[m, 15 ticks].\n")
BOUND = 400


def stream(folder: Path, *batches: str) -> tuple[int | None, Answer]:
    """Return the last query time that came before the end, and what was told in all."""
    setting = replace(
        with_times(setting_of(RULES, Horizon(40, 20, 0, 1 << 50), 1), start=None, end=None), max_future=BOUND
    )
    live = ByHand(setting, folder)
    for number, row in enumerate(batches):
        commit = live.run(number, [[row]])
    live.close()
    return commit.fired, live.answer()


@pytest.mark.parametrize("row", ["other|50|50", "other|90|40", "m|50|50|refused"])
def test_in_a_stream(row: str, tmp_path: Path) -> None:
    """The history begins after 9: query times are 29, 49, ..."""
    fired, told = stream(tmp_path, "m|10|10", row)
    assert fired == (89 if row == "other|90|40" else 49)
    assert told.intervals["l", (), "on"] == [(11, 21)]
    assert told.spans == {("late", (), 10, 25)}


@pytest.mark.parametrize("times", [(11 + BOUND, 11 + BOUND), (1 << 60, 1 << 60), (20, 1 << 60)])
def test_a_row_from_the_future_is_not_followed(times: tuple[int, int], tmp_path: Path) -> None:
    fired, told = stream(tmp_path, "m|10|10", f"other|{times[0]}|{times[1]}")
    assert fired is None
    assert told.intervals == {("l", (), "on"): [(11, None)]}


def test_a_session_begins_with_the_first_row_of_any_kind() -> None:
    live = holdsfor.session(RULES, window=40, step=20)
    assert live.add(["other|5|5"], format="rtec").events_unused == 1
    live.add(["m|10|10"], format="rtec")
    assert [row["query_time"] for row in live.advance(64).intervals.to_pylist()][:1] == [24]


def test_in_tasks() -> None:
    parts = parts_of(holdsfor.read_events([["m|10|10"], ["other|50|50"]], format="rtec"))
    crew = AloneInBatch(parts, RULES.inputs)
    run_batch(make_program(plan(RULES)), Ticks(None, None, None, None, 1), 2, crew)
    assert [row["end"] for row in crew.table("intervals").to_pylist() if row["value"] == "on"] == [21]


@pytest.mark.spark
def test_on_spark(spark: SparkSession, tmp_path: Path) -> None:
    """From a file and from a DataFrame, where the span is not given."""
    path = tmp_path / "rows.csv"
    path.write_text("m|10|10\nother|50|50\n")
    frame = spark.createDataFrame([("m", 10), ("other", 50)], "event string, time long")
    for events, form in ((path, "rtec"), (frame, None)):
        result = holdsfor.spark.recognise(spark, RULES, events, format=form)
        ends = [row["end"] for row in result.intervals.toArrow().to_pylist() if row["value"] == "on"]
        assert ends == [21]
