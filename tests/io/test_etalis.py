"""Streams of ETALIS: goals as events, with dates, pauses and what is taken back."""

from __future__ import annotations

from pathlib import Path

import pytest

import holdsfor
from holdsfor.errors import HoldsforError
from holdsfor.io.readers.formats import line_reader
from holdsfor.io.readers.formats.etalis import _lines

SECOND = 1_000_000
#: 2011-11-17T12:55:00 in seconds.
NOON = 1_321_534_500


@pytest.mark.parametrize(
    ("goals", "lines"),
    [
        ("event(a(1)). event(b).", ["a(1) @ 1", "b @ 2"]),
        ("event(a(1), [4, 4]). event(b,[4,6]).", ["a(1) @ 4", "b @ [4,6]"]),
        ("event(a). sleep(2). event(b).", ["a @ 1", f"sleep(2) @ {2 * SECOND}", f"b @ {2 * SECOND + 1}"]),
        ("event(a, [7, 7]). event(b).", ["a @ 7", "b @ 8"]),
        ("event(rev(a(1)), [4, 4]).", ["retract a(1) @ 4"]),
        ("event(a(\n  'x. y'), % no end. here\n [3, 3]).", ["a('x. y') @ 3"]),
        ("halt. event(X).", ["halt", "event(X)"]),
        (
            "event(a,[datime(2011,11,17,12,55,0,3),datime(2011,11,17,12,55,1,1)]).",
            [f"a @ [{NOON * SECOND + 3},{(NOON + 1) * SECOND + 1}]"],
        ),
        (
            "event(a,[datime(2011,11,17,12,55,0),datime(2011,11,17,12,55,0)]). "
            "event(b,[datime(2011,11,17,12,55,0),datime(2011,11,17,12,55,0)]).",
            [f"a @ {NOON * SECOND + 1}", f"b @ {NOON * SECOND + 2}"],
        ),
        (
            "event(a,[datime(2011,13,17,12,55,0,1),datime(2011,13,17,12,55,0,1)]).",
            ["event(a,[datime(2011,13,17,12,55,0,1),datime(2011,13,17,12,55,0,1)])"],
        ),
    ],
)
def test_goals_are_events(goals: str, lines: list[str]) -> None:
    assert list(_lines(goals)) == lines


def test_a_stream_file_is_recognised_by_its_name(tmp_path: Path) -> None:
    rules, stream = tmp_path / "rules.event", tmp_path / "day.stream"
    rules.write_text("r1([property(event_rule_window, 1)]) 'rule:' d(X) <- a(X) 'seq' b(X).\n")
    stream.write_text("event(a(1)).\nevent(a(2)).\nevent(b(1)).\nsleep(2).\nevent(b(2)).\nwrite(done).\n")
    result = holdsfor.recognise(holdsfor.load(rules), holdsfor.read_events(stream))
    rows = [tuple(row.values()) for row in result.occurrences.to_pylist()]
    assert rows == [("d", ["1"], 1, 3)]  # a(2) and b(2) are two seconds apart
    (reject,) = result.rejects.to_pylist()
    assert "write(done)" in reject.values()
    assert any(str(told).startswith("not an event: expected `event(term).`") for told in reject.values())


def test_lines_that_begin_so_are_goals() -> None:
    result = holdsfor.recognise(holdsfor.parse("c <- a SEQ b."), holdsfor.read_events(["event(a).", "event(b)."]))
    assert result.occurrences.num_rows == 1


def test_a_stream_of_lines_cannot_have_goals() -> None:
    with pytest.raises(HoldsforError, match="'etalis' is for whole files"):
        line_reader("etalis")
