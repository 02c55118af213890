"""Relations that stay: whatever is taken from them and added, they have what a set of the same rows has."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor.engine.data.axis import Axis, Ints
from holdsfor.engine.data.dictionary import Dictionary
from holdsfor.engine.data.intervals import Intervals
from holdsfor.engine.data.points import Points
from holdsfor.engine.data.relation import Data
from holdsfor.engine.incremental.stored import keep
from holdsfor.engine.incremental.tuples import Touched, TouchedKeys, Tuples
from holdsfor.engine.incremental.units import RowsWanted
from holdsfor.engine.tuning import Tuning

AXIS = Axis(0, 1, 8, 4)
KEYS = 6
ABOUT_FIRST = RowsWanted(((0,),), (), is_everywhere=False, reach=None, leader=0, is_member=False)

Row = tuple[int, int]  # key, time
Step = tuple[set[Row], dict[int, int], int]  # rows to add, the edges of keys, how far before these rows are gathered
rows = st.sets(st.tuples(st.integers(0, KEYS - 1), st.integers(1, 200)), max_size=20)
edges = st.dictionaries(st.integers(0, KEYS - 1), st.integers(-1, 200))  # of keys
steps = st.lists(st.tuples(rows, edges, st.integers(0, 9)), max_size=8)


@dataclass(frozen=True)
class Kind:
    """How rows become data, and data rows again. An interval is as long as its time says, so that none overlap."""

    is_points: bool
    dictionary: Dictionary = field(default_factory=Dictionary)

    def data(self, of: set[Row]) -> Data:
        packed = np.array(sorted((key << 8) | time for key, time in of), np.int64)
        if self.is_points:
            return Points(AXIS, self.dictionary, 1, (0,), packed, {})
        return Intervals(AXIS, self.dictionary, 1, packed, packed)

    def rows(self, data: Data) -> set[Row]:
        packed = data.packed if isinstance(data, Points) else data.s
        return {(int(point) >> 8, int(point) & 255) for point in packed}


@pytest.mark.parametrize("few", [0, 4, 1000], ids=["in parts", "now and then", "as a whole"])
@pytest.mark.parametrize("kind", [Kind(True), Kind(False)], ids=["points", "intervals"])
@settings(deadline=None)  # the first example may compile kernels
@given(first=rows, changes=steps)
def test_same_as_a_set(kind: Kind, few: int, first: set[Row], changes: list[Step]) -> None:
    kind = replace(kind, dictionary=Dictionary(Tuning(few_stored=few)))
    known, stored = set(first), keep(kind.data(first))
    for added, edges, reach in changes:
        touched = TouchedKeys(column(sorted(edges.items()), 0), column(sorted(edges.items()), 1))
        tuples = Tuples(AXIS, KEYS + 1, {1: touched})
        gathered = stored.gather(lambda data, tuples=tuples, reach=reach: tuples.places(data, [(0,)], (), reach))
        expected = {(key, time) for key, time in known if key in edges and time + reach > edges[key]}
        assert kind.rows(gathered.data) == expected
        by_kernel = tuples.gather(stored, ABOUT_FIRST, reach)
        assert kind.rows(by_kernel.data) == expected
        assert by_kernel.origin.tolist() == gathered.origin.tolist()
        assert kind.rows(stored.beyond(100)) == {(key, time) for key, time in known if time > 100}
        fresh = added - (known - expected)
        stored = stored.change(gathered.origin, kind.data(fresh))
        known = (known - expected) | fresh
        assert kind.rows(stored.whole()) == known
        assert len(stored) == len(known)


pairs = st.tuples(st.integers(0, 3), st.integers(0, 3))
rows_of_pairs = st.sets(st.tuples(pairs, st.integers(1, 200)), min_size=1)
edges_of_pairs = st.dictionaries(pairs, st.integers(0, 200), min_size=1)


@settings(deadline=None)
@given(rows_of_pairs, edges_of_pairs)
def test_rows_of_pairs_are_found_whichever_comes_first(
    of: set[tuple[tuple[int, int], int]], edges: dict[tuple[int, int], int]
) -> None:
    packed = np.array(sorted((one << 12) | (other << 8) | time for (one, other), time in of), np.int64)
    data = Points(AXIS, Dictionary(), 2, (0, 1), packed, {})
    by_pair = {(min(pair), max(pair)): until for pair, until in edges.items()}
    touched = sorted((one << 4 | other, until) for (one, other), until in by_pair.items())
    by_size = {2: TouchedKeys(column(touched, 0), column(touched, 1))}
    expected = [
        place
        for place, ((one, other), time) in enumerate(sorted(of))
        if time > by_pair.get((min(one, other), max(one, other)), 1000)
    ]
    assert Tuples(AXIS, KEYS + 1, by_size).places(data, [(0, 1)], (), 0).tolist() == expected


@settings(deadline=None)
@given(st.lists(st.tuples(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 99)), max_size=9)), max_size=4))
def test_a_tuple_has_the_earliest_of_its_times(parts: list[tuple[list[Row]]]) -> None:
    touched = Touched()
    every: dict[int, int] = {}
    for (part,) in parts:
        touched.touch(1, column(part, 0), column(part, 1))
        for key, time in part:
            every[key] = min(time, every.get(key, time))
    keys, until = touched.tuples().get(1, (column([], 0), column([], 1)))
    assert dict(zip(keys.tolist(), until.tolist(), strict=True)) == every
    assert keys.tolist() == sorted(every)


def column(of: list[Row], place: int) -> Ints:
    return np.array([row[place] for row in of], np.int64)
