"""RTEC's own applications, on RTEC and here: CPU time of reading and of recognition, and whether the intervals agree.

Usage: RTEC=<checkout of RTEC> [SWIPL=swipl] python -m benchmarks.rtec [APPLICATION...]

One window over the whole stream on both sides. RTEC's files are used as they are, in a copy of the checkout; netbill's
stream is made by its own generator, and caviar's pre-processing is Prolog, in whose place we read rules. RTEC's reading
is its loadNarrative, its recognition what it reports itself, which is without printing; so our recognition is counted
without the tables, whose time is given apart. Both sides take turns of about a second, ours with the median of many
runs, and of both the turn counts that other work on the machine has disturbed least.

Intervals that differ are listed by fluent and value, each with its reason if there is one that we know.
"""

from __future__ import annotations

import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import holdsfor
from holdsfor.cli.start.rtec_defaults import Defaults, read_defaults
from holdsfor.engine.data.dictionary import with_room
from holdsfor.engine.definitions.evaluate import evaluate, make_program
from holdsfor.engine.input.window import counted, find_windows, standing
from holdsfor.engine.stepping.history import find_history, prepare
from holdsfor.plan import plan

APPLICATIONS = ("toy", "caviar", "ctm", "voting", "netbill")
#: In the place of Prolog that asserts while it runs, the same as rules.
REPLACED = {"caviar": {"pre-processing.prolog": Path(__file__).parents[1] / "examples/caviar/pre-processing.ec"}}
TURNS, ROUNDS, SECONDS = 3, 9, 1.0  # of both sides; of ours in each turn at least so many, for so long
#: Where RTEC departs from its own semantics: `What differs, and why` in docs/moving-from-rtec.md.
DEPARTURES = {
    ("voting", "sanctioned=false"): "RTEC lets an initiation that is cancelled at its own point set a deadline",
    ("caviar", "distance=true"): "of our rules in the place of the program that asserts it, which RTEC does not print",
}
AGENTS, SEED = 300, 1  # of netbill's generator; as its own script has them
Intervals = set[tuple[str, int, int | None]]  # fluent with its value, start, end

#: Predicates that YAP has and SWI-Prolog has not.
GENERATE = (
    "assertz((srandom(S) :- set_random(seed(S)))), assertz((number_atom(N, A) :- atom_number(A, N))), "
    "consult('netbill_csv_data_generator.prolog'), createNarrative({start}, {end}, {agents}, {seed}), halt."
)
#: RTEC tells the CPU time of its recognition alone: these tell that of its reading, and what both take by the clock.
TIME_READING = (
    "wrap_predicate(loadNarrative(_,_,_,_,_,_,_), time, Load, ("
    "statistics(walltime, [W,_]), nb_setval(begun, W), statistics(runtime, [B,_]), Load, statistics(runtime, [E,_]), "
    "D is E-B, format('Reading Time: ~w~n', [D])))"
)
TIME_BY_CLOCK = (
    "wrap_predicate(writeResult(_,_), clock, Write, ("
    "statistics(walltime, [W2,_]), nb_getval(begun, W1), D2 is W2-W1, format('By the Clock: ~w~n', [D2]), Write))"
)


@dataclass(frozen=True, slots=True)
class Measured:
    """CPU milliseconds; intervals: what came out; clock: milliseconds of reading and recognition by the clock."""

    reading: float
    recognition: float
    intervals: Intervals
    tables: float = 0.0
    clock: float = 0.0


def main(applications: tuple[str, ...] = APPLICATIONS) -> None:
    checkout = os.environ.get("RTEC")
    if checkout is None:
        print("rtec: set RTEC to a checkout of RTEC, and SWIPL to SWI-Prolog if it is not in the path")
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "rtec")
        shutil.copytree(checkout, copy, ignore=shutil.ignore_patterns(".git"))
        for name in applications:
            defaults = prepared(name, copy)
            files = with_rules(name, defaults)
            turns = [(measure_rtec(name, defaults, copy), measure_here(files)) for _ in range(TURNS)]
            theirs, ours = map(least_of, zip(*turns, strict=True))
            report(name, theirs, ours)
            report_compiled(files, ours)


