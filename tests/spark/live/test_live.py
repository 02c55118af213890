"""Live queries on Spark: the answers of a batch run, query times by the clock, stopping, going on, sinks that fail."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import holdsfor.spark.live.query
from holdsfor.errors import HoldsforError
from holdsfor.io.storage.changelog import read_changes
from holdsfor.io.storage.fold import fold_intervals, fold_occurrences
from holdsfor.language import EventDescription, parse
from holdsfor.spark import StreamQuery
from holdsfor.spark.live.query import WRITER
from tests.conformance.cases import Case
from tests.conformance.check import check, first_quick, in_scope, sample
from tests.conformance.compare import differences
from tests.conformance.engines import LOCAL, Engine, answer
from tests.conformance.patterns import PatternCase, check_pattern, pattern_cases
from tests.conformance.streamed import arrival
from tests.naive.evaluate import Answer
from tests.naive.rows import Horizon, line_format
from tests.spark.live.files import Folder, live
from tests.spark.live.party import PAIRS, party
from tests.spark.live.undisturbed import WINDOWS

pytestmark = pytest.mark.spark
CASES = first_quick(sample(in_scope(), 12), 3)
PATTERNS = first_quick(sample(pattern_cases(), 6), 2)
ROWS = [row for row in sorted(party(11, 160), key=arrival) if arrival(row) <= WINDOWS.end]


def told(query: StreamQuery) -> Answer:
    """The tables; folding the log gives the same."""
    found = answer(*query.current())
    intervals, occurrences = read_changes(query.tables)
    assert not differences(found, answer(fold_intervals(intervals), fold_occurrences(occurrences)))
    return found


def history(end: int | None = None) -> Answer:
    return LOCAL[0].recognise(parse(PAIRS), ROWS, replace(WINDOWS, end=WINDOWS.end if end is None else end))


def until(true: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it takes too long"
        time.sleep(0.1)


@pytest.mark.parametrize("case", CASES)
def test_golden_case_in_a_live_query(case: Case, spark: SparkSession, tmp_path: Path) -> None:
    check(case, live_engine(spark, tmp_path))


@pytest.mark.parametrize("case", PATTERNS)
def test_golden_pattern_in_a_live_query(case: PatternCase, spark: SparkSession, tmp_path: Path) -> None:
    step = 1 + len(case.lines) // 3
    check_pattern(case, live_engine(spark, tmp_path), replace(case.horizon, window=2 * step, step=step))


def live_engine(spark: SparkSession, folder: Path) -> Engine:
    """Two files, one after the other."""

    def recognise(description: EventDescription, lines: Sequence[str], horizon: Horizon) -> Answer:
        files, ordered = Folder(folder / "in"), sorted(lines, key=arrival)
        half = len(ordered) // 2
        files.add(ordered[:half])
        files.add(ordered[half:])
        query = live(spark, description, files, horizon, folder / "checkpoint", format=line_format(lines))
        query.awaitTermination()
        return told(query)

    return Engine("live query", recognise)


def run_by_small_files(spark: SparkSession, folder: Path, buckets: int) -> StreamQuery:
    """To its end. The answer is that of a history."""
    horizon, files = replace(WINDOWS, step=WINDOWS.window // 6), Folder(folder / "in")
    for first in range(0, len(ROWS), 30):
        files.add(ROWS[first : first + 30])
    query = live(spark, parse(PAIRS), files, horizon, folder / "checkpoint", buckets=buckets)
    query.awaitTermination()
    assert not differences(LOCAL[0].recognise(parse(PAIRS), ROWS, horizon), told(query))
    return query


def test_workers_keep_buckets_in_memory(spark: SparkSession, tmp_path: Path) -> None:
    """One bucket, so one stage: batches write what came, and only now and then all that is carried."""
    query = run_by_small_files(spark, tmp_path, buckets=1)
    commits = [query.job.ledger.commit(batch) for batch in range(len(ROWS) // 30)]
    assert max(len(commit.state.since_base) for commit in commits) >= 3


def test_a_small_batch_after_a_small_one_is_one_job(spark: SparkSession, tmp_path: Path) -> None:
    query = run_by_small_files(spark, tmp_path, buckets=3)
    group, tracker = str(query.query.runId), spark.sparkContext.statusTracker()
    jobs, files = len(tracker.getJobIdsForGroup(group)), -(-len(ROWS) // 30)
    assert jobs == files + 1  # the first is large for all we know


def test_the_session_is_left_as_it_was(spark: SparkSession, tmp_path: Path) -> None:
    """Only this stream writes its log in another way than Spark's own."""
    before = spark.conf.get(WRITER, None)
    folder = Folder(tmp_path / "in")
    folder.add(ROWS)
    query = live(spark, parse(PAIRS), folder, WINDOWS, tmp_path / "checkpoint")
    query.awaitTermination()
    assert spark.conf.get(WRITER, None) == before
    assert query.places.spark.exists("commits/0")


