"""Background facts: a million of them from Parquet, from a rule file, and in a recognition that looks each up.

Prints seconds of CPU, each the least of some rounds, and the share that facts have in all.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import holdsfor
from holdsfor.engine.definitions.evaluate import make_program
from holdsfor.plan import plan

FACTS, EVENTS = 1_000_000, 5_000_000
ROUNDS = 3
RULES = """
initiatedAt(fast(V)=true, T) :- happensAt(speed(V,S), T), ship(V, fishing, Length, Most), S > 20, Most > 100.
terminatedAt(fast(V)=true, T) :- happensAt(speed(V,S), T), ship(V, _, Length, _), S < Length / 10.
"""


def main(facts: int = FACTS, events: int = EVENTS) -> None:
    rng = np.random.default_rng(1)
    names = pa.array([f"v{number}" for number in range(facts)])
    kinds = pa.array(["cargo", "fishing", "tug"]).take(pa.array(rng.integers(0, 3, facts)))
    ships = pa.table({"vessel": names, "kind": kinds, "length": rng.random(facts) * 100, "most": np.arange(facts)})
    chosen = pa.array(rng.integers(0, facts, events).astype(np.int32))
    rows = {
        "event": pa.DictionaryArray.from_arrays(pa.array(np.zeros(events, np.int32)), ["speed"]),
        "time": np.sort(rng.integers(0, 1_000_000, events)),
        "vessel": pa.DictionaryArray.from_arrays(chosen, names),
        "speed": rng.random(events) * 30,
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "ships.parquet")
        pq.write_table(ships, path)
        source = holdsfor.read_events(pa.table(rows))
        loaded = measure(f"{facts:,} facts from Parquet", lambda: make_program(plan(load(path))))
        text = "".join(f"ship({','.join(map(str, row))}).\n" for row in zip(*ships.to_pydict().values(), strict=True))
        measure(f"{facts:,} facts from a rule file", lambda: make_program(plan(holdsfor.parse(RULES, text))))
        whole = measure(f"and {events:,} events", lambda: holdsfor.recognise(load(path), source))
    print(f"{'share of the facts':<36} {loaded / whole:6.0%}")


def load(path: Path) -> holdsfor.EventDescription:
    return holdsfor.parse(RULES, facts={"ship": path})


def measure(label: str, work: Callable[[], object]) -> float:
    """Prints and gives the least of some rounds, after one to warm up."""
    taken = []
    for _ in range(ROUNDS + 1):
        begun = time.process_time()
        work()
        taken.append(time.process_time() - begun)
    print(f"{label:<36} {min(taken[1:]):6.2f} s of CPU")
    return min(taken[1:])


if __name__ == "__main__":
    main()
