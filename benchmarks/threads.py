"""Two cores in one process: the same history in one thread and in several, with the wall clock and CPU of both.

Usage: python benchmarks/threads.py [ROWS]. Events are in memory. The gain is by the clock, so it needs idle cores.
"""

from __future__ import annotations

import os
import sys
import time

import numpy as np
import pyarrow as pa

import holdsfor
from holdsfor.io.readers.read import EventSource

ROWS = 10_000_000
ROUNDS = 3
VESSELS = 20_000
RULES = """
initiatedAt(fast(V)=true, T) :- happensAt(speed(V,S,C), T), S > 25.
terminatedAt(fast(V)=true, T) :- happensAt(speed(V,S,C), T), S < 5.
initiatedAt(turning(V)=true, T) :- happensAt(speed(V,S,C), T), C > 300, S > 10.
terminatedAt(turning(V)=true, T) :- happensAt(speed(V,S,C), T), C < 60.
holdsFor(skidding(V)=true, I) :-
    holdsFor(fast(V)=true, I1), holdsFor(turning(V)=true, I2), intersect_all([I1,I2], I).
happensAt(braking(V), T) :- happensAt(speed(V,S,C), T), S < 1, holdsAt(turning(V)=true, T).
"""


def main(rows: int = ROWS) -> None:
    description, events = holdsfor.parse(RULES), make_events(rows)
    threads = max(pa.cpu_count(), 2)
    taken: dict[int, list[tuple[float, float]]] = {1: [], threads: []}
    for _ in range(ROUNDS + 1):
        for count, each in taken.items():  # in turn, so that both meet the same machine
            begun, worked = time.perf_counter(), time.process_time()
            result = holdsfor.recognise(description, events, threads=count)
            each.append((time.perf_counter() - begun, time.process_time() - worked))
    least = {count: tuple(map(min, zip(*each[1:], strict=True))) for count, each in taken.items()}
    print(f"{rows:,} events, {result.intervals.num_rows:,} intervals, load {os.getloadavg()[0]:.1f}")
    for count, (wall, cpu) in least.items():
        print(f"{count} thread{'s' if count > 1 else ' '}   {wall:6.2f} s   {cpu:6.2f} s of CPU")
    print(f"gain {least[1][0] / least[threads][0]:.2f}")


def make_events(rows: int) -> EventSource:
    rng = np.random.default_rng(1)
    names = pa.array([f"v{number}" for number in range(VESSELS)])
    vessels = pa.DictionaryArray.from_arrays(pa.array(rng.integers(0, VESSELS, rows).astype(np.int32)), names)
    kind = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), ["speed"])
    columns = {"event": kind, "time": np.sort(rng.integers(0, 10_000_000, rows)), "vessel": vessels}
    columns |= {"speed": rng.random(rows) * 30, "course": rng.random(rows) * 360}
    return holdsfor.read_events(pa.table(columns))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
