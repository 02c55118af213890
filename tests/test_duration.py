"""Durations: ticks, or numbers with a unit."""

from __future__ import annotations

import pytest

from holdsfor.duration import TickUnit, ticks
from holdsfor.errors import HoldsforError


@pytest.mark.parametrize(
    ("text", "unit", "expected"),
    [
        ("90", "s", 90),
        ("90", "ms", 90),
        ("10s", "s", 10),
        ("30min", "s", 1800),
        ("4h", "s", 14_400),
        ("1.5h", "s", 5_400),
        ("2 d", "s", 172_800),
        ("250ms", "ms", 250),
        ("0.1s", "ms", 100),
        ("2000ms", "s", 2),
    ],
)
def test_ticks(text: str, unit: TickUnit, expected: int) -> None:
    assert ticks(text, unit) == expected


@pytest.mark.parametrize("text", ["", "h", "4 hours", "-5", "1e3", "4h30min", "4H"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(HoldsforError, match=r"not a duration.*30min"):
        ticks(text, "s")


@pytest.mark.parametrize("text", ["1500ms", "2.5"])
def test_parts_of_ticks_are_refused(text: str) -> None:
    with pytest.raises(HoldsforError, match=r"whole number of ticks.*--tick-unit"):
        ticks(text, "s")
