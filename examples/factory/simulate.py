"""Simulates the machines of a factory: a Parquet file of what they report, facts about them, and a mapping.

python examples/factory/simulate.py --lines 4 --hours 24 --out DIR
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

START = 1767225600  # 2026-01-01 00:00 UTC
SECONDS = 60  # between two readings of a machine
MACHINES = 5  # of a line, one behind the other
MAPPING = Path(__file__).with_name("mapping.toml")


class Row(NamedTuple):
    time: int
    event: str
    machine: str
    celsius: float | None = None
    vibration: float | None = None
    detail: str | None = None


SCHEMA = pa.schema(
    [
        ("time", pa.timestamp("s", "UTC")),
        ("event", pa.string()),
        ("machine", pa.string()),
        ("celsius", pa.float64()),
        ("vibration", pa.float64()),
        ("detail", pa.string()),
    ]
)


@dataclass(frozen=True)
class Simulation:
    table: pa.Table  # time, event, machine, celsius, vibration, detail; sorted by time
    facts: str  # machine(Machine, Line, Place), as rule text

    def write(self, folder: Path) -> Path:
        """`factory.parquet`, `machines.ec` and `mapping.toml` in the folder; returns the Parquet file."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "machines.ec").write_text(self.facts, encoding="utf-8")
        shutil.copyfile(MAPPING, folder / "mapping.toml")
        pq.write_table(self.table, folder / "factory.parquet")
        return folder / "factory.parquet"


def simulate(lines: int = 4, hours: int = 24, seed: int = 0) -> Simulation:
    machines = [(f"M-{line * MACHINES + place:03d}", line, place) for line in range(lines) for place in range(MACHINES)]
    rows = [row for number, (name, _, _) in enumerate(machines) for row in _day_of(name, hours, seed + number)]
    columns = zip(*sorted(rows, key=lambda row: (row.time, row.machine)), strict=True)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, SCHEMA, strict=True)]
    facts = "".join(f"machine('{name}', 'Line {line + 1}', {place}).\n" for name, line, place in machines)
    return Simulation(pa.table(arrays, schema=SCHEMA), facts)


def _day_of(machine: str, hours: int, seed: int) -> Iterator[Row]:
    """All that one machine reports: it starts, and then comes what comes."""
    random = np.random.default_rng(seed)
    end = START + hours * 3600
    yield Row(START + 1, "started", machine)
    for begin, lasts, reason in _stops(random, hours):
        yield Row(START + begin, "stopped", machine, detail=reason)
        if reason == "service":
            yield Row(START + begin + 30, "door", machine, detail="open")
            late = 60 if random.random() < 0.1 else -60  # now and then it is started before the door is closed
            yield Row(START + begin + lasts + late, "door", machine, detail="closed")
        yield Row(START + begin + lasts, "started", machine)
    celsius, silent_until = 70.0, 0
    for time in range(START + int(random.integers(2, SECONDS)), end, SECONDS):
        celsius += 0.08 * (70 - celsius) + random.normal(0, 1.2) + (30 if random.random() < 0.002 else 0)
        if random.random() < 0.0005:
            silent_until = time + int(random.integers(600, 2400))
        if time >= silent_until:
            vibration = round(float(random.gamma(4, 0.5)), 2)
            yield Row(time, "reading", machine, round(float(celsius), 1), vibration)


def _stops(random: np.random.Generator, hours: int) -> Iterator[tuple[int, int, str]]:
    """When a machine stops, for how long, and why: jams are short and come in bursts, service is long and rare."""
    at = int(random.integers(600, 7200))
    while at < hours * 3600 - 4000:
        if random.random() < 0.2:
            yield at, 1800, "service"
            at += 1800
        else:
            for _ in range(int(random.integers(1, 5))):
                lasts = int(random.integers(60, 500))
                yield at, lasts, "jam"
                at += lasts + int(random.integers(120, 600))
        at += int(random.integers(3600, 10800))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=4)
    parser.add_argument("--hours", type=int, default=24)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    path = simulate(asked.lines, asked.hours, asked.seed).write(asked.out)
    print(f"{pq.ParquetFile(path).metadata.num_rows:,} rows in {path}")


if __name__ == "__main__":
    main()
