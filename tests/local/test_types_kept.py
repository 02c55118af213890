"""A column of text keeps its type in sessions and streams: what the first file said holds for those after it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import holdsfor
from holdsfor.job.live.input.feeds import open_feed
from holdsfor.local.stream import stream_feed

RULES = holdsfor.parse("happensAt(seen(A), T) :- happensAt(pos(A), T).")
MAPPING = {"event": "pos", "time": "timestamp"}
REASON = (
    "argument 1 of pos/1 is no number, as all before it in icao24 were; "
    'for names write in the mapping: [types] icao24 = "text"'
)


def lines(*fields: str) -> list[str]:
    return ["icao24,timestamp", *(f"{field},{place}" for place, field in enumerate(fields, 1))]


def run(incoming: Path, checkpoint: Path, out: Path, mapping: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Names that were seen, and reasons of rejects, after all that is there has been read."""
    with open_feed(str(incoming), checkpoint, mapping=mapping, max_files=1) as (feed, reader):
        options: dict[str, Any] = {"window": 100, "step": 10, "start": 0, "once": True}
        query = stream_feed(RULES, feed, reader, checkpoint=checkpoint, out=out, **options)
        query.awaitTermination()
        seen = sorted(row["args"][0] for row in query.current()[1].to_pylist())
    paths = sorted(out.glob("rejects/**/*.parquet"))
    rejects = [row["reason"] for path in paths for row in pq.read_table(path, partitioning=None).to_pylist()]
    return seen, rejects


@pytest.mark.parametrize(
    ("first", "second", "seen", "rejects"),
    [
        (("1", "2"), ("3e7x", "3"), ["1", "2", "3"], [REASON]),
        (("1", "2"), ("007",), ["1", "2"], [REASON]),
        (("a1", "2"), ("3e7", "2"), ["2", "3e7", "a1"], []),
    ],
)
def test_a_stream_of_files(
    first: tuple[str, ...], second: tuple[str, ...], seen: list[str], rejects: list[str], tmp_path: Path
) -> None:
    incoming = tmp_path / "in"
    incoming.mkdir()
    (incoming / "1.csv").write_text("\n".join(lines(*first)) + "\n")
    mapping = dict(MAPPING)
    run(incoming, tmp_path / "state", tmp_path / "out", mapping)
    (incoming / "2.csv").write_text("\n".join(lines(*second)) + "\n")
    assert run(incoming, tmp_path / "state", tmp_path / "out", mapping) == (seen, rejects)


def test_files_of_one_batch_agree(tmp_path: Path) -> None:
    incoming = tmp_path / "in"
    incoming.mkdir()
    for name, fields in (("1.csv", ("1", "2")), ("2.csv", ("3e7", "x"))):
        (incoming / name).write_text("\n".join(lines(*fields)) + "\n")
    with open_feed(str(incoming), tmp_path / "state", mapping=MAPPING) as (feed, reader):
        query = stream_feed(
            RULES, feed, reader, window=100, step=10, start=0, checkpoint=str(tmp_path / "state"), once=True
        )
        query.awaitTermination()
        assert sorted(row["args"][0] for row in query.current()[1].to_pylist()) == ["1", "2", "3e7", "x"]


def test_typed_files_that_differ_are_warned_of(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    incoming = tmp_path / "in"
    incoming.mkdir()
    for name, column in (("1", pa.array([7])), ("2", pa.array(["7"])), ("3", pa.array(["8"]))):
        pq.write_table(pa.table({"timestamp": [int(name)], "icao24": column}), incoming / f"{name}.parquet")
    run(incoming, tmp_path / "state", tmp_path / "out", MAPPING)
    told = [record.getMessage() for record in caplog.records if "of another type" in record.getMessage()]
    assert len(told) == 1
    assert told[0].startswith("the column icao24 is of another type in this batch than before")


def test_a_session_keeps_types_also_when_it_is_saved(tmp_path: Path) -> None:
    session = holdsfor.session(RULES, window=100, step=10, start=0)
    session.add(lines("1", "2"), format="columns", mapping=MAPPING)
    session.save(tmp_path / "session")
    session = holdsfor.resume(RULES, tmp_path / "session")
    added = session.add(lines("x", "3"), format="columns", mapping=MAPPING)
    assert [row["reason"] for row in added.rejects.to_pylist()] == [REASON]
    session.advance(10)
    assert [row["args"] for row in session.current().occurrences.to_pylist()] == [["1"], ["2"], ["3"]]


def test_typed_tables_of_a_session_have_types_of_their_own() -> None:
    session = holdsfor.session(RULES, window=100, step=10, start=0)
    for column in (pa.array([7]), pa.array(["a7"])):
        session.add(pa.table({"timestamp": [1], "icao24": column}), mapping=MAPPING)
    session.advance(10)
    assert [row["args"] for row in session.current().occurrences.to_pylist()] == [["7"], ["a7"]]