def prepared(name: str, rtec: Path) -> Defaults:
    """The application's table, with one window over everything."""
    defaults = read_defaults(rtec / "execution scripts" / "defaults.toml", name)
    start, end = defaults.start or 0, defaults.end or 0
    if name == "netbill":
        defaults = replace(defaults, events=[str(generate_netbill(rtec, start, end))])
    return replace(defaults, start=start, end=end, window=end - start, step=end - start)


def with_rules(name: str, defaults: Defaults) -> Defaults:
    """With rules where RTEC has a program."""
    replaced = REPLACED.get(name, {})
    return replace(defaults, rules=[replaced.get(path.name, path) for path in defaults.rules])


def generate_netbill(rtec: Path, start: int, end: int) -> Path:
    dataset = rtec / "examples" / "netbill" / "dataset"
    run_prolog(["-g", GENERATE.format(start=start, end=end, agents=AGENTS, seed=SEED)], dataset / "prolog")
    return dataset / "csv" / f"negotiation-{AGENTS}-{SEED}.csv"


def run_prolog(arguments: list[str], folder: Path) -> str:
    command = [os.environ.get("SWIPL", "swipl"), "-q", *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


# ---------------------------------------------------------------- RTEC


def measure_rtec(name: str, defaults: Defaults, rtec: Path, compiled: Path | None = None) -> Measured:
    """Let RTEC recognise. compiled: a file to run in the place of what RTEC's compiler makes of the rules."""
    rules, *background = defaults.rules
    if compiled is None:
        run_prolog(
            ["-l", str(rtec / "src" / "compiler.prolog"), "-g", f"compileED('{rules}',withoutOptimisation),halt."], rtec
        )
        compiled = rules.parent / "compiled_rules.prolog"
    results = rtec / "results"
    results.mkdir(exist_ok=True)
    options = {
        "event_description_files": quoted([*background, compiled]),
        "input_providers": quoted(defaults.events),
        "results_directory": f"'{results}'",
        "input_mode": "csv",
        "output_mode": "file",
        "window_size": defaults.window,
        "step": defaults.step,
        "start_time": defaults.start,
        "end_time": defaults.end,
        "clock_tick": defaults.sample_every or 1,
    }
    listed = ",".join(f"{key}={value}" for key, value in options.items())
    goal = f"{TIME_READING},{TIME_BY_CLOCK},continuousQueries({name},[{listed}]),halt."
    printed = run_prolog(["-l", "continuousQueries.prolog", "-g", goal], rtec / "execution scripts")
    reading, recognition = (
        float(re.findall(pattern, printed)[-1])
        for pattern in (r"Reading Time: (\d+)", r"Recognition Time \(ms\)\s*: (\d+)")
    )
    clock = float(re.findall(r"By the Clock: (\d+)", printed)[0])
    (printed_intervals,) = results.glob("*recognised-intervals.txt")
    intervals = read_printed(printed_intervals.read_text(), defaults.end or 0)
    shutil.rmtree(results)
    return Measured(reading, recognition, intervals, clock=clock)


def quoted(paths: Any) -> str:
    return "[" + ",".join(f"'{path}'" for path in paths) + "]"


def read_printed(text: str, end: int) -> Intervals:
    """RTEC prints what is open as ending one after the last query time."""
    intervals: Intervals = set()
    for name, args, value, pairs in re.findall(
        r"^recognitions\(predictions,(\w+),\[\[(.*)\],([^,\]]*)\],\[(.*)\]\)\.$", text, re.M
    ):
        for start, stop in re.findall(r"\((-?\d+),(\w+)\)", pairs):
            intervals.add((named(name, args, value), int(start), ending(None if stop == "inf" else int(stop), end)))
    return intervals


def named(fluent: str, args: str, value: str) -> str:
    return f"{fluent}({args})={value}".replace(" ", "")


def ending(stop: int | None, end: int) -> int | None:
    return None if stop is None or stop > end else stop


# ---------------------------------------------------------------- here


def measure_here(defaults: Defaults) -> Measured:
    """In a warm process: medians of several runs."""
    description = holdsfor.load(*defaults.rules)
    program = make_program(plan(description))
    source = holdsfor.read_events(list(defaults.events), format="rtec")
    events = source.read(description.inputs)
    windows = find_windows(
        events.timed, defaults.window, defaults.step, defaults.start, defaults.end, defaults.sample_every or 1
    )

    def recognise() -> None:
        blocks = [standing(counted(block, windows).block, windows) for block in events.blocks]
        with_room(lambda room: evaluate(program, prepare(program, blocks, windows, room=room)))

    history = find_history(program, events, windows, False)
    reading = cpu_milliseconds(lambda: source.read(description.inputs))
    recognition = cpu_milliseconds(recognise)
    everything = cpu_milliseconds(lambda: find_history(program, events, windows, False))
    return Measured(reading, recognition, intervals_of(history, defaults), everything - recognition)


def intervals_of(history: holdsfor.Result, defaults: Defaults) -> Intervals:
    return {
        (named(row["fluent"], ",".join(row["args"]), row["value"]), row["start"], ending(row["end"], defaults.end or 0))
        for row in history.intervals.to_pylist()
    }


def cpu_milliseconds(work: Callable[[], Any]) -> float:
    work()  # warms up
    taken: list[float] = []
    while len(taken) < ROUNDS or sum(taken) < SECONDS:
        begun = time.process_time()
        work()
        taken.append(time.process_time() - begun)
    return 1000 * statistics.median(taken)


# ---------------------------------------------------------------- both


def least_of(turns: tuple[Measured, ...]) -> Measured:
    """The intervals are the same in all of them."""
    reading, recognition, tables = (
        min(times) for times in zip(*((turn.reading, turn.recognition, turn.tables) for turn in turns), strict=True)
    )
    return Measured(reading, recognition, turns[0].intervals, tables)


def report(name: str, theirs: Measured, ours: Measured) -> None:
    print(f"{name}: {len(theirs.intervals):,} intervals of RTEC, {len(ours.intervals):,} here")
    times = theirs.reading / ours.reading
    print(f"  reading      RTEC {theirs.reading:7.0f} ms, here {ours.reading:6.1f} ms: {times:.0f}x")
    print(
        f"  recognition  RTEC {theirs.recognition:7.0f} ms, here {ours.recognition:6.1f} ms: "
        f"{theirs.recognition / ours.recognition:.0f}x; {ours.tables:.1f} ms more for the tables"
    )
    reasons = {fluent: reason for (application, fluent), reason in DEPARTURES.items() if application == name}
    report_differences(reasons, theirs.intervals, ours.intervals)


def report_compiled(files: Defaults, ours: Measured) -> None:
    """Compare what comes of the file that RTEC's compiler has just made with what comes of the rules."""
    found = run_compiled(files.rules[0].parent / "compiled_rules.prolog", files)
    print(f"  compiled     {len(found ^ ours.intervals)} differ from those of the rules")


def run_compiled(compiled: Path, files: Defaults) -> Intervals:
    times = {name: getattr(files, name) for name in ("window", "step", "start", "end")}
    history = holdsfor.recognise(
        holdsfor.load(compiled, *files.rules[1:]),
        holdsfor.read_events(list(files.events), format="rtec"),
        sample_every=files.sample_every or 1,
        **times,
    )
    return intervals_of(history, files)


def report_differences(reasons: Mapping[str, str], theirs: Intervals, ours: Intervals) -> None:
    """Print what only one side has. reasons: why, for the fluents with their values of which that is known."""
    only_theirs, only_ours = (
        Counter(re.sub(r"\(.*\)=", "=", fluent) for fluent, _, _ in rows) for rows in (theirs - ours, ours - theirs)
    )
    unknown = 0
    for fluent in sorted(only_theirs | only_ours):
        reason = reasons.get(fluent)
        unknown += 0 if reason else only_theirs[fluent] + only_ours[fluent]
        counts = f"{only_theirs[fluent]} only of RTEC, {only_ours[fluent]} only here"
        print(f"  {fluent}: {counts}: {reason or 'NOT KNOWN WHY'}")
    named = only_theirs.total() + only_ours.total() - unknown
    print(f"  intervals    {unknown} differ; {named} named")


if __name__ == "__main__":
    main(tuple(sys.argv[1:]) or APPLICATIONS)
