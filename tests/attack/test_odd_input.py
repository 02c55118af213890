"""Input that is more, or other, than it seems: bombs, links, NaN, damaged pages. Each is told in one message."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import holdsfor
from holdsfor.errors import HoldsforError
from holdsfor.io.readers import fields
from holdsfor.io.readers.read import read_events
from holdsfor.job.live.input.feeds import open_feed
from holdsfor.local.stream import stream_feed
from tests.io.expect import args, block, inputs, rejects

RULES = holdsfor.parse("happensAt(seen(A), T) :- happensAt(pos(A, V), T).")
BOMB = r"cannot read .*bomb.*: its [0-9,]+ bytes unpack to [0-9,]+ and more, and there is memory for 1,000,000"


@pytest.mark.parametrize("name", ["bomb.csv.gz", "bomb.txt.gz", "bomb.jsonl.gz"])
def test_a_file_that_unpacks_to_more_than_there_is_memory(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fields, "most_memory", lambda: 1_000_000)
    row = {"csv": b"pos,1,a,1\n", "txt": b"pos(a, 1) @ 1\n", "jsonl": b'{"event": "pos", "time": 1}\n'}
    content = row[name.split(".")[1]] * 1_000_000
    (tmp_path / name).write_bytes(gzip.compress(b"event,time,a,v\n" * name.startswith("bomb.csv") + content))
    form = "terms" if "txt" in name else None
    with pytest.raises(HoldsforError, match=BOMB):
        read_events(tmp_path / name, format=form).read(RULES.inputs)
    (tmp_path / "small.csv").write_bytes(b"event,time,a,v\npos,1,a,1\n")
    assert len(block(read_events(tmp_path / "small.csv").read(RULES.inputs), "pos")) == 1


def test_a_link_in_the_folder_of_a_stream_is_not_followed(tmp_path: Path) -> None:
    secret, incoming = tmp_path / "secret", tmp_path / "in"
    secret.write_text("root:x:0:0\nsecret,9\n")
    incoming.mkdir()
    (incoming / "1.csv").symlink_to(secret)
    (incoming / "2.csv").write_text("event,time,a,v\npos,5,a,1\n")
    with open_feed(str(incoming), tmp_path / "state") as (feed, reader):
        query = stream_feed(RULES, feed, reader, window=10, step=10, start=0, checkpoint=tmp_path / "state", once=True)
        query.awaitTermination()
        assert [row["args"] for row in query.current()[1].to_pylist()] == [["a"]]
    (told,) = [
        row
        for path in tmp_path.glob("state/**/rejects/**/*.parquet")
        for row in pq.read_table(path, partitioning=None).to_pylist()
    ]
    assert (told["row"], told["text"]) == (0, "")
    assert told["reason"].startswith("it is a symbolic link, which a stream does not follow")


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity"])
def test_nan_is_no_json(value: str) -> None:
    lines = [
        f'{{"event": "pos", "time": 1, "a": "x", "v": {value}}}',
        '{"event": "pos", "time": 2, "a": "NaN", "v": 1}',
    ]
    events = read_events(lines, format="columns").read(inputs("event pos/2"))
    assert rejects(events) == [(1, f"malformed JSON: {value} is not JSON; write null, or leave the field out")]
    assert args(block(events, "pos")) == [("'NaN'", "1")]


def test_nan_in_a_table_is_told(caplog: pytest.LogCaptureFixture) -> None:
    table = pa.table({"event": ["pos"] * 3, "time": [1, 2, 3], "a": ["x", "y", "z"], "v": [1.0, float("nan"), None]})
    result = holdsfor.recognise(RULES, table)
    assert result.metrics["rows_with_nan"] == 1
    assert "1 row has NaN where a number should be: it is taken for no value." in caplog.text
    assert len(result.occurrences) == 3


def test_a_damaged_page_with_a_checksum_is_told(tmp_path: Path) -> None:
    path = tmp_path / "e.parquet"
    columns = {"event": ["pos"] * 1000, "time": range(1000), "a": range(1000), "v": range(1000)}
    pq.write_table(pa.table(columns), path, compression="none", use_dictionary=False, write_page_checksum=True)
    content = bytearray(path.read_bytes())
    place = content.index((500).to_bytes(8, "little"))
    content[place] ^= 1
    path.write_bytes(bytes(content))
    with pytest.raises(HoldsforError, match=r"cannot read .*e\.parquet"):
        read_events(path).read(inputs("event pos/2"))
