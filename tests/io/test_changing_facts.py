"""Facts that change come by every door: each gives the answers of the same facts as terms."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import holdsfor
from holdsfor.errors import HoldsforError
from holdsfor.io.mqtt import messages_to_events
from holdsfor.job.live.input.feeds import open_feed
from holdsfor.language.description import EventDescription
from holdsfor.local.stream import stream_feed
from holdsfor.plan import plan
from tests.io.changing_facts import MAPPING, OPTIONS, RULES, Row, answer_of, draw_rows, table_of

SEEDS = range(12)
Answer = tuple[list[str], list[str]]


@pytest.fixture(scope="module")
def description() -> EventDescription:
    return holdsfor.parse(RULES, mapping=MAPPING)


def by_terms(description: EventDescription, rows: list[Row]) -> Answer:
    lines = holdsfor.read_events([row.term for row in rows], format="terms")
    return answer_of(holdsfor.recognise(description, lines, **OPTIONS))


def write(table: pa.Table, path: Path) -> None:
    if path.suffix == ".csv":
        pa.csv.write_csv(table, path)
    elif path.suffix == ".parquet":
        pq.write_table(table, path, row_group_size=7)
    elif path.suffix == ".feather":
        pa.feather.write_feather(table, path)
    else:
        path.write_text("\n".join(json.dumps(row) for row in table.to_pylist()))


@pytest.mark.parametrize("ending", ["csv", "parquet", "feather", "jsonl"])
def test_files(ending: str, description: EventDescription, tmp_path: Path) -> None:
    for seed in SEEDS:
        rows = draw_rows(seed)
        path = tmp_path / f"{seed}.{ending}"
        write(table_of(rows), path)
        found = holdsfor.recognise(description, path, mapping=MAPPING, **OPTIONS)
        assert answer_of(found) == by_terms(description, rows)
        assert found.metrics["events_in"] == len(rows)
        assert found.metrics["events_rejected"] == found.metrics["events_unused"] == 0


@pytest.mark.parametrize("kind", ["arrow", "pandas", "polars", "rows", "pieces"])
def test_tables(kind: str, description: EventDescription) -> None:
    for seed in SEEDS:
        rows = draw_rows(seed)
        table = table_of(rows)
        events: Any = {
            "arrow": table,
            "pandas": table.to_pandas(),
            "polars": pl.from_arrow(table),
            "rows": table.to_pylist(),
            "pieces": [table.slice(0, 5), table.slice(5)],
        }[kind]
        found = holdsfor.recognise(description, events, mapping=MAPPING, **OPTIONS)
        assert answer_of(found) == by_terms(description, rows)


def test_lines_of_rtec(description: EventDescription) -> None:
    for seed in SEEDS:
        rows = draw_rows(seed, is_plain=True)
        lines = []
        for row in rows:
            came = row.arrival
            if row.what == "ask":
                lines.append(f"ask|{came}|{row.t}|{row.a}|{row.b}")
                continue
            head = f"{'retract|' if row.op else ''}{row.what}|{came}|{row.since}"
            when = "|true" if row.until is None and seed % 2 and not row.op else f"|{row.until or 'inf'}|true"
            lines.append(f"{head}{when}|{row.a}|{row.b}")
        found = holdsfor.recognise(description, holdsfor.read_events(lines, format="rtec"), **OPTIONS)
        assert answer_of(found) == by_terms(description, rows)


def test_messages(description: EventDescription) -> None:
    """What MQTT and Kafka bring is read in the same way, message by message."""
    mapping = {**MAPPING, "topics": {"facts/{a}": {}, "#": {}}}
    for seed in SEEDS:
        rows = draw_rows(seed)
        payloads = []
        for number, row in enumerate(rows):
            fields = {name: value for name, value in row._asdict().items() if value is not None or number % 2}
            payloads.append(json.dumps({name: value for name, value in fields.items() if name != "a"}).encode())
        columns = [[f"m{i}" for i in range(len(rows))], [f"facts/{row.a}" for row in rows], payloads, [0] * len(rows)]
        table = pa.table([pa.array(c) for c in columns], names=["id", "topic", "payload", "received"])
        read = messages_to_events(table, mapping, description.inputs)
        assert read.rejects.num_rows == 0
        alone = holdsfor.read_events(table_of(rows), mapping=MAPPING).read(description.inputs)
        assert sorted(map(_block_text, read.blocks)) == sorted(map(_block_text, alone.blocks))


def _block_text(block: Any) -> tuple[str, list[str]]:
    values = [*(column.to_pylist() for column in block.args), block.start.tolist(), block.arrival.tolist()]
    values += [] if block.end is None else [block.end.tolist(), block.value.to_pylist()]
    values += [[1] * len(block) if block.op is None else block.op.tolist()]
    return block.name, sorted(map(str, zip(*values, strict=True)))


def test_sessions(description: EventDescription) -> None:
    """Rows come in when they arrive; what is known in the end is the same."""
    for seed in SEEDS:
        rows = draw_rows(seed)
        live = holdsfor.live(description, **OPTIONS)
        for moment in range(10, 70, 10):
            some = [row for row in rows if moment - 10 < max(row.arrival, 1) <= moment]
            live.add(table_of(some), mapping=MAPPING)
            live.advance(moment)
        assert answer_of(live.current()) == by_terms(description, rows)


def test_streams_of_a_folder(description: EventDescription, tmp_path: Path) -> None:
    for seed in list(SEEDS)[:4]:
        rows = draw_rows(seed)
        folder = tmp_path / str(seed)
        folder.mkdir()
        for number, low in enumerate(range(0, len(rows), 20)):
            write(table_of(rows[low : low + 20]), folder / f"{number}.{['csv', 'parquet'][seed % 2]}")
        place = (str(folder), str(tmp_path / f"state-{seed}"), None, MAPPING, None, None, False)
        with open_feed(*place) as (feed, reader):
            live = stream_feed(
                description, feed, reader, once=True, checkpoint=tmp_path / f"state-{seed}", buckets=2, **OPTIONS
            )
            assert live.awaitTermination(60)
            assert answer_of(live.current()) == by_terms(description, rows)


def test_a_table_of_facts_only() -> None:
    """Neither a column of names nor one of times is needed; facts without times hold in all of the history."""
    rules = "happensAt(near(A, B), T) :- happensAt(ask(A, B), T), linked(A, B)."
    mapping = {
        "tables": {
            "links": {"facts": {"linked": ["from", "to"]}},
            "asks": {"time": "t", "events": {"ask": ["a", "b"]}},
        }
    }
    description = holdsfor.parse(rules, mapping=mapping)
    asks = pa.table({"t": [1, 5, 5, 9], "a": ["x", "x", "y", "y"], "b": ["y", "y", "z", "z"]})
    always = pa.table({"from": ["x"], "to": ["y"]})
    sometimes = pa.table({"from": ["x", "y"], "to": ["y", "z"], "valid_from": [None, 2], "valid_to": [5, 6]})
    for links, expected in ((always, [1, 5]), (sometimes, [1, 5])):
        result = holdsfor.recognise(description, {"links": links, "asks": asks}, mapping=mapping)
        assert sorted(row["start"] for row in result.occurrences.to_pylist()) == expected
        assert result.metrics["start"] == 0, "what holds since ever does not tell when the history begins"
    names = sorted(tuple(row["args"]) for row in result.occurrences.to_pylist())
    assert names == [("x", "y"), ("y", "z")], "at 5 x and y are no longer linked"


def test_changes_of_a_database() -> None:
    """The words of change data capture, with dates, in a zone; a delete names the key only."""
    mapping = {
        "tables": {
            "log": {
                "op": "__op",
                "valid_from": "ts",
                "zone": "Europe/Athens",
                "facts": {"berth": {"columns": ["ship", "quay"], "key": ["ship"]}},
            },
            "pings": {"time": "ts", "zone": "Europe/Athens", "event": "ping", "events": {"ping": ["ship"]}},
        }
    }
    rules = holdsfor.parse("happensAt(at(V, Q), T) :- happensAt(ping(V), T), berth(V, Q).", mapping=mapping)
    words = [("c", "1"), ("u", "2"), ("d", None), ("INSERT", "3"), ("Upsert", "4"), ("DELETE", None), ("r", "5")]
    log = pa.table(
        {
            "__op": [word for word, _ in words],
            "ts": [f"2026-03-01 0{hour}:00:00" for hour in range(len(words))],
            "ship": ["v1"] * len(words),
            "quay": [None if quay is None else f"q{quay}" for _, quay in words],
        }
    )
    pings = pa.table({"ts": [f"2026-03-01 0{hour}:30:00" for hour in range(len(words))], "ship": ["v1"] * len(words)})
    result = holdsfor.recognise(rules, {"log": log, "pings": pings}, mapping=mapping)
    assert [row["args"][1] for row in result.occurrences.to_pylist()] == ["q1", "q2", "q3", "q4", "q5"]
    hours = [row["start"] // 1800 % 2 for row in result.occurrences.to_pylist()]
    assert hours == [1] * 5
    assert not len(result.rejects)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"since": 5, "until": 4}, "valid_to before valid_from"),
        ({"a": None}, "argument 1 of berth/2 is null"),
        ({"b": None}, "argument 2 of berth/2 is null"),
        ({"op": "delete", "a": None}, "argument 1 of berth/2 is null"),
        ({"op": "delete", "since": None}, "no time from when on it is not valid"),
        ({"op": "zap"}, "op is neither insert, update nor delete (c, u, d), nor -1 (retract)"),
        ({"what": "linked", "op": "update"}, "op is an update, and linked/2 has no key that tells what it replaces"),
        ({"what": "linked", "op": "delete", "b": None}, "argument 2 of linked/2 is null"),
    ],
)
def test_rows_that_cannot_be_used(row: dict[str, Any], reason: str, description: EventDescription) -> None:
    whole = {"what": "berth", "op": None, "t": None, "since": 5, "until": None, "came": None, "a": "x", "b": "u"}
    table = pa.Table.from_pylist([whole | row, whole], schema=table_of([]).schema)
    result = holdsfor.recognise(description, table, mapping=MAPPING)
    assert [each["reason"] for each in result.rejects.to_pylist()] == [reason]
    assert [each["row"] for each in result.rejects.to_pylist()] == [1]


def test_times_that_are_none(description: EventDescription) -> None:
    lines = ["what,op,t,since,until,came,a,b", "linked,,,soon,,,x,u", "linked,,,3,later,,x,u", "linked,,,3,,never,x,u"]
    result = holdsfor.recognise(description, holdsfor.read_events(lines, format="columns", mapping=MAPPING))
    assert [row["reason"] for row in result.rejects.to_pylist()] == [
        "valid_from is not an integer or an ISO 8601 time",
        "valid_to is not an integer or an ISO 8601 time",
        "arrival is not an integer or an ISO 8601 time",
    ]


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({"facts": {"linked": "a"}}, r"\[facts\] lists columns by name, such as linked = "),
        ({"facts": ["linked"]}, r"\[facts\] lists columns by name, such as linked = "),
        ({"facts": {"linked": {"key": ["a"]}}}, r"\[facts\] lists columns by name, such as linked = "),
        ({"facts": {"linked": {"columns": ["a"], "key": "a"}}}, r"\[facts\] lists columns by name"),
        ({"facts": {"linked": {"columns": ["a", "b"], "keys": ["a"]}}}, r"unknown key 'keys' .* Did you mean 'key'\?"),
        ({"facts": {"linked": {"columns": ["a", "b"], "key": ["c"]}}}, r"'c' is none of them.* It has a, b\."),
        ({"facts": {"valid_from": "since", "linked": ["a"]}}, r"valid_from stands above \[facts\]"),
        ({"facts": {"linked": ["a"]}, "events": {"linked": ["a"]}}, r"both in \[events\] and in \[facts\]"),
        ({"facts": {"linked": ["a"]}, "fluents": {"linked": ["a"]}}, r"both in \[fluents\] and in \[facts\]"),
    ],
)
def test_mappings_that_mean_nothing(mapping: dict[str, Any], message: str) -> None:
    with pytest.raises(HoldsforError, match=message):
        holdsfor.parse("happensAt(e(A), T) :- happensAt(f(A), T), linked(A, _).", mapping=mapping)


def test_rules_that_do_not_know_the_facts() -> None:
    """Rules may be loaded without the mapping; then they say themselves what changes, or are told to."""
    table = pa.table({"what": ["linked"], "a": ["x"], "b": ["y"]})
    mapping = {"name": "what", "facts": {"linked": {"columns": ["a", "b"], "key": ["a"]}}}
    rules = "happensAt(out(A, B), T) :- happensAt(ask(A), T), linked(A, B).\n"
    with pytest.raises(HoldsforError, match=r"input fact linked/2 key 1\."):
        holdsfor.recognise(holdsfor.parse(rules + "linked(p, q)."), table, mapping=mapping)
    declared = holdsfor.parse(rules + "input fact linked/2 key 1.")
    assert not len(holdsfor.recognise(declared, table, mapping=mapping).rejects)
    with pytest.raises(HoldsforError, match=r"another key than the rules do: input fact linked/2\."):
        holdsfor.recognise(holdsfor.parse(rules + "input fact linked/2."), table, mapping=mapping)
    with pytest.raises(holdsfor.DescriptionError, match="declared with another key before"):
        holdsfor.parse(rules + "input fact linked/2.", mapping=mapping)
    without_key = {"name": "what", "facts": {"linked": ["a", "b"]}}
    parsed = holdsfor.parse(rules + "input fact linked/2 key 1.", mapping=without_key)
    assert [each.key for each in parsed.inputs if each.signature.name == "linked"] == [(0,)]
    with pytest.raises(HoldsforError, match=r"listed under \[fluents\] in the mapping, but for the rules it is a fact"):
        holdsfor.recognise(declared, table, mapping={"name": "what", "fluents": {"linked": ["a", "b"]}})
    with pytest.raises(HoldsforError, match="1 column for linked"):
        holdsfor.recognise(declared, table, mapping={"name": "what", "facts": {"linked": ["a"]}})


def test_rules_of_a_path_know_the_mapping(tmp_path: Path) -> None:
    (tmp_path / "rules.ec").write_text("happensAt(out(A, B), T) :- happensAt(ask(A), T), linked(A, B).")
    mapping = {"name": "what", "time": "t", "facts": {"linked": ["a", "b"]}, "events": {"ask": ["a"]}}
    table = pa.table({"what": ["linked", "ask"], "t": [3, 4], "a": ["x", "x"], "b": ["y", None]})
    for given in ((table, mapping), (holdsfor.read_events(table, mapping=mapping), None)):
        result = holdsfor.recognise(tmp_path / "rules.ec", given[0], mapping=given[1])
        assert [row["args"] for row in result.occurrences.to_pylist()] == [["x", "y"]]


def test_types_of_columns() -> None:
    """`[types]` counts for facts as for events; a column of text is of one type for both."""
    mapping = {"name": "what", "time": "t", "facts": {"linked": ["a", "b"]}, "events": {"ask": ["a"]}}
    lines = ["what,t,a,b", "linked,1,7,x", "ask,2,7,", "linked,1,0x,y", "ask,2,0x,"]
    rules = holdsfor.parse("happensAt(out(A, B), T) :- happensAt(ask(A), T), linked(A, B).", mapping=mapping)
    for types in ({}, {"a": "text"}):
        events = holdsfor.read_events(lines, format="columns", mapping={**mapping, "types": types})
        result = holdsfor.recognise(rules, events)
        assert sorted(row["args"] for row in result.occurrences.to_pylist()) == [["0x", "y"], ["7", "x"]]
    numbers = holdsfor.read_events(lines, format="columns", mapping={**mapping, "types": {"a": "integer"}})
    result = holdsfor.recognise(rules, numbers)
    assert [row["args"] for row in result.occurrences.to_pylist()] == [["7", "x"]]
    assert len(result.rejects) == 2  # 0x is no integer


def test_facts_without_times_are_background() -> None:
    """What holds since ever gives the answers of facts in rule files, also in rules about intervals."""
    rules = """
    oneIs(Kind, A, _) :- kind(A, Kind).
    oneIs(Kind, _, B) :- kind(B, Kind), \\+ old(B).
    old(X) :- kind(X, wreck).
    holdsFor(towing(A, B)=true, I) :- holdsFor(near(A, B)=true, I), oneIs(tug, A, B).
    holdsFor(meeting(A, B)=true, I) :- holdsFor(near(A, B)=true, I), \\+ oneIs(tug, A, B), \\+ oneIs(pilot, A, B).
    happensAt(met(A, B), T) :- happensAt(start(near(A, B)=true), T), oneIs(pilot, A, B).
    """
    kinds = [("a", "tug"), ("b", "pilot"), ("b", "wreck"), ("c", "cargo")]
    near = [f"near({one},{other}) @ [{5 + 3 * i},{50 + 2 * i})" for i, one in enumerate("abcd") for other in "abcd"]
    static = holdsfor.parse(rules + " ".join(f"kind({ship},{kind})." for ship, kind in kinds))
    mapping = {"event": "kind", "facts": {"kind": ["ship", "kind"]}}
    changing = holdsfor.parse(rules, mapping=mapping)
    table = pa.table({"ship": [ship for ship, _ in kinds], "kind": [kind for _, kind in kinds]})
    events = holdsfor.read_events(near, format="terms")
    both = replace(events, parts=events.parts + holdsfor.read_events(table, mapping=mapping).parts)
    expected = answer_of(holdsfor.recognise(static, events))
    assert all(expected)
    routes = [route for stage in plan(changing).stages for route in stage.routes]
    ways = {(route.way, route.positions) for route in routes if route.relation.name.startswith("kind as")}
    assert ways == {("share", (0,))}, "on workers each fact goes where its ship is"
    assert answer_of(holdsfor.recognise(changing, both)) == expected
