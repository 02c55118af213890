"""Pauses between attempts."""

from __future__ import annotations

from holdsfor.io.brokers.network import Backoff


def test_pauses_grow_and_differ() -> None:
    runs = []
    for _ in range(50):
        backoff = Backoff(1.0, 10.0)
        runs.append([backoff.pause() for _ in range(6)])
    for attempt, longest in enumerate([1.0, 2.0, 4.0, 8.0, 10.0, 10.0]):
        pauses = [run[attempt] for run in runs]
        assert all(longest / 2 <= pause <= longest for pause in pauses)
        assert len(set(pauses)) > 1 or longest == 10.0


def test_the_other_side_may_ask_for_a_longer_pause() -> None:
    assert Backoff(1.0, 10.0).pause(at_least=5.0) == 5.0
    assert Backoff(1.0, 10.0).pause(at_least=50.0) == 10.0


def test_a_success_begins_anew() -> None:
    backoff = Backoff(1.0, 1000.0)
    for _ in range(5):
        backoff.pause()
    backoff.reset()
    assert backoff.pause() <= 1.0


def test_a_very_long_row_of_failures_is_no_overflow() -> None:
    backoff = Backoff(1.0, 30.0, failures=5000)
    assert backoff.pause() == 30.0
