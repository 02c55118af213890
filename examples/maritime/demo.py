"""The demonstration: simulated vessels, what the rules recognise in their tracks, tables and a page of timelines."""

from __future__ import annotations

import re
import sys
import time as clock
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa

if __name__ == "__main__" and not __package__:  # run as a file: let the relative imports find the folder
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    __package__ = "examples.maritime"

import holdsfor
from holdsfor.cli.output.console import progress, say, show
from holdsfor.errors import HoldsforError
from holdsfor.io.readers.read import EventSource
from holdsfor.io.tables.write import write_tables
from holdsfor.language import EventDescription
from holdsfor.view import timeline

from .simulate import Simulation, simulate

FOLDER = Path(__file__).parent
HOUR = 3600
EVENTS, VESSELS, SEED = 100_000, 200, 7
WINDOW, STEP = 4 * HOUR, HOUR
FINDINGS = ("rendezVous", "illegalFishing", "tugging", "pilotBoarding", "loitering")


def main(out: Path, engine: str = "spark") -> None:
    """Writes events, tables and timeline.html to the folder and prints what was found."""
    begin = clock.perf_counter()
    with progress("Simulating vessels"):
        run = simulate(events=EVENTS, vessels=VESSELS, seed=SEED, delayed=0.05, delay=1200)
        files = run.write(out / "events")
    rules = [FOLDER / "rules.ec", FOLDER / "background.ec", out / "events" / "fleet.ec"]
    say(_introduction(run))
    description = holdsfor.load(*rules)
    events = holdsfor.read_events(files, format="columns", mapping=out / "events" / "mapping.toml")
    recognising = clock.perf_counter()
    with progress("Recognising" + (" on local Spark" if engine == "spark" else "")):
        tables = _recognise(description, events, engine)
    recognised = clock.perf_counter() - recognising
    write_tables(tables, out)
    page = timeline(tables["intervals"], tables["occurrences"], out / "timeline.html", title="Maritime demo")
    _summarise(tables["intervals"])
    _findings(tables, _vessel_types(run))
    say(f"\nRecognised in {recognised:.1f} s, {clock.perf_counter() - begin:.1f} s in all.")
    say(f"Timeline: {page.resolve().as_uri()}\nTables:   {out}/intervals.parquet, {out}/occurrences.parquet")
    say(f"Events:   {out / 'events'}   Rules: {rules[0]}")


def _introduction(run: Simulation) -> str:
    times = run.table["time"]
    hours = (times[-1].as_py() - times[0].as_py()) / HOUR
    return f"{run.table.num_rows:,} events of {VESSELS} simulated vessels in {hours:.0f} hours; some arrive late."


def _recognise(description: EventDescription, events: EventSource, engine: str) -> dict[str, pa.Table]:
    if engine == "spark":
        return _on_spark(description, events)
    if engine != "local":
        raise HoldsforError(f"there is no engine {engine!r}. Write 'spark' or 'local'.")
    result = holdsfor.recognise(description, events, window=WINDOW, step=STEP)
    return {"intervals": result.intervals, "occurrences": result.occurrences}


def _on_spark(description: EventDescription, events: EventSource) -> dict[str, pa.Table]:
    from holdsfor.spark import recognise, session

    result = recognise(session(), description, events, window=WINDOW, step=STEP)
    return {"intervals": result.intervals.toArrow(), "occurrences": result.occurrences.toArrow()}


# ---------------------------------------------------------------- what is printed


def _summarise(intervals: pa.Table) -> None:
    """A line for each fluent and value."""
    last = max(intervals["start"].to_pylist() + [end for end in intervals["end"].to_pylist() if end is not None])
    found: dict[str, tuple[int, set[tuple[str, ...]], int]] = {}
    for row in intervals.to_pylist():
        name = row["fluent"] + ("" if row["value"] == "true" else f"={row['value']}")
        count, who, total = found.get(name, (0, set(), 0))
        length = (last if row["end"] is None else row["end"]) - row["start"]
        found[name] = (count + 1, who | {tuple(row["args"])}, total + length)
    lines = [(name, count, len(who), round(total / HOUR)) for name, (count, who, total) in sorted(found.items())]
    show("What holds", ("fluent", "intervals", "of vessels, pairs, ...", "hours in all"), lines)


def _findings(tables: dict[str, pa.Table], types: dict[str, str]) -> None:
    """The longest of the most interesting, and the latest alarms."""

    def who(args: list[str]) -> str:
        return ", ".join(f"{arg} ({types[arg]})" if arg in types else arg for arg in args)

    lines: list[tuple[object, ...]] = []
    rows = [row for row in tables["intervals"].to_pylist() if row["end"] is not None]
    for fluent in FINDINGS:
        mine = sorted((row for row in rows if row["fluent"] == fluent), key=lambda row: row["start"] - row["end"])
        lines += [
            (fluent, who(row["args"]), _utc(row["start"]), _utc(row["end"]), f"{(row['end'] - row['start']) // 60} min")
            for row in mine[:2]
        ]
    alarms = sorted(tables["occurrences"].to_pylist(), key=lambda row: row["start"])
    for row in alarms[-3:]:
        lines.append((f"{row['event']}: {row['args'][0]}", who(row["args"][1:]), _utc(row["start"]), "", ""))
    show("Worth a look", ("fluent", "args", "start", "end", "duration"), lines)


def _utc(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%d %b %H:%M:%S")


def _vessel_types(run: Simulation) -> dict[str, str]:
    return dict(re.findall(r"^vesselType\((\w+),(\w+)\)\.$", run.facts, re.MULTILINE))


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out/demo"), *sys.argv[2:3])
