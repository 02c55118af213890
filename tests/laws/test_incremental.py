"""The law of incremental evaluation: after every query time, state and output are those of evaluation from scratch.

HOLDSFOR_INCREMENTAL sets how many random runs are made, HOLDSFOR_SEED the first one. Each draws a description (of
fluents, of several stages, of patterns, of both), a stream with late rows and retractions, and how it is cut.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

import pyarrow as pa
import pytest

import holdsfor
from holdsfor.engine.incremental import keys, late, runs, stored, touching, worth
from holdsfor.io.events import Block
from holdsfor.language import DescriptionError, parse
from tests.conformance.streamed import arrival, cuts, in_steps
from tests.laws.test_programs import skip_if_too_large
from tests.naive.draw_patterns import random_patterns
from tests.naive.functions import FUNCTIONS
from tests.naive.linked import random_links
from tests.naive.programs import Program, random_program
from tests.naive.rows import line_format
from tests.naive.shapes import random_shapes

FIRST = int(os.environ.get("HOLDSFOR_SEED", "0"))
SEEDS = range(FIRST, FIRST + int(os.environ.get("HOLDSFOR_INCREMENTAL", "100")))

Rows = list[tuple[object, ...]]


@dataclass(frozen=True)
class Told:
    """What a session has told and kept after a call."""

    intervals: Rows
    occurrences: Rows
    state: list[Rows]


@pytest.mark.parametrize("seed", SEEDS)
def test_same_as_from_scratch(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever it chooses: the tuples that are touched, all together, or what seems to cost least."""
    program = draw(seed)
    monkeypatch.setattr(touching, "GATHERING", (0, 0, 1000, touching.GATHERING)[seed // 4 % 4])
    monkeypatch.setattr(keys, "SEARCH", (0, keys.SEARCH)[seed // 16 % 2])  # rows are found by search, or all looked at
    monkeypatch.setattr(keys, "SPARSE", (0, keys.SPARSE)[seed // 3 % 2])
    monkeypatch.setattr(touching, "MOST_CARRIERS", (0, 1000)[seed % 2])
    for module in (keys, stored):  # relations are looked at, and changed, as large ones are
        monkeypatch.setattr(module, "FEW", (0, 0, module.FEW)[seed // 2 % 3])
    monkeypatch.setattr(late, "MANY_LATE", (1, late.MANY_LATE)[seed // 2 % 2])
    monkeypatch.setattr(worth, "FEW_ROWS", (0, worth.FEW_ROWS)[min(seed // 32 % 4, 1)])  # now and then from scratch
    if seed % 5 < 3:
        keep_in_runs(monkeypatch, (2, 4, 32)[seed % 5])
    for number, (by_changes, from_scratch) in enumerate(zip(*both(program, seed), strict=True)):
        assert by_changes == from_scratch, f"after call {number}\n{program}"


def keep_in_runs(monkeypatch: pytest.MonkeyPatch, most_runs: int) -> None:
    """Events that come are kept in runs, however few they are, and though the tests ask for all that is known."""
    monkeypatch.setattr(runs, "MANY", 1)
    monkeypatch.setattr(runs, "MOST_RUNS", most_runs)
    for kind in (stored.Stored, runs.Runs):
        monkeypatch.setattr(kind, "is_whole_known", lambda self: False)


def draw(seed: int) -> Program:
    of_links = random_links if seed % 8 == 6 else random_program
    kinds = (random_program, random_shapes, of_links, lambda seed: random_patterns(seed, seed % 8 == 3))
    return kinds[seed % len(kinds)](seed)


def both(program: Program, seed: int) -> tuple[list[Told], list[Told]]:
    try:
        return list(run(program, seed, True)), list(run(program, seed, False))
    except DescriptionError as error:
        skip_if_too_large(error)
        raise


def run(program: Program, seed: int, incremental: bool) -> Iterator[Told]:
    random, horizon = Random(seed), program.horizon
    times = {"window": horizon.window, "step": horizon.step, "start": horizon.start, "end": horizon.end}
    live = holdsfor.live(parse(program.text, functions=FUNCTIONS), **times, tick=horizon.tick, incremental=incremental)
    ordered = in_steps(program.rows, horizon, random)
    added = 0
    for part in cuts(ordered, random):
        if part:
            live.add(list(part), format=line_format(program.rows))
        added += len(part)
        left = [horizon.first_query(arrival(line)) for line in ordered[added:]]
        until = min(left, default=horizon.last + 1) - 1
        yield tell(live, live.advance(random.randint(min(horizon.start, until), until)))
    yield tell(live, live.advance(horizon.last))


def tell(live: holdsfor.LiveSession, changes: holdsfor.Changes) -> Told:
    carried = () if live.evaluation is None else live.evaluation.save().known
    return Told(rows_of(changes.intervals), rows_of(changes.occurrences), [rows_of_block(block) for block in carried])


def rows_of(table: pa.Table) -> Rows:
    return sorted(zip(*(map(str, column.to_pylist()) for column in table.columns), strict=True))


def rows_of_block(block: Block) -> Rows:
    columns: list[Sequence[object]] = [array.to_pylist() for array in block.args]
    columns += [] if block.value is None else [block.value.to_pylist()]
    columns += [times.tolist() for times in (block.start, block.end, block.begun) if times is not None]
    return sorted({tuple(map(str, row)) for row in zip(*columns, strict=True)})
