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
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np

import holdsfor
from benchmarks.incremental import VESSELS, WINDOW, Fleet, checksum
from examples.maritime.simulate import simulate
from holdsfor.engine.definitions import simple
from holdsfor.engine.incremental import late
from holdsfor.engine.scripts.following import follow

RATIO, STEPS, TURNS = 16, 7, 3
SHARES = (0.05, 0.2, 0.4)
NEVER = 1 << 60


class Way(NamedTuple):
    """How a session evaluates."""

    name: str
    incremental: bool
    has_scripts: bool
    most_late: int  # so many late rows of an event are not compared with what is known


WAYS = (
    Way("from scratch, operators", False, False, NEVER),
    Way("from scratch, scripts", False, True, NEVER),
    Way("by changes, operators", True, False, NEVER),
    Way("by changes, scripts", True, True, NEVER),
    Way("by changes, scripts, late events compared", True, True, late.MANY_LATE),
)


@contextmanager
def going(way: Way) -> Iterator[None]:
    before = late.MANY_LATE
    if not way.has_scripts:
        vars(simple).update(follow=lambda *_: False)
    late.MANY_LATE = way.most_late
    try:
        yield
    finally:
        vars(simple).update(follow=follow)
        late.MANY_LATE = before


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
            sessions.append(
                holdsfor.live(
                    fleet.description, window=WINDOW, step=step, start=start, keep=WINDOW, incremental=way.incremental
                )
            )
        for place, (rows, query_time) in enumerate(zip(batches, times, strict=True)):
            for number in range(len(WAYS))[:: 1 if (turn + place) % 2 else -1]:
                with going(WAYS[number]):
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
