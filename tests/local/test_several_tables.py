"""Tables of different shape, read together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import holdsfor
from holdsfor.cli import app
from holdsfor.errors import HoldsforError
from holdsfor.io.readers.mapping import as_mapping
from holdsfor.job.live.input.feeds import open_feed
from holdsfor.job.parts import parts_of
from holdsfor.local.stream import stream_feed
from tests.job.alone_in_batch import AloneInBatch

RULES = """
initiatedAt(hot(M)=true, T) :- happensAt(temperature(M, Degrees), T), Degrees > 90.
terminatedAt(hot(M)=true, T) :- happensAt(temperature(M, Degrees), T), Degrees =< 90.
happensAt(leak(M), T) :- happensAt(pressure(M, Bar), T), Bar < 1.
happensAt(opened_hot(M, Who), T) :- happensAt(door(M, Who), T), holdsAt(hot(M)=true, T).
"""
READINGS = pa.table(
    {
        "ts": [10, 20, 30, 40],
        "machine": ["M-1", "M-2", "M-1", "M-2"],
        "degrees": [95.0, 96.0, None, 80.0],
        "bar": [2.0, None, 0.5, 0.5],
    }
)
DOORS = pa.table({"when": [25, 35, 45], "id": ["M-1", "M-2", "M-2"], "badge": ["ann", "bob", "eve"]})
MAPPING: dict[str, Any] = {
    "tables": {
        "readings": {"time": "ts", "events": {"temperature": ["machine", "degrees"], "pressure": ["machine", "bar"]}},
        "doors": {"time": "when", "event": "door", "events": {"door": ["id", "badge"]}},
    }
}
# M-1 is hot from 10 on, M-2 from 20 to 40; bar is below 1 at 30 (M-1) and at 40 (M-2)
HOT = [("M-1", 11, None), ("M-2", 21, 41)]
EVENTS = [("leak", "M-1", 30), ("leak", "M-2", 40), ("opened_hot", "M-1 ann", 25), ("opened_hot", "M-2 bob", 35)]


def check(intervals: pa.Table, occurrences: pa.Table) -> None:
    assert sorted((row["args"][0], row["start"], row["end"]) for row in intervals.to_pylist()) == HOT
    found = sorted((row["event"], " ".join(row["args"]), row["start"]) for row in occurrences.to_pylist())
    assert found == EVENTS


def test_tables_by_name() -> None:
    description = holdsfor.parse(RULES)
    for tables in (
        {"readings": READINGS, "doors": DOORS},
        {"readings": READINGS.to_pandas(), "doors": pl.from_arrow(DOORS)},
        {"doors": DOORS, "readings": [READINGS.slice(0, 1), READINGS.slice(1)]},
    ):
        result = holdsfor.recognise(description, tables, mapping=MAPPING)
        check(result.intervals, result.occurrences)
        assert result.metrics["events_in"] == 7
        assert result.rejects.num_rows == 0


def test_a_live_session_takes_them(tmp_path: Path) -> None:
    live = holdsfor.session(holdsfor.parse(RULES), window=100, step=10, start=0)
    live.add({"readings": READINGS, "doors": DOORS}, mapping=MAPPING)
    live.advance(to=100)
    check(live.current().intervals, live.current().occurrences)


def test_the_tasks_of_a_batch_read_each_with_its_own_mapping(tmp_path: Path) -> None:
    pq.write_table(READINGS, tmp_path / "readings.parquet", row_group_size=1)
    files = {"readings": tmp_path / "readings.parquet", "doors": DOORS}
    crew = AloneInBatch(parts_of(holdsfor.read_events(files, mapping=MAPPING)), holdsfor.parse(RULES).inputs)
    assert crew.guess_span() is None  # only files of Parquet tell it without being read
    assert sum(len(block) for events in crew._read() for block in events.blocks) == 9


def test_keys_above_the_tables_are_for_all() -> None:
    named = as_mapping(
        {"time": "ts", "tick_unit": "ms", "name": "what", "tables": {"a": {"event": "door"}, "b": {"time": "when"}}}
    )
    assert named.tables["a"].time == "ts"
    assert named.tables["a"].tick_unit == "ms"
    assert (named.tables["a"].name, named.tables["a"].event) == (None, "door")
    assert (named.tables["b"].time, named.tables["b"].name) == ("when", "what")


def test_a_table_of_which_nothing_is_said_is_of_its_event() -> None:
    rules = "happensAt(seen(M, Who), T) :- happensAt(door(M, Who), T)."
    result = holdsfor.recognise(holdsfor.parse(rules), {"door": DOORS.rename_columns(["time", "id", "badge"])})
    assert result.occurrences["args"].to_pylist() == [["M-1", "ann"], ["M-2", "bob"], ["M-2", "eve"]]


def test_a_wide_row_that_is_wrong_is_rejected_once() -> None:
    times = pa.array([None, 20], pa.int64())
    wrong = {"ts": times, "machine": ["a", "b"], "degrees": ["95", "hot"], "bar": ["1", "2"]}
    mapping = MAPPING["tables"]["readings"]
    result = holdsfor.recognise(holdsfor.parse(RULES), pa.table(wrong), mapping=mapping)
    reasons = {row["row"]: row["reason"] for row in result.rejects.to_pylist()}
    assert len(result.rejects) == 2
    assert reasons[1] == "no time"
    assert reasons[2] == "bad number: argument 2 of temperature/2 is not a number"
    assert result.occurrences.num_rows == 0  # a text column has no numbers


@pytest.mark.parametrize(
    ("tables", "mapping", "message"),
    [
        ({"reading": READINGS}, MAPPING, r"no table 'reading'\. Did you mean 'readings'\?"),
        ({"readings": DOORS}, MAPPING, r"<readings>: no such column for an argument of temperature: 'machine'"),
        (READINGS, MAPPING, r"give the events as a dict, by their names \(readings, doors\)"),
        ({}, MAPPING, "there are no events to read"),
        (READINGS, {"tables": {"a": {"tick_unit": "s"}, "b": {"tick_unit": "ms"}}}, r"different units \(ms, s\)"),
        (READINGS, {"tables": {"a": {"tme": "ts"}}}, r"\[tables.a\]: unknown key 'tme'\. Did you mean 'time'"),
        (READINGS, {"tables": ["a"]}, r"tables are sections"),
        (READINGS, {"tables": {"a": {}}, "events": {"x": ["y"]}}, r"list x in the one that has it"),
        (READINGS, {"tables": {"a": {"tables": {}}}}, "tables stands above the tables"),
        (READINGS, {"time": "ts", "events": {"a": ["machine"], "b": ["machine"]}}, "no column says which event a row"),
        ([holdsfor.read_events(DOORS)], None, "tables by their names"),
    ],
)
def test_mistakes(tables: Any, mapping: Any, message: str) -> None:
    with pytest.raises(HoldsforError, match=message):
        holdsfor.recognise(holdsfor.parse(RULES), tables, mapping=mapping)


def test_files_go_to_the_table_whose_pattern_they_fit(tmp_path: Path) -> None:
    pq.write_table(READINGS, tmp_path / "readings-1.parquet")
    DOORS.to_pandas().to_csv(tmp_path / "doors-1.csv", index=False)
    mapping = tmp_path / "mapping.toml"
    mapping.write_text(TOML)
    result = holdsfor.recognise(holdsfor.parse(RULES), str(tmp_path / "*-1.*"), mapping=mapping)
    check(result.intervals, result.occurrences)
    out = str(tmp_path / "out")
    (tmp_path / "rules.ec").write_text(RULES)
    done = CliRunner().invoke(app, ["run", str(tmp_path / "rules.ec"), "--mapping", str(mapping), "-o", out])
    assert done.exit_code == 0, done.stderr
    check(pq.read_table(f"{out}/intervals.parquet"), pq.read_table(f"{out}/occurrences.parquet"))
    (tmp_path / "other-1.csv").write_text("a,b\n")
    with pytest.raises(HoldsforError, match=r"other-1.csv fits no table of the mapping: readings \(readings-"):
        holdsfor.read_events(str(tmp_path / "*-1.*"), mapping=mapping)


def test_a_stream_of_files_of_several_tables(tmp_path: Path) -> None:
    incoming = tmp_path / "in"
    incoming.mkdir()
    pq.write_table(READINGS, incoming / "readings-1.parquet")
    DOORS.to_pandas().to_csv(incoming / "doors-1.csv", index=False)
    (incoming / "other.csv").write_text("a,b\n")
    (tmp_path / "mapping.toml").write_text(TOML)
    options: dict[str, Any] = {"window": 100, "step": 10, "start": 0, "end": 100, "once": True}
    with open_feed(str(incoming), tmp_path / "state", mapping=tmp_path / "mapping.toml") as (feed, reader):
        live = stream_feed(holdsfor.parse(RULES), feed, reader, checkpoint=tmp_path / "state", **options)
        assert live.awaitTermination(60)
    check(*live.current())
    rejects = pq.read_table(next(Path(live.tables.location).glob("rejects/*/*.parquet"))).to_pylist()
    assert [row["reason"].partition(":")[0] for row in rejects] == [
        f"{incoming / 'other.csv'} fits no table of the mapping"
    ]


TOML = """
[tables.readings]
files = "readings-*.parquet"
time = "ts"
events.temperature = ["machine", "degrees"]
events.pressure = ["machine", "bar"]

[tables.doors]
files = "doors-*.csv"
time = "when"
events.door = ["id", "badge"]
"""


def test_messages_of_a_broker_are_no_tables(tmp_path: Path) -> None:
    with (
        pytest.raises(HoldsforError, match=r"\[tables\] is for files and data frames"),
        open_feed("mqtt://localhost/readings", tmp_path, mapping=MAPPING),
    ):
        pass
