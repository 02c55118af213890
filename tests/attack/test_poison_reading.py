"""Whatever bytes a file or a message has: readers refuse it with a reason, and what is beside it is read as ever.

HOLDSFOR_FUZZ=10000 tries as many of each kind; HOLDSFOR_FUZZ_FROM says which is the first.
"""

from __future__ import annotations

import gzip
import io
import os
import re
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from holdsfor.errors import HoldsforError
from holdsfor.io.events import REJECTS_SCHEMA, Events
from holdsfor.io.mqtt import messages_to_events
from holdsfor.io.readers.read import read_events
from tests.attack.damage import damaged
from tests.io.expect import block, inputs, rejects
from tests.io.expect import rows as rows_of

COUNT = int(os.environ.get("HOLDSFOR_FUZZ", "300"))
FIRST = int(os.environ.get("HOLDSFOR_FUZZ_FROM", "0"))

INPUTS = inputs("event velocity/2#1, event gap/1, interval near/2, point zone/1")
MAPPING: dict[str, Any] = {
    "events": {"velocity": ["vessel", "speed"], "gap": ["vessel"]},
    "fluents": {"near": ["vessel", "other"], "zone": ["vessel"]},
}

RTEC = [
    b"velocity|10|10|v1|3.5\ngap|11|11|v2\nnear|40|20|30|true|v1|v2\nretract|velocity|12|10|v1|3.5\nzone|50|50|port|v1\n",
    b"velocity|10|10|v1|3\r\ngap|11|11|'Two words'\r\nnear|40|20|inf|true|v1|7\r\n",
]
CSV = [
    b"event,time,end,arrival,value,vessel,speed,other\nvelocity,10,,11,,v1,3.5,\ngap,11,,,,v2,,\nnear,20,30,40,true,v1,,v2\n",
    b'event;time;end;arrival;value;vessel;speed;other\ngap;2026-01-01T00:00:00;;;;"a;""b";;\nzone;5;;;port;v1;;\n',
]
TERMS = [
    b"velocity(v1, 3.5) @ 10\ngap(v2) @ 11 arrives 12\nnear(v1,v2) @ [20,30)\nretract gap(v2) @ 11\n",
    b"zone(v1)='a b' @ 5\ngap(f(g(1),[a,b],'it''s')) @ -3\nnear(a,b) @ [1,inf) arrives 9\n",
]
JSON = [
    b'{"event":"velocity","time":10,"vessel":"v1","speed":3.5}',
    b'[{"event":"gap","time":11,"vessel":"v2"},{"event":"near","time":20,"end":30,"vessel":"v1","other":"v2","x":{"y":[1]}}]',
    b'{"event":"gap","time":"2026-01-01T00:00:00Z","vessel":7}\n{"event":"zone","time":5,"value":"port","vessel":"\\u00e9"}',
]


def parquet() -> bytes:
    table = pa.table(
        {
            "event": ["velocity", "gap", "near"] * 20,
            "time": list(range(60)),
            "end": [None, None, 100] * 20,
            "vessel": ["v1", "v2", "v3"] * 20,
            "speed": [1.5, None, None] * 20,
            "other": [None, None, "v4"] * 20,
            "value": [None, None, "true"] * 20,
        }
    )
    sink = io.BytesIO()
    pq.write_table(table, sink, row_group_size=20)
    return sink.getvalue()


PARQUET = [parquet()]


def told(events: Events) -> list[str]:
    """All rows, in an order that does not depend on how they were read."""
    found = []
    for b in events.blocks:
        ops = [1] * len(b) if b.op is None else b.op.tolist()
        rows = [(tuple(_number(arg) for arg in row[0]), *row[1:]) for row in rows_of(b)]
        found += [f"{b.name} {b.kind} {op} {row}" for op, row in zip(ops, rows, strict=True)]
    return sorted(found)


def _number(term: str) -> str:
    """Where rules calculate, 7 may be read as 7.0 if another row has 7.5 there."""
    return term.removesuffix(".0") if re.fullmatch(r"-?\d+\.0", term) else term


def check_rejects(events: Events) -> None:
    """They can be written and shown, whatever they are about."""
    assert events.rejects.schema == REJECTS_SCHEMA
    events.rejects.validate(full=True)
    pq.write_table(events.rejects, io.BytesIO())
    pa.csv.write_csv(events.rejects, io.BytesIO())
    for row in events.rejects.to_pylist():
        assert row["reason"]
        assert len(row["text"]) <= 1000


