"""A user's second: 1M maritime rows of RTEC's CSV and 21 fluents, from files to Parquet (reads ../shared/prototypes).

Usage: python benchmarks/maritime.py [VESSELS ROWS]. Prints seconds, by the clock and of CPU, each the least of some
rounds: `holdsfor run` in a cold process, and `recognise` in a warm one, with its parts.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import holdsfor
from holdsfor.io.write import write_tables

PROTOTYPES = Path(__file__).resolve().parents[2] / "shared" / "prototypes"
ROUNDS = 5


def main(vessels: int = 5_000, rows: int = 1_000_000) -> None:
    if not PROTOTYPES.exists():
        print("maritime: ../shared is absent, so there is nothing to measure")
        return
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(PROTOTYPES / "export_events.py"), str(vessels), str(rows)]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        rules = [str(PROTOTYPES / "maritime.ec"), f"{folder}/maritime_{vessels}_background.ec"]
        events, out = f"{folder}/maritime_{vessels}.csv", f"{folder}/out"
        measure("cold, command line to Parquet", lambda: run_cold(rules, events, out))
        measure_warm(rules, events, out)


def run_cold(rules: list[str], events: str, out: str) -> None:
    options = ["--events", events, "--format", "rtec", "--engine", "local", "-o", out]
    command = [sys.executable, "-m", "holdsfor", "run", *rules, *options]
    subprocess.run(command, check=True, capture_output=True, env=with_compiled_modules())


def with_compiled_modules() -> dict[str, str]:
    """The environment of a command as users have it: modules are compiled once and then found on disk."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def measure_warm(rules: list[str], events: str, out: str) -> None:
    description = holdsfor.load(*rules)
    source = holdsfor.read_events(events, format="rtec")
    result = holdsfor.recognise(description, source)
    tables = {"intervals": result.intervals, "occurrences": result.occurrences}
    measure("warm, rules and 20,000 facts", lambda: holdsfor.load(*rules))
    measure("warm, reading", lambda: source.read(description.inputs))
    measure("warm, recognise (with reading)", lambda: holdsfor.recognise(description, source))
    measure("warm, writing", lambda: write_tables(tables, out))


def measure(label: str, work: Callable[[], object]) -> None:
    """Prints the least of some rounds, after one to warm up."""
    work()
    taken = []
    for _ in range(ROUNDS):
        begun, worked = time.perf_counter(), cpu_seconds()
        work()
        taken.append((time.perf_counter() - begun, cpu_seconds() - worked))
    wall, cpu = map(min, zip(*taken, strict=True))
    print(f"{label:<32} {wall:6.2f} s   {cpu:6.2f} s of CPU")


def cpu_seconds() -> float:
    """Of this process and of those that it has waited for."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
