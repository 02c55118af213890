"""What each mechanism for speed gives: python -m benchmarks.ablation [start | spark | session | reading ...].

Each is switched off alone, and with and without it take turns in one sitting; the least of some rounds counts. Ratios
are of time without it to time with it. Parts that shorten a start are switched off by `HOLDSFOR_WITHOUT`, thresholds of
sessions by `Tuning`. All ways must give the same answer. The table is docs/benchmarks.md#what-each-mechanism-gives.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import holdsfor
from benchmarks.incremental import VESSELS, WINDOW, Fleet, checksum
from benchmarks.maritime import with_compiled_modules
from benchmarks.stream import EXAMPLE
from examples.maritime.simulate import simulate
from holdsfor.engine.tuning import DEFAULT, Tuning
from holdsfor.language.parsing import clauses
from holdsfor.startup import SWITCH
from tests.tuned import tuned

ROUNDS, TURNS = 5, 3
NEVER = 1 << 60
RULES = [str(EXAMPLE / "rules.ec"), str(EXAMPLE / "background.ec")]
PROGRAM = "import sys, holdsfor; holdsfor.recognise(holdsfor.load(*sys.argv[3:]), sys.argv[1], mapping=sys.argv[2])"


class Way(NamedTuple):
    """How a session evaluates."""

    tuning: Tuning = DEFAULT
    incremental: bool = True


DENSE = {
    "all of them": Way(),
    "scripts of conditions": Way(replace(DEFAULT, script_rows=0, many_late=NEVER)),
    "late rows confirmed": Way(replace(DEFAULT, many_late=NEVER)),
    "evaluation by what changes": Way(incremental=False),
}
SPARSE = {"all of them": Way(), "carriers": Way(replace(DEFAULT, most_carriers=0))}


def main(parts: Sequence[str] = ()) -> None:
    for part, measure in PARTS.items():
        if part in parts or not parts:
            with tempfile.TemporaryDirectory() as folder:
                measure(Path(folder))


# ---------------------------------------------------------------- starts


def measure_start(folder: Path) -> None:
    events, data = write_events(folder, 300_000)
    rules = [*RULES, str(data / "fleet.ec")]
    run = [sys.executable, "-m", "holdsfor", "run", *rules, *events, "--engine", "local", "-o", str(folder / "out")]
    program = [sys.executable, "-c", PROGRAM, events[-1], str(data / "mapping.toml"), *rules]
    measure_commands("holdsfor run, 300,000 rows", run, ["worker", "numba_cache"])
    measure_commands("a program that recognises them", program, ["numba_cache"])


def measure_spark(folder: Path) -> None:
    events, data = write_events(folder, 100_000)
    warm = [sys.executable, "-m", "holdsfor", "warm"]
    subprocess.run(warm, check=True, capture_output=True)  # makes the archive of classes
    run = [*warm[:-1], "run", *RULES, str(data / "fleet.ec"), *events, "--engine", "spark", "--master", "local[2]"]
    parts = ["daemon,standby", "standby", "archive", "lean_home", "archive,lean_home"]
    measure_commands("holdsfor run on Spark, 100,000 rows", [*run, "-o", str(folder / "out")], parts)


def write_events(folder: Path, rows: int) -> tuple[list[str], Path]:
    """Write simulated events; return the options that name them, and their folder."""
    simulate(events=rows).write(folder)
    (table,) = sorted(folder.glob("*.parquet"))
    return ["--mapping", str(folder / "mapping.toml"), "--window", "4h", "--step", "1h", "--events", str(table)], folder


def measure_commands(label: str, command: Sequence[str], parts: Sequence[str]) -> None:
    """Print the seconds, by the clock, of a command with all parts, and without each."""
    ways = {"all of them": "", **{part.replace(",", " and "): part for part in parts}}
    seconds = take_turns({name: partial(run_without, command, part) for name, part in ways.items()})
    report(label, seconds, "s")


def run_without(command: Sequence[str], part: str) -> float:
    begun = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env={**with_compiled_modules(), SWITCH: part})
    return time.perf_counter() - begun


# ---------------------------------------------------------------- sessions


def measure_session(folder: Path) -> None:
    fleet, step = Fleet.of(simulate(hours=6.5, vessels=VESSELS), folder), WINDOW // 16
    for share in (0.0, 0.05, 0.2):
        delayed, begun = fleet.delay(share, WINDOW), fleet.start + WINDOW
        times = [begun + step * number for number in range(8)]
        rows = [delayed.arrived(fleet.start if at == begun else at - step, at) for at in times]
        measure_sessions(f"window/step 16, {share:.0%} late", delayed, step, list(zip(rows, times, strict=True)), DENSE)
    for silence in (5 * 60, 40 * 60):
        fleet, step = Fleet.of(simulate(hours=0.75, vessels=40_000), folder).delay(0, WINDOW), 180
        measure_sessions(f"1 % of vessels, {silence // 60} min later", fleet, step, thin_out(fleet, silence), SPARSE)


def thin_out(fleet: Fleet, silence: int) -> list[tuple[pa.Table, int]]:
    """Return all rows of half an hour, a silence, and then those of one vessel in a hundred."""
    busy, step = fleet.start + 1800, 180
    steps = [(fleet.arrived(fleet.start, busy), busy), (fleet.table.slice(0, 0), busy + silence)]
    vessels = pc.unique(fleet.table["vessel"].cast(pa.string()))
    few = vessels.slice(0, len(vessels) // 100)
    for query_time in range(busy + step, busy + 5 * step + 1, step):
        rows = fleet.arrived(query_time - step, query_time)
        rows = rows.filter(pc.and_(pc.is_in(rows["vessel"].cast(pa.string()), few), pc.is_null(rows["other"])))
        for name in ("time", "arrival"):
            rows = rows.set_column(rows.column_names.index(name), name, pc.add(rows[name], silence))
        steps.append((rows, query_time + silence))
    return steps


def measure_sessions(
    label: str, fleet: Fleet, step: int, steps: Sequence[tuple[pa.Table, int]], ways: Mapping[str, Way]
) -> None:
    """Print the milliseconds of CPU that a query time takes: sessions get the same rows in one process, in turn."""
    spent = np.full((len(ways), len(steps)), np.inf)
    for turn in range(TURNS):
        gc.collect()
        sessions = [begin_session(fleet, step, way) for way in ways.values()]
        for place, (rows, query_time) in enumerate(steps):
            for number in range(len(ways))[:: 1 if (turn + place) % 2 else -1]:
                sessions[number].add(rows, mapping=fleet.mapping)
                worked = time.process_time()
                sessions[number].advance(query_time)
                spent[number, place] = min(spent[number, place], 1000 * (time.process_time() - worked))
        if len({checksum(session.current()) for session in sessions}) > 1:
            raise AssertionError("sessions do not know the same")
    report(label, dict(zip(ways, spent[:, 2:].mean(axis=1).tolist(), strict=True)), "ms")


def begin_session(fleet: Fleet, step: int, way: Way) -> holdsfor.Session:
    start = fleet.begin_history(step)
    session = holdsfor.session(
        fleet.description, window=WINDOW, step=step, start=start, keep=WINDOW, incremental=way.incremental
    )
    return tuned(session, way.tuning)


# ---------------------------------------------------------------- reading


def measure_reading(folder: Path) -> None:
    facts, random, rows = folder / "facts.ec", np.random.default_rng(1), 1_000_000
    keys, speeds = random.integers(0, 5_000, rows).tolist(), random.random(rows).tolist()
    pairs = enumerate(zip(keys, speeds, strict=True))
    text = "".join(f"speed,{at},v{key},{30 * speed:.1f}\n" for at, (key, speed) in pairs)
    # Such quotes leave a file to Arrow's reader.
    firsts = {
        "all of them": "v0",
        "kernels for text": '"quotes ""in"" a field"',
    }
    ways = {name: partial(read_rows, folder / f"{name}.csv", text, first) for name, first in firsts.items()}
    report("1M rows of CSV", take_turns(ways), "s of CPU")
    facts.write_text("".join(f"ship(v{number},cargo,{number % 300}).\n" for number in range(200_000)))
    counts = {"all of them": clauses.VERY_MANY, "kernels for facts": NEVER}
    seconds = take_turns({name: partial(load_facts, facts, count) for name, count in counts.items()})
    report("200,000 facts", seconds, "s of CPU")


def read_rows(path: Path, text: str, first: str) -> float:
    """Return the CPU that reading takes of a file with these rows, and a first one about another key."""
    path.write_text(f"event,time,v,s\nspeed,0,{first},1.0\n{text}")
    mapping = {"name": "event", "time": "time", "events": {"speed": ["v", "s"]}}
    inputs = holdsfor.parse("initiatedAt(fast(V)=true, T) :- happensAt(speed(V,S), T), S > 20.").inputs
    source = holdsfor.read_events(path, format="columns", mapping=mapping)
    return cpu_of(lambda: source.read(inputs))


def load_facts(path: Path, from_how_many: int) -> float:
    """Return the CPU that facts take, where so many of one name are read by kernels, and fewer by the parser."""
    clauses.VERY_MANY = from_how_many
    return cpu_of(lambda: holdsfor.load(path))


def cpu_of(work: Callable[[], object]) -> float:
    worked = time.process_time()
    work()
    return time.process_time() - worked


# ---------------------------------------------------------------- rounds and report


def take_turns(ways: Mapping[str, Callable[[], float]]) -> dict[str, float]:
    """Return the least of some rounds for each way, after a first one that is not counted."""
    rounds = [{name: measure() for name, measure in ways.items()} for _ in range(ROUNDS + 1)]
    return {name: min(each[name] for each in rounds[1:]) for name in ways}


def report(label: str, taken: Mapping[str, float], unit: str) -> None:
    """Print a line of the table for each mechanism; the first way has them all."""
    with_all, *_ = taken.values()
    for name, without in list(taken.items())[1:]:
        times = f"{with_all:.2f} {unit} | {without:.2f} {unit} | {without / with_all:.2f}"
        print(f"| {label} | {name} | {times} |", flush=True)


PARTS = {"start": measure_start, "spark": measure_spark, "session": measure_session, "reading": measure_reading}

if __name__ == "__main__":
    print(f"load {os.getloadavg()[0]:.1f}\n\n| what | without | with it | without it | ratio |\n|---|---|---|---|---|")
    main(sys.argv[1:])
