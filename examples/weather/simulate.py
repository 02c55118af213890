"""Simulates weather stations and writes their readings: a Parquet file, facts about the stations, and a mapping.

python examples/weather/simulate.py --stations 30 --hours 240 --out DIR
"""

from __future__ import annotations

import argparse
import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

START = 1767225600  # 2026-01-01 00:00 UTC
SECONDS = 600  # between two readings of a station
SPACING = 18.0  # miles between neighbouring stations of the grid
FAR = 60.0  # miles: further distances are not written down
MAPPING = Path(__file__).with_name("mapping.toml")

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Simulation:
    table: pa.Table  # event, station, temperature, humidity, wind, visibility, time; sorted by time
    facts: str  # station and distance, as rule text

    def write(self, folder: Path) -> Path:
        """`readings.parquet`, `stations.ec` and `mapping.toml` in the folder; returns the Parquet file."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "stations.ec").write_text(self.facts, encoding="utf-8")
        shutil.copyfile(MAPPING, folder / "mapping.toml")
        pq.write_table(self.table, folder / "readings.parquet")
        return folder / "readings.parquet"


@dataclass(frozen=True)
class Cells:
    """Storms (cold) and heat waves (hot) that cross the land: when, where, how fast, how wide."""

    begin: Floats  # hours
    hours: Floats
    x: Floats
    y: Floats
    east: Floats  # miles an hour
    north: Floats
    radius: Floats

    def strength(self, hour: Floats, x: Floats, y: Floats) -> Floats:
        """From 0 to 1 for each hour (rows) and station (columns): the strongest cell there."""
        total = np.zeros((hour.size, x.size))
        for cell in range(self.begin.size):
            age = hour - self.begin[cell]
            away_x = x[None, :] - (self.x[cell] + self.east[cell] * age)[:, None]
            away_y = y[None, :] - (self.y[cell] + self.north[cell] * age)[:, None]
            near = np.clip(2 * (1 - np.hypot(away_x, away_y) / self.radius[cell]), 0, 1)
            total = np.maximum(total, near * ((age >= 0) & (age < self.hours[cell]))[:, None])
        return total


def simulate(stations: int = 30, hours: int = 240, seed: int = 1) -> Simulation:
    random = np.random.default_rng(seed)
    x, y = _place(stations, random)
    time = np.arange(0, hours * 3600, SECONDS)
    readings = _readings(time / 3600.0, x, y, random)
    table = pa.concat_tables([readings, _fires(stations, hours, random)])
    return Simulation(table.sort_by([("time", "ascending"), ("station", "ascending")]), _facts(x, y))


def _place(stations: int, random: np.random.Generator) -> tuple[Floats, Floats]:
    """On a grid, each a little off its place."""
    width = int(np.ceil(np.sqrt(stations)))
    place = np.arange(stations)
    x = SPACING * (place % width) + random.uniform(-4, 4, stations)
    return x, SPACING * (place // width) + random.uniform(-4, 4, stations)


def _cells(hours: float, x: Floats, y: Floats, each: float, random: np.random.Generator) -> Cells:
    """One every so many hours, at least one."""
    count = max(int(hours / each), 1)
    begin = random.uniform(0, hours * 0.8, count)
    west, east = x.min() - 40, x.mean()
    return Cells(
        begin,
        random.uniform(8, 24, count),
        random.uniform(west, east, count),
        random.uniform(y.min(), y.max(), count),
        random.uniform(2, 9, count),
        random.uniform(-2, 2, count),
        random.uniform(25, 70, count),
    )


def _readings(hour: Floats, x: Floats, y: Floats, random: np.random.Generator) -> pa.Table:
    """Every station at every time: a mild land, with storms and heat where cells pass."""
    shape = (hour.size, x.size)
    cold = _cells(hour[-1], x, y, 60, random).strength(hour, x, y)
    hot = _cells(hour[-1], x, y, 80, random).strength(hour, x, y) * (cold == 0)
    day = np.sin((hour - 9) / 24 * 2 * np.pi)[:, None]
    temperature = 58 + 10 * day + random.normal(0, 1, shape) - 45 * cold + 38 * hot
    humidity = 55 - 10 * day + random.normal(0, 3, shape) + 30 * cold
    wind = random.gamma(4, 2.5, shape) + 38 * cold
    visibility = np.clip(10 * (1 - cold) ** 3 + random.normal(0, 0.1, shape), 0.05, 10)
    columns = {
        "temperature": temperature,
        "humidity": np.clip(humidity, 5, 100),
        "wind": wind,
        "visibility": visibility,
    }
    station, time = np.tile(np.arange(x.size), hour.size), np.repeat(START + (hour * 3600).astype(np.int64), x.size)
    return _table("reading", station, time, {name: np.round(values.ravel(), 2) for name, values in columns.items()})


def _fires(stations: int, hours: int, random: np.random.Generator) -> pa.Table:
    """Reports of fires, of which two in three are localised within a few hours."""
    count = max(stations * hours // 100, 3)
    station, begin = random.integers(0, stations, count), random.integers(0, hours * 3600, count)
    end = begin + random.integers(1800, 6 * 3600, count)
    localised = random.random(count) < 2 / 3
    reports = _table("reported", station, START + begin, {})
    return pa.concat_tables([reports, _table("localised", station[localised], START + end[localised], {})])


def _table(event: str, station: Ints, time: Ints, columns: dict[str, Floats]) -> pa.Table:
    nothing = pa.nulls(len(time), pa.float64())
    names = pa.array([f"s{number}" for number in range(int(station.max(initial=0)) + 1)])
    given = {name: columns.get(name, nothing) for name in ("temperature", "humidity", "wind", "visibility")}
    return pa.table({"event": pa.array([event] * len(time)), "station": names.take(station), **given, "time": time})


def _facts(x: Floats, y: Floats) -> str:
    lines = [f"station(s{number},{number})." for number in range(x.size)]
    for one in range(x.size):
        away = np.hypot(x[one + 1 :] - x[one], y[one + 1 :] - y[one])
        lines += [f"distance(s{one},s{one + 1 + k},{away[k]:.1f})." for k in np.flatnonzero(away <= FAR)]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--stations", type=int, default=30)
    parser.add_argument("--hours", type=int, default=240)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    run = simulate(options.stations, options.hours, options.seed)
    print(f"{run.table.num_rows:,} events in {run.write(options.out)}")


if __name__ == "__main__":
    main()
