"""The maritime simulator: same seed, same sea; starts and ends alternate; proximity is what the positions say."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from examples.maritime.critical import Observer
from examples.maritime.fleet import Fleet
from examples.maritime.proximity import Meetings, near_pairs
from examples.maritime.sea import KINDS, build_sea
from examples.maritime.simulate import Simulation, simulate
from examples.maritime.voyages import decide

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def run() -> Simulation:
    return simulate(events=40_000, vessels=150, seed=5, delayed=0.1, delay=600)


def test_same_seed_same_sea(run: Simulation) -> None:
    again = simulate(events=40_000, vessels=150, seed=5, delayed=0.1, delay=600)
    assert run.table.equals(again.table)
    assert run.facts == again.facts
    other = simulate(events=40_000, vessels=150, seed=6, delayed=0.1, delay=600)
    assert not run.table.equals(other.table)


def test_rows_are_sorted_and_as_many_as_asked_for(run: Simulation) -> None:
    times = run.table["time"].to_numpy()
    assert len(times) == 40_000
    assert (np.diff(times) >= 0).all()


def test_each_event_has_its_columns_and_no_others(run: Simulation) -> None:
    has = {
        "velocity": {"speed", "course", "heading"},
        "entersArea": {"area"},
        "leavesArea": {"area"},
        "proximity": {"other", "end"},
    }
    table = run.table
    names = set(table["event"].unique().to_pylist())
    assert len(names) == 13
    for name in names:
        rows = table.filter(pc.equal(table["event"], name))
        for column in ("other", "area", "speed", "course", "heading", "end"):
            nulls = 0 if column in has.get(name, ()) else len(rows)
            assert rows[column].null_count == nulls, (name, column)


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("stop_start", "stop_end"),
        ("slow_motion_start", "slow_motion_end"),
        ("change_in_speed_start", "change_in_speed_end"),
        ("gap_start", "gap_end"),
        ("entersArea", "leavesArea"),
    ],
)
def test_starts_and_ends_alternate(run: Simulation, start: str, end: str) -> None:
    """For each vessel (and area); a gap closes what was going on."""
    going_on: set[tuple[str, str | None]] = set()
    rows = 0
    for row in run.table.select(["event", "vessel", "area"]).to_pylist():
        key = (row["vessel"], row["area"])
        if row["event"] == start:
            assert key not in going_on
            going_on.add(key)
            rows += 1
        elif row["event"] == end:
            assert key in going_on
            going_on.remove(key)
        elif row["event"] == "gap_start":
            going_on = {other for other in going_on if other[0] != row["vessel"]}
    assert rows > 5


def test_silent_vessels_say_nothing(run: Simulation) -> None:
    silent: set[str] = set()
    for row in run.table.select(["event", "vessel"]).to_pylist():
        if row["event"] == "gap_end":
            silent.remove(row["vessel"])
        elif row["event"] != "proximity":
            assert row["vessel"] not in silent
        if row["event"] == "gap_start":
            silent.add(row["vessel"])


def test_proximity_intervals_of_a_pair_are_disjoint(run: Simulation) -> None:
    rows = run.table.filter(pc.equal(run.table["event"], "proximity"))
    assert len(rows) > 50
    ends: dict[tuple[str, str], int] = {}
    for row in rows.select(["vessel", "other", "time", "end"]).to_pylist():
        assert int(row["vessel"][1:]) < int(row["other"][1:])
        pair = (row["vessel"], row["other"])
        assert ends.get(pair, -1) < row["time"] < row["end"]
        ends[pair] = row["end"]


def test_late_rows(run: Simulation) -> None:
    known = pc.coalesce(run.table["end"], run.table["time"]).to_numpy()
    late = run.table["arrival"].to_numpy() - known
    assert (late >= 0).all()
    assert 0.08 < (late > 0).mean() < 0.12
    assert 500 < late[late > 0].mean() < 700


def brute_force_pairs(x: np.ndarray, y: np.ndarray, radius: float) -> set[tuple[int, int]]:
    n = len(x)
    return {(i, j) for i in range(n) for j in range(i + 1, n) if np.hypot(x[i] - x[j], y[i] - y[j]) <= radius}


@pytest.mark.parametrize("seed", range(20))
def test_near_pairs_are_those_of_brute_force(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(-3, 3, (2, int(rng.integers(0, 80))))
    radius = float(rng.choice([0.1, 0.5, 2.0, 10.0]))
    found = list(zip(*near_pairs(x, y, radius), strict=True))
    assert len(found) == len(set(found))
    assert set(found) == brute_force_pairs(x, y, radius)


def test_meetings_follow_the_positions() -> None:
    """A small fleet, moved as the simulator moves it: at each time the open intervals are the pairs that are near."""
    rng = np.random.default_rng(3)
    fleet = Fleet(build_sea(60, rng), 60, rng)
    meetings = Meetings(60)
    seen: list[set[tuple[int, int]]] = []
    for step in range(300):
        decide(fleet, step * 60.0, 60)
        fleet.move(60)
        meetings.observe(step * 60, *near_pairs(fleet.x, fleet.y, 0.5))
        seen.append(brute_force_pairs(fleet.x, fleet.y, 0.5))
    intervals = list(zip(*meetings.finish(300 * 60), strict=True))
    assert len(intervals) > 20
    for step, pairs in enumerate(seen):
        assert {(i, j) for i, j, start, end in intervals if start <= step * 60 < end} == pairs


def test_areas_are_where_they_should_be() -> None:
    sea = build_sea(300, np.random.default_rng(0))
    kinds = np.array([KINDS.index(kind) for kind in sea.kinds])
    at_ports = sea.areas_at(*sea.ports.T.copy())
    assert (at_ports[:, KINDS.index("nearPorts")] >= 0).all()
    assert (at_ports[:, KINDS.index("nearCoast")] >= 0).all()
    assert (sea.areas_at(*sea.anchorages.T.copy())[:, KINDS.index("anchorage")] >= 0).all()
    for kind, codes in enumerate(at_ports.T):
        assert (kinds[codes[codes >= 0]] == kind).all()


def test_observer_reports_a_stop_and_its_end() -> None:
    rng = np.random.default_rng(0)
    fleet = Fleet(build_sea(1, rng), 1, rng)
    observer = Observer(fleet, 1, rng)
    for now, speed in enumerate([8.0, 8.0, 0.0, 0.0, 8.0, 8.0]):
        fleet.speed[:] = speed
        observer.observe(now, float(now))
    stops = [(code, int(time[0])) for code, _, time in observer.log.parts if code in (4, 5)]
    assert stops == [(4, 2), (5, 4)]


def test_command_line(tmp_path: Path) -> None:
    script = ROOT / "examples" / "maritime" / "simulate.py"
    begin = time.perf_counter()
    command = [sys.executable, str(script), "--events", "20000", "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True)
    print(done.stdout, f"in all {20000 / (time.perf_counter() - begin):,.0f} events/s")
    assert "20,000 events" in done.stdout
    assert pq.read_table(tmp_path / "events-00.parquet").num_rows == 20_000
    assert "vesselType(v0," in (tmp_path / "fleet.ec").read_text()
    assert "[fluents]" in (tmp_path / "mapping.toml").read_text()


def test_speed(capsys: pytest.CaptureFixture[str]) -> None:
    begin = time.perf_counter()
    run = simulate(events=200_000, vessels=1000)
    with capsys.disabled():
        print(f"\nsimulator: {run.table.num_rows / (time.perf_counter() - begin):,.0f} events/s")
    assert run.table.num_rows == 200_000
