"""The frontier of a stream: moving it from query time to query time gives what finding it anew does."""

from __future__ import annotations

from random import Random

import pytest

from holdsfor.engine.input.window import NEVER, Windows
from holdsfor.engine.stepping.frontier import find_distances, make_frontier, make_lookings, move_frontier
from holdsfor.language import parse
from holdsfor.plan import plan
from tests.naive.programs import random_program


@pytest.mark.parametrize("seed", range(30))
def test_a_frontier_that_moves_is_the_one_that_is_found(seed: int) -> None:
    random, rules = Random(seed), plan(parse(random_program(seed).text))
    lookings = make_lookings(rules, range(len(rules.definitions)))
    tick = random.choice([1, 1, 4, 7])
    step = random.choice([1, 3, 4, 5, 7, 20])
    windows = Windows(random.choice([step, 3 * step, 50]), step, random.choice([-13, 0, 5]), NEVER, tick)
    distances = find_distances(rules, windows, lookings)
    for query_time in range(windows.start + step, windows.start + 300, step):
        moved = move_frontier(distances, rules, windows, query_time, quiet=0)
        assert moved == make_frontier(rules, windows, query_time, lookings, quiet=0)
