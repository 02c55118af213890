"""Spark batch on local[2]: simulated maritime events from Parquet to Parquet.

python -m benchmarks.spark_batch [EVENTS]: events a second of each run, the CPU time of all processes (which tells more
than the clock where others use the machine), the share of task time spent in kernels, and the greatest memory of the
driver and the workers together.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import time
from pathlib import Path

import holdsfor
import holdsfor.spark
from examples.maritime.simulate import simulate

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "maritime"
RUNS = 4


def main() -> None:
    events = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        begun = time.perf_counter()
        simulate(events=events).write(data)
        print(f"simulated {events:,} events in {time.perf_counter() - begun:.0f} s")
        measure(data, Path(folder) / "out", events)


def measure(data: Path, out: Path, events: int) -> None:
    description = holdsfor.load(EXAMPLE / "rules.ec", EXAMPLE / "background.ec", data / "fleet.ec")
    source = holdsfor.read_events(data, format="columns", mapping=data / "mapping.toml")
    spark = holdsfor.spark.session(master="local[2]")
    memory = Memory()
    memory.start()
    for run in range(RUNS):
        begun, cpu = time.perf_counter(), cpu_seconds(os.getpid())
        result = holdsfor.spark.recognise(spark, description, source, window=14_400, step=3_600, out=out)
        seconds, cpu = time.perf_counter() - begun, cpu_seconds(os.getpid()) - cpu
        print(
            f"run {run + 1}: {seconds:5.1f} s, {events / seconds / 1e6:.2f}M events/s, CPU {cpu:.1f} s, "
            f"{result.metrics['intervals_out']:,} intervals, kernels {kernel_share(result.metrics):.0%} of task time, "
            f"load {os.getloadavg()[0]:.1f}"
        )
    memory.stop = True
    print(f"greatest resident memory of driver and workers together: {memory.most / 1024:.1f} GB")
    spark.stop()


def kernel_share(metrics: dict[str, float]) -> float:
    parts = ("seconds_reading", "seconds_sharing", "seconds_preparing", "seconds_in_kernels", "seconds_writing")
    return metrics["seconds_in_kernels"] / sum(metrics[part] for part in parts)


class Memory(threading.Thread):
    """Looks at the resident memory of this process and all below it, twice a second."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.most = 0.0
        self.stop = False

    def run(self) -> None:
        while not self.stop:
            self.most = max(self.most, sum(map(resident_mb, family(os.getpid()))))
            time.sleep(0.5)


def family(process: int) -> list[int]:
    try:
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
        others = [p.name for p in Path(f"/proc/{process}/task").iterdir() if p.name != str(process)]
        for thread in others:
            children += Path(f"/proc/{process}/task/{thread}/children").read_text().split()
    except OSError:
        children = []
    return [process, *(one for child in children for one in family(int(child)))]


def cpu_seconds(process: int) -> float:
    """Of a process and all below it, those that have ended included."""
    total = 0
    for each in family(process):
        try:
            fields = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += sum(map(int, fields[11:15]))  # its own, and of children that it has waited for
    return total / os.sysconf("SC_CLK_TCK")


def resident_mb(process: int) -> float:
    """Proportional, so that memory shared by forked workers counts once."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:")), 0.0)


if __name__ == "__main__":
    main()
