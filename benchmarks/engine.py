"""The engine against the same rules compiled by hand: one core, events in memory (reads ../shared/prototypes).

Prints CPU milliseconds (medians of interleaved runs), their ratio, and whether the intervals are the same.
"""

from __future__ import annotations

import importlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import holdsfor
from holdsfor.engine.data.intervals import Intervals
from holdsfor.engine.data.memo import Memo
from holdsfor.engine.data.world import World
from holdsfor.engine.definitions.evaluate import Program, evaluate, make_program
from holdsfor.engine.input.window import counted, find_windows, standing
from holdsfor.engine.stepping.history import prepare
from holdsfor.plan import plan
from holdsfor.plan.operators import Relation

PROTOTYPES = Path(__file__).resolve().parents[2] / "shared" / "prototypes"
LAST = 86_400
ROUNDS = 15
FISHING_ONLY = ("trawlSpeed", "trawlingMovement", "trawling")  # by hand: worked out for fishing vessels only
Listed = set[tuple[int, ...]]


def main() -> None:
    if not PROTOTYPES.exists():
        print("engine: ../shared is absent, so there is nothing to measure against")
        return
    os.environ.setdefault("POLARS_MAX_THREADS", "1")
    sys.path.insert(0, str(PROTOTYPES))
    generator, by_hand = importlib.import_module("mar_gen"), importlib.import_module("mar_vec")
    for vessels, events in ((5_000, 1_000_000), (5, 1_000)):
        made = generator.gen(vessels, events)
        packed = by_hand.pack_world(made)
        program, world = ours(vessels, events)
        hand, compiled = interleaved(
            partial(by_hand.evaluate, by_hand.NBTW, packed, made, LAST), partial(evaluate_again, program, world)
        )
        print(
            f"{events:>9,} events: by hand {1000 * hand:7.2f} ms, from rules {1000 * compiled:7.2f} ms of CPU, "
            f"ratio {compiled / hand:.2f}"
        )
        results = by_hand.evaluate(by_hand.NBTW, packed, made, LAST)
        compare(program, again(world), results | {"drifting": drifting(packed, results, by_hand.NBTW)}, made)


def ours(vessels: int, events: int) -> tuple[Program, World]:
    """The same stream and rules as text, read and packed."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(PROTOTYPES / "export_events.py"), str(vessels), str(events)]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        description = holdsfor.load(PROTOTYPES / "maritime.ec", f"{folder}/maritime_{vessels}_background.ec")
        read = holdsfor.read_events(f"{folder}/maritime_{vessels}.csv", format="rtec").read(description.inputs)
    program = make_program(plan(description))
    windows = find_windows(read.blocks, None, None, 0, LAST, 1)
    return program, prepare(
        program, [standing(counted(block, windows).block, windows) for block in read.blocks], windows
    )


def again(world: World) -> World:
    """The world before evaluation, without the views that an earlier one left on its input."""
    for data in world.relations.values():
        data._views.clear()
    return replace(world, relations=dict(world.relations), shared=Memo())


def evaluate_again(program: Program, world: World) -> None:
    evaluate(program, again(world))


def interleaved(*runs: Callable[[], Any], rounds: int = ROUNDS) -> list[float]:
    """The median CPU seconds of each, after one run to warm up."""
    times: list[list[float]] = [[] for _ in runs]
    for run in runs:
        run()
    for _ in range(rounds):
        for taken, run in zip(times, runs, strict=True):
            begun = time.process_time()
            run()
            taken.append(time.process_time() - begun)
    return [statistics.median(taken) for taken in times]


def compare(program: Program, world: World, hand: dict[str, Any], made: dict[str, Any]) -> None:
    """The intervals of both, as (arguments, start, end)."""
    evaluate(program, world)
    same = total = 0
    for relation, found in world.relations.items():
        name = by_hand_name(relation)
        if name not in hand or not isinstance(found, Intervals):
            continue
        mine, theirs = listed(relation, found, world, made), listed_by_hand(name, hand[name], made)
        if name in FISHING_ONLY:
            mine = {row for row in mine if made["vtype"][row[0]] == 1}
        total += len(theirs)
        same += len(mine & theirs)
        if mine != theirs:
            print(f"    {relation}: {len(mine - theirs)} only from rules, {len(theirs - mine)} only by hand")
    print(f"    the same: {same:,} of {total:,} intervals")


def drifting(packed: dict[str, Any], hand: dict[str, Any], kernels: Any) -> tuple[Any, Any]:
    """By hand, but with the angle as the rules calculate it: mar_vec's modulus rounds otherwise near 15.0."""
    points, course, heading = (packed["velocity"][name] for name in ("P", "cog", "hd"))
    angle = np.abs(course - heading)
    wide = np.where(angle > 180, 360 - angle, angle) > 15.0
    begun = points[wide]
    start, end = hand["underWay"]
    closed = end[(end & 0xFFFFFFFF) != 0xFFFFFFFF] - 1
    begun = begun[kernels.holds(begun, (start, end))]
    intervals: tuple[Any, Any] = kernels.mk(begun, kernels.merge([points[~wide], closed]))
    return intervals


def by_hand_name(relation: Relation) -> str:
    value = str(relation.value)
    return relation.name if value == "true" else f"{relation.name.removesuffix('Speed')}_{value}"


def listed(relation: Relation, found: Intervals, world: World, made: dict[str, Any]) -> Listed:
    texts = world.dictionary.texts().to_pylist()
    kinds = {name: i for i, name in enumerate(("anchorage", "fishing", "nearCoast", "nearPorts", "natura"))}
    numbers = np.array([int(t) if t.lstrip("-").isdigit() else kinds.get(t, -1) for t in texts])
    columns = [numbers[found.codes(p)].tolist() for p in range(found.arity)]
    end = np.where((found.e & world.axis.mask) == world.axis.mask, -1, world.axis.time(found.e))
    return set(zip(*columns, world.axis.time(found.s).tolist(), end.tolist(), strict=True))


def listed_by_hand(name: str, pair: tuple[Any, Any], made: dict[str, Any]) -> Listed:
    start, end = pair
    key, mask = start >> 32, 0xFFFFFFFF
    if name == "withinArea":
        columns = [key // 5, key % 5]
    elif name in ("rendezVous", "tugging"):
        columns = [made["pairs"][key, 0], made["pairs"][key, 1]]
    else:
        columns = [key]
    ends = np.where((end & mask) == mask, -1, end & mask)
    return set(zip(*(c.tolist() for c in columns), (start & mask).tolist(), ends.tolist(), strict=True))


if __name__ == "__main__":
    main()
