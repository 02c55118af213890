"""How long a small run on Spark takes: as a command from a cold start, and in a session that is warm.

python -m benchmarks.spark_start [EVENTS]: simulated maritime events from Parquet to Parquet, local[2]. The first
command leaves an archive of Spark's classes, which those after it take.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import holdsfor
import holdsfor.spark
from benchmarks.spark_batch import EXAMPLE
from examples.maritime.simulate import simulate

COLD, WARM = 3, 6


def main() -> None:
    events = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as folder:
        data, out = Path(folder) / "data", Path(folder) / "out"
        simulate(events=events).write(data)
        for run in range(COLD):
            print(f"command {run + 1}: {measure_command(data, out):.1f} s, load {os.getloadavg()[0]:.1f}", flush=True)
        measure_session(data, out)


def measure_command(data: Path, out: Path) -> float:
    rules = [str(EXAMPLE / "rules.ec"), str(EXAMPLE / "background.ec"), str(data / "fleet.ec")]
    command = [sys.executable, "-m", "holdsfor", "run", *rules, "--engine", "spark", "--master", "local[2]"]
    command += ["--events", *map(str, sorted(data.glob("*.parquet"))), "--mapping", str(data / "mapping.toml")]
    command += ["--window", "4h", "--step", "1h", "-o", str(out)]
    begun = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - begun


def measure_session(data: Path, out: Path) -> None:
    description = holdsfor.load(EXAMPLE / "rules.ec", EXAMPLE / "background.ec", data / "fleet.ec")
    source = holdsfor.read_events(data, format="columns", mapping=data / "mapping.toml")
    spark = holdsfor.spark.session(master="local[2]")
    for run in range(WARM):
        begun = time.perf_counter()
        holdsfor.spark.recognise(spark, description, source, window=14_400, step=3_600, out=out)
        print(f"in one session, run {run + 1}: {time.perf_counter() - begun:.2f} s", flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
