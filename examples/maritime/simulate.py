"""Simulates vessels at sea and writes their critical points: Parquet files, facts about the fleet, and a mapping.

python examples/maritime/simulate.py --events 1000000 --out DIR
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time as clock
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

if __name__ == "__main__" and not __package__:  # run as a file: let the relative imports find the folder
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    __package__ = "examples.maritime"

from .critical import CODE, EVENTS, Log, Observer
from .fleet import TYPES, Fleet
from .proximity import Meetings, near_pairs
from .sea import PORT, Sea, build_sea
from .voyages import decide

START = 1767225600  # 2026-01-01 00:00 UTC
SECONDS = 60  # between two positions of a vessel
NEAR = 0.5  # kilometres
ROW_GROUP = 500_000
FILE_ROWS = 8 * ROW_GROUP

MAPPING = Path(__file__).with_name("mapping.toml")


@dataclass(frozen=True)
class Simulation:
    table: pa.Table  # event, vessel, other, area, speed, course, heading, time, end, arrival; sorted by time
    facts: str  # vesselType, areaType and typeSpeed, as rule text

    def write(self, folder: Path) -> list[Path]:
        """Parquet files, `fleet.ec` and `mapping.toml` in the folder; returns the Parquet files."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "fleet.ec").write_text(self.facts, encoding="utf-8")
        shutil.copyfile(MAPPING, folder / "mapping.toml")
        for old in folder.glob("events-*.parquet"):
            old.unlink()
        files = []
        for number, offset in enumerate(range(0, self.table.num_rows, FILE_ROWS)):
            files.append(folder / f"events-{number:02d}.parquet")
            pq.write_table(self.table.slice(offset, FILE_ROWS), files[-1], row_group_size=ROW_GROUP)
        return files


