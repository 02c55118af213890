"""A column of text input is of one type, whatever the order of files and blocks: a number only if all of it is."""

from __future__ import annotations

import gzip
import io
from collections.abc import Sequence
from pathlib import Path

import hypothesis.strategies as st
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings

import holdsfor
from holdsfor.io.readers import fields
from holdsfor.io.readers.read import read_events
from holdsfor.local.threads import read_parts
from tests.io.expect import args, block, inputs, rejects

ONE = inputs("event pos/1")
DATA = "shared/data/adsb_switzerland.csv.gz"  # beside the project
AIRCRAFT = next((folder / DATA for folder in Path(__file__).parents if (folder / DATA).exists()), Path(DATA))
SEEN = "happensAt(seen(A), T) :- happensAt(pos(A), T)."


def ids(texts: Sequence[str]) -> list[str]:
    """The terms of a column of a CSV file."""
    lines = ["icao24,timestamp", *(f"{text},{10 + place}" for place, text in enumerate(texts))]
    events = read_events(lines, format="columns", mapping={"event": "pos", "time": "timestamp"}).read(ONE)
    assert rejects(events) == []
    return [term for (term,) in args(block(events, "pos"))]


@pytest.mark.parametrize(
    ("texts", "terms"),
    [
        (["3e7", "30e6", "012345", "12345"], ["'3e7'", "'30e6'", "'012345'", "'12345'"]),
        (["1", "2", "10"], ["1", "2", "10"]),
        (["1", "2", "a"], ["'1'", "'2'", "a"]),
        (["1.5", "a"], ["'1.5'", "a"]),
        (["1e5", "7"], ["100000.0", "7"]),
        (["1E5"], ["100000.0"]),
        (["1", "1.0"], ["1", "1.0"]),
        (["0.5", "0", "-0.5"], ["0.5", "0", "-0.5"]),
        (["00", "1"], ["'00'", "'1'"]),
        (["007"], ["'007'"]),
        (["-01", "1"], ["'-01'", "'1'"]),
        (["00.5", "1.5"], ["'00.5'", "'1.5'"]),
        (["060030", "3944e7"], ["'060030'", "'3944e7'"]),
        (["7", "at(7,08)"], ["'7'", "at(7,8)"]),
        (["7", "True"], ["'7'", "true"]),
    ],
)
def test_a_column_of_csv_is_of_one_type(texts: list[str], terms: list[str]) -> None:
    assert ids(['"' + text + '"' if "," in text else text for text in texts]) == terms


def write(folder: Path, name: str, texts: Sequence[str]) -> Path:
    path = folder / name
    path.write_text("icao24,timestamp\n" + "".join(f"{text},{place}\n" for place, text in enumerate(texts)))
    return path


FIELDS = st.sampled_from(["1", "12", "-3", "1.5", "2.0", "1e5", "007", "3e7", "00.5", "a1", "", "0"])


