"""Times of tables as ticks."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pyarrow as pa
import pytest

from holdsfor.errors import HoldsforError
from holdsfor.io.events import OUT_OF_RANGE
from holdsfor.io.readers.times import ends, times

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
NOON_SECONDS = 1772366400  # date -u -d 2026-03-01T12:00:00Z +%s


@pytest.mark.parametrize(
    ("unit", "ticks"),
    [
        ("ns", NOON_SECONDS * 10**9),
        ("us", NOON_SECONDS * 10**6),
        ("ms", NOON_SECONDS * 10**3),
        ("s", NOON_SECONDS),
        ("min", NOON_SECONDS // 60),
        ("h", NOON_SECONDS // 3600),
        ("d", NOON_SECONDS // 86400),
    ],
)
def test_units(unit: str, ticks: int) -> None:
    for column in (
        pa.array([NOON], pa.timestamp("us", "UTC")),
        pa.array([NOON], pa.timestamp("s", "Europe/Athens")),
        pa.array(["2026-03-01T12:00:00"]),
        pa.array(["2026-03-01 12:00:00"]),
        pa.array(["2026-03-01T14:00:00+02:00"]),
        pa.array(["2026-03-01T12:00:00Z"]).dictionary_encode(),
    ):
        found, good, missing = times(column, unit, "t")[:3]
        assert (found.tolist(), good.tolist(), missing.tolist()) == ([ticks], [True], [False])


def test_text_of_all_kinds_in_one_column() -> None:
    column = pa.array(
        ["17", "2026-03-01T12:00:00Z", "2026-03-01", "2026-02-30", "noon", None, "", "2026-03-01T12:00:00.9", "1.5"]
    )
    found, good, missing = times(column, "s", "t")[:3]
    assert good.tolist() == [True, True, True, False, False, False, False, True, False]
    assert missing.tolist() == [False, False, False, False, False, True, True, False, False]
    assert found[good].tolist() == [17, NOON_SECONDS, NOON_SECONDS - 12 * 3600, NOON_SECONDS]


def test_a_bad_stamp_spoils_no_other() -> None:
    column = pa.array(["2026-03-01T12:00:00"] * 100_000 + ["bad"])
    found, good, _ = times(column, "s", "t")[:3]
    assert good.sum() == 100_000
    assert set(found[good].tolist()) == {NOON_SECONDS}


def test_dates_and_times_before_1970_round_down() -> None:
    assert times(pa.array([date(1969, 12, 31)]), "h", "t")[0].tolist() == [-24]
    assert times(pa.array([-1], pa.timestamp("ms")), "s", "t")[0].tolist() == [-1]


def test_floats_are_times_where_they_are_integers() -> None:
    found, good, missing = times(pa.array([30.0, 30.5, None, float("nan"), float("inf"), 1e30]), "s", "t")[:3]
    assert good.tolist() == [True, False, False, False, False, True]
    assert missing.tolist() == [False, False, True, True, False, False]
    assert (found[0], found[5]) == (30, OUT_OF_RANGE)  # which no reader lets in


def test_unsigned_integers_that_do_not_fit() -> None:
    found, good, _ = times(pa.array([5, 2**64 - 1], pa.uint64()), "s", "t")[:3]
    assert (found.tolist(), good.tolist()) == ([5, OUT_OF_RANGE], [True, True])


def test_ends_that_are_open() -> None:
    largest = 2**63 - 1
    for column in (pa.array([5, None]), pa.array([5.0, float("inf")]), pa.array(["5", "inf"]), pa.array(["5", None])):
        found, good = ends(column, "s", "end")[:2]
        assert (found.tolist(), good.tolist()) == ([5, largest], [True, True])
    assert ends(pa.array(["never"]), "s", "end")[1].tolist() == [False]
    assert ends(pa.array([None]), "s", "end")[0].tolist() == [largest]


def test_columns_that_are_no_times() -> None:
    with pytest.raises(HoldsforError, match="cannot be a time"):
        times(pa.array([[1]]), "s", "t")
    with pytest.raises(HoldsforError, match="cannot be a time"):
        times(pa.array([5], pa.time32("s")), "s", "t")
