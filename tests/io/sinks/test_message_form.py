"""Messages with times in ISO 8601 and named arguments, the same for all sinks."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pyarrow as pa
import pytest

import holdsfor
from holdsfor.duration import TickUnit
from holdsfor.errors import HoldsforError
from holdsfor.io.sinks import ConsoleSink, JsonLinesSink, changes_as_json
from holdsfor.io.sinks.messages import MessageForm, iso_time
from holdsfor.io.storage.store import Store
from holdsfor.io.tables.wide import TableShape
from holdsfor.job.live.input.feeds import open_feed
from holdsfor.local.stream import stream_feed

DAY = 1_772_323_200  # 2026-03-01T00:00:00Z
NEAR = {
    "query_time": DAY + 60,
    "op": "insert",
    "id": "i1",
    "fluent": "near",
    "args": ["v1", 'the "Anna"'],
    "value": "true",
    "start": DAY,
    "end": None,
}
SCHEMA = pa.schema(
    [
        ("query_time", pa.int64()),
        ("op", pa.string()),
        ("id", pa.string()),
        ("fluent", pa.string()),
        ("args", pa.list_(pa.string())),
        ("value", pa.string()),
        ("start", pa.int64()),
        ("end", pa.int64()),
    ]
)
ROWS = [
    NEAR | {"query_time": DAY + 120, "op": "shorten", "end": DAY + 90},
    NEAR,
    NEAR | {"fluent": "calm", "args": [], "id": "i2"},
    NEAR | {"fluent": "odd", "args": ["a"], "id": "i3"},
]
CHANGES = pa.Table.from_pylist(ROWS, SCHEMA)
FORM = MessageForm.of("iso", "named", "s", [TableShape("near", False, ("vessel", "other"))])


def as_objects(form: MessageForm) -> list[dict[str, object]]:
    form = pickle.loads(pickle.dumps(form))  # as it comes to a worker
    return [json.loads(text) for text in changes_as_json(3, form.apply(CHANGES)).to_pylist()]


def test_nothing_changes_unless_asked() -> None:
    assert MessageForm().apply(CHANGES).equals(CHANGES)


def test_iso_times_and_named_arguments() -> None:
    first, second, third, fourth = as_objects(FORM)
    assert first == {
        "batch": 3,
        "query_time": "2026-03-01T00:01:00Z",
        "op": "insert",
        "id": "i1",
        "fluent": "near",
        "args": {"vessel": "v1", "other": 'the "Anna"'},
        "value": "true",
        "start": "2026-03-01T00:00:00Z",
        "end": None,
    }
    assert second["args"] == {}
    assert third["args"] == {"arg1": "a"}, "an event or fluent of which nothing is known"
    assert (fourth["op"], fourth["end"]) == ("shorten", "2026-03-01T00:01:30Z")


def test_each_by_itself() -> None:
    assert as_objects(MessageForm("iso"))[0]["args"] == ["v1", 'the "Anna"']
    named = as_objects(MessageForm("ticks", "named", "s", FORM.names))[0]
    assert (named["start"], named["args"]) == (DAY, {"vessel": "v1", "other": 'the "Anna"'})


def test_events_too() -> None:
    row = {"query_time": 10, "op": "insert", "id": "o1", "event": "call", "args": ["a"], "start": 3, "end": 5}
    columns = [SCHEMA.field(name) for name in ("query_time", "op", "id", "args", "start", "end")]
    changes = pa.Table.from_pylist([row], pa.schema([*columns, ("event", pa.string())]))
    form = MessageForm.of("iso", "named", "ms", [TableShape("call", True, ("who",))])
    (told,) = map(json.loads, changes_as_json(1, form.apply(changes)).to_pylist())
    assert (told["args"], told["start"]) == ({"who": "a"}, "1970-01-01T00:00:00.003Z")


@pytest.mark.parametrize(
    ("tick", "unit", "text"),
    [
        (0, "s", "1970-01-01T00:00:00Z"),
        (-1, "s", "1969-12-31T23:59:59Z"),
        (DAY * 1000 + 7, "ms", "2026-03-01T00:00:00.007Z"),
        (DAY * 10**6 + 7, "us", "2026-03-01T00:00:00.000007Z"),
        (253_402_300_799, "s", "9999-12-31T23:59:59Z"),
        (253_402_300_800, "s", "253402300800"),
    ],
)
def test_times(tick: int, unit: TickUnit, text: str) -> None:
    assert iso_time(tick, unit) == text


def test_console(capsys: pytest.CaptureFixture[str]) -> None:
    ConsoleSink("s").deliver(3, "p", FORM.apply(CHANGES))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == (
        '2026-03-01T00:01:00Z  insert    near(vessel=v1,other=the "Anna") = true  [2026-03-01T00:00:00Z, open)'
    )
    assert lines[3].endswith("[2026-03-01T00:00:00Z, 2026-03-01T00:01:30Z)")


def test_no_changes() -> None:
    assert len(FORM.apply(CHANGES.slice(0, 0))) == 0


def test_other_words_are_refused() -> None:
    with pytest.raises(HoldsforError, match="message_times is 'ticks' or 'iso', not 'dates'"):
        MessageForm("dates")  # type: ignore[arg-type]
    with pytest.raises(HoldsforError, match="message_arguments is 'list' or 'named', not 'dict'"):
        MessageForm("iso", "dict")  # type: ignore[arg-type]


@pytest.mark.parametrize("on_sink_failure", ["stop", "keep"])
def test_a_stream_names_arguments_as_its_tables_do(on_sink_failure: str, tmp_path: Path) -> None:
    (tmp_path / "events.csv").write_text("velocity|10|10|v1|3.5\nvelocity|60|60|v1|3.5\n")
    checkpoint = str(tmp_path / "state")
    with open_feed(str(tmp_path / "events.csv"), checkpoint=checkpoint) as (feed, reader):
        live = stream_feed(
            holdsfor.parse("initiatedAt(slow(Vessel)=true, T) :- happensAt(velocity(Vessel, Knots), T), Knots < 5."),
            feed,
            reader,
            window=100,
            step=50,
            start=0,
            checkpoint=checkpoint,
            once=True,
            sinks=[JsonLinesSink(Store(tmp_path / "told"))],
            message_times="iso",
            message_arguments="named",
            on_sink_failure=on_sink_failure,
        )
        live.awaitTermination(60)
    (file,) = (tmp_path / "told").rglob("*.jsonl")
    told = json.loads(file.read_text())
    (column, *_) = live.table("slow").to_arrow().column_names
    assert told["args"] == {column: "v1"}
    assert (told["query_time"], told["start"], told["end"]) == ("1970-01-01T00:00:50Z", "1970-01-01T00:00:11Z", None)
