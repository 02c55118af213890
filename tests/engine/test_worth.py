"""Whether a query time goes by what changes: by how many rows come in."""

from __future__ import annotations

import numpy as np
import pytest

from holdsfor.engine.incremental.stepping import count_light
from holdsfor.engine.input.window import Windows
from holdsfor.engine.tuning import DEFAULT
from holdsfor.io.events import Block

WINDOW, STEP, FIRED = 1600, 100, 10_000
MANY = 100_000


@pytest.mark.parametrize(
    ("known", "arriving", "expected"),
    [
        (0, {5: MANY}, 5),  # a first window, and query times before it at which there is nothing
        (MANY, {0: 6_000, 5: MANY // 2}, 8),
        (MANY, {0: 6_000, 5: MANY}, 5),  # as many as there are
        (MANY, {0: 2 * MANY, 5: MANY}, 0),
        (0, {0: 100, 5: 100}, 8),  # too few to matter
        (0, {20: MANY}, 8),  # later than all of these query times
    ],
)
def test_query_times_before_one_that_brings_most_rows(known: int, arriving: dict[int, int], expected: int) -> None:
    windows = Windows(WINDOW, STEP, 0, 1_000_000)
    due = range(FIRED + STEP, FIRED + 8 * STEP + 1, STEP)
    waiting = [
        Block("e", "event", (), None, np.full(count, FIRED), None, np.full(count, FIRED + STEP * place + 1))
        for place, count in arriving.items()
    ]
    assert count_light(waiting, known, due, windows, DEFAULT) == expected
