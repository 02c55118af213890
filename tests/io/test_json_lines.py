"""JSON lines and Feather: the same events as from a table with these columns."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather
import pytest

from holdsfor.errors import HoldsforError
from holdsfor.io.readers.read import read_events
from tests.io.expect import args, block, inputs, rejects, rows
from tests.io.test_columns import MAPPING, MARITIME, TABLE, check_maritime

READING = inputs("event reading/3#1")


def json_lines(table: pa.Table) -> str:
    """Fields without a value are left out, as most writers do."""
    objects = ({key: value for key, value in row.items() if value is not None} for row in table.to_pylist())
    return "".join(json.dumps(found) + "\n" for found in objects)


@pytest.mark.parametrize("name", ["events.jsonl", "events.ndjson", "events.json", "events.jsonl.gz"])
def test_json_lines(name: str, tmp_path: Path) -> None:
    text = json_lines(TABLE).encode()
    (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    check_maritime(tmp_path / name)
    check_maritime(json_lines(TABLE).splitlines())


def read(lines: list[str], **mapping: Any) -> Any:
    return read_events(lines, mapping=mapping or None).read(READING)


def test_numbers_are_what_they_are_written_as() -> None:
    lines = ['{"event":"reading","time":1,"machine":17,"degrees":17,"note":17.5}']
    lines += ['{"event":"reading","time":2,"machine":"17","degrees":17.5,"note":18}']
    found = read(lines)
    assert rejects(found) == []
    assert sorted(args(block(found, "reading"))) == [("'17'", "17.5", "18"), ("17", "17", "17.5")]


def test_text_that_looks_like_a_date_is_text_unless_it_is_a_time() -> None:
    lines = ['{"event":"reading","time":"1970-01-01T00:01:00","machine":"2026-03-01","degrees":1.5,"note":true}']
    assert rows(block(read(lines), "reading")) == [(("'2026-03-01'", "1.5", "true"), None, 60, None, 60)]


def test_lines_that_are_no_events() -> None:
    lines = [
        '{"event":"reading","time":1,"machine":"a","degrees":1,"note":"x"}',
        "{half",
        "",
        "17",
        '{"event":"reading","time":5,"machine":"a","degrees":[1],"note":"x"}',
        '{"event":"reading","time":"noon","machine":"a","degrees":1,"note":"x"}',
        '{"event":"reading","time":7,"machine":"a","degrees":1,"note":"x"}',
    ]
    found = read(lines)
    assert [row[2] for row in rows(block(found, "reading"))] == [1, 7]
    reasons = dict(rejects(found))
    assert reasons[2].startswith("malformed JSON")
    assert reasons[4] == "not a JSON object"
    assert reasons[5] == "degrees is a list or an object, not a plain value"
    assert reasons[6] == "time is not an integer or an ISO 8601 time"
    assert found.read == 6


def test_a_file_without_any_object(tmp_path: Path) -> None:
    (tmp_path / "events.jsonl").write_bytes(b"17\n\n\xff\n")
    found = read_events(tmp_path / "events.jsonl").read(READING)
    assert rejects(found) == [(1, "not a JSON object"), (3, "not UTF-8 text")]
    (tmp_path / "empty.jsonl").write_bytes(b"")
    assert read_events(tmp_path / "empty.jsonl").read(READING).read == 0


@pytest.mark.parametrize("name", ["events.feather", "events.arrow", "events.ipc"])
def test_feather(name: str, tmp_path: Path) -> None:
    encoded = TABLE.set_column(3, "vessel", TABLE["vessel"].dictionary_encode())
    for table, packing in ((TABLE, "lz4"), (encoded, "uncompressed")):
        pa.feather.write_feather(table, tmp_path / name, compression=packing)
        check_maritime(tmp_path / name)


def test_what_is_no_feather_file(tmp_path: Path) -> None:
    (tmp_path / "events.feather").write_text("time,event\n")
    with pytest.raises(HoldsforError, match=r"events.feather: .* Is it an Arrow \(Feather\) file\?"):
        read_events(tmp_path / "events.feather").read(MARITIME)
    with pytest.raises(HoldsforError, match="has columns: its format is 'columns'"):
        read_events(tmp_path / "events.feather", format="rtec", mapping=MAPPING)


def test_an_array_over_several_lines(tmp_path: Path) -> None:
    """As most programs write JSON."""
    objects = [{"event": "e", "time": time, "who": "v1", "note": "two\nlines"} for time in (1, 2, 3)]
    wanted = inputs("event e/2")
    for name, indent in (("one.json", None), ("line.json", 0), ("pretty.json", 4)):
        (tmp_path / name).write_text(json.dumps(objects, indent=indent))
        events = read_events(tmp_path / name).read(wanted)
        assert (events.read, len(events.rejects)) == (3, 0), name
        assert block(events, "e").start.tolist() == [1, 2, 3]
    (tmp_path / "cut.json").write_text(json.dumps(objects, indent=4)[:-2])
    (refused,) = read_events(tmp_path / "cut.json").read(wanted).rejects.to_pylist()
    assert refused["reason"].startswith("malformed JSON")