def simulate(
    events: int | None = None,
    hours: float | None = None,
    vessels: int | None = None,
    seed: int = 1,
    delayed: float = 0.0,
    delay: float = 1800.0,
) -> Simulation:
    """Runs until there are that many events, or for that many hours.

    delayed: the share of rows that arrive late; delay: how late, in seconds, on average.
    """
    if events is None and hours is None:
        events = 100_000
    if vessels is None:
        vessels = int(np.clip((events or 500_000) // 1000, 100, 10_000))
    rng = np.random.default_rng(seed)
    sea = build_sea(vessels, rng)
    fleet = Fleet(sea, vessels, rng)
    observer, meetings = Observer(fleet, SECONDS, rng), Meetings(vessels)
    last = _run(fleet, observer, meetings, events, hours)
    columns = _columns(observer.log, meetings.finish(last))
    order = np.argsort(columns["time"], kind="stable")[:events]
    columns = {name: values[order] for name, values in columns.items()}
    columns["arrival"] = np.where(columns["end"] > 0, columns["end"], columns["time"])
    late = np.flatnonzero(rng.random(len(order)) < delayed)
    columns["arrival"][late] += np.ceil(rng.gamma(2.0, delay / 2, len(late))).astype(np.int64)
    return Simulation(_table(columns, sea, vessels), _facts(fleet, sea))


def _run(fleet: Fleet, observer: Observer, meetings: Meetings, events: int | None, hours: float | None) -> int:
    """Moves and observes the fleet; returns the time after the last step."""
    now = 0
    while (hours is None or now < hours * 3600) and (events is None or observer.log.count + meetings.count < events):
        decide(fleet, float(now), SECONDS)
        fleet.move(SECONDS)
        heard, areas = observer.observe(START + now, float(now))
        # in port everybody is near everybody, which tells nothing
        who = np.flatnonzero(heard & (areas[:, PORT] < 0))
        first, second = near_pairs(fleet.x[who], fleet.y[who], NEAR)
        meetings.observe(START + now, who[first], who[second])
        now += SECONDS
    return START + now


def _columns(log: Log, near: tuple[Any, Any, Any, Any]) -> dict[str, npt.NDArray[Any]]:
    """All rows as plain arrays; what a row does not have is NaN, -1, or 0 for `end`."""
    first, second, start, end = near
    codes = [np.full(len(who), code, np.int8) for code, who, _ in log.parts]
    event = np.concatenate([*codes, np.full(len(first), CODE["proximity"], np.int8)])
    columns: dict[str, npt.NDArray[Any]] = {
        "event": event,
        "vessel": np.concatenate([*(who for _, who, _ in log.parts), first]).astype(np.int32),
        "time": np.concatenate([*(time for _, _, time in log.parts), start]),
    }
    durative, velocity = event == CODE["proximity"], event == CODE["velocity"]
    in_area = (event == CODE["entersArea"]) | (event == CODE["leavesArea"])
    fields: tuple[tuple[str, Any, Any, Any], ...] = (
        ("other", durative, second.astype(np.int32), -1),
        ("end", durative, end, 0),
        ("area", in_area, np.concatenate(log.areas), -1),
        ("speed", velocity, np.concatenate([speed for speed, _, _ in log.values]), np.nan),
        ("course", velocity, np.concatenate([course for _, course, _ in log.values]), np.nan),
        ("heading", velocity, np.concatenate([heading for _, _, heading in log.values]), -1),
    )
    for name, which, values, absent in fields:
        columns[name] = np.full(len(event), absent, values.dtype)
        columns[name][which] = values
    return columns


def _table(columns: dict[str, npt.NDArray[Any]], sea: Sea, vessels: int) -> pa.Table:
    names = pa.array([f"v{number}" for number in range(vessels)])

    def words(name: str, dictionary: pa.Array) -> pa.DictionaryArray:
        codes = columns[name]
        return pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), dictionary)

    return pa.table(
        {
            "event": words("event", pa.array(EVENTS)),
            "vessel": words("vessel", names),
            "other": words("other", names),
            "area": words("area", pa.array(sea.names)),
            "speed": pa.array(columns["speed"], mask=np.isnan(columns["speed"])),
            "course": pa.array(columns["course"], mask=np.isnan(columns["course"])),
            "heading": pa.array(columns["heading"], mask=columns["heading"] < 0),
            "time": columns["time"],
            "end": pa.array(columns["end"], mask=columns["end"] == 0),
            "arrival": columns["arrival"],
        }
    )


def _facts(fleet: Fleet, sea: Sea) -> str:
    lines = ["% Written by simulate.py: the vessels, the areas, and the usual speeds of each type (knots)."]
    lines += [f"typeSpeed({t.name},{t.slowest:.1f},{t.fastest:.1f},{t.average:.1f})." for t in TYPES]
    lines += [f"areaType({name},{kind})." for name, kind in zip(sea.names, sea.kinds, strict=True)]
    lines += [f"vesselType(v{number},{TYPES[kind].name})." for number, kind in enumerate(fleet.kind)]
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Simulate vessels and write their critical points as Parquet.")
    parser.add_argument("--events", type=int, help="stop after this many events (default 100000)")
    parser.add_argument("--hours", type=float, help="stop after this time at sea")
    parser.add_argument("--vessels", type=int, help="default: one for each 1000 events")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--delayed", type=float, default=0.0, help="share of rows that arrive late, 0 to 1")
    parser.add_argument("--delay", type=float, default=1800.0, help="how late they are, in seconds, on average")
    parser.add_argument("--out", type=Path, required=True, help="folder for the files")
    options = parser.parse_args(arguments)
    begin = clock.perf_counter()
    run = simulate(options.events, options.hours, options.vessels, options.seed, options.delayed, options.delay)
    simulated = clock.perf_counter() - begin
    files = run.write(options.out)
    rows = run.table.num_rows
    print(f"{rows:,} events in {simulated:.1f} s ({rows / simulated:,.0f}/s), written to {options.out}:")
    print("  " + ", ".join([*(file.name for file in files), "fleet.ec", "mapping.toml"]))


if __name__ == "__main__":
    main()
