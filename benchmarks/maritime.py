"""A user's second: 1M maritime rows of RTEC's CSV and 21 fluents, from files to Parquet (reads ../shared/prototypes).

Usage: python benchmarks/maritime.py [VESSELS ROWS]. Prints wall seconds, the best of some rounds: `holdsfor run` in a
cold process, and `recognise` in a warm one, with its parts.
"""

from __future__ import annotations

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
        print(f"cold, command line to Parquet   {best(lambda: run_cold(rules, events, out)):6.2f} s")
        measure_warm(rules, events, out)


def run_cold(rules: list[str], events: str, out: str) -> None:
    options = ["--events", events, "--format", "rtec", "--engine", "local", "-o", out]
    subprocess.run([sys.executable, "-m", "holdsfor", "run", *rules, *options], check=True, capture_output=True)


def measure_warm(rules: list[str], events: str, out: str) -> None:
    description = holdsfor.load(*rules)
    source = holdsfor.read_events(events, format="rtec")
    result = holdsfor.recognise(description, source)
    print(f"warm, rules and 20,000 facts    {best(lambda: holdsfor.load(*rules)):6.2f} s")
    print(f"warm, reading                   {best(lambda: source.read(description.inputs)):6.2f} s")
    print(f"warm, recognise (with reading)  {best(lambda: holdsfor.recognise(description, source)):6.2f} s")
    tables = {"intervals": result.intervals, "occurrences": result.occurrences}
    print(f"warm, writing                   {best(lambda: write_tables(tables, out)):6.2f} s")


def best(work: Callable[[], object]) -> float:
    """The seconds of the fastest round, after one to warm up."""
    seconds = []
    for _ in range(ROUNDS + 1):
        begun = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - begun)
    return min(seconds[1:])


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
