"""Every reason for which a row is refused, with its file and line."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from holdsfor.io.events import REJECTS_SCHEMA
from holdsfor.io.readers.read import read_events
from tests.io.expect import args, block, inputs, rejects

OUTSIDE = "time is out of range: more than 2^61 ticks from 0. Is it in the right unit?"
NO_EVENT = "no event: expected name|arrival|time|arguments"
WANTED = inputs("event e/2#1, interval p/1, point q/1, event n/0")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("explode", NO_EVENT),
        ("insert", NO_EVENT),
        ("retract|", NO_EVENT),
        ("|1|1|a", NO_EVENT),
        ("e", "wrong arity: the row has 1 field, e/2 has 5"),
        ("e|1|1|a", "wrong arity: the row has 4 fields, e/2 has 5"),
        ("e|1|1|a|1|b", "wrong arity: the row has 6 fields, e/2 has 5"),
        ("q|1|1|2|true|a", "wrong arity: the row has 6 fields, q/1 has 5"),
        ("e|1|1||5", "empty field"),
        ("e|1||a|5", "empty field"),
        ("e||1|a|5", "empty field"),
        ("e|1|1|a||", "empty field"),
        ("e|1|1|a|x", "bad number: argument 2 of e/2 is not a number"),
        ("e|1|1|a|1e3", "bad number: argument 2 of e/2 is not a number"),
        ("e|1|2.5|a|5", "time is not an integer"),
        ("e|1|2.0|a|5", "time is not an integer"),
        ("e|1|soon|a|5", "time is not an integer"),
        ("e|1|0x1f|a|5", "time is not an integer"),
        ("e|1|99999999999999999999|a|5", OUTSIDE),
        ("e|1|9999999999999999999|a|5", OUTSIDE),
        ("e|1.5|1|a|5", "arrival is not an integer"),
        ("p|1|5|4|true|a", "end before start"),
        ("p|1|5|infinite|true|a", "end is neither an integer nor inf"),
        ("p|1|5|6.0|true|a", "end is neither an integer nor inf"),
    ],
)
def test_rtec_rows(line: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "events.csv"
    path.write_text(f"e|1|1|a|5\n\n{line}\ne|2|2|a|5\n")
    events = read_events(path).read(WANTED)
    assert events.rejects.schema == REJECTS_SCHEMA
    assert events.rejects.to_pylist() == [{"source": str(path), "row": 3, "text": line, "reason": reason}]
    assert block(events, "e").start.tolist() == [1, 2]
    assert events.read == 3


def test_rtec_text_that_is_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "events.csv"
    path.write_bytes(b"e|1|1|a|5\ne|2|2|\xff|5\r\ne|3|3|\xc3\xa9|5\n")
    events = read_events(path).read(WANTED)
    assert events.rejects.to_pylist() == [
        {"source": str(path), "row": 2, "text": "e|2|2|\\xff|5", "reason": "not UTF-8 text"}
    ]
    assert args(block(events, "e")) == [("a", "5"), ("'é'", "5")]


def test_rejects_are_in_order_of_files_and_rows(tmp_path: Path) -> None:
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    one.write_text("e|1|1|a|x\nzzz|1\np|1|5|4|true|a\ne|1|1\nn|1|1\n")
    two.write_text("n|x|1\n")
    found = read_events([one, two]).read(WANTED).rejects.to_pylist()
    assert [(Path(r["source"]).name, r["row"]) for r in found] == [
        *(("one.csv", n) for n in (1, 2, 3, 4)),
        ("two.csv", 1),
    ]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"time": "1", "arg1": "a"}, "no name"),
        ({"event": "e", "arg1": "a", "arg2": "5"}, "no time"),
        ({"event": "e", "time": "1.5", "arg1": "a", "arg2": "5"}, "time is not an integer or an ISO 8601 time"),
        (
            {"event": "e", "time": "1", "arrival": "later", "arg1": "a", "arg2": "5"},
            "arrival is not an integer or an ISO 8601 time",
        ),
        ({"event": "p", "time": "5", "end": "6", "value": "true"}, "argument 1 of p/1 is null"),
        ({"event": "e", "time": "1", "arg1": "a", "arg2": "x"}, "bad number: argument 2 of e/2 is not a number"),
        (
            {"event": "n", "time": "1", "arg1": "a"},
            "wrong arity: the row has values in columns beyond the arguments of n/0",
        ),
        ({"event": "p", "time": "5", "end": "4", "value": "true", "arg1": "a"}, "end before start"),
        ({"event": "p", "time": "5", "end": "x", "value": "true", "arg1": "a"}, "end is not a time"),
        ({"event": "p", "time": "5", "end": "6", "arg1": "a"}, "no value"),
        ({"event": "n", "time": "1", "op": "2"}, "op is neither 1 (insert) nor -1 (retract)"),
    ],
)
def test_csv_rows_with_a_header(row: dict[str, str], reason: str, tmp_path: Path) -> None:
    columns = ["event", "time", "end", "arrival", "value", "op", "arg1", "arg2"]
    good = {"event": "e", "time": "7", "arg1": "a", "arg2": "1e3"}
    path = tmp_path / "events.csv"
    lines = [",".join(r.get(c, "") for c in columns) for r in (good, {}, row, good)]
    path.write_text("\n".join([",".join(columns), *lines]).replace(",,,,,,,", ""))
    events = read_events(path).read(WANTED)
    assert [(r["source"], r["row"], r["reason"]) for r in events.rejects.to_pylist()] == [(str(path), 4, reason)]
    text = " ".join(f"{c}={row[c]}" for c in columns if c in row)
    assert events.rejects["text"].to_pylist() == [text]
    assert block(events, "e").start.tolist() == [7, 7]
    assert events.read == 3


def test_csv_rows_with_too_few_or_too_many_columns(tmp_path: Path) -> None:
    path = tmp_path / "events.csv"
    path.write_text("event,time,arg1,arg2\ne,1\ne,2,a,5\ne,3,a,5,6\nzzz,4,,\n")
    events = read_events(path).read(WANTED)
    wrong = "wrong number of columns: the header has 4"
    assert rejects(events) == [(2, wrong), (4, wrong)]
    assert events.rejects["text"].to_pylist() == ["e,1", "e,3,a,5,6"]
    assert (events.read, events.unused, block(events, "e").start.tolist()) == (4, 1, [2])


def test_parquet_rows_count_through_row_groups(tmp_path: Path) -> None:
    table = pa.table({"event": [None, *["e"] * 9], "time": [*range(9), None], "arg1": ["a"] * 10, "arg2": [*range(10)]})
    path = tmp_path / "events.parquet"
    pq.write_table(table, path, row_group_size=3)
    events = read_events(path).read(WANTED)
    assert rejects(events) == [(1, "no name"), (10, "no time")]
    assert events.rejects["text"].to_pylist() == ["time=0 arg1=a arg2=0", "event=e arg1=a arg2=9"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("e(a) @ 3", "wrong arity: e/1, but the rules read e/2"),
        ("e(a,b) @ 3", "bad number: argument 2 of e/2 is not a number"),
        ("p(a) @ [5,4]", "end before start"),
        ("e(a,1) @ [5,9]", "e/2 is an event for the rules: it happens at a point and has no value"),
        ("e(a,X) @ 3", "no ground term at column 5"),
        ("e(a,1", ") is missing at column 6"),
        ("7 @ 3", "an event or a fluent begins with its name"),
    ],
)
def test_lines_of_terms(line: str, reason: str) -> None:
    events = read_events(["n @ 1", line], format="terms").read(WANTED)
    assert events.rejects.to_pylist() == [{"source": "<lines>", "row": 2, "text": line, "reason": reason}]


@pytest.mark.parametrize(
    "line", ["e(a,1)", "e(a,1) @", "e(a,1) @ 3.5", "e(a,1) @ 3 arrive 4", "p(a) @ (3,4]", "p(a) @ [3]"]
)
def test_lines_of_terms_without_a_right_time(line: str) -> None:
    found = rejects(read_events([line], format="terms").read(WANTED))
    assert [(row, reason.partition(":")[0]) for row, reason in found] == [(1, "bad time")]


def test_a_row_of_nothing_but_nulls() -> None:
    table = pa.table({"event": ["e", None, "n"], "time": [None, None, 3], "arg1": pa.nulls(3, pa.string())})
    events = read_events(table).read(inputs("event n/0, event e/1"))
    assert [(row["row"], row["text"]) for row in events.rejects.to_pylist()] == [(1, "event=e"), (2, "")]


def test_rows_that_no_rule_reads_are_no_rejects() -> None:
    table = pa.table({"event": ["zzz", "e"], "time": [None, 1], "arg1": ["a", "a"], "arg2": ["x", "1"]})
    csv = ["event,time,arg1,arg2", "zzz,soon,a,x", "e,1,a,1"]
    for lines, form in ((["explode|1|soon|x", "e|1|1|a|5"], "rtec"), (["zzz(1) @ 3", "e(a,1) @ 1"], "terms")):
        events = read_events(lines, format=form).read(WANTED)
        assert (events.read, events.unused, rejects(events)) == (2, 1, [])
    for source in (table, csv):
        events = read_events(source, format="columns").read(inputs("event e/2"))
        assert (events.read, events.unused, rejects(events)) == (2, 1, [])