@settings(deadline=None)
@given(files=st.lists(st.lists(FIELDS, min_size=1, max_size=4), min_size=1, max_size=4), data=st.data())
def test_the_order_of_files_and_blocks_changes_nothing(
    files: list[list[str]], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("files")
    mapping = {"event": "pos", "time": "timestamp"}
    names = [write(folder, f"{number}.csv", texts) for number, texts in enumerate(files)]
    whole = write(folder, "whole.csv", [text for texts in files for text in texts])
    shuffled = data.draw(st.permutations(names))

    def terms(source: object, threads: int = 1) -> list[str]:
        parts = read_parts(read_events(source, mapping=mapping), ONE, threads)
        return sorted(term for part in parts for b in part.blocks for (term,) in args(b))

    expected = terms(whole)
    assert terms(names) == terms(shuffled) == terms(shuffled, threads=2) == expected


def test_parts_of_a_file_agree(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(fields.chunks, "__defaults__", (64,))
    path = write(tmp_path, "long.csv", [*(str(number) for number in range(100)), "3e7", "x"])
    events = read_events(path, mapping={"event": "pos", "time": "timestamp"}).read(ONE)
    terms = [term for (term,) in args(block(events, "pos"))]
    assert terms == [*(f"'{number}'" for number in range(100)), "'3e7'", "x"]


def test_a_column_of_two_events_is_one() -> None:
    """Where one of them has numbers only, they are names as those of the other."""
    lines = ["event,time,vessel", "pos,1,7", "pos,2,3e7", "call,3,7", "call,4,a"]
    events = read_events(lines, format="columns").read(inputs("event pos/1, event call/1"))
    assert args(block(events, "pos")) == [("'7'",), ("'3e7'",)]
    assert args(block(events, "call")) == [("'7'",), ("a",)]


def test_numbered_columns_and_values_are_those_of_their_event() -> None:
    rows = ["speed,1,,,v1,12.5", "enters,2,,,v1,area", "mode,3,9,3,v1,", "on,4,9,no,v1,"]
    lines = ["event,time,end,value,arg1,arg2", *rows]
    known = inputs("event speed/2, event enters/2, interval mode/1, interval on/1")
    events = read_events(lines, format="columns").read(known)
    assert args(block(events, "speed")) == [("v1", "12.5")]
    assert block(events, "mode").value.to_pylist() == ["3"]
    assert block(events, "on").value.to_pylist() == ["no"]
    lines = ["event,time,arg1", "speed,1,1e3", "speed,2,7", "enters,3,area"]
    events = read_events(lines, format="columns").read(inputs("event speed/1, event enters/1"))
    assert args(block(events, "speed")) == [("1000.0",), ("7",)]


def test_what_rules_calculate_with_is_a_number_or_refused() -> None:
    lines = ["time,machine,degrees", "1,m1,95", "2,m2,fast", "3,m3,007"]
    events = read_events(lines, format="columns", mapping={"event": "e"}).read(inputs("event e/2#1"))
    assert rejects(events) == [(3, "bad number: argument 2 of e/2 is not a number")]
    assert args(block(events, "e")) == [("m1", "95"), ("m3", "7")]


def test_the_mapping_decides_otherwise() -> None:
    mapping = {"event": "pos", "time": "timestamp", "types": {"icao24": "text"}}
    lines = ["icao24,timestamp", "7,1", "8,2"]
    assert args(block(read_events(lines, format="columns", mapping=mapping).read(ONE), "pos")) == [("'7'",), ("'8'",)]


@pytest.mark.parametrize(
    ("columns", "terms"),
    [
        ([pa.array([7]), pa.array(["7"]), pa.array([7.0])], ["'7'", "'7'", "'7'"]),
        ([pa.array([7]), pa.array([7.0, 7.5])], ["7.0", "7.0", "7.5"]),
        ([pa.array([7.0, 7.5]), pa.array(["x"])], ["'7'", "'7.5'", "x"]),
        ([pa.array([7]), pa.array([8])], ["7", "8"]),
    ],
)
def test_parquet_files_of_different_types_are_read_as_one(
    columns: list[pa.Array], terms: list[str], tmp_path: Path
) -> None:
    for number, column in enumerate(columns):
        pq.write_table(pa.table({"time": range(1, len(column) + 1), "x": column}), tmp_path / f"{number}.parquet")
    source = read_events(tmp_path, mapping={"event": "pos"})
    assert [term for (term,) in args(block(source.read(ONE), "pos"))] == terms
    parts = read_parts(source, ONE, 2)
    assert [term for part in parts for (term,) in args(block(part, "pos"))] == terms


def test_facts_have_types_by_column(tmp_path: Path) -> None:
    (tmp_path / "ap.csv").write_text("code,city\n1E5,bern\n007,basel\nx,7\n")
    description = holdsfor.parse(
        "happensAt(lands(A, C), T) :- happensAt(pos(A), T), ap(A, C).", facts={"ap": tmp_path / "ap.csv"}
    )
    lines = ["icao24,timestamp", "1E5,1", "007,2", "x,3"]
    mapping = {"event": "pos", "time": "timestamp"}
    result = holdsfor.recognise(description, lines, format="columns", mapping=mapping)
    assert [row["args"] for row in result.occurrences.to_pylist()] == [["1E5", "bern"], ["007", "basel"], ["x", "7"]]


@pytest.mark.skipif(not AIRCRAFT.exists(), reason="needs ../shared/data/adsb_switzerland.csv.gz")
def test_each_of_842_aircraft_has_its_own_name() -> None:
    raw = pa.csv.read_csv(
        io.BytesIO(gzip.decompress(AIRCRAFT.read_bytes())),
        convert_options=pa.csv.ConvertOptions(column_types={"icao24": pa.string()}),
    )
    mapping = {"event": "pos", "time": "timestamp", "events": {"pos": ["icao24"]}}
    result = holdsfor.recognise(holdsfor.parse(SEEN), AIRCRAFT, mapping=mapping, format="columns")
    names = {row[0] for row in result.occurrences["args"].to_pylist()}
    assert len(names) == 842
    assert names == set(raw["icao24"].unique().to_pylist())
