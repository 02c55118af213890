"""Events as lines of terms."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from holdsfor.io.readers.ground import NotATerm, term_text
from holdsfor.io.readers.read import read_events
from tests.io.expect import args, block, inputs, rejects, rows

WANTED = inputs("event wind/2, interval shift/1, point near/1, event alarm/0")


def test_an_event_at_a_point() -> None:
    events = read_events(["wind(st1, 12.5) @ 30", "alarm @ -3 arrives 35"], format="terms").read(WANTED)
    assert rows(block(events, "wind")) == [(("st1", "12.5"), None, 30, None, 30)]
    assert rows(block(events, "alarm")) == [((), None, -3, None, 35)]
    assert rejects(events) == []


def test_a_fluent_over_an_interval() -> None:
    lines = [
        "shift(a) @ [10,40]",
        "shift(b)='Two words' @ [10, 40)",
        "shift(c)=7 @ [10,inf) arrives 12",
        "shift(d) @ [5,5]",
    ]
    events = read_events(lines).read(WANTED)
    assert rows(block(events, "shift")) == [
        (("a",), "true", 10, 40, 40),
        (("b",), "'Two words'", 10, 40, 40),
        (("c",), "7", 10, None, 12),
    ]
    assert events.read == 4


def test_a_fluent_at_points() -> None:
    events = read_events(["near(a) @ 5", "near(b)=far @ 6", "shift(a) @ 7"]).read(WANTED)
    assert rows(block(events, "near", "point")) == [(("a",), "true", 5, None, 5), (("b",), "far", 6, None, 6)]
    assert rows(block(events, "shift", "point")) == [(("a",), "true", 7, None, 7)]


def test_a_name_that_is_event_and_fluent() -> None:
    events = read_events(["x(a) @ 1", "x(b)=true @ 2", "x(c) @ [3,4)"]).read(inputs("interval x/1, event x/1"))
    assert args(block(events, "x", "event")) == [("a",)]
    assert args(block(events, "x", "point")) == [("b",)]
    assert args(block(events, "x", "interval")) == [("c",)]


def test_retractions_comments_and_what_is_not_read() -> None:
    lines = ["% a comment", "", "insert alarm @ 1", "retract alarm @ 1 arrives 4", "ping(x) @ 3"]
    events = read_events(lines, format="terms").read((*WANTED, *inputs("unread event ping/1")))
    op = block(events, "alarm").op
    assert op is not None
    assert op.tolist() == [1, -1]
    assert (events.read, events.unused) == (3, 1)


def test_an_event_may_be_called_retract() -> None:
    events = read_events(["retract(x) @ 1", "retract @ 2"]).read(inputs("event retract/1, event retract/0"))
    assert {b.op is None for b in events.blocks} == {True}
    assert len(events.blocks) == 2


def test_types_of_columns() -> None:
    found = block(read_events(["wind(1, 2.0) @ 1", "wind(2, 3.5) @ 2"]).read(WANTED), "wind")
    assert [column.type for column in found.args] == [pa.int64(), pa.float64()]
    mixed = block(read_events(["wind(1, 2) @ 1", "wind(a, 3.5) @ 2"]).read(WANTED), "wind")
    assert [column.type for column in mixed.args] == [pa.dictionary(pa.int32(), pa.string())] * 2
    assert args(mixed) == [("1", "2"), ("a", "3.5")]


def test_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "stream.txt"
    path.write_text("alarm @ 3\noops\n")
    events = read_events(path).read(WANTED)
    assert len(block(events, "alarm")) == 1
    assert events.rejects.to_pylist()[0]["source"] == str(path)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("p( a ,'b')", "p(a,b)"),
        ("p(X1)", None),
        ("'it''s'", "'it\\'s'"),
        ("'a\\nb'", "'a\\nb'"),
        ("'back\\\\slash'", "'back\\\\slash'"),
        ("[ 1, [], [a|b] ]", None),
        ("[ 1, [], [a, -2.50] ]", "[1,[],[a,-2.5]]"),
        ("f(g(h(1e3)))", "f(g(h(1000.0)))"),
        ("'F'(x)", "'F'(x)"),
        ("a b", None),
        ("", None),
        ("f(", None),
        ("f()", None),
    ],
)
def test_ground_terms(text: str, canonical: str | None) -> None:
    if canonical is None:
        with pytest.raises(NotATerm):
            term_text(text)
    else:
        assert term_text(text) == canonical
        assert term_text(canonical) == canonical