def read_file(path: Path, content: bytes, form: str | None) -> Events | None:
    """None: refused as a whole."""
    path.write_bytes(content)
    try:
        events = read_events(path, format=form, mapping=MAPPING).read(INPUTS)
    except HoldsforError:
        return None
    check_rejects(events)
    return events


@pytest.mark.parametrize(
    ("name", "form", "seeds"),
    [
        ("a.csv", "rtec", RTEC),
        ("a.csv", "columns", CSV),
        ("a.csv.gz", "columns", [gzip.compress(seed) for seed in CSV]),
        ("a.txt", "terms", TERMS),
        ("a.parquet", None, PARQUET),
        ("a.csv", None, [*RTEC, *CSV, *TERMS, *PARQUET]),
    ],
)
def test_any_file(name: str, form: str | None, seeds: list[bytes], tmp_path: Path) -> None:
    for seed in range(FIRST, FIRST + COUNT):
        content = damaged(Random(seed), seeds)
        try:
            read_file(tmp_path / name, content, form)
        except Exception as error:
            raise AssertionError(f"seed {seed}: {content!r}") from error


@pytest.mark.parametrize(("name", "form", "seeds"), [("a.csv", "rtec", RTEC), ("a.txt", "terms", TERMS)])
def test_lines_beside_any_line(name: str, form: str, seeds: list[bytes], tmp_path: Path) -> None:
    """Lines are independent: a file gives what its parts give."""
    path = tmp_path / name
    good = seeds[0]
    alone = read_file(path, good, form)
    assert alone is not None
    for seed in range(FIRST, FIRST + COUNT):
        content = damaged(Random(seed), seeds)
        if form == "terms" and content.count(b"\n") != len(content.decode("utf-8", "replace").splitlines()) - 1:
            continue  # other ends of lines
        both = read_file(path, good + content + b"\n" + good, form)
        between = read_file(path, b"\n" + content, form)  # without a mark of UTF-16 in the first place
        assert both is not None, f"seed {seed}"
        assert between is not None, f"seed {seed}"
        assert told(both) == sorted(2 * told(alone) + told(between)), f"seed {seed}: {content!r}"


def message_table(payloads: list[bytes], topics: list[str]) -> pa.Table:
    count = len(payloads)
    columns = [[f"m{i}" for i in range(count)], topics, payloads, [5000] * count]
    names = ["id", "topic", "payload", "received"]
    kinds = [pa.string(), pa.string(), pa.binary(), pa.int64()]
    return pa.table([pa.array(c, k) for c, k in zip(columns, kinds, strict=True)], names)


def read_messages(*payloads: bytes, topic: str = "t") -> Events:
    events = messages_to_events(message_table(list(payloads), [topic] * len(payloads)), MAPPING, INPUTS)
    check_rejects(events)
    return events


NEIGHBOURS = (
    b'{"event":"gap","time":100,"vessel":"n1"}',
    b'{"event":"velocity","time":101,"vessel":"n2","speed":7}',
    b"gap|102|102|n3",
)


def test_messages_beside_any_message() -> None:
    alone = told(read_messages(*NEIGHBOURS))
    for seed in range(FIRST, FIRST + COUNT):
        content = damaged(Random(seed), [*JSON, *RTEC])
        both = read_messages(NEIGHBOURS[0], content, *NEIGHBOURS[1:])
        assert told(both) == sorted(alone + told(read_messages(content))), f"seed {seed}: {content!r}"


def test_many_damaged_messages_at_once() -> None:
    contents = [damaged(Random(seed), [*JSON, *RTEC]) for seed in range(FIRST, FIRST + COUNT)]
    both = told(read_messages(*NEIGHBOURS, *contents))
    expected = told(read_messages(*NEIGHBOURS)) + [row for content in contents for row in told(read_messages(content))]
    assert both == sorted(expected)


# ---------------------------------------------------------------- known attacks


