"""Times and texts on a terminal."""

from __future__ import annotations

import pytest

from holdsfor.io.clock import Clock, clock_text
from holdsfor.printable import printable


@pytest.mark.parametrize(
    ("tick", "clock", "text"),
    [
        (10500, "ticks", "10500"),
        (10500, "s", "02:55:00"),
        (97255, "s", "1d 03:00:55"),
        (10500_250, "ms", "02:55:00.250"),
        (1_767_225_600, "s", "2026-01-01 00:00:00"),
        (1_767_225_600_001, "ms", "2026-01-01 00:00:00.001"),
        (-5, "s", "-5"),
    ],
)
def test_clock(tick: int, clock: Clock, text: str) -> None:
    assert clock_text(tick, clock) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Två ord ✓", "Två ord ✓"),
        ("\x1b[2Jgone", "\\x1b[2Jgone"),
        ("a\r\nb\x9b", "a\\r\\nb\\x9b"),
        ("\u202egnp", "\\u202egnp"),
        ("\x07\U000e0001", "\\x07\\U000e0001"),
    ],
)
def test_nothing_reaches_the_terminal_that_moves_it(text: str, shown: str) -> None:
    assert printable(text) == shown
