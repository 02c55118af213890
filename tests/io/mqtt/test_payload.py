"""Messages as events: what topics and payloads mean, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor.errors import HoldsforError
from holdsfor.io.columns.text import as_text
from holdsfor.io.events import REJECTS_SCHEMA, Events
from holdsfor.io.mqtt import messages_to_events, topic_filters
from holdsfor.language.description import Input, Signature

INPUTS = (
    Input(Signature("velocity", 2), "event", True, frozenset({1})),
    Input(Signature("gap", 1), "event", True, frozenset()),
    Input(Signature("proximity", 2), "interval", True, frozenset()),
)
MAPPING: dict[str, Any] = {
    "events": {"velocity": ["vessel", "speed"], "gap": ["vessel"]},
    "fluents": {"proximity": ["vessel", "other"]},
    "end": "end",
}

Message = tuple[str, str | bytes] | tuple[str, str | bytes, int]


def table(*messages: Message) -> pa.Table:
    payloads = [m[1] if isinstance(m[1], bytes) else m[1].encode() for m in messages]
    received = [m[2] if len(m) > 2 else 5_000 for m in messages]  # type: ignore[misc]
    names = [f"m{i}" for i in range(len(messages))]
    columns = [names, [m[0] for m in messages], payloads, received]
    kinds = [("id", pa.string()), ("topic", pa.string()), ("payload", pa.binary()), ("received", pa.int64())]
    return pa.table([pa.array(c, k) for c, (_, k) in zip(columns, kinds, strict=True)], schema=pa.schema(kinds))


def read(*messages: Message, inputs: tuple[Input, ...] = INPUTS, **more: Any) -> Events:
    return messages_to_events(table(*messages), MAPPING | more, inputs)


def rows(events: Events) -> list[tuple[Any, ...]]:
    """name, args, value, start, end, arrival, op; in any order of names."""
    found = []
    for b in events.blocks:
        args = list(zip(*(as_text(column).to_pylist() for column in b.args), strict=True)) or [()] * len(b)
        value = b.value.to_pylist() if b.value is not None else [None] * len(b)
        end = b.end.tolist() if b.end is not None else [None] * len(b)
        op = b.op.tolist() if b.op is not None else [1] * len(b)
        names = [b.name] * len(b)
        found += zip(names, args, value, b.start.tolist(), end, b.arrival.tolist(), op, strict=True)
    return sorted(found, key=repr)


def reasons(events: Events) -> list[tuple[str, int, str]]:
    return sorted((row["source"], row["row"], row["reason"]) for row in events.rejects.to_pylist())


def gap(time: int, vessel: str, arrival: int | None = None, op: int = 1) -> tuple[Any, ...]:
    return ("gap", (vessel,), None, time, None, time if arrival is None else arrival, op)


@pytest.mark.parametrize(
    "payload",
    [
        '[{"event":"gap","time":1,"vessel":"v1"},{"event":"gap","time":2,"vessel":"v2"}]',
        '{"event":"gap","time":1,"vessel":"v1"}\n{"event":"gap","time":2,"vessel":"v2"}\n',
        ' {"event":"gap","time":1,"vessel":"v1"}\r\n\r\n {"event":"gap","time":2,"vessel":"v2"}',
        json.dumps([{"event": "gap", "time": t, "vessel": f"v{t}"} for t in (1, 2)], indent=2),
        "gap|1|1|v1\ngap|2|2|v2",
        "insert|gap|1|1|v1\r\ngap|2|2|v2\r\n",
    ],
)
def test_many_events_in_a_message(payload: str) -> None:
    events = read(("t", payload))
    assert rows(events) == [gap(1, "v1"), gap(2, "v2")]
    assert events.read == 2


def test_one_event_spread_over_lines() -> None:
    payload = json.dumps({"event": "gap", "time": 3, "vessel": "a}\n{b"}, indent=2)
    assert rows(read(("t", payload))) == [gap(3, "'a}\\n{b'")]


def test_json_and_lines_side_by_side() -> None:
    events = read(("a", '{"event":"gap","time":1,"vessel":"v1"}'), ("b", "gap|7|2|v2"), ("c", "[]"))
    assert rows(events) == [gap(1, "v1"), gap(2, "v2", 7)]
    assert events.rejects.num_rows == 0


def test_fluents() -> None:
    events = read(
        ("t", '{"event":"proximity","time":1,"end":9,"vessel":"v1","other":"v2"}'),
        ("t", '{"event":"proximity","time":1,"vessel":"v1","other":"v3","value":"far"}'),
    )
    still = 2**63 - 1
    assert rows(events) == [
        ("proximity", ("v1", "v2"), "true", 1, 9, 9, 1),
        ("proximity", ("v1", "v3"), "far", 1, still, 1, 1),
    ]


def test_a_fluent_without_a_named_end_is_told_point_by_point() -> None:
    message = ("t", '{"event":"proximity","time":1,"end":9,"vessel":"v1","other":"v2"}')
    without = {key: value for key, value in MAPPING.items() if key != "end"}
    assert [b.kind for b in messages_to_events(table(message), without, INPUTS).blocks] == ["point"]
    assert [b.kind for b in read(message).blocks] == ["interval"]


def test_topics_say_what_messages_are() -> None:
    topics = {
        "ais/{vessel}/speed": "velocity",
        "ais/{vessel}/gap": {"name": "gap"},
        "ais/{vessel}/undo": {"name": "gap", "op": -1},
        "other/#": {},
    }
    events = read(
        ("ais/v1/speed", '[{"time":1,"speed":2.5},{"time":2,"speed":3.5}]'),
        ("ais/V 2/gap", '{"time":3}'),
        ("ais/7/undo", '{"time":3,"event":"ignored"}'),
        ("other", '{"event":"gap","time":4,"vessel":"x"}'),
        ("other/a/b", '{"event":"gap","time":5,"vessel":"x"}'),
        ("elsewhere", '{"event":"gap","time":6,"vessel":"x"}'),
        topics=topics,
    )
    assert rows(events) == sorted(
        [
            ("velocity", ("v1", "2.5"), None, 1, None, 1, 1),
            ("velocity", ("v1", "3.5"), None, 2, None, 2, 1),
            gap(3, "'V 2'"),
            gap(3, "7", op=-1),
            gap(4, "x"),
            gap(5, "x"),
        ],
        key=repr,
    )
    assert reasons(events) == [("elsewhere", 1, "no pattern in [topics] matches the topic")]
    assert topic_filters(MAPPING | {"topics": topics}) == ("ais/+/speed", "ais/+/gap", "ais/+/undo", "other/#")


def test_the_first_pattern_that_matches_counts() -> None:
    topics = {"a/+": "gap", "#": "velocity"}
    events = read(("a/b", '{"time":1,"vessel":"v"}'), ("c", '{"time":1,"vessel":"v","speed":1}'), topics=topics)
    assert [row[0] for row in rows(events)] == ["gap", "velocity"]


def test_a_dot_in_a_topic_is_a_dot() -> None:
    events = read(("axb", "gap|1|1|v"), topics={"a.b": {"format": "rtec"}})
    assert reasons(events) == [("axb", 1, "no pattern in [topics] matches the topic")]


def test_arrival_is_when_a_message_was_received() -> None:
    messages: list[Message] = [
        ("t", '{"event":"gap","time":1,"arrival":2,"vessel":"a"}', 60_999),
        ("t", "gap|1|1|b\nretract|gap|1|1|c\ninsert|gap|1|1|d", 61_000),
    ]
    own = read(*messages)
    assert rows(own) == sorted([gap(1, "a", 2), gap(1, "b", 1), gap(1, "c", 1, -1), gap(1, "d", 1)], key=repr)
    asked = read(*messages, arrival="received")
    assert rows(asked) == sorted([gap(1, "a", 60), gap(1, "b", 61), gap(1, "c", 61, -1), gap(1, "d", 61)], key=repr)
    finer = read(*messages, arrival="received", tick_unit="ms")
    assert rows(finer)[0] == gap(1, "a", 60_999)


def test_an_event_called_insert_has_an_arrival() -> None:
    inputs = (Input(Signature("insert", 1), "event", True, frozenset()),)
    events = messages_to_events(table(("t", "insert|3|1|v", 9_000)), {"arrival": "received"}, inputs)
    assert rows(events) == [("insert", ("v",), None, 1, None, 9, 1)]


def test_retractions() -> None:
    events = read(
        ("t", '{"event":"gap","time":1,"vessel":"a","op":-1}\n{"event":"gap","time":1,"vessel":"b"}'),
        ("t", '{"event":"gap","time":1,"vessel":"c","op":"retract"}'),
        ("undo/x", "gap|2|1|d\nretract|gap|2|1|e\n\ninsert|gap|2|1|f"),
        topics={"undo/#": {"op": -1}, "#": {}},
    )
    expected = [gap(1, "a", op=-1), gap(1, "b"), gap(1, "c", op=-1)]
    expected += [gap(1, "d", 2, -1), gap(1, "e", 2, -1), gap(1, "f", 2)]
    assert rows(events) == sorted(expected, key=repr)


def test_arguments_of_what_is_not_listed() -> None:
    inputs = (Input(Signature("shift", 2), "event", True, frozenset()),)
    message = ("t", '{"event":"shift","time":1,"arg1":"a","arg2":2}')
    assert rows(messages_to_events(table(message), None, inputs)) == [("shift", ("a", "2"), None, 1, None, 1, 1)]


def test_dates() -> None:
    events = read(("t", '{"event":"gap","time":"1970-01-01T00:01:00Z","vessel":"2020-01-01"}'))
    assert rows(events) == [gap(60, "'2020-01-01'")]  # a time in its place, a name in another


@pytest.mark.parametrize(
    ("payload", "row", "reason"),
    [
        ('{"event":"gap","time":1', 1, "malformed JSON: "),
        ('{"event":"gap","time":1,"vessel":"v"}]}{"e":[{"event":"gap"}', 1, "malformed JSON: "),
        ('{"event":"gap"}],"f":[{"event":"gap"}', 1, "malformed JSON: "),
        ('[{"event":"gap","time":1,"vessel":"v"},]', 1, "malformed JSON: "),
        ("[" * 100_000, 1, "malformed JSON: "),
        ('[{"event":"gap","time":1,"vessel":"v"},7]', 2, "not a JSON object"),
        ('[{"event":"gap","time":1,"vessel":"v"},null]', 2, "not a JSON object"),
        ("[7]", 1, "not a JSON object"),
        ('{"time":1,"vessel":"v"}', 1, "no name"),
        ('{"event":"gap","vessel":"v"}', 1, "no time"),
        ('{"event":"gap","time":true,"vessel":"v"}', 1, "time is not an integer"),
        ('{"event":"gap","time":1.5,"vessel":"v"}', 1, "time is not an integer"),
        ('{"event":"gap","time":"soon","vessel":"v"}', 1, "time is not an integer"),
        ('{"event":"gap","time":1,"vessel":["v"]}', 1, "vessel is a list or an object"),
        ('{"event":"gap","time":1,"vessel":{"a":1}}', 1, "vessel is a list or an object"),
        ('{"event":"gap","time":1,"vessel":99999999999999999999}', 1, "more than 64 bits"),
        ('{"event":"velocity","time":1,"vessel":"v","speed":"fast"}', 1, "bad number"),
        ('{"event":"gap","time":1,"vessel":"v","op":5}', 1, "op is neither"),
        ('{"event":"proximity","time":5,"end":1,"vessel":"v","other":"w"}', 1, "end before start"),
        ("gap|1|1|v\nwhat is this\n", 2, "no event: expected"),
        ("gap|1|soon|v", 1, "time is not an integer"),
        (b"gap|1|1|\xff", 1, "not UTF-8 text"),
        (b'{"event":"gap\xc3"}', 1, "not UTF-8 text"),
        ("", 1, "empty message"),
        (" \n", 1, "empty message"),
    ],
)
def test_what_is_refused(payload: str | bytes, row: int, reason: str) -> None:
    good = [("t", f'{{"event":"gap","time":{n},"vessel":"good"}}') for n in (100, 101)]
    events = read(good[0], ("topic/x", payload), good[1])
    assert events.rejects.schema == REJECTS_SCHEMA
    (found,) = events.rejects.to_pylist()
    assert (found["source"], found["row"]) == ("topic/x", row)
    assert reason in found["reason"]
    assert len(found["text"]) <= 1000
    assert [r for r in rows(events) if r[1] == ("good",)] == [gap(100, "good"), gap(101, "good")]


def test_rejected_text_is_the_payload() -> None:
    (row,) = read(("t", '{"event":"gap",  "time":"x"}')).rejects.to_pylist()
    assert row["text"] == '{"event":"gap",  "time":"x"}'
    (row,) = read(("t", "{" + "x" * 5000)).rejects.to_pylist()
    assert row["text"] == "{" + "x" * 998 + "…"


@pytest.mark.parametrize(
    ("topics", "told"),
    [
        ({"a/b#": "gap"}, "is not a topic filter"),
        ({"a": {"nme": "gap"}}, "Did you mean 'name'"),
        ({"a": {"format": "xml"}}, "Write json, rtec or drtec"),
        ({"a": {"op": 0}}, "they retract"),
        ({"a": {"name": "gap", "format": "rtec"}}, "names and arguments of their own"),
        ({"{v}/{v}": "gap"}, "names a level twice"),
        ({"a": 5}, "is followed by the name of an event"),
    ],
)
def test_mistakes_in_topics_are_told(topics: dict[str, Any], told: str) -> None:
    with pytest.raises(HoldsforError) as caught:
        read(("a", "x"), topics=topics)
    assert told in str(caught.value)


def test_a_mapping_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mapping.toml"
    path.write_text('[events]\ngap = ["vessel"]\n[topics]\n"ais/{vessel}/gap" = "gap"\n')
    inputs = INPUTS[1:2]
    assert rows(messages_to_events(table(("ais/v1/gap", '{"time":3}')), path, inputs)) == [gap(3, "v1")]
    assert topic_filters(path) == ("ais/+/gap",)
    path.write_text('topics = "ais/#"\n')
    with pytest.raises(HoldsforError, match=r"\[topics\] lists topics"):
        topic_filters(path)


def test_nothing() -> None:
    events = read()
    assert (events.blocks, events.rejects.num_rows, events.read) == ((), 0, 0)


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 5),
    st.sampled_from([0.5, 2.0, 1e300, "v1", "7", "1970-01-02", "true", ""]),
)
OBJECTS = st.fixed_dictionaries(
    {},
    optional={
        "event": st.sampled_from(["gap", "velocity", "proximity", "other"]),
        "time": st.one_of(st.integers(0, 9), st.sampled_from(["1970-01-02", 3.0, True])),
        "end": st.integers(0, 9),
        "vessel": VALUES,
        "speed": VALUES,
        "other": VALUES,
        "value": VALUES,
        "t": st.integers(0, 9),
        "name": st.just("gap"),
    },
)
PAYLOADS = st.one_of(
    OBJECTS.map(json.dumps),
    st.lists(OBJECTS, max_size=3).map(json.dumps),
    st.lists(OBJECTS, min_size=2, max_size=3).map(lambda found: "\n".join(map(json.dumps, found))),
    st.sampled_from(["gap|1|1|v1", "gap|1|1|7\nbad", "{", "[1]", "nonsense"]),
)


@settings(deadline=None)
@given(st.lists(PAYLOADS, min_size=1, max_size=6))
def test_a_message_means_the_same_whatever_stands_beside_it(payloads: list[str]) -> None:
    together = read(*((f"t{n}", payload) for n, payload in enumerate(payloads)))
    alone = [read((f"t{n}", payload)) for n, payload in enumerate(payloads)]
    assert _numbers_as_such(rows(together)) == _numbers_as_such(row for one in alone for row in rows(one))
    assert reasons(together) == sorted(reason for one in alone for reason in reasons(one))
    assert together.read == sum(one.read for one in alone)


def _numbers_as_such(found: Any) -> list[tuple[Any, ...]]:
    """With which rules calculate: there, 2 and 2.0 are the same."""
    shown = [
        (r[0], (r[1][0], float(r[1][1].replace("NULL", "-1e9"))), *r[2:]) if r[0] == "velocity" else r for r in found
    ]
    return sorted(shown, key=repr)
