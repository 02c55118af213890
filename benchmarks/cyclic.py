"""Fluents that depend on each other: rules against a state machine written for them (reads ../shared/prototypes).

1M events of 5,000 keys, three fluents, seven rules; CPU milliseconds, medians of interleaved runs.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import holdsfor
from benchmarks.engine import PROTOTYPES, evaluate_again, interleaved
from holdsfor.engine.definitions.evaluate import make_program
from holdsfor.engine.input.window import Windows
from holdsfor.engine.stepping.history import prepare
from holdsfor.io.events import Block
from holdsfor.plan import plan

RULES = """
initiatedAt(a(X)=true, T) :- happensAt(e0(X), T), \\+ holdsAt(b(X)=true, T).
terminatedAt(a(X)=true, T) :- happensAt(e1(X), T).
initiatedAt(b(X)=true, T) :- happensAt(e2(X), T), holdsAt(a(X)=true, T).
terminatedAt(b(X)=true, T) :- happensAt(e3(X), T), \\+ holdsAt(a(X)=true, T).
initiatedAt(c(X)=true, T) :- happensAt(e0(X), T), holdsAt(b(X)=true, T).
terminatedAt(c(X)=true, T) :- happensAt(e2(X), T), \\+ holdsAt(b(X)=true, T).
terminatedAt(a(X)=true, T) :- happensAt(e3(X), T), holdsAt(c(X)=true, T).
"""
LAST = 86_400


def main() -> None:
    if not PROTOTYPES.exists():
        print("cyclic: ../shared is absent, so there is nothing to measure against")
        return
    by_hand = prototype()
    random = np.random.default_rng(3)
    for events, keys in ((1_000_000, 5_000), (1_000_000, 100_000)):
        points = np.unique((random.integers(0, keys, events) << 32) | random.integers(1, LAST, events))
        kind = random.integers(0, 4, points.size)
        program = make_program(plan(holdsfor.parse(RULES)))
        blocks = [block(f"e{i}", points[kind == i]) for i in range(4)]
        world = prepare(program, blocks, Windows(LAST, LAST, 0, LAST))
        hand, own = interleaved(partial(by_hand, points, kind), partial(evaluate_again, program, world))
        print(
            f"{points.size:>9,} events, {keys:>7,} keys: by hand {1000 * hand:6.1f} ms, "
            f"from rules {1000 * own:6.1f} ms of CPU, ratio {own / hand:.2f}"
        )


def block(name: str, points: Any) -> Block:
    import pyarrow as pa

    time = points & 0xFFFFFFFF
    return Block(name, "event", (pa.array(points >> 32),), None, time, None, time)


def prototype() -> Any:
    """The state machine of the prototype; its file measures as it is read, so only the definitions are taken."""
    sys.path.insert(0, str(PROTOTYPES))
    text = Path(PROTOTYPES / "cyclic.py").read_text().split("\ndef tm(")[0].replace("cache=True", "cache=False")
    names: dict[str, Any] = {}
    exec(compile(text, "cyclic.py", "exec"), names)
    return names["machine"]


if __name__ == "__main__":
    main()
