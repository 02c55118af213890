"""Packed axes small enough to list their points, and the naive view of intervals: the set of points they cover."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy
from numpy.typing import NDArray

from holdsfor.kernels.intervals.inertia import hold_between

Ints = NDArray[np.int64]
Intervals = tuple[Ints, Ints]

#: As many examples as the profile says; the first one of a kernel may compile it.
law = settings(deadline=None)


@dataclass(frozen=True)
class Axis:
    """Points t = 1..horizon of a few keys; the horizon stands for all of time after it, up to an open end."""

    bits: int
    first_key: int
    horizon: int

    @property
    def mask(self) -> int:
        return (1 << self.bits) - 1

    @property
    def keys(self) -> range:
        return range(self.first_key, self.first_key + 4)

    def pack(self, key: int, t: int) -> int:
        return key << self.bits | t

    def points(self) -> list[int]:
        return [self.pack(key, t) for key in self.keys for t in range(1, self.horizon + 1)]

    def covered(self, s: Ints, e: Ints) -> set[int]:
        pairs = list(zip(s.tolist(), e.tolist(), strict=True))
        return {p for p in self.points() if any(start <= p < end for start, end in pairs)}

    def maximal(self, points: Iterable[int]) -> Intervals:
        """The maximal intervals that cover exactly these points."""
        chosen = set(points)
        starts = [p for p in sorted(chosen) if p - 1 not in chosen]
        lasts = [p for p in sorted(chosen) if p + 1 not in chosen]
        return ints(starts), ints(p | self.mask if p & self.mask == self.horizon else p + 1 for p in lasts)


def ints(values: Iterable[int]) -> Ints:
    return np.array(list(values), dtype=np.int64)


def same(found: Iterable[Ints], expected: Iterable[Ints]) -> bool:
    """Equal columns, of the type that every kernel reads and gives."""
    left, right = list(found), list(expected)
    return len(left) == len(right) and all(
        a.dtype == np.int64 and np.array_equal(a, b) for a, b in zip(left, right, strict=True)
    )


@st.composite
def axes(draw: DrawFn) -> Axis:
    bits = draw(st.sampled_from([3, 4, 5, 20, 32, 44]))
    last_key = (1 << (63 - bits)) - 1
    return Axis(bits, draw(st.sampled_from([0, 7, last_key - 3])), min((1 << bits) - 2, 20))


def places(axis: Axis) -> SearchStrategy[int]:
    """Any point whose next one is still on the axis, so that the naive view sees every edge exactly."""
    last = axis.horizon if axis.horizon == axis.mask - 1 else axis.horizon - 2
    return st.builds(axis.pack, st.sampled_from(axis.keys), st.integers(1, last))


def point_columns(axis: Axis, max_size: int = 25) -> SearchStrategy[Ints]:
    """Sorted, with duplicates."""
    return st.lists(places(axis), max_size=max_size).map(lambda values: ints(sorted(values)))


def interval_lists(axis: Axis) -> SearchStrategy[Intervals]:
    """Lists that keep the invariants: long and short, open and closed, of no, one or several keys."""
    runs = overlapping(axis, max_size=8)
    return runs.map(lambda pair: axis.maximal(axis.covered(*pair)))


@st.composite
def overlapping(draw: DrawFn, axis: Axis, max_size: int = 12) -> Intervals:
    """Intervals in order of their starts that may overlap, touch and repeat."""
    pairs = []
    for start in draw(st.lists(places(axis), max_size=max_size)):
        end = min(start + draw(st.integers(1, 9)), start | axis.mask)
        beyond = end & axis.mask > axis.horizon or draw(st.integers(0, 5)) == 0
        pairs.append((start, end | axis.mask if beyond else end))
    pairs.sort(key=lambda pair: pair[0])
    return ints(s for s, _ in pairs), ints(e for _, e in pairs)


def hold_one(init: Ints, term: Ints, mask: int, after: int) -> tuple[Ints, Ints]:
    """The intervals of a fluent with one value, from one run of initiations and one of terminations."""
    runs = np.array([[0, 0, len(init)], [1, len(init), len(init) + len(term)]])
    starts, ends, _ = hold_between(np.concatenate([init, term]), runs, 1, mask, after)
    return starts, ends