@pytest.mark.parametrize(
    "payload",
    [
        rb'{"event": "velocity", "time": 15, "vessel": "\ud800", "speed": 30}',
        rb'{"time": 15, "vessel": "\ud800", "speed": 30}',
        rb'{"event": "\ud800", "time": 15, "vessel": "v", "speed": 30}',
        rb'{"event": "gap", "time": 15, "vessel": "v", "\udfff": 30}',
        rb'{"event": "gap", "time": 15, "vessel": "v", "x": {"y": ["\udc00\ud800"]}}',
    ],
)
def test_half_a_character(payload: bytes) -> None:
    """A2"""
    events = read_messages(NEIGHBOURS[0], payload, NEIGHBOURS[1])
    (row,) = events.rejects.to_pylist()
    assert "half a character" in row["reason"]
    assert told(events) == told(read_messages(*NEIGHBOURS[:2]))


def test_a_whole_character_by_its_halves() -> None:
    events = read_messages(rb'{"event":"gap","time":15,"vessel":"\ud83d\ude00"}')
    assert [row[0] for row in rows_of(block(events, "gap"))] == [("'\U0001f600'",)]


@pytest.mark.parametrize(
    "payload",
    [
        b'{"a":' * 30_000 + b"1" + b"}" * 30_000,
        b'{"a":' * 30_000,
        b"[" * 30_000 + b"]" * 30_000,
        b'{"event":"gap","time":1,"vessel":"v","x":' + b'{"a":[' * 15_000 + b"]}" * 15_000 + b"}",
        b'[{"event":"gap","time":1,"vessel":"v"},' + b'{"a":' * 15_000 + b"1" + b"}" * 15_000 + b"]",
        b'{"event":"gap","time":1,"vessel":"\\"","x":' + b'{"a":' * 64 + b"1" + b"}" * 65,
    ],
)
def test_deep_nesting(payload: bytes) -> None:
    """A3; before, the process died."""
    events = read_messages(NEIGHBOURS[0], payload, NEIGHBOURS[1])
    (row,) = events.rejects.to_pylist()
    assert row["reason"] == "malformed JSON: nested deeper than 64 levels"
    assert told(events) == told(read_messages(*NEIGHBOURS[:2]))


def test_nesting_that_is_not_deep() -> None:
    brackets = b"{[" * 5000
    levels = b'{"a":' * 63 + b"1" + b"}" * 63
    shallow = b'{"event":"gap","time":1,"vessel":"v","y":"\\"' + brackets + b'","x":' + levels + b"}"
    assert told(read_messages(shallow)) == told(read_messages(b'{"event":"gap","time":1,"vessel":"v"}'))


@pytest.mark.parametrize("item", [b'{"a":1}', b'{"event":"gap","time":1,"vessel":[1]}', b"1", b"null"])
def test_a_large_array_of_rejects(item: bytes) -> None:
    """A13; before, an overflow."""
    events = messages_to_events(
        message_table([b"[" + b",".join([item] * 300_000) + b"]"], ["t" * 60_000]), MAPPING, INPUTS
    )
    assert events.rejects.num_rows == events.read == 300_000
    assert events.rejects.nbytes < 300_000 * 350


