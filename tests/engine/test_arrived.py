"""Which rows are there for the first time: told by spans of times as by looking at each row."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.engine.input.arrived import Arrived, find_newly_visible
from holdsfor.engine.input.kept_input import rows_after
from holdsfor.engine.input.window import NEVER, Windows
from holdsfor.engine.stepping.evaluator import divide_by_sight
from holdsfor.io.events import Block

WINDOWS = Windows(window=30, step=10, start=0, end=64)
QUERY_TIMES = st.integers(1, 9).map(lambda number: 10 * number)

Row = tuple[int, int]  # when it begins, when it arrives
times = st.integers(1, 80)
rows = st.lists(st.tuples(times, times), max_size=6)


def make_block(of: Sequence[Row]) -> Block:
    start, arrival = (np.array([row[place] for row in of], np.int64) for place in (0, 1))
    return Block("e", "event", (), None, start, None, arrival)


def rows_of(blocks: Sequence[Block]) -> list[Row]:
    return [row for block in blocks for row in zip(block.start.tolist(), block.arrival.tolist(), strict=True)]


def first_seen(row: Row, earliest: int = 0) -> int:
    return max(-(-row[1] // WINDOWS.step) * WINDOWS.step, earliest)


def is_visible(row: Row, query_time: int, earliest: int) -> bool:
    return first_seen(row, earliest) <= query_time and row[0] <= min(query_time, WINDOWS.end)


@given(rows, st.sampled_from([-NEVER, 20, 30]), QUERY_TIMES, QUERY_TIMES)
def test_newly_visible(of: list[Row], earliest: int, one: int, other: int) -> None:
    before, now = sorted([one, other])
    found = find_newly_visible([Arrived(make_block(of), WINDOWS, earliest)], before, now)
    expected = [row for row in of if is_visible(row, now, earliest) and not is_visible(row, before, earliest)]
    assert rows_of(list(found)) == expected


@given(rows, st.sampled_from([-NEVER, 20, 30]), QUERY_TIMES)
def test_next_begin(of: list[Row], earliest: int, query_time: int) -> None:
    begins = [max(first_seen(row, earliest), row[0]) for row in of]
    expected = min((begin for begin in begins if begin > query_time), default=NEVER)
    assert Arrived(make_block(of), WINDOWS, earliest).next_begin(query_time) == expected


@given(st.lists(rows, max_size=3), QUERY_TIMES)
def test_rows_that_are_seen_or_begin_later(of: list[list[Row]], until: int) -> None:
    blocks, each = [make_block(part) for part in of], [row for part in of for row in part]
    seen, unseen = divide_by_sight(blocks, WINDOWS, until)
    assert rows_of(seen) == [row for row in each if first_seen(row) <= until]
    assert rows_of(unseen) == [row for row in each if first_seen(row) > until]
    assert rows_of(rows_after(blocks, until)) == [row for row in each if row[0] > until]
    assert all(map(len, (*seen, *unseen)))
