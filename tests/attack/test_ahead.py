"""Rows from the future, and a clock that is set ahead: the stream does not follow, unless enough of them agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, pairwise
from pathlib import Path
from random import Random

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.engine.input.window import NEVER, Windows
from holdsfor.job.live.batch.clock import WallClock, due_by_clock
from holdsfor.job.live.input.future_rows import Island, find_islands, latest_believed, merge_islands
from holdsfor.language import parse
from tests.conformance.engines import in_process
from tests.conformance.streamed import setting_of, with_times
from tests.naive.rows import Horizon
from tests.spark.live.by_hand import ByHand

RULES = parse("""
initiatedAt(on(V)=true, T) :- happensAt(go(V), T).
terminatedAt(on(V)=true, T) :- happensAt(stop(V), T).
""")
HORIZON = Horizon(40, 20, 0, 1 << 50)
BOUND = 400  # ten windows


def steady(first: int, last: int) -> list[str]:
    """A row every five ticks, of two vessels that go and stop."""
    names = ("go", "stop")
    return [f"{names[t // 10 % 2]}|{t}|{t}|v{t // 5 % 2}" for t in range(first, last, 5)]


def stream(folder: Path, bound: int | None = BOUND) -> ByHand:
    return ByHand(replace(with_times(setting_of(RULES, HORIZON, 2), end=None), max_future=bound), folder)


def rejected(folder: Path) -> list[str]:
    files = sorted((folder / "tables" / "rejects").rglob("*.parquet"))
    return [f"{row['text']}: {row['reason']}" for file in files for row in pq.read_table(file).to_pylist()]


def run(live: ByHand, batches: Sequence[Sequence[str]]) -> None:
    for batch, rows in enumerate(batches):
        live.run(batch, [rows[::2], rows[1::2]])
    live.close()


def expected(rows: Sequence[str]) -> object:
    last = max(int(row.split("|")[2]) for row in rows)
    return in_process(RULES, rows, replace(HORIZON, end=last)).intervals


@pytest.mark.parametrize("when", [10**6, 10**12, (1 << 62), (1 << 63) - 1])
def test_one_row_from_the_future_is_set_aside(when: int, tmp_path: Path) -> None:
    """And the good rows after it are in time."""
    good = steady(1, 400)
    batches = [good[:40], [f"go|{when}|90|v9"], good[40:]]
    live = stream(tmp_path)
    run(live, batches)
    assert live.answer().intervals == expected(good)
    assert not list((tmp_path / "tables").rglob("late/**/*.parquet"))
    if when < 1 << 61:  # beyond, no row is read at all
        assert [line for line in rejected(tmp_path) if "v9" in line and str(when) in line and "--max-future" in line]


def test_without_the_guard_it_makes_the_rest_late(tmp_path: Path) -> None:
    """Otherwise the tests above could not fail."""
    good = steady(1, 400)
    live = stream(tmp_path, None)
    run(live, [good[:40], ["go|1000000|90|v9"], good[40:]])
    assert live.answer().intervals != expected(good)


def test_a_device_whose_clock_is_wrong_is_not_followed(tmp_path: Path) -> None:
    """A tenth of all rows come from it, among the others."""
    good = steady(1, 400)
    wrong = [f"go|{10**9 + t}|{t}|v9" for t in range(1, 400, 40)]
    rows = [row for t in range(0, 80) for row in (good[t : t + 1] + (wrong[t // 8 : t // 8 + 1] if t % 8 == 0 else []))]
    live = stream(tmp_path)
    run(live, [rows[low : low + 22] for low in range(0, len(rows), 22)])
    assert live.answer().intervals == expected(good)
    assert len(rejected(tmp_path)) == len(wrong)


def test_a_stream_may_pause_and_go_on(tmp_path: Path) -> None:
    """All rows after a gap say so: in one batch with those before it, or in a batch of their own."""
    first, second, third = steady(1, 200), steady(100_001, 100_200), steady(900_001, 900_100)
    for number, batches in enumerate(([first, second, third], [[*first, *second], third], [[*first, *second, *third]])):
        live = stream(tmp_path / str(number))
        run(live, batches)
        assert live.answer().intervals == expected([*first, *second, *third]), number
        assert not rejected(tmp_path / str(number)), number


def test_rows_one_by_one_are_believed_from_the_third_on(tmp_path: Path) -> None:
    live = stream(tmp_path)
    first, later = steady(1, 100), [f"go|{t}|{t}|w{t}" for t in (50_001, 50_002, 50_003, 50_004)]
    run(live, [first, *([row] for row in later)])
    assert live.answer().intervals == expected([*first, *later[2:]])
    assert len(rejected(tmp_path)) == 2


def test_time_that_passes_while_nothing_comes_is_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sensor that was silent for a week: its one row is an alarm, not a mistake."""
    now = [1e9]
    monkeypatch.setattr("holdsfor.job.live.batch.microbatch.time.time", lambda: now[0])
    live = stream(tmp_path)
    live.run(0, [steady(1, 100)])
    now[0] += 604_800
    live.restart()
    live.run(1, [["go|604800|604800|v9"]])
    live.run(2, [["go|604900|604900|v8"]])
    live.close()
    assert live.answer().intervals["on", ("v9",), "true"] == [(604801, None)]
    assert not rejected(tmp_path)


