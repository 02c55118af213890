"""Streams in this process: the answers of a batch run, going on after any end, and on another host."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from typer.testing import CliRunner

import holdsfor
import holdsfor.spark
from holdsfor.cli import app
from holdsfor.errors import HoldsforError
from holdsfor.io.readers.mapping import Mapping
from holdsfor.io.storage.lease import LeaseLost
from holdsfor.job.live.batch.clock import WallClock
from holdsfor.job.live.input.feeds import Folder, SpoolFeed
from holdsfor.job.live.input.files import FileReader
from holdsfor.job.live.query import StreamQuery
from holdsfor.job.live.state.verify import verify_stream
from holdsfor.local.stream import LocalQuery, stream_feed
from holdsfor.spark.live.sources import open_source
from tests.attack.folder_stream import ROWS, RULES, FolderStream, Killed, history, lines, put
from tests.conformance.compare import differences
from tests.conformance.engines import answer
from tests.spark.live.undisturbed import Recorder
from tests.spark.test_mqtt import fill


def stream_of(rules: str, folder: Path, state: str, **more: Any) -> LocalQuery:
    files = Folder.of(str(folder / "in"), folder / state)
    reader = FileReader(Mapping(), f"{folder / 'in'}/*")
    options: dict[str, Any] = {"window": 40, "step": 20, "start": 0, "checkpoint": folder / state, "once": True}
    return stream_feed(holdsfor.parse(rules), files.feed(None, 1), reader, **options | more)


def begin(folder: Path, **more: Any) -> LocalQuery:
    """On the checkpoint that `FolderStream` and Spark take, too."""
    return stream_of(RULES, folder, "state", **{"buckets": 2} | more)


def run(folder: Path, **more: Any) -> LocalQuery:
    live = begin(folder, **more)
    assert live.awaitTermination(60)
    return live


def until(true: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it takes too long"
        time.sleep(0.02)


def told(live: StreamQuery) -> Any:
    return answer(*live.current())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number in range(3):
        put(tmp_path / "in", number)
    return tmp_path


def test_the_answers_of_a_batch_run(folder: Path) -> None:
    live = run(folder)
    assert not differences(history(3), told(live))
    assert [one["numInputRows"] for one in live.recentProgress] == [ROWS, ROWS, ROWS, 0]
    assert live.lastProgress == live.recentProgress[-1]
    assert not live.isActive
    assert live.exception() is None
    assert not [damage for part in verify_stream(str(folder / "state")) for damage in part.damages]


def test_it_goes_on_with_what_has_come_since(folder: Path) -> None:
    first = run(folder)
    put(folder / "in", 3)
    second = run(folder)
    assert [one["numInputRows"] for one in second.recentProgress] == [ROWS, 0], "nothing is read twice"
    assert second.id == first.id
    assert not differences(history(4), told(second))


def test_it_waits_for_files_until_it_is_stopped(folder: Path) -> None:
    live = begin(folder, once=False, name="vessels")
    until(lambda: len(live.recentProgress) == 3)
    put(folder / "in", 3)
    until(lambda: len(live.recentProgress) == 4)
    assert live.isActive
    assert live.awaitTermination(0.01) is False
    assert live.name == "vessels"
    live.stop()
    assert not live.isActive
    assert live.awaitTermination()
    assert not differences(history(4), told(run(folder)))


def test_sinks_get_every_batch_once(folder: Path) -> None:
    sink = Recorder()
    run(folder, sinks=[sink])
    put(folder / "in", 3)
    run(folder, sinks=[sink])
    assert sorted({batch for batch, _ in sink.got}) == [0, 1, 2, 3, 4, 5], "the end of the first run is a batch"


@pytest.mark.parametrize("step", ["write_offset", "write_done"])
def test_it_may_die_before_and_after_a_batch(step: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once at each batch; the last start does the rest."""
    for batch in range(3):
        monkeypatch.setattr(f"holdsfor.local.stream.{step}", _dies_at(step, batch))
        with pytest.raises(Killed):
            run(folder)
        monkeypatch.undo()
    assert not differences(history(3), told(run(folder)))


