"""What the terms of a column are: as it looks, or as the mapping says."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from holdsfor.errors import HoldsforError
from holdsfor.io.readers.read import read_events
from tests.io.expect import args, block, inputs, rejects

ONE = inputs("event e/1")


def read(values: Any, kind: str) -> Any:
    table = pa.table({"time": range(len(values)), "x": values})
    return read_events(table, mapping={"event": "e", "events": {"e": ["x"]}, "types": {"x": kind}}).read(ONE)


@pytest.mark.parametrize(
    ("values", "kind", "terms"),
    [
        (["17", "x y"], "text", ["'17'", "'x y'"]),
        ([17, 18], "text", ["'17'", "'18'"]),
        ([17.0, None], "text", ["'17'", "NULL"]),
        ([17.5, None], "text", ["'17.5'", "NULL"]),
        (["17", "18"], "integer", ["17", "18"]),
        ([17.0, None], "integer", ["17", "NULL"]),
        ([17, 18], "float", ["17.0", "18.0"]),
        (["17", "1.5"], "float", ["17.0", "1.5"]),
        (pa.array(["17", "18"]).dictionary_encode(), "integer", ["17", "18"]),
    ],
)
def test_types_of_a_mapping(values: Any, kind: str, terms: list[str]) -> None:
    found = read(values, kind)
    assert rejects(found) == []
    assert [term for (term,) in args(block(found, "e"))] == terms


@pytest.mark.parametrize(
    ("values", "kind"), [(["17", "x"], "integer"), ([17.0, 17.5], "integer"), (["17", "x"], "float")]
)
def test_what_is_of_another_type_is_rejected(values: Any, kind: str) -> None:
    assert rejects(read(values, kind)) == [(2, f"argument 1 of e/1 is not of type {kind}")]


def test_csv_columns_of_text() -> None:
    mapping = {"event": "e", "events": {"e": ["x"]}, "types": {"x": "text"}}
    found = read_events(["time,x", "1,007", "2,7"], format="columns", mapping=mapping).read(ONE)
    assert args(block(found, "e")) == [("'007'",), ("'7'",)]


def test_integers_among_nulls_stay_integers_in_pandas() -> None:
    frame = pd.DataFrame({"time": [1, 2, 3], "x": [17, None, 18], "y": [1.5, None, 2.0]})
    found = read_events(frame, mapping={"event": "e", "events": {"e": ["x", "y"]}}).read(inputs("event e/2"))
    assert args(block(found, "e")) == [("17", "1.5"), ("NULL", "NULL"), ("18", "2.0")]


@pytest.mark.parametrize(
    ("types", "message"),
    [
        ({"x": "int"}, r"\[types\] x = 'int' is not known\. Did you mean 'integer'\?"),
        ("x", r"\[types\] lists types by column"),
    ],
)
def test_mistakes(types: Any, message: str) -> None:
    with pytest.raises(HoldsforError, match=message):
        read_events(pa.table({"x": [1]}), mapping={"types": types})
