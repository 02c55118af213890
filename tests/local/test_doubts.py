"""A run that was probably meant otherwise says so."""

from __future__ import annotations

from typing import Any

import pytest

import holdsfor

RULES = "initiatedAt(on(M)=true, T) :- happensAt(press(M, N), T), N > 3.\n"


def doubts(caplog: pytest.LogCaptureFixture, events: list[str], **times: Any) -> list[str]:
    caplog.clear()
    holdsfor.recognise(holdsfor.parse(RULES), holdsfor.read_events(events, format="terms"), **times)
    return [record.getMessage() for record in caplog.records]


def test_nothing_to_doubt(caplog: pytest.LogCaptureFixture) -> None:
    assert doubts(caplog, ["press(a, 4) @ 5", "press(a, x) @ 6"]) == []
    assert doubts(caplog, ["press(a, 4) @ 5"], window=20, step=20) == []
    assert doubts(caplog, []) == []


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
    assert doubt.startswith("all 2 rows were rejected")


def test_all_rows_late(caplog: pytest.LogCaptureFixture) -> None:
    (doubt,) = doubts(caplog, ["press(a, 4) @ 5 arrives 50"], window=10, step=10, start=0, end=60)
    assert doubt.startswith("no row counts: 1 of 1 came too late")
