"""What scripts and the comparison of late events change: python -m benchmarks.scripts [SHARE ...].

Five sessions get the same rows in one process, in turn: from scratch by operators and by scripts; by what changes by
operators, by scripts, and by scripts with late events compared with what is known. The maritime example as in
`benchmarks.incremental dense` at window/step 16, for each share of late events. Milliseconds of CPU for each query
time, the least of some turns; all sessions must know the same at the end. Caches are colder than for one session alone.
"""

from __future__ import annotations

import argparse
import gc
import os
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

import holdsfor
from benchmarks.incremental import VESSELS, WINDOW, Fleet, checksum
from examples.maritime.simulate import simulate
from holdsfor.engine.tuning import DEFAULT, Tuning

RATIO, STEPS, TURNS = 16, 7, 3
SHARES = (0.05, 0.2, 0.4)
NO_SCRIPTS, NOT_COMPARED = replace(DEFAULT, script_rows=0, many_late=1 << 60), replace(DEFAULT, many_late=1 << 60)


class Way(NamedTuple):
    """How a session evaluates."""

    name: str
    incremental: bool
    tuning: Tuning


WAYS = (
    Way("from scratch, operators", False, NO_SCRIPTS),
    Way("from scratch, scripts", False, NOT_COMPARED),
    Way("by changes, operators", True, NO_SCRIPTS),
    Way("by changes, scripts", True, NOT_COMPARED),
    Way("by changes, scripts, late events compared", True, DEFAULT),
)


def measure(fleet: Fleet, share: float) -> None:
    step, begun = WINDOW // RATIO, fleet.start + WINDOW
    delayed = fleet.delay(share, WINDOW)
    times = [begun + step * number for number in range(STEPS + 1)]
    batches = [delayed.arrived(fleet.start if time == begun else time - step, time) for time in times]
    spent = np.full((len(WAYS), len(times)), np.inf)
    for turn in range(TURNS):
        gc.collect()
        start, sessions = fleet.begin_history(step), []
        for way in WAYS:
            session = holdsfor.live(
                fleet.description, window=WINDOW, step=step, start=start, keep=WINDOW, incremental=way.incremental
            )
            session.program = replace(session.program, tuning=way.tuning)
            sessions.append(session)
        for place, (rows, query_time) in enumerate(zip(batches, times, strict=True)):
            for number in range(len(WAYS))[:: 1 if (turn + place) % 2 else -1]:
                sessions[number].add(rows, mapping=fleet.mapping)
                worked = time.process_time()
                sessions[number].advance(query_time)
                spent[number, place] = min(spent[number, place], 1000 * (time.process_time() - worked))
        if len({checksum(session.current()) for session in sessions}) > 1:
            raise AssertionError("sessions do not know the same")
    print(f"{share:.0%} of the events late, load {os.getloadavg()[0]:.1f}")
    for way, each in zip(WAYS, spent[:, 2:].mean(axis=1), strict=True):
        print(f"  {way.name:<42} {each:6.1f} ms", flush=True)


def main(shares: Sequence[float] = SHARES) -> None:
    with tempfile.TemporaryDirectory() as folder:
        fleet = Fleet.of(simulate(hours=6.5, vessels=VESSELS), Path(folder))
        for share in shares:
            measure(fleet, share)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("shares", nargs="*", type=float, default=SHARES)
    main(parser.parse_args().shares)
