"""How fast events are read. Usage: python benchmarks/reading.py [ROWS]

Prints rows per second for RTEC's CSV, for CSV with a header, for Parquet and for a table in memory, on the same
simulated maritime rows: the least of some rounds, by the clock and of CPU, with files in the page cache.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from holdsfor.io.readers.mapping import Mapping
from holdsfor.io.readers.read import EventSource, read_events
from holdsfor.language.description import Input, Signature

ROUNDS = 5
INPUTS = (
    Input(Signature("velocity", 4), "event", True, frozenset({1, 2, 3})),
    Input(Signature("entersArea", 2), "event", True, frozenset()),
    Input(Signature("gap_start", 1), "event", True, frozenset()),
    Input(Signature("proximity", 2), "interval", True, frozenset()),
)
MAPPING = Mapping(
    events={
        "velocity": ["vessel", "speed", "course", "heading"],
        "entersArea": ["vessel", "area"],
        "gap_start": ["vessel"],
    },
    fluents={"proximity": ["vessel", "other"]},
)


def simulate(rows: int) -> pa.Table:
    """Rows of four kinds, in order of time; columns that a kind does not have are null."""
    random = np.random.default_rng(7)
    name = random.choice(np.array(["velocity", "entersArea", "gap_start", "proximity"]), rows, p=[0.7, 0.1, 0.1, 0.1])
    start = np.sort(random.integers(0, rows, rows))
    speed, course, heading = (np.round(random.uniform(0, top, rows), 1) for top in (30, 360, 360))
    vessel, other = (np.char.add("v", random.integers(0, 5000, rows).astype("U")) for _ in range(2))
    area = np.char.add("area_", random.integers(0, 50, rows).astype("U"))
    moving, near = name == "velocity", name == "proximity"
    columns = {
        "event": pa.array(name).dictionary_encode(),
        "time": pa.array(start),
        "end": pa.array(start + 60, mask=~near),
        "vessel": pa.array(vessel).dictionary_encode(),
        "other": pa.array(other, mask=~near).dictionary_encode(),
        "area": pa.array(area, mask=name != "entersArea").dictionary_encode(),
        "speed": pa.array(speed, mask=~moving),
        "course": pa.array(course, mask=~moving),
        "heading": pa.array(heading, mask=~moving),
    }
    return pa.table(columns)


def rtec_text(table: pa.Table) -> str:
    """The same rows in RTEC's CSV."""
    lines = []
    for row in table.to_pylist():
        name, start, end = row["event"], row["time"], row["end"]
        when = f"{start}|{start}" if end is None else f"{end}|{start}|{end}|true"
        args = "|".join(str(row[column]) for column in MAPPING.arguments[name])
        lines.append(f"{name}|{when}|{args}\n")
    return "".join(lines)


def measure(label: str, source: EventSource, rows: int) -> None:
    taken = []
    for _ in range(ROUNDS + 1):
        began, worked = time.perf_counter(), time.process_time()
        events = source.read(INPUTS)
        taken.append((time.perf_counter() - began, time.process_time() - worked))
        used = sum(len(block) for block in events.blocks)
        assert used == rows, f"{label}: {used} of {rows} rows; {events.rejects.slice(0, 1).to_pylist()}"
    seconds, work = map(min, zip(*taken[1:], strict=True))  # the first one warms up
    print(f"{label:<22} {seconds:6.2f} s   {rows / seconds / 1e6:6.2f} M rows/s   {work:6.2f} s of CPU")


def main(rows: int = 1_000_000) -> None:
    table = simulate(rows)
    with tempfile.TemporaryDirectory() as folder:
        rtec, header, parquet = (Path(folder, name) for name in ("rtec.csv", "header.csv", "events.parquet"))
        rtec.write_text(rtec_text(table))
        plain = [pa.field(f.name, pa.string()) if pa.types.is_dictionary(f.type) else f for f in table.schema]
        pa.csv.write_csv(table.cast(pa.schema(plain)), header)
        pq.write_table(table, parquet)
        print(f"{rows} rows, load {os.getloadavg()[0]:.1f}")
        measure("RTEC CSV", read_events(rtec), rows)
        measure("CSV with a header", read_events(header, mapping=MAPPING), rows)
        measure("Parquet", read_events(parquet, mapping=MAPPING), rows)
        measure("Arrow table", read_events(table, mapping=MAPPING), rows)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
