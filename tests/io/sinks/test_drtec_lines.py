"""Changes as lines of dRTEC's, which read as they are written."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from holdsfor import HoldsforError
from holdsfor.io.readers.read import read_events
from holdsfor.io.sinks.messages import JsonLinesSink, MessageForm, changes_as_json, write_messages
from holdsfor.io.storage.store import Store
from tests.io.expect import block, inputs, rows

CHANGES = pa.table(
    {
        "query_time": [20, 10, 30, 30, 30],
        "op": ["end", "insert", "extend", "shorten", "withdraw"],
        "id": list("abcde"),
        "fluent": ["near", "near", "on", "on", "lost"],
        "args": pa.array([["v1", "v2"], ["v1", "v2"], ["m, 1"], ["m2"], []], pa.list_(pa.string())),
        "value": ["true", "true", "two;parts", "true", "7"],
        "start": [5, 5, 1, -3, 2],
        "end": pa.array([12, None, 20, 9, 4], pa.int64()),
    }
)
LINES = [
    "holdsFor, near, v1;v2, true, 5;inf",
    "holdsFor, near, v1;v2, true, 5;12",
    "holdsFor, on, m%2C 1, two%3Bparts, 1;20",
    "shorten, holdsFor, on, m2, true, -3;9",
    "withdraw, holdsFor, lost, , 7, 2;4",
]


def test_intervals() -> None:
    assert write_messages(1, MessageForm(format="drtec").apply(CHANGES)).to_pylist() == LINES
    assert write_messages(1, CHANGES).equals(changes_as_json(1, CHANGES))


def test_a_part_of_a_table() -> None:
    part = MessageForm(format="drtec").apply(CHANGES.slice(2, 2))
    assert write_messages(1, part).to_pylist() == LINES[2:4]
    assert write_messages(1, MessageForm(format="drtec").apply(CHANGES.slice(0, 0))).to_pylist() == []


def test_occurrences() -> None:
    changes = pa.table(
        {
            "query_time": [10, 10],
            "op": ["insert", "withdraw"],
            "id": ["a", "b"],
            "event": ["meet", "alarm"],
            "args": pa.array([["v1", "v2"], []], pa.list_(pa.string())),
            "start": [3, 4],
            "end": [5, 4],
        }
    )
    lines = write_messages(1, MessageForm(format="drtec").apply(changes)).to_pylist()
    assert lines == ["happensAt, meet, v1;v2, 5", "withdraw, happensAt, alarm, , 4"]


def test_they_are_read_as_they_are_written() -> None:
    events = read_events(LINES[:2], format="drtec").read(inputs("interval near/2"))
    assert rows(block(events, "near")) == [(("v1", "v2"), "true", 5, None, 5), (("v1", "v2"), "true", 5, 12, 12)]


def test_lines_have_one_form() -> None:
    with pytest.raises(HoldsforError, match="times in ticks and lists of arguments"):
        MessageForm("iso", format="drtec")
    with pytest.raises(HoldsforError, match="message_format is 'json' or 'drtec', not 'xml'"):
        MessageForm(format="xml")  # type: ignore[arg-type]


def test_files_of_lines_are_text_and_are_read_as_they_are(tmp_path: Path) -> None:
    lines = MessageForm(format="drtec").apply(CHANGES)
    JsonLinesSink(Store(tmp_path)).deliver(1, "entity-0", lines.slice(0, 2))
    (name,) = Store(tmp_path).names()
    assert name == "batch=0000001/intervals-entity-0.txt"
    assert read_events(tmp_path / name).read(inputs("interval near/2")).read == 2
