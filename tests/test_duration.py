"""Durations: ticks, or numbers with a unit."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np
import pytest

from holdsfor.duration import TickUnit, ticks, ticks_at
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


@pytest.mark.parametrize("text", ["", "h", "4 weeks", "-5", "1e3", "4h30min", "4H"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(HoldsforError, match=r"not a duration.*30min"):
        ticks(text, "s")


@pytest.mark.parametrize("text", ["1500ms", "2.5"])
def test_parts_of_ticks_are_refused(text: str) -> None:
    with pytest.raises(HoldsforError, match=r"whole number of ticks.*--tick-unit"):
        ticks(text, "s")


@pytest.mark.parametrize(
    ("moment", "unit", "expected"),
    [
        (90, "s", 90),
        ("-90", "s", -90),
        ("2h", "s", 7200),
        (timedelta(hours=2), "ms", 7_200_000),
        ("1970-01-02", "s", 86_400),
        ("1970-01-01T01:00", "s", 3600),
        ("1970-01-01T01:00+01:00", "s", 0),
        ("1969-12-31 23:59:59", "s", -1),
        ("1970-01-01T00:00:00.25", "ms", 250),
        (date(1970, 1, 2), "s", 86_400),
        (datetime(1970, 1, 1, 1), "s", 3600),
        (datetime(1970, 1, 1, 1, tzinfo=timezone(timedelta(hours=1))), "s", 0),
        (datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC), "us", 1_000_000),
        (np.datetime64("1970-01-02"), "s", 86_400),
    ],
)
def test_points_in_time(moment: object, unit: str, expected: int) -> None:
    assert ticks_at("start", moment, unit) == expected


@pytest.mark.parametrize("moment", ["noon", "2026-13-01", "30.3.2025", 1.5, True])
def test_what_is_no_point_in_time_is_refused(moment: object) -> None:
    with pytest.raises(HoldsforError, match=r"the start .* is not a time\. Write 2026-03-01T08:00"):
        ticks_at("start", moment, "s")


def test_parts_of_ticks_are_no_points_in_time() -> None:
    with pytest.raises(HoldsforError, match="not a whole number of ticks"):
        ticks_at("start", "1970-01-01T00:00:00.25", "s")
