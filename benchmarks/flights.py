"""Parquet with time stamps: three million simulated flights and four rules, from the file to results.

Prints seconds of CPU in a warm process, the least of some rounds: reading, and all of a recognition.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import holdsfor

FLIGHTS, AIRPORTS = 3_000_000, 300
ROUNDS = 3
MAPPING = {"time": "date", "events": {"flight": ["origin", "destination", "delay"]}, "event": "flight"}
RULES = """
initiatedAt(late(From)=true, T) :- happensAt(flight(From,_,Delay), T), Delay > 60.
terminatedAt(late(From)=true, T) :- happensAt(flight(From,_,Delay), T), Delay < 5.
happensAt(veryLate(From,To), T) :- happensAt(flight(From,To,Delay), T), Delay > 180, holdsAt(late(From)=true, T).
holdsFor(lateForLong(From)=true, I) :- holdsFor(late(From)=true, I1), intDurGreater(I1, 3600, I).
"""


def main(flights: int = FLIGHTS) -> None:
    description = holdsfor.parse(RULES)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "flights.parquet")
        pq.write_table(simulate(flights), path)
        source = holdsfor.read_events(path, mapping=MAPPING)
        measure("reading", lambda: source.read(description.inputs))
        measure("recognise, with reading", lambda: holdsfor.recognise(description, source, threads=1))


def simulate(flights: int) -> pa.Table:
    """Make departures of half a year, in order: origin, destination, minutes of delay, most of them few."""
    random = np.random.default_rng(1)
    names = pa.array([f"A{number:03d}" for number in range(AIRPORTS)])
    origin, destination = (random.zipf(1.3, flights) % AIRPORTS for _ in range(2))
    minutes = np.sort(random.integers(0, 180 * 24 * 60, flights)) + 29_454_720  # from 2026-01-01 on
    return pa.table(
        {
            "date": pa.array(minutes * 60, pa.timestamp("s")),
            "origin": names.take(pa.array(origin)),
            "destination": names.take(pa.array(destination)),
            "delay": pa.array(np.round(random.gamma(0.6, 22, flights) - 6).astype(np.int64)),
        }
    )


def measure(label: str, work: Callable[[], object]) -> None:
    """Prints the least of some rounds, after one to warm up."""
    taken = []
    for _ in range(ROUNDS + 1):
        begun = time.process_time()
        work()
        taken.append(time.process_time() - begun)
    print(f"{label:<32} {min(taken[1:]):6.2f} s of CPU")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
