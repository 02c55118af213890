"""Kernels of several steps: each against the steps by themselves, which have tests of their own."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor.kernels.changes.concluding import change_added, conclude_after_cuts
from holdsfor.kernels.intervals.algebra import union2
from holdsfor.kernels.kernel import Ints
from holdsfor.kernels.rows.gathering import continue_from, cuts_of_codes, divide_at, places_unlike
from tests.kernels.test_gathering import BITS, KEYS, LAST, MASK, Span, back, columns, spans

edges = st.lists(st.integers(0, LAST), min_size=1, max_size=KEYS)  # of the first codes: others have none


@settings(max_examples=200, deadline=None)
@given(spans(), spans(), edges, st.integers(0, 5), st.integers(0, LAST), st.integers(0, LAST))
def test_conclude_after_cuts(
    before: list[Span], concluded: list[Span], edges: list[int], delay: int, floor: int, start: int
) -> None:
    known, (s, e) = columns(before), columns(concluded)
    cut = cuts(known[0], edges, delay, floor)
    settled = divide_at(*known, np.where(cut >= start, cut + 1, -1), BITS)[:2]
    now = union2(*settled, *continue_from(s, e, cuts(s, edges, delay, floor) + 1, MASK))
    gone, come = places_unlike(*known, *now)
    origin, table = np.arange(len(known[0])) * 2 - 5, np.array(edges, np.int64)
    changed = conclude_after_cuts(*known, origin, s, e, table, BITS, delay, floor, start, BITS)
    expected = *now, *(column[gone] for column in (*known, origin)), *(column[come] for column in now)
    assert [each.tolist() for each in changed] == [each.tolist() for each in expected]


@settings(max_examples=200, deadline=None)
@given(spans(), st.sets(st.integers(0, 20)), st.sets(st.integers(0, 20)), st.sets(st.integers(0, 20)), spans())
def test_change_added(
    rows: list[Span], later: set[int], left_out: set[int], removed: set[int], others: list[Span]
) -> None:
    """Two changes, one after the other, give the rows that a set would."""
    base = [row for place, row in enumerate(rows) if place not in later]
    more = [row for place, row in enumerate(rows) if place in later]
    gone = sorted(place for place in left_out if place < len(base))
    there = sorted(
        [(row, n) for n, row in enumerate(base) if n not in gone] + [(r, -1 - n) for n, r in enumerate(more)]
    )
    origins = [origin for place, (_, origin) in enumerate(there) if place in removed]
    kept = {row for place, (row, _) in enumerate(there) if place not in removed}
    added = [row for row in others if row not in kept]
    change = np.array(gone, np.int64), *columns(more), np.array(origins, np.int64), *columns(added)
    all_gone, s, e = change_added(*change)
    assert all_gone.tolist() == sorted({*gone, *(origin for origin in origins if origin >= 0)})
    now = [row for place, row in enumerate(base) if place not in all_gone.tolist()]
    assert sorted(now + back(s, e)) == sorted([*kept, *added])
    assert s.tolist() == sorted(s.tolist())


def cuts(s: Ints, edges: list[int], delay: int, floor: int) -> Ints:
    return cuts_of_codes(s >> BITS, np.array(edges, np.int64), delay, floor)