def test_a_row_that_happens_long_after_it_arrives_is_set_aside(tmp_path: Path) -> None:
    """Closing the stream would go there, and all that comes when it goes on would be late."""
    good = steady(1, 400)
    live = stream(tmp_path)
    live.run(0, [[*good[:40], "go|90|99999999|v9"]])
    live.close()
    live.restart()
    live.run(1, [good[40:]])
    live.close()
    assert live.answer().intervals == expected(good)
    (line,) = rejected(tmp_path)
    assert "v9" in line
    assert "400 ticks after it arrives" in line


def test_an_end_in_the_far_future_is_no_reason_to_go_there(tmp_path: Path) -> None:
    rules = parse("holdsFor(open(V)=true, I) :- holdsFor(licence(V)=true, I).")
    live = ByHand(replace(with_times(setting_of(rules, HORIZON, 2), end=None), max_future=BOUND), tmp_path)
    live.run(0, [["licence|10|10|253402300799|true|v1", "licence|30|20|25|true|v2"]])
    commit = live.close()
    assert commit.fired is not None
    assert commit.fired <= 30 + BOUND + HORIZON.step
    assert live.answer().intervals["open", ("v1",), "true"] == [(10, 253402300799)]


# ---------------------------------------------------------------- islands


arrivals = st.lists(st.integers(-(1 << 62), 1 << 62) | st.integers(0, 100), min_size=1, max_size=30)


@given(arrivals, st.integers(0, 1 << 61))
def test_islands_are_apart_and_have_all_rows(times: list[int], bound: int) -> None:
    islands = find_islands(np.array(times), bound)
    assert sum(island.rows for island in islands) == len(times)
    assert all(b.low - a.high > bound for a, b in pairwise(islands))
    for island in islands:
        inside = [(place, time) for place, time in enumerate(times) if island.low <= time <= island.high]
        below = [place for place, time in enumerate(times) if time < island.low]
        assert len(inside) == island.rows
        assert {island.low, island.high} <= {time for _, time in inside}
        assert island.overtaken == (max(below, default=-1) > min(place for place, _ in inside))


@given(arrivals, st.integers(0, 1 << 61), st.integers(0, 1 << 32))
def test_islands_of_parts_are_those_of_all(times: list[int], bound: int, seed: int) -> None:
    place = Random(seed).randint(0, len(times))
    parts = [find_islands(np.array(part, np.int64), bound) for part in (times[:place], times[place:])]
    merged = [(island.low, island.high, island.rows) for island in merge_islands(chain(*parts), bound)]
    assert merged == [(island.low, island.high, island.rows) for island in find_islands(np.array(times), bound)]


@pytest.mark.parametrize(
    ("islands", "reached", "doubted", "believed"),
    [
        ([Island(0, 50, 10)], None, 0, 50),
        ([Island(0, 50, 10), Island(900, 900, 1)], None, 0, 50),
        ([Island(0, 50, 1), Island(900, 990, 10)], None, 0, 990),  # the lower one is only old
        ([Island(60, 150, 10)], 50, 0, 150),
        ([Island(900, 900, 2)], 50, 0, 50),
        ([Island(900, 900, 2)], 50, 1, 900),
        ([Island(900, 900, 3)], 50, 0, 900),
        ([Island(40, 60, 400), Island(900, 900, 10)], 50, 0, 900),
        ([Island(40, 60, 400), Island(900, 900, 10, True)], 50, 0, 60),
        ([Island(40, 60, 400), Island(900, 900, 3)], 50, 0, 60),  # a handful at the end of a sorted file
        ([Island(40, 60, 10), Island(900, 900, 1), Island(5000, 5100, 90)], 50, 0, 5100),
    ],
)
def test_what_is_believed(islands: list[Island], reached: int | None, doubted: int, believed: int) -> None:
    assert latest_believed(islands, reached, 100, doubted) == believed


# ---------------------------------------------------------------- the clock


def test_a_clock_that_is_set_ahead_is_not_followed() -> None:
    wall, steady_clock = [1000.0], [5.0]
    clock = WallClock("s", lambda: wall[0], 3600, lambda: steady_clock[0])
    windows = Windows(40, 20, 960, NEVER)
    assert clock.now() == 1000
    for seconds in (20, 20):
        wall[0] += seconds
        steady_clock[0] += seconds
    assert clock.now() == 1040
    wall[0] += 86400 * 365
    steady_clock[0] += 20
    assert clock.now() == 1060
    assert len(due_by_clock(windows, 1040, clock.now())) == 1
    steady_clock[0] += 20
    wall[0] += 20
    assert clock.now() == 1080


def test_a_clock_that_is_put_right_a_little_is_followed() -> None:
    wall = [1000.0]
    clock = WallClock("ms", lambda: wall[0], 3600, lambda: 5.0)
    assert clock.now() == 1_000_000
    for wall[0] in (1300.0, 900.0, 4500.0):
        assert clock.now() == wall[0] * 1000
