"""Whether a query time goes by what changes: by how many rows come in, how late they are, and the number of keys."""

from __future__ import annotations

import numpy as np
import pytest

from holdsfor.engine.input.window import Windows
from holdsfor.engine.stepping.worth import count_light, is_worthwhile
from holdsfor.engine.tuning import DEFAULT
from holdsfor.io.events import Block

WINDOW, STEP, FIRED = 1600, 100, 10_000
MANY = 100_000


def rows(count: int, start: int) -> Block:
    """Rows that happened at one time and arrive right after the last query time."""
    return Block("e", "event", (), None, np.full(count, start), None, np.full(count, FIRED + 1))


@pytest.mark.parametrize(
    ("known", "fresh", "start", "keys", "expected"),
    [
        (MANY, 6_000, FIRED + 1, 100, True),  # all keys, but only the last sixteenth of the window
        (MANY, 6_000, FIRED - WINDOW + STEP, 100, False),  # all keys from the start of the window on
        (MANY, 6_000, FIRED - WINDOW + STEP, 100_000, True),  # the same of few keys
        (MANY, MANY, FIRED + 1, 100, False),  # as many as there are
        (100, 100, FIRED + 1, 100, True),  # too few to matter
        (0, 100, FIRED + 1, 1, True),  # the first of all
    ],
)
def test_worthwhile(known: int, fresh: int, start: int, keys: int, expected: bool) -> None:
    windows = Windows(WINDOW, STEP, 0, 1_000_000)
    due = range(FIRED + STEP, FIRED + STEP + 1, STEP)
    assert is_worthwhile([rows(fresh, start)], known, keys, FIRED, due, windows, DEFAULT) is expected


def test_late_events_that_are_judged_by_themselves_touch_few_keys() -> None:
    windows, due = Windows(WINDOW, STEP, 0, 1_000_000), range(FIRED + STEP, FIRED + STEP + 1, STEP)
    waiting = [rows(6_000, FIRED - WINDOW + STEP)]
    assert not is_worthwhile(waiting, MANY, 2_000, FIRED, due, windows, DEFAULT)
    assert is_worthwhile(waiting, MANY, 2_000, FIRED, due, windows, DEFAULT, judged={("e", 0)})
    assert not is_worthwhile(waiting, MANY, 2_000, FIRED, due, windows, DEFAULT, judged={("e", 1)})


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
