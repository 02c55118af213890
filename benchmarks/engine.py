"""The engine alone: 21 fluents on one core, events in memory.

Usage: python -m benchmarks.engine. Prints CPU milliseconds, medians of some runs, of one window over all of a simulated
fleet: a large one and a small one.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import holdsfor
from benchmarks.rtec_fleet import write_fleet
from examples.maritime.simulate import simulate
from holdsfor.engine.data.memo import Memo
from holdsfor.engine.data.world import World
from holdsfor.engine.definitions.evaluate import Program, evaluate, make_program
from holdsfor.engine.input.window import counted, find_windows, standing
from holdsfor.engine.stepping.history import prepare
from holdsfor.plan import plan

ROUNDS = 15


def main() -> None:
    for vessels, events in ((5_000, 1_000_000), (5, 1_000)):
        program, world = prepare_fleet(vessels, events)
        (median,) = interleaved(partial(evaluate_again, program, world))
        print(f"{events:>9,} events of {vessels:,} vessels: {1000 * median:7.2f} ms of CPU")


def prepare_fleet(vessels: int, events: int) -> tuple[Program, World]:
    """Return the rules compiled, and the stream read and packed."""
    with tempfile.TemporaryDirectory() as folder:
        files = write_fleet(simulate(events, vessels=vessels), Path(folder))
        description = holdsfor.load(files.rules, files.background)
        read = holdsfor.read_events(files.events, format="rtec").read(description.inputs)
    program = make_program(plan(description))
    windows = find_windows(read.blocks, None, None, 0, files.last, 1)
    blocks = [standing(counted(block, windows).block, windows) for block in read.blocks]
    return program, prepare(program, blocks, windows)


def again(world: World) -> World:
    """Return the world before evaluation, without the views that an earlier one left on its input."""
    for data in world.relations.values():
        data._views.clear()
    return replace(world, relations=dict(world.relations), shared=Memo())


def evaluate_again(program: Program, world: World) -> World:
    fresh = again(world)
    evaluate(program, fresh)
    return fresh


def interleaved(*runs: Callable[[], Any], rounds: int = ROUNDS) -> list[float]:
    """Return the median CPU seconds of each, after one run to warm up."""
    times: list[list[float]] = [[] for _ in runs]
    for run in runs:
        run()
    for _ in range(rounds):
        for taken, run in zip(times, runs, strict=True):
            begun = time.process_time()
            run()
            taken.append(time.process_time() - begun)
    return [statistics.median(taken) for taken in times]


if __name__ == "__main__":
    main()
