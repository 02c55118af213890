"""Events that stay: whatever comes, is taken back and forgotten, they have what a list of the same rows has."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor.engine.data.axis import EMPTY, Axis, Ints
from holdsfor.engine.data.column import Column, Selection
from holdsfor.engine.data.dictionary import Dictionary
from holdsfor.engine.data.points import Points
from holdsfor.engine.data.relation import Data
from holdsfor.engine.incremental.stored import Stored, keep
from holdsfor.engine.incremental.tuples import TouchedKeys, Tuples
from holdsfor.engine.incremental.units import RowsWanted
from holdsfor.engine.tuning import Tuning

AXIS = Axis(0, 1, 8, 4)
IN_PARTS, AS_A_WHOLE = (Dictionary(Tuning(few_stored=few)) for few in (0, 1000))
KEYS = 6
ABOUT_FIRST = RowsWanted(((0,),), (), is_everywhere=False, reach=None, leader=0, is_member=False)

Row = tuple[int, int, float]  # key, time, what was measured
row = st.tuples(st.integers(0, KEYS - 1), st.integers(1, 200), st.sampled_from([0.5, 1.5, 2.5]))
rows = st.lists(row, max_size=12)
edges = st.dictionaries(st.integers(0, KEYS - 1), st.integers(-1, 200))  # of keys
steps = st.lists(st.tuples(rows, edges, st.integers(0, 9), st.integers(0, 150)), min_size=1, max_size=12)


def make_points(of: list[Row], is_coded: bool = False, dictionary: Dictionary = IN_PARTS) -> Points:
    """As they come in: numbers are put in order when somebody asks for them."""
    order = np.array(sorted(range(len(of)), key=of.__getitem__), np.int64)
    packed = np.array([(key << 8) | time for key, time, _ in sorted(of)], np.int64)
    numbers = np.array([number for _, _, number in of])
    column = Column(dictionary, dictionary.encode(numbers) if is_coded else None, numbers)
    return Points(AXIS, dictionary, 2, (0,), packed, {1: column.select(Selection(index=order))})


def rows_of(data: Data) -> list[Row]:
    assert isinstance(data, Points)
    assert (np.diff(data.packed) >= 0).all()
    pairs = zip(data.packed.tolist(), data.column(1).numbers().tolist(), strict=True)
    return sorted((point >> 8, point & 255, number) for point, number in pairs)


def column_of(of: list[tuple[int, int]], place: int) -> Ints:
    return np.array([each[place] for each in of], np.int64)


def begin(first: list[Row], dictionary: Dictionary = IN_PARTS) -> Stored:
    more = [(0, 1, 0.5)] * len(first)
    return keep(make_points(first, False, dictionary)).change(EMPTY, make_points(more, False, dictionary), 0)


@settings(deadline=None)  # the first example may compile kernels
@given(first=st.lists(row, min_size=1, max_size=12), changes=steps, dictionary=st.sampled_from([AS_A_WHOLE, IN_PARTS]))
def test_same_as_a_list(first: list[Row], changes: list[tuple], dictionary: Dictionary) -> None:  # type: ignore[type-arg]
    stored = begin(first, dictionary)
    known, over = [*first, *[(0, 1, 0.5)] * len(first)], 0
    for added, edges, reach, forgotten in changes:
        over = max(over, forgotten)
        touched = sorted(edges.items())
        tuples = Tuples(AXIS, KEYS + 1, {1: TouchedKeys(column_of(touched, 0), column_of(touched, 1))})
        for gathered in (
            tuples.gather(stored, ABOUT_FIRST, reach),
            stored.gather(lambda data, tuples=tuples, reach=reach: tuples.places(data, [(0,)], (), reach)),
        ):
            expected = [each for each in known if each[0] in edges and each[1] + reach > edges[each[0]]]
            of_now = [each for each in rows_of(gathered.data) if each[1] > over]
            assert of_now == sorted(each for each in expected if each[1] > over)
        known += added
        stored = stored.change(EMPTY, make_points(added, False, dictionary), over)
        assert [each for each in rows_of(stored.beyond(over))] == sorted(each for each in known if each[1] > over)


@settings(deadline=None)
@given(first=st.lists(row, min_size=1, max_size=12), added=rows, others=rows, data=st.data())
def test_taken_back(first: list[Row], added: list[Row], others: list[Row], data: st.DataObject) -> None:
    stored = begin(first).change(EMPTY, make_points(added))
    every = stored.gather(lambda data: np.arange(len(data)))
    known = rows_of(every.data)
    chosen = data.draw(st.sets(st.integers(0, len(known) - 1)))
    in_order = list(zip(every.data.packed.tolist(), every.data.column(1).numbers().tolist(), strict=True))  # type: ignore[union-attr]
    left = [(p >> 8, p & 255, n) for place, (p, n) in enumerate(in_order) if place not in chosen]
    changed = stored.change(every.origin[sorted(chosen)], make_points(others))
    assert rows_of(changed.whole()) == sorted(left + others)


@settings(deadline=None)
@given(first=st.lists(row, min_size=1, max_size=12), one=rows, other=rows)
def test_what_was_known_stays_as_it_was(first: list[Row], one: list[Row], other: list[Row]) -> None:
    """A query time that fails is tried again from what was known before it, which others may still read."""
    stored = begin(first)
    changed, again = stored.change(EMPTY, make_points(one)), stored.change(EMPTY, make_points(other))
    before = [*first, *[(0, 1, 0.5)] * len(first)]
    assert rows_of(changed.whole()) == sorted(before + one)
    assert rows_of(again.whole()) == sorted(before + other)
    assert rows_of(stored.whole()) == sorted(before)


def test_rows_of_another_kind() -> None:
    stored = begin([(1, 5, 0.5)])
    changed = stored.change(EMPTY, make_points([(2, 7, 1.5)], is_coded=True))
    assert rows_of(changed.whole()) == [(0, 1, 0.5), (1, 5, 0.5), (2, 7, 1.5)]
