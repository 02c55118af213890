"""What evaluation by changes is made of, against the same on sets of points."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor.kernels.intervals.algebra import keep_lingering
from holdsfor.kernels.kernel import AFTER_ALL, Ints
from holdsfor.kernels.rows.gathering import (
    change_intervals,
    continue_from,
    cuts_of_codes,
    divide_at,
    places_of_codes,
    places_unlike,
)
from holdsfor.kernels.rows.searching import gather_rows

BITS, KEYS, LAST = 6, 3, 40
MASK = (1 << BITS) - 1

Span = tuple[int, int, int]  # key, start, end (MASK: open)


@st.composite
def spans(draw: st.DrawFn) -> list[Span]:
    """Sorted intervals that neither overlap nor touch."""
    found = []
    for key in range(KEYS):
        edges = sorted(draw(st.sets(st.integers(1, LAST), max_size=8)))
        pairs = list(zip(edges[::2], edges[1::2], strict=False))
        found += [(key, start, end) for start, end in pairs]
        if len(edges) % 2:
            found.append((key, edges[-1], MASK))
    return found


def columns(of: list[Span]) -> tuple[Ints, Ints]:
    return (
        np.array([(key << BITS) | start for key, start, _ in of], np.int64),
        np.array([(key << BITS) | end for key, _, end in of], np.int64),
    )


def back(s: Ints, e: Ints) -> list[Span]:
    return [(a >> BITS, a & MASK, b & MASK) for a, b in zip(s.tolist(), e.tolist(), strict=True)]


def boundaries(of: list[Span], by_key: list[int]) -> Ints:
    return np.array([by_key[key] for key, _, _ in of], np.int64)


@settings(deadline=None)
@given(spans(), st.lists(st.integers(-1, LAST), min_size=KEYS, max_size=KEYS))
def test_a_boundary_divides_intervals(known: list[Span], by_key: list[int]) -> None:
    s, e = columns(known)
    before_s, before_e, keys = divide_at(s, e, boundaries(known, by_key), BITS)
    assert back(before_s, before_e) == [(k, a, min(b, by_key[k])) for k, a, b in known if a < by_key[k]]
    assert keys.tolist() == [k for k, a, b in known if a <= by_key[k] < b]
    after = back(*continue_from(s, e, boundaries(known, by_key), MASK))
    assert after == [(k, max(a, by_key[k]), b) for k, a, b in known if b > by_key[k]]


@settings(deadline=None)
@given(spans(), st.integers(-1, LAST))
def test_one_boundary_for_all(known: list[Span], boundary: int) -> None:
    one, each = np.array([boundary]), np.full(len(known), boundary)
    s, e = columns(known)
    for divided, expected in zip(divide_at(s, e, one, BITS), divide_at(s, e, each, BITS), strict=True):
        assert divided.tolist() == expected.tolist()
    assert back(*continue_from(s, e, one, MASK)) == back(*continue_from(s, e, each, MASK))


@settings(deadline=None)
@given(spans(), st.integers(-1, LAST))
def test_what_lingers(known: list[Span], edge: int) -> None:
    found = back(*keep_lingering(*columns(known), edge, MASK))
    assert found == [(k, a, b) for k, a, b in known if a > edge or edge < b < MASK]


@settings(deadline=None)
@given(spans(), spans())
def test_what_differs(one: list[Span], other: list[Span]) -> None:
    mine, others = places_unlike(*columns(one), *columns(other))
    assert [one[n] for n in mine] == [span for span in one if span not in other]
    assert [other[n] for n in others] == [span for span in other if span not in one]
    s, e = columns(one)
    added = [column[others] for column in columns(other)]
    assert back(*change_intervals(s, e, mine, *added)) == other


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, KEYS), st.integers(1, LAST), st.booleans(), st.booleans()), max_size=40),
    st.lists(st.integers(0, LAST), min_size=1, max_size=KEYS),
    st.integers(0, 10),
)
def test_gather_rows(rows: list[tuple[int, int, bool, bool]], times: list[int], reach: int) -> None:
    """Points, some in the base, some of these gone, the others added: against a look at each of them."""
    base = sorted((key << BITS) | time for key, time, is_base, _ in rows if is_base)
    more = sorted((key << BITS) | time for key, time, is_base, _ in rows if not is_base)
    gone = [place for place in range(len(base)) if place % 3 == 1]
    wanted = {2 * number: time for number, time in enumerate(times)}

    def is_wanted(row: int) -> bool:
        return (row & MASK) + reach > wanted.get(row >> BITS, MASK << 1)

    packed, added = np.array(base, np.int64), np.array(more, np.int64)
    in_base, in_more, order = gather_rows(
        *(packed, packed, np.array(gone, np.int64), added, added),
        *(np.array(list(wanted), np.int64), np.array(times, np.int64)),
        *(BITS, BITS, reach),
    )
    assert in_base.tolist() == [p for p, row in enumerate(base) if is_wanted(row) and p not in gone]
    assert in_more.tolist() == [p for p, row in enumerate(more) if is_wanted(row)]
    both = np.concatenate([packed[in_base], added[in_more]])
    assert (both[order] if len(order) else both).tolist() == sorted(both.tolist())


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 2 * KEYS), st.integers(1, LAST)), max_size=40),
    st.lists(st.integers(0, LAST), min_size=1, max_size=KEYS),
    st.integers(0, 5),
    st.integers(0, LAST),
)
def test_times_by_code(rows: list[tuple[int, int]], edges: list[int], delay: int, floor: int) -> None:
    """A code that has no edge, because it came after the table was made, is not looked at."""
    rows = sorted(rows)
    packed, codes = np.array([(k << BITS) | t for k, t in rows], np.int64), np.array([k for k, _ in rows], np.int64)
    table = np.array(edges, np.int64)
    after = [place for place, (k, t) in enumerate(rows) if k < len(edges) and t + delay > edges[k]]
    assert places_of_codes(codes, packed, table, MASK, delay).tolist() == after
    cuts = [max(edges[k] - delay, floor) if k < len(edges) else AFTER_ALL for k, _ in rows]
    assert cuts_of_codes(codes, table, delay, floor).tolist() == cuts
