"""A user's second: 1M maritime rows of RTEC's CSV and 21 fluents, from files to Parquet (reads ../shared/prototypes).

Usage: [RTEC=<checkout of RTEC> [SWIPL=swipl]] python -m benchmarks.maritime [VESSELS ROWS]. Prints seconds, by the
clock and of CPU, each the least of some rounds: `holdsfor run` in a cold process, and `recognise` in a warm one, with
its parts. With RTEC also what that takes, once: its reading and its recognition, without loading and printing, and how
many times as long that is.
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
from benchmarks.rtec import Measured, measure_rtec
from holdsfor.cli.start.rtec_defaults import Defaults
from holdsfor.io.tables.write import write_tables

PROTOTYPES = Path(__file__).resolve().parents[2] / "shared" / "prototypes"
ROUNDS = 5
#: What RTEC needs to be told of the fluents, and we do not.
GROUNDINGS = """
grounding(withinArea(V,AT)=true) :- vessel(V), areaT(AT).
grounding(gap(V)=S) :- vessel(V), portStatus(S).
grounding(stopped(V)=S) :- vessel(V), portStatus(S).
grounding(movingSpeed(V)=S) :- vessel(V), movingStatus(S).
grounding(lowSpeed(V)=true) :- vessel(V).
grounding(changingSpeed(V)=true) :- vessel(V).
grounding(highSpeedNearCoast(V)=true) :- vessel(V).
grounding(tuggingSpeed(V)=true) :- vessel(V).
grounding(trawlSpeed(V)=true) :- vessel(V).
grounding(trawlingMovement(V)=true) :- vessel(V).
grounding(underWay(V)=true) :- vessel(V).
grounding(drifting(V)=true) :- vessel(V).
grounding(anchoredOrMoored(V)=true) :- vessel(V).
grounding(trawling(V)=true) :- vessel(V).
grounding(loitering(V)=true) :- vessel(V).
grounding(proximity(V,W)=true) :- vpair(V,W).
grounding(rendezVous(V,W)=true) :- vpair(V,W).
grounding(tugging(V,W)=true) :- vpair(V,W).
"""


class Taken(NamedTuple):
    """Seconds."""

    clock: float
    cpu: float


def main(vessels: int = 5_000, rows: int = 1_000_000) -> None:
    if not PROTOTYPES.exists():
        print("maritime: ../shared is absent, so there is nothing to measure")
        return
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(PROTOTYPES / "export_events.py"), str(vessels), str(rows)]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        rules = [str(PROTOTYPES / "maritime.ec"), f"{folder}/maritime_{vessels}_background.ec"]
        events, out = f"{folder}/maritime_{vessels}.csv", f"{folder}/out"
        cold = measure("cold, command line to Parquet", lambda: run_cold(rules, events, out))
        warm = measure_warm(rules, events, out)
        if "RTEC" in os.environ:
            report_rtec(run_rtec(Path(os.environ["RTEC"]), rules, events, Path(folder)), cold, warm)


def run_rtec(checkout: Path, rules: list[str], events: str, folder: Path) -> Measured:
    """One window over all of the stream, in a copy of the checkout."""
    copy, own = folder / "rtec", folder / "rules.prolog"
    shutil.copytree(checkout, copy, ignore=shutil.ignore_patterns(".git"))
    own.write_text(Path(rules[0]).read_text() + GROUNDINGS)
    durations = copy / "examples" / "maritime" / "resources" / "auxiliary" / "compare.prolog"  # has intDurGreater
    with open(events, encoding="utf-8") as lines:
        end = max(int(line.split("|", 2)[1]) for line in lines) + 1
    files = [own, durations, Path(rules[1])]
    return measure_rtec("maritime", Defaults(files, [events], None, end, end, 0, end, 1), copy)


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