def test_a_long_text_that_many_refused_rows_share(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    long = pa.DictionaryArray.from_arrays(pa.array([0] * 5000, pa.int32()), ["x" * 1_000_000])
    pq.write_table(pa.table({"event": ["gap"] * 5000, "time": ["soon"] * 5000, "vessel": long}), path)
    events = read_events(path, mapping={"events": {"gap": ["vessel"]}}).read(INPUTS)
    assert events.rejects.num_rows == 5000
    assert events.rejects["text"][0].as_py() == "event=gap time=soon vessel=" + "x" * 972 + "…"


HEADER = b"event,time,vessel,speed\n"


def read_csv(tmp_path: Path, content: bytes) -> Events:
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    mapping = {"events": {"velocity": ["vessel", "speed"]}}
    return read_events(path, mapping=mapping).read(INPUTS)


def test_a_byte_that_is_not_utf8_in_a_csv(tmp_path: Path) -> None:
    """A11"""
    marks = "\ue000\ue001".encode()  # the first characters that could stand for a bad byte
    content = (
        b"velocity,1,a,1\nvelocity,2,\xff"
        + marks
        + b',3\nvelocity,3\xc3\n"velocity",4,"b\nc",5\nvelocity,5,'
        + marks
        + b",1\n"
    )
    events = read_csv(tmp_path, HEADER + content)
    assert rejects(events) == [(3, "not UTF-8 text"), (4, "wrong number of columns: the header has 4")]
    texts = ["event=velocity time=2 vessel=\\xff\ue000\ue001 speed=3", "velocity,3\\xc3"]
    assert events.rejects["text"].to_pylist() == texts
    assert [row[0][0] for row in rows_of(block(events, "velocity"))] == ["a", "'b\\nc'", "'\ue000\ue001'"]


@pytest.mark.parametrize("size", [5_000_000, 40_000_000])
def test_a_long_field_in_a_csv(size: int, tmp_path: Path) -> None:
    """A11"""
    row = b"velocity,2," + b"x" * size
    events = read_csv(tmp_path, HEADER + b"velocity,1,a,1\n" + row + b",3\n" + row + b",fast\nvelocity,4,b,5\n")
    assert block(events, "velocity").start.tolist() == [1, 2, 4]
    assert rejects(events) == [(4, "bad number: argument 2 of velocity/2 is not a number")]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "event,time,vessel\ngap,1,v\n".encode("utf-16"), "UTF-16. Save it as UTF-8"),
        ("a.csv", b"\xfe\xff" + "gap|1|1|v\n".encode("utf-16-be"), "UTF-16. Save it as UTF-8"),
        ("a.txt", "gap(v) @ 1\n".encode("utf-16"), "UTF-16. Save it as UTF-8"),
        ("a.csv", b"event,time,\xff\ngap,1,v\n", "header is not UTF-8"),
        ("a.csv.gz", gzip.compress(HEADER * 1000)[:-10], "complete gzip file"),
        ("a.csv.gz", b"\x1f\x8b\x08\x00" + b"\x55" * 100, "complete gzip file"),
        ("a.csv.gz", b"event,time\n", "complete gzip file"),
        ("a.parquet", b"PAR1" + b"\x00" * 100 + b"PAR1", "Is it a Parquet file"),
        ("a.parquet", parquet()[:-200], "Is it a Parquet file"),
        ("a.parquet", b"", "Is it a Parquet file"),
    ],
)
def test_files_that_are_refused_as_a_whole(name: str, content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(HoldsforError, match=message):
        read_events(path, mapping=MAPPING).read(INPUTS)


def test_columns_with_bytes_that_are_no_text() -> None:
    """Parquet and Spark do not look into strings."""
    raw = pa.array([b"a", b"\xff", b"a", b"b"], pa.binary())
    strings = pa.StringArray.from_buffers(4, raw.buffers()[1], raw.buffers()[2])
    for column in (strings, strings.dictionary_encode(), strings.cast(pa.large_string())):
        table = pa.table({"event": ["gap"] * 4, "time": [1, 2, None, 4], "vessel": column})
        events = read_events(table, mapping={"events": {"gap": ["vessel"]}}).read(INPUTS)
        assert rejects(events) == [(2, "not UTF-8 text"), (3, "no time")]
        assert events.rejects["text"][0].as_py() == "event=gap time=2 vessel=\\xff"
        assert [row[0] for row in rows_of(block(events, "gap"))] == [("a",), ("b",)]


def test_lines_with_half_characters() -> None:
    for form, line, good in (("rtec", "gap|1|1|\ud800", "gap|2|2|v"), ("terms", "gap('\ud800') @ 1", "gap(v) @ 2")):
        events = read_events([line, good], format=form).read(INPUTS)
        assert rejects(events) == [(1, "not UTF-8 text")]
        assert block(events, "gap").start.tolist() == [2]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("gap(" + "f(" * 5000 + "a", "nested deeper than 100 levels"),
        ("gap(" + "[" * 5000, "nested deeper than 100 levels"),
        ("gap(" + "9" * 5000 + ") @ 1", "digits"),
        ("gap(v) @ " + "9" * 5000, "out of range"),
        ("gap(v) @ 9223372036854775808", "out of range"),
    ],
)
def test_terms_out_of_measure(line: str, reason: str) -> None:
    events = read_events(["gap(v) @ 1", line, "gap(v) @ 2"], format="terms").read(INPUTS)
    ((row, found),) = rejects(events)
    assert row == 2
    assert reason in found
    assert block(events, "gap").start.tolist() == [1, 2]


def test_a_file_whose_name_is_not_utf8(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.csv"))
    path.write_bytes(b"gap|1|1|v\nzzz|2\n")
    events = read_events([path]).read(INPUTS)
    check_rejects(events)
    assert events.rejects["source"].to_pylist() == [f"{tmp_path}/\\xff.csv"]
