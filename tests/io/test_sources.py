"""What can be read, how the format is guessed, and what is said when it cannot."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from holdsfor.errors import HoldsforError
from holdsfor.io.readers.mapping import did_you_mean
from holdsfor.io.readers.read import read_events
from tests.io.expect import block, inputs

ONE = inputs("event e/1")


def test_formats_are_guessed(tmp_path: Path) -> None:
    files = {
        "rtec.csv": b"e|1|1|a\n",
        "header.csv": b"event,time,arg1\ne,1,a\n",
        "packed.csv.gz": gzip.compress(b"event,time,arg1\ne,1,a\n"),
        "packed_rtec.csv.gz": gzip.compress(b"\ne|1|1|a\n"),
        "stream.txt": b"e(a) @ 1\n",
        "packed.csv.zst": pa.compress(b"e|1|1|a\n", "zstd", asbytes=True),
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    pq.write_table(pa.table({"event": ["e"], "time": [1], "arg1": ["a"]}), tmp_path / "t.parquet")
    names = [*files, "t.parquet"]
    source = read_events([tmp_path / name for name in names])
    assert tuple(part.format for part in source.parts) == (
        "rtec",
        "columns",
        "columns",
        "rtec",
        "terms",
        "rtec",
        "columns",
    )
    assert source.paths == tuple(tmp_path / name for name in names)
    assert block(source.read(ONE), "e").start.tolist() == [1] * 7


def test_a_list_of_texts_is_paths_where_they_are_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a|b@c.csv").write_text("e|1|1|x\n")
    Path("two.csv").write_text("e|2|2|x\n")
    assert block(read_events(["a|b@c.csv", "two.csv"]).read(ONE), "e").start.tolist() == [1, 2]
    assert block(read_events(["e|5|5|two.csv"]).read(ONE), "e").start.tolist() == [5]
    assert read_events(["e|5|5|x"]).paths == ()


def test_reading_is_lazy(tmp_path: Path) -> None:
    path = tmp_path / "events.csv"
    path.write_text("e|1|1|a\nf|2|2\n")
    source = read_events(path)
    assert [b.name for b in source.read(ONE).blocks] == ["e"]
    assert sorted(b.name for b in source.read(inputs("event f/0, event e/1")).blocks) == ["e", "f"]
    path.write_text("e|1|1|a\ne|2|2|a\n")
    assert len(block(source.read(ONE), "e")) == 2


@pytest.mark.parametrize(
    ("source", "format", "message"),
    [
        ("events.csv", None, r"no such file: events\.csv\. Did you mean 'event\.csv'\?"),
        (["event.csv", "gone.csv"], None, r"no such file: gone\.csv"),
        ("nofile.csv", None, r"no such file: nofile\.csv\.$"),  # nothing there is called much like it
        ("events.zip", None, r"cannot read events\.zip: \.zip files are not supported\. Unpack it, or use \.gz"),
        ("events.csv.bz2", None, r"\.bz2 files are not supported"),
        ("no/such/folder/x.csv", None, "no such file: no/such/folder/x.csv"),
        ("e|1|1|a", None, r"Lines of text are given as a list: read_events\(\['e\|1\|1\|a'\]\)"),
        ("*.parquet", None, r"no file matches \*\.parquet"),
        ("empty", None, r"no event files in empty: looked for \.parquet, \.csv, .*\. Name the files"),
        ("sheet.xlsx", None, r"is a spreadsheet: save it as CSV, or give the frame of pandas\.read_excel"),
        ("event.csv", "rtek", r"unknown format 'rtek'\. Did you mean 'rtec'\? Formats: rtec, columns, terms"),
        ("plain.txt", None, "cannot tell the format of plain.txt. Say which"),
        (["hello"], None, "cannot tell the format of these lines"),
        (pa.table({"a": [1]}), "rtec", "the table has columns: its format is 'columns', not 'rtec'"),
        (3, None, "cannot read events from int"),
        ({"event": 7}, None, "cannot read events from int"),
        ({"event": ["e"], "time": [1]}, None, r"'event' is a column\. Make a table of the columns: pyarrow\.table"),
        ({"time": [1, None]}, None, r"'time' is a column"),
        ([], None, "the list of sources is empty"),
        (pd.Series([1, 2]), None, "cannot read events from Series"),
        (np.zeros((2, 2)), None, "cannot read events from ndarray"),
        ([{"event": "e", "x": 1}, {"event": "e", "x": "a"}], None, "these rows have a column that is not of one type"),
        ([read_events(["e|1|1|a"])], None, r"one source already: .* tables by their names \(\{'readings': table"),
    ],
)
def test_what_cannot_be_read(
    source: object, format: str | None, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("event.csv").write_text("e|1|1|a\n")
    Path("plain.txt").write_text("hello\n")
    for name in ("sheet.xlsx", "events.zip", "events.csv.bz2"):
        Path(name).write_bytes(b"PK")
    Path("empty").mkdir()
    Path("empty/notes.txt").write_text("hello\n")
    with pytest.raises(HoldsforError, match=message):
        read_events(source, format)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.parquet", b"not parquet", "Is it a Parquet file"),
        ("y.csv", b"event,time,time\ne,1,1\n", "two columns have the same name"),
        ("z.csv", b"event,time,\xff\ne,1,a\n", "header is not UTF-8 text"),
    ],
)
def test_broken_files(name: str, content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(HoldsforError, match=message):
        read_events(path).read(ONE)


def test_rows_as_dicts() -> None:
    rows = [{"event": "e", "time": 1, "who": "a"}, {"event": "e", "time": 2}, {"time": 3, "who": "b", "event": "e"}]
    assert block(read_events(rows).read(ONE), "e").start.tolist() == [1, 2, 3]


def test_a_folder_of_files(tmp_path: Path) -> None:
    """Of Parquet files, or else of others; notes beside them are left alone."""
    for day in range(2):
        (tmp_path / f"day{day}.csv").write_text(f"event,time,who\ne,{day},a\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "day3.csv.gz").write_bytes(gzip.compress(b"event,time,who\ne,3,a\n"))
    (tmp_path / "README.txt").write_text("what this is\n")
    (tmp_path / ".hidden.csv").write_text("no\n")
    assert block(read_events(tmp_path).read(ONE), "e").start.tolist() == [0, 1, 3]
    pq.write_table(pa.table({"event": ["e"], "time": [7], "who": ["a"]}), tmp_path / "all.parquet")
    assert block(read_events(tmp_path).read(ONE), "e").start.tolist() == [7]


def test_half_a_gzip_file(tmp_path: Path) -> None:
    path = tmp_path / "events.csv.gz"
    path.write_bytes(gzip.compress(b"".join(b"e|%d|1|a\n" % i for i in range(100_000)))[:-50_000])
    with pytest.raises(HoldsforError, match="complete gzip file"):
        read_events(path).read(ONE)


@pytest.mark.parametrize("kept", [3, 2000])
def test_half_a_zstd_file(kept: int, tmp_path: Path) -> None:
    path = tmp_path / "events.csv.zst"
    path.write_bytes(pa.compress(b"".join(b"e|%d|1|a\n" % i for i in range(100_000)), "zstd", asbytes=True)[:kept])
    with pytest.raises(HoldsforError, match="complete zstd file"):
        read_events(path, format="rtec").read(ONE)


def test_a_mapping_file_that_is_missing_or_broken(tmp_path: Path) -> None:
    table = pa.table({"event": ["e"], "time": [1], "arg1": ["a"]})
    with pytest.raises(HoldsforError, match=r"cannot read the mapping .*gone\.toml"):
        read_events(table, mapping=tmp_path / "gone.toml")
    (tmp_path / "bad.toml").write_text("time = ")
    with pytest.raises(HoldsforError, match="is not a TOML file"):
        read_events(table, mapping=str(tmp_path / "bad.toml"))


def test_two_letters_in_the_wrong_order_are_the_likeliest_slip() -> None:
    assert did_you_mean("tmep", ["machine", "time", "temp"]) == " Did you mean 'temp'?"
    assert did_you_mean("tmes", ["machine", "time"]) == " Did you mean 'time'?"
    assert did_you_mean("zzz", ["machine", "time"]) == ""