def test_stopped_and_gone_on(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped while it waits, and ended with what there is; each time it goes on with the files that came since.

    The second time parcels pass through Spark, as on a cluster of several machines.
    """
    folder = Folder(tmp_path / "in")
    folder.add(ROWS[:40])
    folder.add(ROWS[40:70])
    first = live(spark, parse(PAIRS), folder, WINDOWS, tmp_path / "checkpoint", once=False)
    until(lambda: (first.lastProgress or {}).get("batchId") == 1)
    folder.add(ROWS[70:90])
    until(lambda: (first.lastProgress or {}).get("batchId") == 2)
    first.stop()
    assert not first.isActive
    assert first.lastProgress is not None
    assert not differences(history(first.lastProgress["eventTime"]["queryTime"]), told(first))
    folder.add(ROWS[90:])
    monkeypatch.setattr(holdsfor.spark.live.query, "open_depot_folder", lambda session: None)
    second = live(spark, parse(PAIRS), folder, WINDOWS, tmp_path / "checkpoint")
    second.awaitTermination()
    assert not differences(history(), told(second))


def test_ended_and_gone_on(spark: SparkSession, tmp_path: Path) -> None:
    """The batch that ended it is none of Spark's: the rows that come next are read all the same."""
    folder = Folder(tmp_path / "in")
    ends = (90, 180, WINDOWS.end)  # query times, so that no row comes after one that should have seen it
    for low, high in zip((-100, *ends), ends, strict=False):
        folder.add([row for row in ROWS if low < arrival(row) <= high])
        query = live(spark, parse(PAIRS), folder, WINDOWS, tmp_path / "checkpoint", end=None)
        query.awaitTermination()
    latest = max(arrival(row) for row in ROWS if row and "soon" not in row)
    assert not differences(history(latest), told(query))


def test_query_times_by_the_clock(spark: SparkSession, tmp_path: Path) -> None:
    """They come also while nothing happens."""
    folder = Folder(tmp_path / "in")
    now = int(time.time())
    folder.add([f"sit|{now}|{now - 1}|p1"])
    windows = Horizon(window=60, step=1, start=now // 10 * 10 - 60, end=0)
    query = live(
        spark, parse(PAIRS), folder, windows, tmp_path / "checkpoint", clock="wall", end=None, once=False, start=None
    )
    until(lambda: ("calm", ("p1",), "true") in answer(*query.current()).intervals)
    assert query.lastProgress is not None
    seen = query.lastProgress["eventTime"]["queryTime"]
    until(lambda: (query.lastProgress or {})["eventTime"].get("queryTime", 0) >= seen + 3)
    folder.add([f"run|{now}|{seen + 1}|p1"])
    key = ("calm", ("p1",), "true")
    until(lambda: answer(*query.current()).intervals[key] == [(now, seen + 2)])
    query.stop()
    assert seen >= now


@dataclass(frozen=True)
class FailsOnce:
    """Keeps what it gets in files; refuses the second batch the first time. Travels to the workers."""

    folder: Path
    name: str = "fails-once"

    def deliver(self, batch: int, part: str, changes: pa.Table) -> int:
        refused = self.folder / "refused"
        if batch == 1 and not refused.exists():
            refused.touch()
            raise HoldsforError("the receiver is down. Start it again.")
        (self.folder / f"{batch}-{part}.json").write_text(json.dumps(changes["id"].to_pylist()))
        return int(changes.num_rows)


def test_a_sink_that_fails_is_told_again(spark: SparkSession, tmp_path: Path) -> None:
    sink = FailsOnce(tmp_path / "told")
    sink.folder.mkdir()
    folder = Folder(tmp_path / "in")
    for low in range(0, len(ROWS), 60):
        folder.add(ROWS[low : low + 60])
    query = live(spark, parse(PAIRS), folder, WINDOWS, tmp_path / "checkpoint", sinks=[sink])
    with pytest.raises(HoldsforError, match=r"^the receiver is down\. Start it again\.$"):
        query.awaitTermination()
    query = live(spark, parse(PAIRS), folder, WINDOWS, tmp_path / "checkpoint", sinks=[sink])
    query.awaitTermination()
    assert not differences(history(), told(query))
    got = [name for path in sink.folder.glob("*.json") for name in json.loads(path.read_text())]
    expected = [name for log in read_changes(query.tables) for name in log["id"].to_pylist()]
    assert sorted(got) == sorted(expected)


def test_damage_that_a_worker_finds(spark: SparkSession, tmp_path: Path) -> None:
    """Is told in its own words."""
    folder = Folder(tmp_path / "in")
    folder.add(ROWS[:10])
    live(spark, parse(PAIRS), folder, WINDOWS, tmp_path / "checkpoint", end=None).awaitTermination()
    for file in (tmp_path / "checkpoint" / "holdsfor" / "state").rglob("*.arrow"):
        file.write_bytes(b"nothing")
    folder.add(ROWS[10:])
    with pytest.raises(HoldsforError, match=r"^\S+\.arrow is not what was written.*cannot be made again either"):
        live(spark, parse(PAIRS), folder, WINDOWS, tmp_path / "checkpoint", end=None).awaitTermination()
