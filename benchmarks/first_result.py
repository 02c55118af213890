"""The first result from a table of one's own: 0.3M readings in Parquet, `holdsfor run` with its default options."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.maritime import with_compiled_modules

ROWS, MACHINES, SECONDS = 300_000, 200, 7 * 86_400
RULES = """
initiatedAt(hot(Machine)=true, T) :- happensAt(temperature(Machine, Degrees), T), Degrees > 90.
terminatedAt(hot(Machine)=true, T) :- happensAt(temperature(Machine, Degrees), T), Degrees =< 85.
initiatedAt(leaking(Machine)=true, T) :- happensAt(pressure(Machine, Bar), T), Bar < 1.
terminatedAt(leaking(Machine)=true, T) :- happensAt(pressure(Machine, Bar), T), Bar >= 2.
holdsFor(critical(Machine)=true, I) :-
    holdsFor(hot(Machine)=true, Hot),
    holdsFor(leaking(Machine)=true, Leaks),
    intersect_all([Hot, Leaks], Both),
    intDurGreater(Both, 10 min, I).
"""
MAPPING = """
time = "ts"
[events]
temperature = ["machine_id", "temperature_c"]
pressure = ["machine_id", "pressure_bar"]
"""
ROUNDS = 3


def make_readings(path: Path) -> None:
    """Wide rows with time stamps, ids as they are in factories, and a null in each hundredth field."""
    random = np.random.default_rng(3)
    seconds = np.sort(random.integers(0, SECONDS, ROWS)).astype("timedelta64[s]")
    machines = pa.DictionaryArray.from_arrays(
        random.integers(0, MACHINES, ROWS).astype(np.int32), [f"M-{number:03d}" for number in range(MACHINES)]
    )
    columns = {"ts": pa.array((np.datetime64("2026-03-01") + seconds).astype("datetime64[us]")), "machine_id": machines}
    for name, mean, deviation in (("temperature_c", 75, 12), ("pressure_bar", 3, 1)):
        columns[name] = pa.array(random.normal(mean, deviation, ROWS), mask=random.random(ROWS) < 0.01)
    pq.write_table(pa.table(columns), path)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_readings(folder / "readings.parquet")
        (folder / "rules.ec").write_text(RULES, encoding="utf-8")
        (folder / "mapping.toml").write_text(MAPPING, encoding="utf-8")
        measure_run(folder)  # the first process may compile: then its kernels are on disk
        seconds, cpu = (min(each) for each in zip(*(measure_run(folder) for _ in range(ROUNDS)), strict=True))
    print(f"{ROWS:,} rows, default options, from start to end of the process: {seconds:.1f} s, {cpu:.1f} s of CPU")


def measure_run(folder: Path) -> tuple[float, float]:
    """Seconds by the clock, and of CPU."""
    command = [sys.executable, "-m", "holdsfor", "run", "rules.ec", "--events", "readings.parquet"]
    command += ["--mapping", "mapping.toml", "-o", "found"]
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, cwd=folder, env=with_compiled_modules())
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - begun, cpu


if __name__ == "__main__":
    main()
