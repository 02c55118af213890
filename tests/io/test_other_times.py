"""Time passes with every row: one that no rule reads, or that is refused, still says when it happened."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import holdsfor
from holdsfor.io.events import OPEN
from holdsfor.io.mqtt.payload import messages_to_events

RULES = holdsfor.parse("initiatedAt(l=on, T) :- happensAt(m, T).\nfi(l=on, l=off, 10).\n")
ARGUMENTS = holdsfor.parse("initiatedAt(l(V)=on, T) :- happensAt(m(V, N), T), N > 3.\nfi(l(V)=on, l(V)=off, 10).\n")


def ends(rows: Any, rules: holdsfor.EventDescription = RULES, **options: Any) -> list[int | None]:
    """Return where `l=on` ends: at 21 if time has come that far."""
    result = holdsfor.recognise(rules, rows, **options)
    return [row["end"] for row in result.intervals.to_pylist() if row["value"] == "on"]


@pytest.mark.parametrize(
    "row",
    [
        "other|50|50",
        "other|50|50|with|arguments",
        "insert|other|50|50",
        "retract|other|50|50",
        "shift|50|20|50|true|a",  # over an interval, for all that is known
        "m|50|50|one too many",
        "m|50|50||x",  # refused for an empty field
    ],
)
def test_lines_of_rtec(row: str) -> None:
    assert ends(["m|10|10", row], format="rtec") == [21]


@pytest.mark.parametrize(
    "row", ["other|50|x", "m|x|50", "other|x|50", "m|50", "other", "insert|", f"other|50|{1 << 62}", "other|15|15"]
)
def test_lines_that_tell_no_later_time(row: str) -> None:
    assert ends(["m|10|10", row], format="rtec") == [None]


def test_refused_for_an_argument() -> None:
    assert ends(["m|10|10|v1|7", "m|50|50|v1|much"], ARGUMENTS, format="rtec") == [21]


@pytest.mark.parametrize(
    "row", ["other @ 50", "other(3) @ [20,50]", "m(3) @ 50", "m=true @ [20,50]", "other @ 15 arrives 50"]
)
def test_terms(row: str) -> None:
    assert ends(["m @ 10", row], format="terms") == [21]


@pytest.mark.parametrize("row", ["other @ 15", "other @ [5,inf)", f"other @ {10**30}", "other(3 @ 50"])
def test_terms_that_tell_no_later_time(row: str) -> None:
    assert ends(["m @ 10", row], format="terms") == [None]


def table(**more: list[Any]) -> pa.Table:
    return pa.table({"event": ["m", "other"], "time": [10, 50]} | more)


@pytest.mark.parametrize(
    "rows",
    [
        table(),
        table(event=["m", None]),
        table(arrival=[10, 50], time=[10, 15]),
        table(arrival=[10, None]),
        table(end=[None, 50], time=[10, 15]),
        table(time=pa.array([10, 50], pa.timestamp("s"))),
        table(time=["10", "1970-01-01T00:00:50"]),
    ],
)
def test_tables(rows: pa.Table) -> None:
    assert ends(rows, mapping={"end": "end"} if "end" in rows.column_names else None) == [21]


@pytest.mark.parametrize(
    "rows", [table(time=["10", "soon"]), table(time=[10, None]), table(end=[None, None], time=[10, 15])]
)
def test_tables_that_tell_no_later_time(rows: pa.Table) -> None:
    assert ends(rows) == [None]


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
@pytest.mark.parametrize("other", ["other", "m"])
def test_files(ending: str, other: str, tmp_path: Path) -> None:
    """A row of another name, and one that is refused."""
    rows = pa.table({"event": ["m", other], "time": [10, 50], "v": ["v1", "v2"], "n": ["7", "much"]})
    path = tmp_path / f"rows.{ending}"
    if ending == "csv":
        pa.csv.write_csv(rows, path)
    elif ending == "parquet":
        pq.write_table(rows, path)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows.to_pylist()))
    rules = holdsfor.parse("initiatedAt(l(V)=on, T) :- happensAt(m(V, N), T), N > 3.\nfi(l(V)=on, l(V)=off, 10).\n")
    mapping = {"events": {"m": ["v", "n"]}, "types": {"n": "float"}}
    assert ends(path, rules, mapping=mapping) == [21]


def test_a_table_of_one_event_that_no_rule_reads() -> None:
    tables = {"one": pa.table({"time": [10]}), "two": pa.table({"time": [50], "v": ["x"]})}
    mapping = {"tables": {"one": {"event": "m"}, "two": {"event": "other"}}}
    assert ends(tables, mapping=mapping) == [21]


def test_a_wide_row_that_says_nothing() -> None:
    rows = pa.table({"time": [10, 50], "v": ["v1", None], "n": [7, None]})
    mapping = {"events": {"m": ["v", "n"]}}
    assert ends(rows, ARGUMENTS, mapping=mapping) == [21]


def test_messages() -> None:
    payloads = [b"m|10|10", b"other|50|50"]
    table = pa.table({"topic": ["t", "t"], "payload": payloads, "received": [0, 0]})
    events = messages_to_events(table, {"topics": {"t": {"format": "rtec"}}}, RULES.inputs)
    assert [block.start.tolist() for block in events.other_times] == [[50]]


def test_what_is_kept_of_a_row() -> None:
    """Its start, its end and its arrival, and no name; an end that cannot be read is open."""
    rows = pa.table({"event": ["x", "y"], "time": [3, 4], "end": ["9", "?"], "arrival": [None, 12]})
    (block,) = holdsfor.read_events(rows, mapping={"end": "end", "arrival": "arrival"}).read(RULES.inputs).other_times
    assert (block.name, block.args) == ("", ())
    assert block.start.tolist() == [3, 4]
    assert block.end is not None
    assert np.array_equal(block.end, [9, OPEN])
    assert block.arrival.tolist() == [9, 12]


def test_the_first_row_of_any_kind_begins_the_history() -> None:
    """So a rule that reads it changes no answer about other things."""
    rules = holdsfor.parse("holdsFor(free(V)=true, I) :- holdsFor(busy(V)=true, J), complement_all([J], I).")
    rows = ["other|3|3", "busy|20|10|20|true|a"]
    result = holdsfor.recognise(rules, rows, format="rtec")
    assert next((row["start"], row["end"]) for row in result.intervals.to_pylist()) == (3, 10)
    assert result.metrics["start"] == 2


def test_rows_that_are_far_off_are_not_followed() -> None:
    """With a window, what is far ahead of its arrival; without, what leaves no room for the others."""
    assert ends(["m|10|10", f"other|12|{1 << 50}"], window=20, step=10, format="rtec") == [None]
    names = [f"m|{10 + i}|{10 + i}|name{i}|7" for i in range(200)]
    result = holdsfor.recognise(ARGUMENTS, [*names, f"other|{1 << 60}|{1 << 60}"], format="rtec")
    assert result.metrics["end"] == 209
    assert result.metrics["events_rejected"] == 0
