"""A run that was probably meant otherwise says so."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import holdsfor

RULES = "initiatedAt(on(M)=true, T) :- happensAt(press(M, N), T), N > 3.\n"


def doubts(caplog: pytest.LogCaptureFixture, events: list[str], **times: Any) -> list[str]:
    caplog.clear()
    holdsfor.recognise(holdsfor.parse(RULES), holdsfor.read_events(events, format="terms"), **times)
    return [record.getMessage() for record in caplog.records]


def test_nothing_to_doubt(caplog: pytest.LogCaptureFixture) -> None:
    assert doubts(caplog, ["press(a, 4) @ 5", "other(a) @ 6"]) == []
    assert doubts(caplog, ["press(a, 4) @ 5"], window=20, step=20) == []


def test_no_rows(caplog: pytest.LogCaptureFixture) -> None:
    assert doubts(caplog, []) == ["there are no rows: the events are empty."]


def test_decimal_commas(caplog: pytest.LogCaptureFixture) -> None:
    """As spreadsheets write them in half of the world, with semicolons between the columns."""
    caplog.clear()
    lines = ["machine;n;time", "m1;95,5;10", "m1;-3,25;20", "m1;x;30"]
    mapping = {"event": "press", "events": {"press": ["machine", "n"]}}
    for events in (lines, pa.table({"machine": ["m"] * 3, "n": ["95,5", "-3,25", "x"], "time": [1, 2, 3]})):
        caplog.clear()
        source = holdsfor.read_events(events, format="columns", mapping=mapping)
        holdsfor.recognise(holdsfor.parse(RULES), source)
        (doubt,) = [record.getMessage() for record in caplog.records]
        assert "argument 2 of press/2 has a decimal comma; write a point (2)" in doubt
        assert "argument 2 of press/2 is not a number (1)" in doubt


def test_a_window_shorter_than_the_step(caplog: pytest.LogCaptureFixture) -> None:
    (doubt,) = doubts(caplog, ["press(a, 4) @ 5"], window=10, step=20, start=0, end=20)[:1]
    assert doubt.startswith("the window (10) is shorter than the step (20)")


def test_milliseconds_for_seconds(caplog: pytest.LogCaptureFixture) -> None:
    (doubt,) = doubts(caplog, ["press(a, 4) @ 1700000000000"])
    assert "tick_unit='ms'" in doubt
    assert doubts(caplog, ["press(a, 4) @ 1700000000000"], tick_unit="ms") == []
    assert doubts(caplog, ["press(a, 4) @ 1700000000"]) == []


def test_all_rows_rejected(caplog: pytest.LogCaptureFixture) -> None:
    (doubt,) = doubts(caplog, ["press(a, x) @ 5", "press(a, y) @ 6"])
    reason = "bad number: argument 2 of press/2 is not a number (2)"
    assert doubt.startswith(f"all 2 rows were rejected: {reason}. Check the mapping")


def test_some_rows_rejected(caplog: pytest.LogCaptureFixture) -> None:
    lines = [
        "press(a, 4) @ 5",
        "press(a, x) @ 6",
        "press(a, y) @ 6",
        "press(a) @ 7",
        "press(b) @ 8",
        "press",
        "press(a",
    ]
    (doubt,) = doubts(caplog, lines)
    assert doubt.startswith("6 of 7 rows were rejected: bad number: argument 2 of press/2 is not a number (2); ")
    assert "wrong arity: press/1, but the rules read press/2 (2); " in doubt
    assert doubt.endswith("; and for 1 other reason. The table of rejects has the rows.")
    (doubt,) = doubts(caplog, lines[:2])
    assert doubt.startswith("1 of 2 rows was rejected: ")


JOINED = """
initiatedAt(on(M)=true, T) :- happensAt(up(M), T).
happensAt(seen(M, L), T) :- happensAt(down(M), T), holdsAt(on(M)=true, T), line(M, L).
line(17, a).
"""


@pytest.mark.parametrize(
    ("up", "down", "clashes"),
    [
        ([17, 18], [17, 18], []),
        (["17", "x"], ["17", "y"], ["up/1 has text that looks like numbers"]),
        ([17.0, 18.5], [17, 18], ["up/1 has floats"]),
        ([17, 18], ["17", "18"], ["down/1 has text that looks like numbers"]),
        (["a", "b"], ["c", "d"], []),
    ],
)
def test_arguments_that_are_never_equal(
    up: list[Any], down: list[Any], clashes: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.clear()
    tables = {"up": pa.table({"time": [1, 2], "m": up}), "down": pa.table({"time": [3, 4], "m": down})}
    holdsfor.recognise(holdsfor.parse(JOINED), tables)
    told = [record.getMessage() for record in caplog.records]
    assert len(told) == len(clashes)
    for clash, doubt in zip(clashes, told, strict=True):
        assert clash in doubt or clash.replace(" has", "") in doubt
        assert "[types] COLUMN" in doubt


def test_all_rows_late(caplog: pytest.LogCaptureFixture) -> None:
    (doubt,) = doubts(caplog, ["press(a, 4) @ 5 arrives 50"], window=10, step=10, start=0, end=60)
    assert doubt.startswith("no row counts: 1 of 1 came too late")


def test_a_time_that_never_changes(caplog: pytest.LogCaptureFixture) -> None:
    (doubt,) = doubts(caplog, [f"press(a{n}, 4) @ 5" for n in range(10)])
    assert doubt.startswith("all 10 rows happen at the same time (5). Is the right column the time?")
    assert doubts(caplog, [f"press(a{n}, 4) @ {n // 9 + 5}" for n in range(10)]) == []


LASTING = RULES + "holdsFor(long(M)=true, I) :- holdsFor(on(M)=true, J), intDurGreater(J, 10 min, I).\n"


@pytest.mark.parametrize(
    ("rules", "unit", "times", "remedy"),
    [
        (LASTING, "min", {}, 'Write tick_unit = "s" in the mapping.'),
        (RULES, "min", {"end": "2026-03-02"}, 'Write tick_unit = "s" in the mapping.'),
        (RULES, "ms", {"window": "1h", "step": "1h"}, None),
        (LASTING, "s", {}, None),
        (RULES, "min", {}, None),  # nothing asks how long a tick is
        (":- tick(ms).\n" + LASTING, "ms", {}, None),
    ],
)
def test_dates_and_durations_in_different_ticks(
    caplog: pytest.LogCaptureFixture, rules: str, unit: str, times: dict[str, Any], remedy: str | None
) -> None:
    table = pa.table({"time": ["2026-03-01T08:00:00", "2026-03-01T09:00:00"], "m": ["a", "b"], "n": [4, 5]})
    mapping = {"tick_unit": unit, "event": "press", "events": {"press": ["m", "n"]}}
    holdsfor.recognise(holdsfor.parse(rules), table, mapping=mapping, **times)
    told = [record.getMessage() for record in caplog.records if "reckoned" in record.getMessage()]
    assert bool(told) == (remedy is not None)
    assert all((remedy or "") in doubt for doubt in told)


@pytest.mark.parametrize(
    ("condition", "numbers", "told"),
    [
        (
            "happensAt(press(M, X), T), X = 90",
            [90.0, 91.0],
            "2 of press/2 has floats, and a rule asks for 90 ",
        ),
        ("happensAt(press(M, 90.0), T)", [90, 91], "has integers, and a rule asks for 90.0 (<text>:1:"),
        ("happensAt(press(M, '90'), T)", [90, 91], "has integers, and a rule asks for '90'"),
        ("happensAt(press(M, 90), T)", ["90", "on"], "has text that looks like numbers, and a rule asks for 90 "),
        ("happensAt(press(M, X), T), X = 90", [90, 91], None),
        ("happensAt(press(M, X), T), X =:= 90", [90.0, 91.0], None),
        ("happensAt(press(M, on), T)", [90, 91], None),  # no number: perhaps other rows have names
    ],
)
def test_numbers_in_rules_that_nothing_is_equal_to(
    caplog: pytest.LogCaptureFixture, condition: str, numbers: list[Any], told: str | None
) -> None:
    table = pa.table({"event": ["press"] * 2, "time": [1, 2], "m": ["a", "b"], "n": numbers})
    holdsfor.recognise(holdsfor.parse(f"happensAt(alarm(M), T) :- {condition}."), table)
    messages = [record.getMessage() for record in caplog.records]
    assert len(messages) == (told is not None)
    assert all((told or "") in message for message in messages)


def test_rows_that_no_rule_reads(caplog: pytest.LogCaptureFixture) -> None:
    (doubt,) = doubts(caplog, ["pres(a, 4) @ 5", "pres(b, 4) @ 6"])
    assert doubt == "no rule reads any of the 2 rows: rules read press/2. Check the names in the mapping or the table."


def test_rows_of_another_time(caplog: pytest.LogCaptureFixture) -> None:
    events = ["press(a, 4) @ 5", "press(b, 4) @ 60"]
    assert doubts(caplog, events, start=60) == ["no row lies in the history, after 60 up to 61: rows are from 5 to 60."]
    assert len(doubts(caplog, events, start=0, end=4)) == 1
    assert doubts(caplog, events, start=59) == []
    assert doubts(caplog, events, start=0, end=5) == []
