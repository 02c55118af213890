"""Events of patterns with a start and an end in the input: they happen when they are over."""

from __future__ import annotations

import pyarrow as pa

import holdsfor
from holdsfor.io.readers.formats.terms import read_term_lines
from holdsfor.language import parse

RULES = "rest(P) <- break(P) DURING shift(P). initiatedAt(on(P)=true, T) :- happensAt(call(P), T)."


def test_terms() -> None:
    lines = ["shift(a) @ [10,40]", "shift(b) @ 7", "shift(c) @ [1,5)", "shift(d) @ [8,9] arrives 30"]
    (block,) = read_term_lines(lines, parse(RULES).inputs, "lines").blocks
    assert block.kind == "event"
    assert block.onset is not None
    assert block.onset.tolist() == [10, 7, 1, 8]
    assert block.start.tolist() == [40, 7, 4, 9]
    assert block.arrival.tolist() == [40, 7, 4, 30]


def test_points_have_no_end() -> None:
    (block,) = read_term_lines(["shift(a) @ 10"], parse(RULES).inputs, "lines").blocks
    assert block.onset is None


def test_what_cannot_last_is_refused() -> None:
    lines = ["call(a) @ [1,2]", "shift(a)=x @ [1,2]", "shift(a) @ [4,inf)", "shift(a) @ [9,4]"]
    read = read_term_lines(lines, parse(RULES).inputs, "lines")
    assert read.blocks == ()
    assert read.rejects.column("reason").to_pylist() == [
        "call/1 is an event for the rules: it happens at a point and has no value",
        "shift/1 is an event for the rules: it has a start and an end and has no value",
        "shift/1 is an event for the rules: it has a start and an end and has no value",
        "end before start",
    ]


def test_a_column_has_the_last_point() -> None:
    table = pa.table(
        {
            "event": ["shift", "break", "call", "break"],
            "time": [10, 20, 30, 50],
            "end": pa.array([40, 25, None, 45], pa.int64()),
            "who": ["a", "a", "a", "a"],
        }
    )
    result = holdsfor.recognise(parse(RULES), holdsfor.read_events(table, mapping={"name": "event"}))
    assert result.occurrences.to_pylist() == [{"event": "rest", "args": ["a"], "start": 10, "end": 40}]
    assert result.rejects.column("reason").to_pylist() == ["end before start"]