def _dies_at(step: str, at: int) -> Callable[..., Any]:
    import holdsfor.job.live.state.progress as progress

    real = getattr(progress, step)

    def write(spark: Any, batch: int, *rest: Any) -> Any:
        done = real(spark, batch, *rest)
        if batch == at:
            raise Killed
        return done

    return write


# ---------------------------------------------------------------- from host to host


def test_begun_as_on_spark_and_gone_on_here(folder: Path) -> None:
    """A model of Spark that reads its own log as strictly as Spark does."""
    spark = FolderStream(folder)
    spark.run()
    put(folder / "in", 3)
    assert not differences(history(4), told(run(folder)))
    put(folder / "in", 4)
    spark.run()
    assert not differences(history(5), spark.answer())
    put(folder / "in", 5)
    assert not differences(history(6), told(run(folder)))


@pytest.mark.parametrize("kill_after", ["offsets", "batch"])
def test_killed_as_on_spark_and_gone_on_here(kill_after: str, folder: Path) -> None:
    """The batch that was killed is in Spark's log; here it may be cut in another way."""
    spark = FolderStream(folder)
    with pytest.raises(Killed):
        spark.run(kill_after=kill_after)
    put(folder / "in", 3)
    run(folder)
    put(folder / "in", 4)
    spark.run()
    assert not differences(history(5), spark.answer())


