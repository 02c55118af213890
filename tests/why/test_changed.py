"""Causes of the lines of the log of changes: left out, the line is not there."""

from __future__ import annotations

from random import Random

import pytest

import holdsfor
from tests.naive.programs import random_program
from tests.naive.rows import line_format
from tests.why.test_law import SEEDS, recognised, recognised_or_skipped
from tests.why.test_why import MOVING

LATE = [
    "enter(v1,p1) @ 1",
    "speed(v1,7) @ 3",
    "speed(v1,2) @ 9 arrives 26",
    "insert enter(v1,p2) @ 5 arrives 5",
    "retract enter(v1,p2) @ 5 arrives 31",
]
TIMES = {"start": 0, "end": 40, "window": 40, "step": 10}
#: So many lines of a program are asked about.
LINES = 6


def late_result() -> holdsfor.Result:
    events = holdsfor.read_events(LATE, format="terms")
    return holdsfor.recognise(holdsfor.parse(MOVING), events, **TIMES, changes=True)


def test_a_late_row_shortens_and_a_retraction_withdraws() -> None:
    result = late_result()
    assert list(map(str, result.why_changed("moving(v1)=true"))) == [
        "at 10: insert 4 to open, because of speed(v1,7) @ 3 (arrived at 3)",
        "at 30: shorten 4 to 10, because of speed(v1,2) @ 9 (arrived at 26, 17 late)",
    ]
    assert [cause.rows for cause in result.why_changed("near(v1,p2)=true")] == [
        ("enter(v1,p2) @ 5 (arrived at 5)",),
        ("enter(v1,p2) @ 5 (retracted at 31)",),
    ]


def test_what_was_believed_then_is_explained_as_it_was_known() -> None:
    result = late_result()
    assert result.why("moving(v1)=true", at=9).until == 10
    before = result.why("moving(v1)=true", at=15, as_of=25)
    assert (before.since, before.until) == (4, None)
    assert result.why("near(v1,p2)=true", at=15, as_of=20).since == 6
    with pytest.raises(holdsfor.HoldsforError, match="did not hold"):
        result.why("near(v1,p2)=true", at=15)
    with pytest.raises(holdsfor.HoldsforError, match="before the first query time, 10"):
        result.why("near(v1,p2)=true", at=5, as_of=3)


def test_a_line_that_comes_with_time_alone_has_no_rows() -> None:
    rules = """
initiatedAt(door(X)=open, T) :- happensAt(open(X), T).
fi(door(X)=open, door(X)=alarmed, 15).
"""
    events = holdsfor.read_events(["open(a) @ 2"], format="terms")
    result = holdsfor.recognise(holdsfor.parse(rules), events, **TIMES)
    told = list(map(str, result.why_changed("door(a)=alarmed")))
    assert told == ["at 20: insert 18 to open, because time went on"]


def test_events_are_not_in_the_log() -> None:
    with pytest.raises(holdsfor.HoldsforError, match="about fluents"):
        late_result().why_changed("alarm(v1)")


@pytest.mark.parametrize("seed", SEEDS)
def test_the_cause_of_a_line_left_out_removes_it(seed: int) -> None:
    program = random_program(seed)
    events = holdsfor.read_events(list(program.rows), format=line_format(program.rows))
    window = {"window": program.horizon.window, "step": program.horizon.step}
    result = recognised_or_skipped(program, events, **window, changes=True)
    lines = result.changes.to_pylist()
    for line in Random(seed).sample(lines, min(LINES, len(lines))):
        causes = {key_of(cause.line): cause for cause in result.why_changed(fact_of(line))}
        cause = causes[key_of(line)]
        if cause.rows:
            without = recognised(program, cause.events, **window, changes=True)
            assert key_of(line) not in set(map(key_of, without.changes.to_pylist())), f"{program}\n{line}\n{cause}"


def key_of(line: dict[str, object]) -> tuple[object, ...]:
    return tuple(map(str, (line[name] for name in ("query_time", "op", "fluent", "args", "value", "start", "end"))))


def fact_of(line: dict[str, object]) -> str:
    args = ",".join(line["args"])  # type: ignore[arg-type]
    return f"{line['fluent']}({args})={line['value']}" if args else f"{line['fluent']}={line['value']}"


def test_rows_after_the_end_are_no_causes() -> None:
    """See to a last query time after the end: what arrives between them was never known."""
    rules = """
initiatedAt(on(X)=true, T) :- happensAt(press(X), T).
terminatedAt(on(X)=true, T) :- happensAt(release(X), T).
"""
    events = holdsfor.read_events(["press(a) @ 17", "release(a) @ 19"], format="terms")
    result = holdsfor.recognise(holdsfor.parse(rules), events, start=3, end=18, window=25, step=8)
    causes = list(map(str, result.why_changed("on(a)=true")))
    assert causes == ["at 19: insert 18 to open, because of press(a) @ 17 (arrived at 17)"]
