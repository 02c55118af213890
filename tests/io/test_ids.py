"""Ids follow from the content, wherever and however it is stored."""

from __future__ import annotations

import subprocess
import sys
from typing import TypeAlias

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.io.ids import ids_of, with_ids
from tests.kernels.packed import law

Row: TypeAlias = tuple[str, list[str], str, int]
SCHEMA = pa.schema(
    [("fluent", pa.string()), ("args", pa.list_(pa.string())), ("value", pa.string()), ("start", pa.int64())]
)
TEXTS = st.text(alphabet=st.sampled_from("ab,'Äð\U0001f600"), max_size=3)
ROWS = st.lists(st.tuples(TEXTS, st.lists(TEXTS, max_size=3), TEXTS, st.integers(-(2**63), 2**63 - 1)), max_size=12)


def table(rows: list[Row]) -> pa.Table:
    return pa.Table.from_pylist([dict(zip(SCHEMA.names, row, strict=True)) for row in rows], SCHEMA)


def fnv(data: bytes) -> int:
    """FNV-1a as its authors give it."""
    found = 0xCBF29CE484222325
    for byte in data:
        found = (found ^ byte) * 0x100000001B3 % 2**64
    return found


def expected(row: Row) -> str:
    fluent, args, value, start = row
    data = fluent.encode() + b"\xff" + b"".join(a.encode() + b"\xff" for a in args) + b"\xfe" + value.encode() + b"\xff"
    h = fnv(data + start.to_bytes(8, "little", signed=True))
    h = (h ^ (h >> 33)) * 0xFF51AFD7ED558CCD % 2**64
    h = (h ^ (h >> 33)) * 0xC4CEB9FE1A85EC53 % 2**64
    return f"{h ^ (h >> 33):016x}"


@pytest.mark.parametrize(
    ("data", "known"), [(b"", 0xCBF29CE484222325), (b"a", 0xAF63DC4C8601EC8C), (b"foobar", 0x85944171F73967E8)]
)
def test_the_naive_hash_is_the_published_one(data: bytes, known: int) -> None:
    assert fnv(data) == known


@law
@given(ROWS)
def test_ids_are_those_of_the_naive_hash(rows: list[Row]) -> None:
    assert ids_of(table(rows)).to_pylist() == [expected(row) for row in rows]


@law
@given(ROWS, st.integers(0, 12), st.integers(0, 12))
def test_ids_do_not_depend_on_how_a_table_is_stored(rows: list[Row], start: int, size: int) -> None:
    whole = table(rows)
    ids = ids_of(whole).to_pylist()
    assert ids_of(whole.slice(start, size)).to_pylist() == ids[start : start + size]
    pieces = pa.concat_tables([whole.slice(0, start), whole.slice(start)])
    encoded = pieces.set_column(0, "fluent", pieces["fluent"].dictionary_encode())
    assert ids_of(encoded).to_pylist() == ids


@law
@given(ROWS)
def test_different_intervals_have_different_ids(rows: list[Row]) -> None:
    different = {(f, tuple(a), v, s) for f, a, v, s in rows}
    assert len(set(ids_of(table(rows)).to_pylist())) == len(different)


def test_neighbouring_starts_differ_in_many_digits() -> None:
    ids = ids_of(table([("near", ["v1"], "true", start) for start in range(1000)])).to_pylist()
    assert len({i[:4] for i in ids}) > 950
    assert len({i[-4:] for i in ids}) > 950


def test_an_interval_keeps_its_id_when_its_end_changes_and_an_occurrence_does_not() -> None:
    row = {"args": [["v1"]] * 2, "start": [1, 1], "end": [3, 4]}
    interval = ids_of(pa.table({"fluent": ["near"] * 2, "value": ["true"] * 2, **row}))
    occurrence = ids_of(pa.table({"event": ["near"] * 2, **row}))
    assert interval[0] == interval[1]
    assert occurrence[0] != occurrence[1]


def test_ids_are_the_same_in_another_process() -> None:
    code = (
        "import pyarrow as pa; from holdsfor.io.ids import ids_of;"
        "print(ids_of(pa.table({'fluent': ['near'], 'args': [['v1']], 'value': ['true'], 'start': [7]}))[0])"
    )
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    assert there == ids_of(table([("near", ["v1"], "true", 7)]))[0].as_py()


def test_a_log_gets_its_ids_after_the_operation() -> None:
    log = table([("near", ["v1"], "true", 7)]).add_column(0, "op", [["insert"]]).add_column(0, "query_time", [[10]])
    assert with_ids(log).column_names == ["query_time", "op", "id", "fluent", "args", "value", "start"]
