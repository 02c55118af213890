"""Real Parquet with time stamps: three million flights and four rules, from the file to results (reads ../shared/data).

Prints seconds of CPU in a warm process, the least of some rounds: reading, and all of a recognition.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import holdsfor

FLIGHTS = Path(__file__).resolve().parents[2] / "shared" / "data" / "us_flights_3m.parquet"
ROUNDS = 3
MAPPING = {"time": "date", "events": {"flight": ["origin", "destination", "delay"]}, "event": "flight"}
RULES = """
initiatedAt(late(From)=true, T) :- happensAt(flight(From,_,Delay), T), Delay > 60.
terminatedAt(late(From)=true, T) :- happensAt(flight(From,_,Delay), T), Delay < 5.
happensAt(veryLate(From,To), T) :- happensAt(flight(From,To,Delay), T), Delay > 180, holdsAt(late(From)=true, T).
holdsFor(lateForLong(From)=true, I) :- holdsFor(late(From)=true, I1), intDurGreater(I1, 3600, I).
"""


def main() -> None:
    if not FLIGHTS.exists():
        print("flights: ../shared is absent, so there is nothing to measure")
        return
    description = holdsfor.parse(RULES)
    source = holdsfor.read_events(FLIGHTS, mapping=MAPPING)
    measure("reading", lambda: source.read(description.inputs))
    measure("recognise, with reading", lambda: holdsfor.recognise(description, source, threads=1))


def measure(label: str, work: Callable[[], object]) -> None:
    """Prints the least of some rounds, after one to warm up."""
    taken = []
    for _ in range(ROUNDS + 1):
        begun = time.process_time()
        work()
        taken.append(time.process_time() - begun)
    print(f"{label:<32} {min(taken[1:]):6.2f} s of CPU")


if __name__ == "__main__":
    main()
