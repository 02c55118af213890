"""The law of incremental evaluation: after every query time, state and output are those of evaluation from scratch.

HOLDSFOR_INCREMENTAL sets how many random runs are made, HOLDSFOR_SEED the first one. Each draws a description (of
fluents, of several stages, of intervals that depend on themselves, of patterns, of both), a stream with late rows and
retractions, and how it is cut.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

import pyarrow as pa
import pytest

import holdsfor
from holdsfor.engine.tuning import DEFAULT, Tuning
from holdsfor.io.events import Block
from holdsfor.language import DescriptionError, parse
from tests.conformance.streamed import arrival, cuts, in_steps
from tests.laws.test_programs import skip_if_too_large
from tests.naive.circles import random_circles
from tests.naive.draw_patterns import random_patterns
from tests.naive.functions import FUNCTIONS
from tests.naive.linked import random_links
from tests.naive.programs import Program, random_program
from tests.naive.rows import line_format
from tests.naive.shapes import random_shapes
from tests.tuned import tuned

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
def test_same_as_from_scratch(seed: int) -> None:
    """Whatever it chooses: the tuples that are touched, all together, or what seems to cost least."""
    program, tuning = draw(seed), draw_tuning(seed)
    for number, (by_changes, from_scratch) in enumerate(zip(*both(program, seed, tuning), strict=True)):
        assert by_changes == from_scratch, f"after call {number}\n{program}\n{tuning}"


def draw_tuning(seed: int) -> Tuning:
    """Draw thresholds at which each way is taken by some runs, though rows are few."""
    return Tuning(
        most_carriers=(0, 1000)[seed % 2],
        few_stored=(0, 0, DEFAULT.few_stored)[seed // 2 % 3],  # relations are changed as large ones are
        many_late=(1, DEFAULT.many_late)[seed // 2 % 2],
        few_rows=(0, DEFAULT.few_rows)[min(seed // 32 % 4, 1)],  # now and then from scratch
        script_rows=(DEFAULT.script_rows, 3, 0)[seed // 7 % 3],
    )


def draw(seed: int) -> Program:
    of_shapes = (lambda seed: random_circles(seed, retracts=True)) if seed % 8 == 5 else random_shapes
    of_links = random_links if seed % 8 == 6 else random_program
    kinds = (random_program, of_shapes, of_links, lambda seed: random_patterns(seed, seed % 8 == 3))
    return kinds[seed % len(kinds)](seed)


def both(program: Program, seed: int, tuning: Tuning) -> tuple[list[Told], list[Told]]:
    try:
        return list(run(program, seed, True, tuning)), list(run(program, seed, False, tuning))
    except DescriptionError as error:
        skip_if_too_large(error)
        raise


def run(program: Program, seed: int, incremental: bool, tuning: Tuning) -> Iterator[Told]:
    random, horizon = Random(seed), program.horizon
    times = {"window": horizon.window, "step": horizon.step, "start": horizon.start, "end": horizon.end}
    description = parse(program.text, functions=FUNCTIONS)
    live = tuned(
        holdsfor.session(description, **times, sample_every=horizon.sample_every, incremental=incremental), tuning
    )
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


def tell(live: holdsfor.Session, changes: holdsfor.Changes) -> Told:
    carried = () if live.evaluation is None else live.evaluation.save().known
    return Told(rows_of(changes.intervals), rows_of(changes.occurrences), [rows_of_block(block) for block in carried])


def rows_of(table: pa.Table) -> Rows:
    return sorted(zip(*(map(str, column.to_pylist()) for column in table.columns), strict=True))


def rows_of_block(block: Block) -> Rows:
    columns: list[Sequence[object]] = [array.to_pylist() for array in block.args]
    columns += [] if block.value is None else [block.value.to_pylist()]
    columns += [times.tolist() for times in (block.start, block.end, block.onset) if times is not None]
    return sorted({tuple(map(str, row)) for row in zip(*columns, strict=True)})
