"""Events as lines of dRTEC's."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from holdsfor.io.mqtt.payload import messages_to_events
from holdsfor.io.readers.formats import line_reader
from holdsfor.io.readers.read import read_events
from tests.io.expect import block, inputs, rejects, rows

WANTED = inputs("event appear/1, event meet/2, event alarm/0, interval running/1, interval close/2")
LINES = [
    "happensAt, appear, id0, 80",
    "happensAt,meet,id1 ; id0,81",
    " happensAt , alarm , , 82 ",
    "holdsFor, running, id1, true, 90;100",
    "",
    "holdsFor, running, 7, walking, 100;inf\r",
    "holdsFor, close, id1;id0, true, -5 ; 145",
]


def test_events_and_fluents() -> None:
    events = read_events(LINES).read(WANTED)  # the format is told by the first line
    assert rows(block(events, "appear")) == [(("id0",), None, 80, None, 80)]
    assert rows(block(events, "meet")) == [(("id1", "id0"), None, 81, None, 81)]
    assert rows(block(events, "alarm")) == [((), None, 82, None, 82)]
    assert rows(block(events, "running")) == [(("id1",), "true", 90, 100, 100), (("7",), "walking", 100, None, 100)]
    assert rows(block(events, "close")) == [(("id1", "id0"), "true", -5, 145, 145)]
    assert (events.read, rejects(events)) == (6, [])


def test_retractions() -> None:
    events = read_events(
        [*LINES[:1], "retract, happensAt, appear, id0, 80", "insert,happensAt,appear,id1,9"], format="drtec"
    )
    op = block(events.read(WANTED), "appear").op
    assert op is not None
    assert op.tolist() == [1, -1, 1]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("happensAt, appear, id0", "expected `happensAt"),
        ("holdsAt, running, id1, true, 90", "expected `happensAt"),
        ("holdsFor, running, id1, true, 90", "expected `happensAt"),
        ("holdsFor, running, id1, true;false, 90;95", "expected `happensAt"),
        ("appear|80|80|id0", "expected `happensAt"),
        ("holdsFor, running, id1, true, 90;80", "end before start"),
        ("holdsFor, close, id1, true, 90;95", "wrong arity"),
        ("happensAt, appear, id0, 99999999999999999999", "time is out of range"),
    ],
)
def test_what_is_rejected_is_shown_as_it_came(line: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "events.txt"
    path.write_text("\n".join([LINES[0], line, LINES[3]]), encoding="utf-8")
    events = read_events(path, format="drtec").read(WANTED)
    (reject,) = events.rejects.to_pylist()
    assert (reject["row"], reject["text"]) == (2, line)
    assert reject["reason"].startswith(reason)
    assert len(block(events, "running")) == 1


def test_what_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "events.txt"
    path.write_bytes(b"happensAt, appear, \xff, 80\nhappensAt, appear, id0, 81\n")
    events = read_events(path).read(WANTED)
    assert [why for *_, why in rejects(events)] == ["not UTF-8 text"]
    assert len(block(events, "appear")) == 1


def test_a_column_of_lines() -> None:
    events = line_reader("drtec")(pa.array(LINES), WANTED, "")
    assert len(block(events, "running")) == 2


def test_messages() -> None:
    payloads = ["\n".join(LINES[:4]), LINES[6], "holdsFor, running\nhappensAt, appear, id5, 90"]
    table = pa.table(
        {
            "topic": ["caviar/in"] * 3,
            "payload": pa.array([each.encode() for each in payloads], pa.binary()),
            "received": pa.array([200_000] * 3, pa.int64()),
        }
    )
    mapping = {"topics": {"caviar/#": {"format": "drtec"}}}
    events = messages_to_events(table, mapping, WANTED)
    assert rows(block(events, "close")) == [(("id1", "id0"), "true", -5, 145, 145)]
    assert len(block(events, "appear")) == 2
    (reject,) = events.rejects.to_pylist()
    assert (reject["source"], reject["row"], reject["text"]) == ("caviar/in", 1, "holdsFor, running")
    assert reject["reason"].startswith("expected")
    received = messages_to_events(table, {**mapping, "arrival": "received"}, WANTED)
    assert rows(block(received, "close")) == [(("id1", "id0"), "true", -5, 145, 200)]
    back = messages_to_events(table, {"topics": {"#": {"format": "drtec", "op": -1}}}, WANTED)
    op = block(back, "appear").op
    assert op is not None
    assert op.tolist() == [-1, -1]
