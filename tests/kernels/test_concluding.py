"""Kernels of several steps: each against the steps by themselves, which have tests of their own."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor.kernels.changes.concluding import change_added, conclude_after_cuts, divide_at_cuts, gather_intervals
from holdsfor.kernels.intervals.algebra import union2
from holdsfor.kernels.kernel import Ints
from holdsfor.kernels.rows.gathering import continue_from, cuts_of_codes, divide_at, places_unlike
from holdsfor.kernels.rows.searching import first_places, gather_from_all, gather_intervals_of_keys
from tests.kernels.test_gathering import BITS, KEYS, LAST, MASK, Span, back, columns, spans

edges = st.lists(st.integers(0, LAST), min_size=1, max_size=KEYS)  # of the first codes: others have none


@settings(max_examples=200, deadline=None)
@given(spans(), st.sets(st.integers(0, 20)), st.sets(st.integers(0, 20)), edges, st.integers(0, 9), st.booleans())
def test_gather_intervals(
    rows: list[Span], later: set[int], left_out: set[int], edges: list[int], reach: int, has_ends: bool
) -> None:
    base = columns([row for place, row in enumerate(rows) if place not in later])
    more = columns([row for place, row in enumerate(rows) if place in later])
    gone = np.array(sorted(place for place in left_out if place < len(base[0])), np.int64)
    limits = np.array(edges, np.int64), np.arange(len(edges), dtype=np.int64) * 15 if has_ends else np.array([1 << 62])
    s, e, origin = gather_intervals(*base, gone, *more, *limits, BITS, MASK, reach)
    in_base, in_more, _ = gather_from_all(*base, gone, *more, *limits, BITS, MASK, reach)
    chosen = [(*pair, place) for *pair, place in zip(base[0][in_base], base[1][in_base], in_base, strict=True)]
    chosen += [(*pair, -1 - place) for *pair, place in zip(more[0][in_more], more[1][in_more], in_more, strict=True)]
    assert list(zip(s.tolist(), e.tolist(), origin.tolist(), strict=True)) == sorted(chosen)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(spans(), min_size=1, max_size=12),
    st.sets(st.integers(0, 60)),
    st.sets(st.integers(0, 60)),
    st.dictionaries(st.integers(0, 40), st.tuples(st.integers(0, LAST), st.integers(0, MASK)), min_size=1),
    st.integers(0, 9),
    st.booleans(),
    st.booleans(),
)
def test_gather_intervals_of_keys(
    lists: list[list[Span]],
    later: set[int],
    left_out: set[int],
    wanted: dict[int, tuple[int, int]],
    reach: int,
    has_ends: bool,
    has_firsts: bool,
) -> None:
    """Of few keys and of many, of keys with few rows and with many: as by a look at the edge of each code."""
    rows = [(number * KEYS + key, start, end) for number, some in enumerate(lists) for key, start, end in some]
    base = columns([row for place, row in enumerate(rows) if place not in later])
    more = columns([row for place, row in enumerate(rows) if place in later])
    gone = np.array(sorted(place for place in left_out if place < len(base[0])), np.int64)
    keys = np.array(sorted(wanted), np.int64)
    until, ends = (np.array([wanted[key][side] for key in sorted(wanted)], np.int64) for side in (0, 1))
    edge_of, end_of = np.full(50, 1 << 60), np.full(50 if has_ends else 1, 1 << 60)
    edge_of[keys] = until
    if has_ends:
        end_of[keys] = ends
    firsts = first_places(base[0], BITS) if has_firsts else np.empty(0, np.int64)
    limits = keys, until, ends if has_ends else np.array([1 << 60])
    found = gather_intervals_of_keys(firsts, *base, gone, *more, *limits, BITS, BITS, reach)
    expected = gather_intervals(*base, gone, *more, edge_of, end_of, BITS, MASK, reach)
    assert [each.tolist() for each in found] == [each.tolist() for each in expected]


@settings(max_examples=200, deadline=None)
@given(spans(), edges, st.integers(0, 5), st.integers(0, LAST), st.integers(0, LAST))
def test_divide_at_cuts(rows: list[Span], edges: list[int], delay: int, floor: int, start: int) -> None:
    s, e = columns(rows)
    cut = cuts(s, edges, delay, floor)
    expected = divide_at(s, e, np.where(cut >= start, cut + 1, -1), BITS)
    divided = divide_at_cuts(s, e, np.array(edges, np.int64), BITS, delay, floor, start, BITS)
    assert [each.tolist() for each in divided] == [each.tolist() for each in expected]


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