@pytest.mark.parametrize("batch", [0, 2])
def test_killed_here_and_gone_on_as_on_spark(batch: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdsfor.local.stream.write_offset", _dies_at("write_offset", batch))
    with pytest.raises(Killed):
        run(folder)
    monkeypatch.undo()
    spark = FolderStream(folder)
    spark.run()
    assert not differences(history(3), spark.answer())


@pytest.mark.spark
@pytest.mark.parametrize("first", ["local", "spark"])
def test_from_host_to_host(first: str, folder: Path, spark: SparkSession) -> None:
    """On Spark itself, there and back again."""
    for number in range(3, 6):
        host = first if number % 2 else {"local": "spark", "spark": "local"}[first]
        live = _on(host, folder, spark)
        assert live.awaitTermination(240)
        assert not differences(history(number), told(live)), f"{host}, {number} files"
        put(folder / "in", number)


def _on(host: str, folder: Path, spark: SparkSession) -> StreamQuery:
    options: dict[str, Any] = {"window": 40, "step": 20, "start": 0, "checkpoint": folder / "state", "once": True}
    place = (str(folder / "in"), str(folder / "state"))
    if host == "local":
        files = Folder.of(*place)
        return stream_feed(holdsfor.parse(RULES), files.feed(None, 1), files.reader, **options)
    with open_source(spark, *place, max_files=1) as (frame, reader):
        return holdsfor.spark.stream(spark, holdsfor.parse(RULES), frame, format=reader, **options)


def test_a_stream_keeps_its_number_of_buckets(folder: Path) -> None:
    run(folder, buckets=3)
    put(folder / "in", 3)
    assert not differences(history(4), told(run(folder, buckets=None)))
    with pytest.raises(HoldsforError, match="begun with buckets 3, not buckets 2"):
        begin(folder)


# ---------------------------------------------------------------- what else a stream does


def test_query_times_by_the_clock(folder: Path) -> None:
    """They come also while nothing happens."""
    now = [1000.0]
    wall = WallClock("s", now_seconds=lambda: now[0], steady_seconds=lambda: now[0])
    (folder / "in" / "now.csv").write_text("velocity|990|990|v1|3.5\n")
    live = begin(folder, once=False, start=900, clock=wall)
    until(lambda: len(live.recentProgress) == 4)
    now[0] = 1020.0  # the first query time after the row was read
    until(lambda: ("slow", ("v1",), "true") in told(live).intervals)
    now[0] = 1100.0
    until(lambda: (live.lastProgress or {})["eventTime"]["queryTime"] == 1100)
    live.stop()
    assert live.exception() is None


SILENCE = """
initiatedAt(contact(V)=alive, T) :- happensAt(velocity(V, _), T).
fi(contact(V)=alive, contact(V)=lost, 60).
p(contact(_)=alive).
"""


@pytest.mark.parametrize("by_wall", [True, False])
def test_a_source_that_falls_silent_is_noticed_by_the_clock_on_the_wall(by_wall: bool, tmp_path: Path) -> None:
    """By arrival, time stands still while nothing arrives: nothing is told before a later row comes."""
    incoming, state = tmp_path / "in", tmp_path / "state"
    incoming.mkdir()
    (incoming / "now.csv").write_text("velocity|990|990|v1|3.5\n")
    now = [1000.0]
    clock = WallClock("s", now_seconds=lambda: now[0], steady_seconds=lambda: now[0]) if by_wall else "arrival"
    feed, reader = Folder.of(str(incoming), state).feed(None, 1), FileReader(Mapping(), f"{incoming}/*")
    times: dict[str, Any] = {"window": 200, "step": 20, "start": 900, "clock": clock, "every": "20ms"}
    live = stream_feed(holdsfor.parse(SILENCE), feed, reader, checkpoint=state, **times)
    until(lambda: len(live.recentProgress) > 0)
    now[0] = 1080.0
    if by_wall:
        until(lambda: ("contact", ("v1",), "lost") in told(live).intervals)
    live.stop()
    assert {value for _, _, value in told(live).intervals} == ({"alive", "lost"} if by_wall else set())


def test_why_rows_are_rejected_is_told_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    incoming, state = tmp_path / "in", tmp_path / "state"
    incoming.mkdir()
    for number in range(3):
        row = "velocity|soon|10|v1|3.5\n" if number < 2 else "velocity|20\n"
        (incoming / f"{number}.csv").write_text(f"velocity|{number}|{number}|v1|3.5\n{row}")
    feed, reader = Folder.of(str(incoming), state).feed(None, 1), FileReader(Mapping(), f"{incoming}/*")
    live = stream_feed(holdsfor.parse(RULES), feed, reader, window=40, step=20, checkpoint=state, once=True)
    assert live.awaitTermination(60)
    first, second = (record.getMessage() for record in caplog.records if "rejected" in record.getMessage())
    place = f"They are in {state}/tables/rejects/batch=000000"
    assert first.startswith(f"1 of 2 rows of batch 0 was rejected: arrival is not an integer (1). {place}0")
    assert second.startswith("1 of 2 rows of batch 2 was rejected: wrong arity: ")
    assert f"{place}2; a reason is told once." in second


def test_a_broken_sink_stops_it_and_nothing_is_lost(folder: Path) -> None:
    class Broken(Recorder):
        def deliver(self, *given: Any) -> int:
            raise HoldsforError("the receiver is down. Start it again.")

    live = begin(folder, sinks=[Broken()])
    with pytest.raises(HoldsforError, match="the receiver is down"):
        live.awaitTermination()
    assert isinstance(live.exception(), HoldsforError)
    sink = Recorder()
    assert not differences(history(3), told(run(folder, sinks=[sink])))
    assert min(batch for batch, _ in sink.got) == 0


def test_a_checkpoint_that_is_taken_over_ends_it(folder: Path) -> None:
    first = begin(folder, once=False)
    until(lambda: len(first.recentProgress) == 3)
    with pytest.raises(HoldsforError, match="in use by this very process"):
        begin(folder)
    put(folder / "in", 3)
    second = begin(folder, take_over=True)
    with pytest.raises(LeaseLost):
        first.awaitTermination(60)
    assert second.awaitTermination(60)
    assert not differences(history(4), told(second))


def test_messages_of_a_spool(tmp_path: Path) -> None:
    fill(tmp_path, range(3), range(3, 5), range(5, 9))
    feed = SpoolFeed(tmp_path, most=4)
    start = feed.initial()
    end = feed.latest(start)
    assert (start, end) == ({"segment": 0}, {"segment": 1}), "whole segments"
    assert [table["payload"].to_pylist() for table in feed.tables(start, end)] == [[b"0", b"1", b"2"]]
    feed.seal()
    fill(tmp_path, [9])
    assert feed.latest({"segment": 2}) == {"segment": 3}
    assert feed.latest({"segment": 3}) == {"segment": 3}, "what comes later is not for now"
    feed.forget({"segment": 2})
    assert feed.initial() == {"segment": 2}


def test_the_command_needs_no_spark(tmp_path: Path) -> None:
    """Not even its import: where there is no pyspark it works, too."""
    (tmp_path / "rules.ec").write_text(RULES)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "0.csv").write_text(lines(0))
    code = (
        "import sys; sys.modules['pyspark'] = None\n"
        "from holdsfor.cli import app\n"
        "sys.argv = ['holdsfor', 'stream', 'rules.ec', '--from', 'in', '--window', '40', '--step', '20',"
        " '--start', '0', '--checkpoint', 'state', '--once', '--engine', 'local', '--to', 'console']\n"
        "app()"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "insert    slow(v" in done.stdout
    assert "Tables in state/tables" in done.stdout


def test_settings_of_spark_are_refused(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from holdsfor.cli import app

    (tmp_path / "rules.ec").write_text(RULES)
    command = ["stream", str(tmp_path / "rules.ec"), "--from", str(tmp_path), "--window", "40", "--step", "20"]
    said = CliRunner().invoke(
        app, [*command, "--checkpoint", str(tmp_path / "state"), "--engine", "local", "--master", "local[2]"]
    )
    assert said.exit_code == 2
    assert "are for Spark" in said.output


def test_tables_of_a_stream(folder: Path) -> None:
    live = run(folder)
    intervals, _ = live.current()
    known = sorted(zip(*(intervals[name].to_pylist() for name in ("args", "start", "end")), strict=True))
    wide = live.table("slow").to_arrow()
    assert wide.column_names == ["V", "value", "start", "end", "duration"]
    assert sorted(zip(*(wide[name].to_pylist() for name in ("V", "start", "end")), strict=True)) == [
        (args[0], start, end) for args, start, end in known
    ]
    assert str(live.table("slow", tick_unit="s").to_arrow()["start"].type) == "timestamp[s, tz=UTC]"


def test_a_stream_is_shown_and_drawn(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    live = run(folder)
    intervals, _ = live.current()
    for tables in ("state", "state/tables"):
        shown = CliRunner().invoke(app, ["show", str(folder / tables), "slow", "--limit", "1000"])
        assert shown.exit_code == 0, shown.stderr
        assert sum("│ true" in line for line in shown.stdout.splitlines()) == len(intervals)
    page = folder / "page.html"
    drawn = CliRunner().invoke(app, ["timeline", str(folder / "state"), "-o", str(page)])
    assert drawn.exit_code == 0, drawn.stderr
    assert "slow" in page.read_text()


class Away:
    """A receiver that takes nothing until it is back."""

    def __init__(self, name: str) -> None:
        self.name, self.is_back, self.got = name, False, 0

    def deliver(self, batch: int, part: str, changes: Any) -> int:
        if not self.is_back:
            raise HoldsforError(f"{self.name} is away.")
        self.got += len(changes)
        return len(changes)


def test_a_receiver_that_is_away_stops_nothing_if_changes_are_kept(folder: Path) -> None:
    away, here = Away("away"), Away("here")
    here.is_back = True
    live = run(folder, sinks=[away, here], on_sink_failure="keep")
    changes = sum(len(log) for log in live.changes())
    assert (away.got, here.got) == (0, changes)
    away.is_back = True
    put(folder / "in", 3)
    more = run(folder, sinks=[away, here], on_sink_failure="keep")
    changes = sum(len(log) for log in more.changes())
    assert (away.got, here.got) == (changes, changes)


def test_a_receiver_that_stops_the_stream_keeps_no_other_from_its_changes(folder: Path) -> None:
    away, here = Away("away"), Away("here")
    here.is_back = True
    live = begin(folder, sinks=[away, here])
    with pytest.raises(HoldsforError, match="away is away"):
        live.awaitTermination(60)
    assert here.got == sum(len(log) for log in live.changes()) > 0


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--from", "nowhere"], "nowhere is not there. Make the folder (mkdir nowhere)"),
        (["--from", "-"], "a stream cannot read standard input"),
        (["--from", "s3://bucket/in"], "cannot stream from s3://bucket: give a folder, mqtt://host/topic or kafka://"),
        (["--from", "in", "--mapping", "absent.toml"], "cannot read the mapping absent.toml"),
        (["--from", "in", "--window", "soon"], "'soon' is not a duration"),
        (["--from", "in", "--window", "50"], "was begun with window 40, not window 50"),
        (["--from", "in", "--report", "final"], "was begun with report eager, not report final"),
        (["other.ec", "--from", "in"], "was begun with other rules or facts (seen/1 is new)."),
    ],
)
def test_what_can_be_refused_is_refused_before_spark_starts(
    more: list[str], message: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(folder)
    monkeypatch.chdir(folder)
    monkeypatch.setattr(holdsfor.spark, "session", lambda *_, **__: pytest.fail("Spark was started"))
    (folder / "rules.ec").write_text(RULES)
    (folder / "other.ec").write_text("happensAt(seen(V), T) :- happensAt(velocity(V, Knots), T), Knots > 1.")
    options = ["--window", "40", "--step", "20", "--start", "0", "--checkpoint", "state", "--engine", "spark"]
    refused = CliRunner().invoke(app, ["stream", "rules.ec", *options, *more])
    assert refused.exit_code == 1, refused.output
    assert message in refused.stderr


def test_rules_are_changed_by_a_second_stream_over_the_recent_past(folder: Path) -> None:
    """As docs/streaming.md tells it: a new checkpoint, a start one window before the change, the same files."""
    run(folder)
    changed = RULES.replace("5", "3")
    refused = r"was begun with other rules or facts \(slow/1 changed\).* begin anew with another checkpoint"
    with pytest.raises(HoldsforError, match=refused):
        stream_of(changed, folder, "state", buckets=2)
    put(folder / "in", 3)
    change = 3 * ROWS
    second = stream_of(changed, folder, "state-2", start=change - 40)
    assert second.awaitTermination(60)
    rows = holdsfor.read_events([line for n in range(4) for line in lines(n).splitlines()], format="rtec")
    batch = holdsfor.recognise(holdsfor.parse(changed), rows, window=40, step=20, start=change - 40)
    assert sorted(second.current()[0].to_pylist(), key=str) == sorted(batch.intervals.to_pylist(), key=str)
    assert run(folder).exception() is None, "the old one can go on beside it"


def test_dates_and_durations_in_different_ticks(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    reader = FileReader(Mapping(tick_unit="min"), f"{folder / 'in'}/*")
    options: dict[str, Any] = {"start": 0, "checkpoint": folder / "state", "once": True, "buckets": 1}
    live = stream_feed(
        holdsfor.parse(RULES),
        Folder.of(str(folder / "in"), folder / "state").feed(None, 1),
        reader,
        window="40s",
        step="20s",
        **options,
    )
    assert live.awaitTermination(60)
    assert "the mapping counts dates in ticks of 1 min" in caplog.text
