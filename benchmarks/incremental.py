"""Incremental evaluation against evaluation from scratch, side by side: python -m benchmarks.incremental [PART ...].

dense    5,000 vessels that all move, 330,000 events in the window, by window/step and by share of late events
scale    the same at window/step 16 with 5 % of the events late, by the number of vessels
figure   the same with a step of 16.5 minutes and windows of 2 to 16 steps, as in Figures 9 to 11 of RTECinc's paper
sparse   100,000 vessels, of which 1 % have events in a step
late     1,000 late rows spread over 1 and over 10 million events of 10,000 keys, one inert fluent and one static on top
single   one event with a query time among 5,000 vessels

Milliseconds of CPU for each query time, of two sessions that get the same rows in one process: the least of several
turns, since other work on the machine only ever adds to them. What they know at the end of each turn must be equal.
Tables go to out/incremental.md, the figure to out/incremental.svg.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

import holdsfor
from benchmarks.incremental_report import Measured, draw, render_figure_table, render_table
from benchmarks.stream import EXAMPLE
from examples.maritime.simulate import Simulation, simulate

Times = npt.NDArray[np.float64]

HOUR = 3600
WINDOW = 264 * 60  # in which 5,000 vessels have 330,000 events
VESSELS = 5_000
RATIOS = {2: 2, 4: 3, 8: 4, 16: 6}  # window/step, and how many steps are measured
SHARES = (0.0, 0.05, 0.1, 0.2, 0.4, 0.8)
PARTS = ("dense", "scale", "figure", "sparse", "late", "single")
SCALES = (250, 1_000, 5_000, 20_000)

#: How often a setting is gone through, from the start: each query time has as many chances to be undisturbed.
TURNS = 8

KEYS, LATE_ROWS = 10_000, 1_000
LATE_RULES = """
initiatedAt(on(X)=true, T) :- happensAt(up(X), T).
terminatedAt(on(X)=true, T) :- happensAt(down(X), T).
holdsFor(longOn(X)=true, I) :- holdsFor(on(X)=true, I1), intDurGreater(I1, 5, I).
"""
LATE_MAPPING = {"name": "event", "time": "time", "arrival": "arrival", "events": {"up": ["x"], "down": ["x"]}}


@dataclass(slots=True)
class Pair:
    """Two sessions with the same rules, windows and rows; the first one goes on by what changes."""

    sessions: tuple[holdsfor.Session, holdsfor.Session]
    mapping: Any
    turn: int = 0
    spent: tuple[list[float], list[float]] = field(default_factory=lambda: ([], []))  # milliseconds of each query time
    added: list[float] = field(default_factory=list)
    walls: list[float] = field(default_factory=list)

    @staticmethod
    def begin(description: holdsfor.EventDescription, mapping: Any, window: int, step: int, start: int) -> Pair:
        def session(incremental: bool) -> holdsfor.Session:
            return holdsfor.session(
                description, window=window, step=step, start=start, keep=window, incremental=incremental
            )

        return Pair((session(True), session(False)), mapping)

    def advance(self, rows: pa.Table, query_time: int, is_measured: bool = True) -> None:
        """Each goes first in turn: the second one may find warm caches."""
        for place in (0, 1) if self.turn % 2 else (1, 0):
            self._advance_one(place, rows, query_time, is_measured)
        self.turn += 1

    def go_through(self, steps: Sequence[tuple[pa.Table, int]], unmeasured: int) -> Pair:
        """All steps by what changes, then all from scratch, which leaves nothing in caches for what comes after it."""
        for place in (0, 1):
            for number, (rows, query_time) in enumerate(steps):
                self._advance_one(place, rows, query_time, number >= unmeasured)
        return self

    def _advance_one(self, place: int, rows: pa.Table, query_time: int, is_measured: bool) -> None:
        session, begun, worked = self.sessions[place], time.perf_counter(), time.process_time()
        session.add(rows, mapping=self.mapping)
        added = time.process_time()
        session.advance(query_time)
        done = time.process_time()
        if is_measured:
            self.spent[place].append(1000 * (done - added))
        if is_measured and place == 0:
            self.added.append(1000 * (added - worked))
            self.walls.append(1000 * (time.perf_counter() - begun))

    def check(self) -> None:
        first, second = (checksum(session.current()) for session in self.sessions)
        if first != second:
            raise AssertionError("incremental evaluation and evaluation from scratch do not agree")


class Least(NamedTuple):
    """Of each query time, the least milliseconds of all turns: of both sessions; then what adding rows to the first
    took, and adding and advancing it by the clock."""

    by_changes: Times
    from_scratch: Times
    added: Times
    walls: Times


def take_turns(go_through: Callable[[int], Pair], turns: int = TURNS) -> Least:
    """go_through: a new pair of sessions, all the way; the number of the turn says who goes first."""
    spent = []
    for turn in range(turns):
        gc.collect()  # what the last turn has left is not for this one to clear away
        pair = go_through(turn)
        pair.check()
        spent.append((*pair.spent, pair.added, pair.walls))
    return Least(*(np.min(np.array(times), axis=0) for times in zip(*spent, strict=True)))


def checksum(current: Any) -> tuple[int, int]:
    """Of all intervals and occurrences, in whatever order they are."""
    return _checksum(current.intervals), _checksum(current.occurrences)


def _checksum(table: pa.Table) -> int:
    names = [name for name in table.column_names if name != "id"]
    columns = [pc.binary_join(table["args"], ",") if name == "args" else table[name] for name in names]
    texts = [pc.fill_null(column.cast(pa.string()), "-") for column in columns]
    lines = pc.binary_join_element_wise(*texts, "|")
    return zlib.crc32("\n".join(sorted(lines.to_pylist())).encode())


# ---------------------------------------------------------------- a fleet that moves


@dataclass(frozen=True, slots=True)
class Fleet:
    """A simulated fleet, with its rules loaded."""

    table: pa.Table
    description: holdsfor.EventDescription
    mapping: Path
    start: int

    @staticmethod
    def of(simulation: Simulation, folder: Path) -> Fleet:
        facts = folder / "fleet.ec"
        facts.write_text(simulation.facts)
        description = holdsfor.load(EXAMPLE / "rules.ec", EXAMPLE / "background.ec", facts)
        start = pc.min(simulation.table["time"]).as_py() - 1
        return Fleet(simulation.table, description, EXAMPLE / "mapping.toml", start)

    def begin(self, window: int, step: int) -> Pair:
        return Pair.begin(self.description, self.mapping, window, step, self.begin_history(step))

    def begin_history(self, step: int) -> int:
        """A day and some steps earlier: near its start more than what changes has to be looked at."""
        return self.start - (24 * HOUR // step + 1) * step

    def delay(self, late: float, window: int) -> Fleet:
        """With a share of rows that come late: by Gamma(2,2) eighths of the window, nine in ten within the window."""
        random = np.random.default_rng(1)
        arrival = self.table["arrival"].to_numpy().copy()
        chosen = np.flatnonzero(random.random(len(arrival)) < late)
        arrival[chosen] += (random.gamma(2, 2, len(chosen)) * window / 8).astype(np.int64)
        place = self.table.column_names.index("arrival")
        table = self.table.set_column(place, "arrival", pa.array(arrival))
        return Fleet(
            table.take(pa.array(np.argsort(arrival, kind="stable"))), self.description, self.mapping, self.start
        )

    def arrived(self, after: int, until: int) -> pa.Table:
        """The rows that arrive in that time; the table is sorted by arrival."""
        low, high = np.searchsorted(self.table["arrival"].to_numpy(), [after, until], "right")
        return self.table.slice(low, high - low)


def measure_overlap(fleet: Fleet, window: int, ratio: int, late: float, steps: int, turns: int = TURNS) -> Measured:
    """A full window and a step, then some steps."""
    delayed, step, begun = fleet.delay(late, window), window // ratio, fleet.start + window
    first = delayed.arrived(fleet.start, begun)
    times = [begun + step * number for number in range(1, steps + 2)]

    def go_through(turn: int) -> Pair:
        pair = fleet.begin(window, step)
        pair.turn = turn
        pair.advance(first, begun, is_measured=False)
        for number, query_time in enumerate(times):
            pair.advance(delayed.arrived(query_time - step, query_time), query_time, is_measured=number > 0)
        return pair

    least = take_turns(go_through, turns)
    by_changes, scratch = float(least.by_changes.mean()), float(least.from_scratch.mean())
    measured = Measured(window, step, late, first.num_rows, by_changes, scratch)
    print(f"window/step {measured.ratio}, {late:.0%} late: {measured}", file=sys.stderr, flush=True)
    return measured


def measure_dense(fleet: Fleet) -> Iterator[Measured]:
    measure_overlap(fleet, WINDOW, 16, 0.2, 2, turns=1)  # compiles and loads what is needed
    for ratio, steps in RATIOS.items():
        for late in SHARES:
            yield measure_overlap(fleet, WINDOW, ratio, late, steps)


def measure_scale(folder: Path) -> Iterator[str]:
    """What of a query time follows the rows, and what the rules alone: with few vessels nearly all of it does that."""
    for vessels in SCALES:
        fleet = Fleet.of(simulate(hours=6.5, vessels=vessels), folder).delay(0, WINDOW)
        measured = measure_overlap(fleet, WINDOW, 16, 0.05, RATIOS[16])
        yield (
            f"{vessels:,} vessels, {measured.events:,} events in the window: {measured.by_changes:.1f} ms of CPU, "
            f"from scratch {measured.from_scratch:.1f}; load {os.getloadavg()[0]:.1f}"
        )


def measure_figure(fleet: Fleet) -> Iterator[Measured]:
    step = WINDOW // 16
    measure_overlap(fleet, WINDOW, 16, 0.2, 2, turns=1)
    for ratio in RATIOS:
        for late in SHARES:
            yield measure_overlap(fleet, ratio * step, ratio, late, 5)


def measure_single(fleet: Fleet) -> str:
    """Vessels are full of events at first, then only one of them has any: the median of the last few query times."""
    step, query_time = WINDOW // 24, fleet.start + WINDOW
    steps = [(fleet.arrived(fleet.start, query_time), query_time)]
    velocity = fleet.table.filter(pc.equal(fleet.table["event"], "velocity")).slice(1000, 1)
    for _ in range(12):
        query_time += step
        row = velocity
        for name in ("time", "arrival"):
            row = row.set_column(row.column_names.index(name), name, pa.array([query_time - step + 1]))
        steps.append((row, query_time))
    least = take_turns(lambda _: fleet.begin(WINDOW, step).go_through(steps, unmeasured=5))
    by_changes, scratch, added, walls = (float(np.median(times)) for times in least)
    return (
        f"one event with a query time: {by_changes:.1f} ms of CPU, and {added:.1f} to add it ({walls:.1f} by the clock)"
        f"; from scratch {scratch:.1f}; load {os.getloadavg()[0]:.1f}"
    )


# ---------------------------------------------------------------- a fleet of which few move


def measure_sparse(folder: Path, vessels: int = 100_000, share: float = 0.01, steps: int = 5) -> str:
    """All vessels have events for half an hour; after a silence only a few have any. All of it is in the window.

    The silence is longer than rules about durations look back, so that time alone changes no other vessel.
    """
    busy, silence, step = HOUR // 2, 9000, 180
    fleet = Fleet.of(simulate(hours=(busy + steps * step) / HOUR, vessels=vessels), folder).delay(0, WINDOW)
    random = np.random.default_rng(2)
    query_time = fleet.start + busy
    through = [(fleet.arrived(fleet.start, query_time), query_time), (fleet.table.slice(0, 0), query_time + silence)]
    for _ in range(steps):
        query_time += step
        rows = fleet.arrived(query_time - step, query_time)
        active = rows["vessel"].unique().to_numpy(zero_copy_only=False)
        chosen = pa.array(random.choice(active, int(vessels * share), replace=False))
        about = pc.is_in(rows["vessel"].cast(pa.string()), chosen)
        rows = _move(rows.filter(pc.and_(about, pc.is_null(rows["other"]))), silence)
        through.append((rows, query_time + silence))
    least = take_turns(lambda _: fleet.begin(WINDOW, step).go_through(through, unmeasured=3))
    by_changes, scratch = float(np.median(least.by_changes)), float(np.median(least.from_scratch))
    return (
        f"{share:.0%} of {vessels:,} vessels in a step: {by_changes:.1f} ms of CPU, {by_changes / scratch:.1%} of "
        f"{scratch:.1f} from scratch; load {os.getloadavg()[0]:.1f}"
    )


def _move(rows: pa.Table, ticks: int) -> pa.Table:
    """Rows of events, that much later."""
    for name in ("time", "arrival"):
        rows = rows.set_column(rows.column_names.index(name), name, pc.add(rows[name], ticks))
    return rows


# ---------------------------------------------------------------- late rows


def measure_late(stored: int, steps: int = 5) -> str:
    random, until = np.random.default_rng(0), max(stored // KEYS * 20, 2000)
    description = holdsfor.parse(LATE_RULES)
    through = [(_draw_switches(random, stored, until), until)]
    for step in range(1, steps + 1):
        through.append((_draw_switches(random, LATE_ROWS, until, step * until + 1), (step + 1) * until))

    def go_through(turn: int) -> Pair:
        pair = Pair.begin(description, LATE_MAPPING, 20 * until, until, 0)
        return pair.go_through(through, unmeasured=2)

    by_changes, scratch, added, _ = (float(np.median(times)) for times in take_turns(go_through, turns=2))
    return (
        f"{LATE_ROWS:,} late rows over {stored:,} events: {by_changes:.1f} ms of CPU, and {added:.1f} to add them; "
        f"from scratch {scratch:,.0f}; load {os.getloadavg()[0]:.1f}"
    )


def _draw_switches(random: np.random.Generator, rows: int, until: int, arrival: int | None = None) -> pa.Table:
    times = np.sort(random.integers(1, until, rows))
    names = pa.DictionaryArray.from_arrays(pa.array(random.integers(0, 2, rows, np.int32)), pa.array(["up", "down"]))
    arrivals = times if arrival is None else np.full(rows, arrival)
    return pa.table({"event": names, "x": random.integers(0, KEYS, rows), "time": times, "arrival": arrivals})


# ---------------------------------------------------------------- all of it


def main(parts: tuple[str, ...] = PARTS, out: Path = Path("out")) -> None:
    report = [f"# Incremental evaluation\n\nMilliseconds of CPU for each query time; load {os.getloadavg()[0]:.1f}.\n"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if {"dense", "figure", "single"} & set(parts):
            fleet = Fleet.of(simulate(hours=11.2, vessels=VESSELS), folder).delay(0, WINDOW)
        for part in parts:
            match part:
                case "dense":
                    report.append(render_table(list(measure_dense(fleet))))
                case "scale":
                    report += measure_scale(folder)
                case "figure":
                    measured = list(measure_figure(fleet))
                    report.append(render_figure_table(measured))
                    out.mkdir(exist_ok=True)
                    (out / "incremental.svg").write_text(draw(measured))
                case "single":
                    report.append(measure_single(fleet))
                case "sparse":
                    report.append(measure_sparse(folder))
                case "late":
                    report += [measure_late(stored) for stored in (1_000_000, 10_000_000)]
            lines = {"late": 2, "scale": len(SCALES)}.get(part, 1)
            print("\n".join(report[-lines:]), flush=True)
    out.mkdir(exist_ok=True)
    (out / "incremental.md").write_text("\n".join(report) + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []])  # Python checks no words, too
    parser.add_argument("--out", type=Path, default=Path("out"))
    options = parser.parse_args()
    main(tuple(options.parts) or PARTS, options.out)
