"""Tables as background facts."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import holdsfor
from holdsfor.io.readers.facts import read_facts

RULES = "happensAt(fast(V,K), T) :- happensAt(speed(V,S), T), vesselType(V,K), limit(K,L), S > L."
EVENTS = ["speed(v1, 12.0) @ 5", "speed(v2, 12.0) @ 6", "speed('Big Tug', 9.5) @ 7"]
LIMITS = pa.table({"kind": ["cargo", "tug"], "limit": [15, 8]})


def written(name: str, source: object) -> list[str]:
    return [",".join(map(str, row)) for row in read_facts(name, source).rows()]


def test_terms_of_a_table() -> None:
    table = pa.table({"vessel": ["v1", "Big Tug"], "length": [120.5, 30.0], "crew": [12, 5], "flag": [True, False]})
    assert written("ship", table) == ["v1,120.5,12,true", "'Big Tug',30.0,5,false"]


@pytest.mark.parametrize("form", ["parquet", "csv", "table", "frame"])
def test_rules_look_facts_up(form: str, tmp_path: Path) -> None:
    types = pa.table({"vessel": ["v1", "v2", "Big Tug"], "kind": ["cargo", "tug", "tug"]})
    source: object = {"table": types, "frame": types.to_pandas()}.get(form, tmp_path / f"types.{form}")
    if form == "parquet":
        pq.write_table(types, tmp_path / "types.parquet")
    if form == "csv":
        (tmp_path / "types.csv").write_text("vessel,kind\nv1,cargo\nv2,tug\nBig Tug,tug\n")
    (tmp_path / "rules.ec").write_text(RULES)
    description = holdsfor.load(tmp_path / "rules.ec", facts={"vesselType": source, "limit": LIMITS})
    found = holdsfor.recognise(description, holdsfor.read_events(EVENTS, format="terms")).occurrences
    assert sorted(found.column("args").to_pylist()) == [["Big Tug", "tug"], ["v2", "tug"]]


@pytest.mark.parametrize("rows", [3, 400])
def test_that_encoded_text_of_a_file_is_text(rows: int, tmp_path: Path) -> None:
    """In several row groups, whose texts are encoded each by itself."""
    kinds = ["cargo", "Big Tug", "tug"] * rows
    table = pa.table({"vessel": [f"v{number}" for number in range(len(kinds))], "kind": kinds})
    pq.write_table(table, tmp_path / "types.parquet", row_group_size=rows)
    expected = [f"v{number},{kind}" for number, kind in enumerate(["cargo", "'Big Tug'", "tug"] * rows)]
    assert written("type", tmp_path / "types.parquet") == expected


def test_that_a_damaged_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "types.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(holdsfor.HoldsforError, match="Is it a Parquet file"):
        read_facts("type", tmp_path / "types.parquet")


def test_numbers_in_csv_are_numbers(tmp_path: Path) -> None:
    (tmp_path / "limit.csv").write_text("kind,limit\ncargo,15\ntug,8.5\n")
    assert written("limit", tmp_path / "limit.csv") == ["cargo,15", "tug,8.5"]


@pytest.mark.parametrize(
    ("name", "source", "message"),
    [
        ("Limit", LIMITS, "begin it with a lower-case letter"),
        ("limit", "no/such.csv", "no such table of facts"),
        ("limit", pd.DataFrame({"kind": ["a", None]}), "row 2 has nothing in column 'kind'"),
        ("limit", 7, "not from int"),
        ("limit", pa.table({}), "has no columns"),
    ],
)
def test_mistakes(name: str, source: object, message: str) -> None:
    with pytest.raises(holdsfor.HoldsforError, match=message):
        read_facts(name, source)
