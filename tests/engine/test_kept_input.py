"""Rows that sessions keep: all that may still be looked at, in few parts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import holdsfor
from holdsfor.engine.input.kept_input import keep_input
from holdsfor.engine.input.window import Windows
from holdsfor.engine.stepping.frontier import Frontier, find_frontier
from holdsfor.io.events import Block
from holdsfor.plan import plan

PLAN = plan(holdsfor.parse("initiatedAt(on=true, T) :- happensAt(up, T)."))
batches = st.lists(st.tuples(st.lists(st.integers(1, 100), max_size=9), st.integers(0, 10)), max_size=20)


def frontier_at(horizon: int) -> Frontier:
    frontier = find_frontier(PLAN, Windows(10, 1, 0, 1_000), 500)
    return replace(frontier, inputs=dict.fromkeys(frontier.inputs, horizon))


@settings(deadline=None)  # the first example may compile kernels
@given(batches)
def test_nothing_that_may_be_looked_at_is_lost(batches: list[tuple[list[int], int]]) -> None:
    kept, every, horizon = keep_input([]), [], 0
    for times, more in batches:
        horizon += more
        starts = np.array(times, np.int64)
        kept = kept.add([Block("up", "event", (), None, starts, None, starts)], frontier_at(horizon))
        every += times
        starts_kept = [int(time) for block in kept.blocks for time in block.start]
        assert sorted(time for time in starts_kept if time > horizon) == sorted(
            time for time in every if time > horizon
        )
        assert kept.count == len(starts_kept)
        assert len(kept.blocks) <= 1 + max(len(every), 1).bit_length()


def test_rows_that_are_over_go() -> None:
    kept = keep_input([])
    for time in range(1, 500):
        starts = np.array([time])
        kept = kept.add([Block("up", "event", (), None, starts, None, starts)], frontier_at(time - 8))
    assert kept.count <= 2 * 8
