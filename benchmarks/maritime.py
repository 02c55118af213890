"""A user's second: 1M maritime rows of RTEC's CSV and 21 fluents, from files to Parquet.

Usage: [RTEC=<checkout of RTEC> [SWIPL=swipl]] python -m benchmarks.maritime [VESSELS ROWS]. Simulates a fleet. Prints
seconds, by the clock and of CPU, each the least of some rounds: `holdsfor run` in a cold process, and `recognise` in a
warm one, with its parts. With RTEC also what that takes, once: its reading and its recognition, without loading and
printing, how many times as long that is, and how many intervals agree.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import holdsfor
from benchmarks.rtec import Measured, ending, measure_rtec, named
from benchmarks.rtec_fleet import RtecFiles, write_fleet
from examples.maritime.simulate import simulate
from holdsfor.cli.start.rtec_defaults import Defaults
from holdsfor.io.tables.write import write_tables

ROUNDS = 5


class Taken(NamedTuple):
    """Seconds."""

    clock: float
    cpu: float


def main(vessels: int = 5_000, rows: int = 1_000_000) -> None:
    with tempfile.TemporaryDirectory() as folder:
        files = write_fleet(simulate(rows, vessels=vessels), Path(folder))
        rules, events, out = [str(files.rules), str(files.background)], str(files.events), f"{folder}/out"
        cold = measure("cold, command line to Parquet", lambda: run_cold(rules, events, out))
        warm = measure_warm(rules, events, out)
        if "RTEC" in os.environ:
            theirs = run_rtec(Path(os.environ["RTEC"]), files, Path(folder))
            report_rtec(theirs, cold, warm)
            compare(theirs, files)


def run_rtec(checkout: Path, files: RtecFiles, folder: Path) -> Measured:
    """One window over all of the stream, in a copy of the checkout."""
    copy = folder / "rtec"
    shutil.copytree(checkout, copy, ignore=shutil.ignore_patterns(".git", "dataset"))
    durations = copy / "examples" / "maritime" / "resources" / "auxiliary" / "compare.prolog"  # has intDurGreater
    read = [files.rules, durations, files.background]
    return measure_rtec(
        "maritime", Defaults(read, [str(files.events)], None, files.last, files.last, 0, files.last), copy
    )


def compare(theirs: Measured, files: RtecFiles) -> None:
    """Print how many intervals both have."""
    description = holdsfor.load(files.rules, files.background)
    found = holdsfor.recognise(description, files.events, format="rtec", start=0, end=files.last).intervals.to_pylist()
    ours = {
        (named(row["fluent"], ",".join(row["args"]), row["value"]), row["start"], ending(row["end"], files.last))
        for row in found
    }
    print(f"{len(theirs.intervals):,} intervals of RTEC, {len(ours):,} here, {len(ours & theirs.intervals):,} in both")


def report_rtec(theirs: Measured, cold: Taken, warm: Taken) -> None:
    rtec = Taken(theirs.clock / 1000, (theirs.reading + theirs.recognition) / 1000)
    print(f"{'RTEC, reading and recognition':<32} {rtec.clock:6.2f} s   {rtec.cpu:6.2f} s of CPU")
    for label, ours in (("our cold run", cold), ("a warm one", warm)):
        by_clock, by_cpu = rtec.clock / ours.clock, rtec.cpu / ours.cpu
        print(f"RTEC takes {by_clock:.0f} times as long as {label} by the clock, {by_cpu:.0f} times the CPU")


def run_cold(rules: list[str], events: str, out: str) -> None:
    options = ["--events", events, "--format", "rtec", "--engine", "local", "-o", out]
    command = [sys.executable, "-m", "holdsfor", "run", *rules, *options]
    subprocess.run(command, check=True, capture_output=True, env=with_compiled_modules())


def with_compiled_modules() -> dict[str, str]:
    """The environment of a command as users have it: modules are compiled once and then found on disk."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def measure_warm(rules: list[str], events: str, out: str) -> Taken:
    """Gives what a recognition takes."""
    description = holdsfor.load(*rules)
    source = holdsfor.read_events(events, format="rtec")
    result = holdsfor.recognise(description, source)
    tables = {"intervals": result.intervals, "occurrences": result.occurrences}
    measure("warm, rules and 20,000 facts", lambda: holdsfor.load(*rules))
    measure("warm, reading", lambda: source.read(description.inputs))
    measure("warm, writing", lambda: write_tables(tables, out))
    return measure("warm, recognise (with reading)", lambda: holdsfor.recognise(description, source))


def measure(label: str, work: Callable[[], object]) -> Taken:
    """Prints and gives the least of some rounds, after one to warm up."""
    work()
    rounds = []
    for _ in range(ROUNDS):
        begun, worked = time.perf_counter(), cpu_seconds()
        work()
        rounds.append((time.perf_counter() - begun, cpu_seconds() - worked))
    least = Taken(*map(min, zip(*rounds, strict=True)))
    print(f"{label:<32} {least.clock:6.2f} s   {least.cpu:6.2f} s of CPU   load {os.getloadavg()[0]:.1f}")
    return least


def cpu_seconds() -> float:
    """Of this process and of those that it has waited for."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
