"""Minus zero is zero: one grounding in tables, in rows that come apart, in RTEC's CSV and in rules."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import holdsfor

RULES = """
initiatedAt(on(X)=true, T) :- happensAt(go(X), T).
terminatedAt(on(X)=true, T) :- happensAt(off(X), T).
initiatedAt(zero=true, T) :- happensAt(go(-0.0), T).
happensAt(turned(Y), T) :- happensAt(go(X), T), Y is X * -1.0.
"""
MAPPING = {"events": {"go": ["x"], "off": ["x"]}}
FORMS: dict[str, tuple[Any, dict[str, Any]]] = {
    "table": (pa.table({"event": ["go", "off"], "time": [1, 5], "x": [0.0, -0.0]}), {"mapping": MAPPING}),
    "csv": (["event,time,x", "go,1,0.0", "off,5,-0.0"], {"mapping": MAPPING, "format": "columns"}),
    "csv with others": (
        ["event,time,x", "go,1,-0.0", "go,1,5", "off,5,0.0"],
        {"mapping": MAPPING, "format": "columns"},
    ),
    "rtec": (["go|1|1|-0.0", "off|5|5|0.0"], {"format": "rtec"}),
    "rtec with others": (["go|1|1|-0.0", "go|1|1|a", "go|2|2|7", "off|5|5|0.0"], {"format": "rtec"}),
    "terms": (["go(-0.0) @ 1", "off(0.0) @ 5"], {"format": "terms"}),
}


def rows(table: pa.Table) -> list[tuple[str, ...]]:
    return [(*row["args"], row["start"], row["end"]) for row in table.to_pylist() if "0.0" in row["args"]]


@pytest.mark.parametrize("form", FORMS)
def test_there_is_one_zero(form: str) -> None:
    events, options = FORMS[form]
    result = holdsfor.recognise(holdsfor.parse(RULES), events, start=0, **options)
    assert rows(result.intervals) == [("0.0", 2, 6)]
    assert [row["start"] for row in result.intervals.to_pylist() if row["fluent"] == "zero"] == [2]
    assert rows(result.occurrences) == [("0.0", 1, 1)]
    assert "-0.0" not in str(result.intervals.to_pylist() + result.occurrences.to_pylist())


@pytest.mark.parametrize("incremental", [True, False])
def test_rows_that_are_added_apart(incremental: bool) -> None:
    session = holdsfor.session(holdsfor.parse(RULES), window=100, step=1, start=0, incremental=incremental)
    for time, name, x in ((1, "go", -0.0), (5, "off", 0.0)):
        session.add(pa.table({"event": [name], "time": [time], "x": [x]}), mapping=MAPPING)
        session.advance(time)
    session.advance(10)
    assert rows(session.current().intervals) == [("0.0", 2, 6)]


def test_facts() -> None:
    rules = "happensAt(hit(X), T) :- happensAt(go(X), T), known(X)."
    for facts in (pa.table({"x": [-0.0, 1.0]}), pa.table({"x": [0.0]})):
        description = holdsfor.parse(rules, facts={"known": facts})
        result = holdsfor.recognise(description, ["go(-0.0) @ 1", "go(0.0) @ 2"], format="terms")
        assert rows(result.occurrences) == [("0.0", 1, 1), ("0.0", 2, 2)]
    result = holdsfor.recognise(holdsfor.parse(f"{rules} known(-0.0)."), ["go(0.0) @ 2"], format="terms")
    assert rows(result.occurrences) == [("0.0", 2, 2)]
