"""Explanations of a large history: 1M maritime rows as Parquet and 17 fluents.

Usage: python -m benchmarks.why [VESSELS ROWS QUESTIONS]. Prints quantiles over random intervals: why at a random point
of one, with the input read before (warm); why not at a random point beside one, with its changes verified; and
`holdsfor why` in a process of its own, with reading (cold). Each by the clock and of CPU, with the load of the machine.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import holdsfor
from benchmarks.maritime import cpu_seconds, with_compiled_modules
from benchmarks.rtec_fleet import write_fleet
from examples.maritime.simulate import simulate
from holdsfor.errors import HoldsforError
from holdsfor.io.columns.text import as_text
from holdsfor.io.events import Block

COLD, SEED = 10, 7


def main(vessels: int = 5_000, rows: int = 1_000_000, questions: int = 1_000) -> None:
    with tempfile.TemporaryDirectory() as folder:
        files = write_fleet(simulate(rows, vessels=vessels), Path(folder))
        rules = [str(files.rules), str(files.background)]
        description = holdsfor.load(*rules)
        write_parquet(description, str(files.events), Path(folder))
        run = [*rules, "--mapping", f"{folder}/mapping.toml", "--engine", "local", "-o", f"{folder}/out"]
        call(["run", *run])
        measure_warm(description, Path(folder), questions)
        measure_cold(Path(folder) / "out")


def write_parquet(description: holdsfor.EventDescription, events: str, folder: Path) -> None:
    """Write each event as a Parquet file, and the mapping that reads them."""
    lines = []
    for block in holdsfor.read_events(events, format="rtec").read(description.inputs).blocks:
        pq.write_table(_table(block), folder / f"{block.name}.parquet")
        kind = "events" if block.kind == "event" else "fluents"
        columns = ", ".join(f'"arg{n}"' for n in range(1, len(block.args) + 1))
        lines += [f"[tables.{block.name}]", f'files = "{block.name}.parquet"', f'event = "{block.name}"']
        lines += ['arrival = "arrival"', f"{kind}.{block.name} = [{columns}]"]
    (folder / "mapping.toml").write_text("\n".join(lines))


def _table(block: Block) -> pa.Table:
    columns = {f"arg{n}": _as_numbers(arg) for n, arg in enumerate(block.args, 1)} | {
        "time": block.start,
        "arrival": block.arrival,
    }
    if block.end is not None:
        columns |= {"end": block.end, "value": as_text(block.value)}
    return pa.table(columns)


def _as_numbers(column: pa.Array) -> pa.Array:
    """Return terms that are all numbers as floats: a column of text would be names."""
    try:
        return column if pa.types.is_integer(column.type) else as_text(column).cast(pa.string()).cast(pa.float64())
    except pa.ArrowInvalid:
        return as_text(column)


def call(arguments: list[str]) -> None:
    command = [sys.executable, "-m", "holdsfor", *arguments]
    subprocess.run(command, check=True, capture_output=True, env=with_compiled_modules())


def measure_warm(description: holdsfor.EventDescription, folder: Path, questions: int) -> None:
    """Print how long answers take when the input has been read."""
    source = holdsfor.read_events(
        {path.stem: str(path) for path in sorted(folder.glob("*.parquet"))}, mapping=folder / "mapping.toml"
    )
    result, random = holdsfor.recognise(description, source), Random(SEED)
    chosen = sorted(random.sample(range(len(result.intervals)), questions))
    rows = result.intervals.take(pa.array(chosen)).to_pylist()
    last = result.metrics["end"]
    asked = [
        (row, random.randrange(row["start"], min(row["end"] or last + 1, last + 1)))
        for row in rows
        if row["start"] <= last
    ]
    beside = [(row, row["start"] - 1) for row in rows if row["start"] - 1 > result.metrics["start"]]
    result.why(fact_text(rows[0]), at=rows[0]["start"])
    report("why, warm", [partial(_explain, result, row, at) for row, at in asked])
    report("why not, warm", [partial(_deny, result, row, at) for row, at in beside])


def fact_text(row: dict[str, object]) -> str:
    return f"{row['fluent']}({','.join(row['args'])})={row['value']}"  # type: ignore[arg-type]


def _explain(result: holdsfor.Result, row: dict[str, object], at: int) -> None:
    result.why(fact_text(row), at=at).as_dict()


def _deny(result: holdsfor.Result, row: dict[str, object], at: int) -> None:
    with suppress(HoldsforError):  # it held just before, too: input
        result.why_not(fact_text(row), at=at).as_dict()


def measure_cold(out: Path) -> None:
    """Print how long the command takes with all that it reads."""
    intervals, random = pq.read_table(out / "intervals.parquet"), Random(SEED)
    rows = intervals.take(pa.array(random.sample(range(len(intervals)), COLD))).to_pylist()
    questions = [["why", str(out), fact_text(row), "--at", str(row["start"])] for row in rows]
    report("why, cold", [partial(call, question) for question in questions])


def report(label: str, questions: list[Callable[[], object]]) -> None:
    """Print quantiles of what questions take."""
    taken = defaultdict(list)
    for ask in questions:
        begun, worked = time.perf_counter(), cpu_seconds()
        ask()
        taken["clock"].append(time.perf_counter() - begun)
        taken["cpu"].append(cpu_seconds() - worked)
    for kind, seconds in taken.items():
        p50, p95, most = np.percentile(seconds, [50, 95, 100]) * 1000
        print(f"{label:<16} {kind:<6} p50 {p50:7.0f} ms   p95 {p95:7.0f} ms   most {most:7.0f} ms   of {len(seconds)}")
    print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
