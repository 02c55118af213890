"""Cuts: up to when conclusions are settled. Definitions conclude for later times, on top of what was settled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from holdsfor.engine.data.axis import EMPTY, Axis, Ints
from holdsfor.engine.data.points import Points
from holdsfor.engine.data.relation import Data
from holdsfor.kernels.rows.moving import merge_sorted
from holdsfor.plan.definitions import Due
from holdsfor.plan.operators import Relation


@dataclass(frozen=True, slots=True)
class Running:
    """Hold deadlines: of which key, when set, when due, and when dropped. Times are on the axis."""

    keys: Ints
    made: Ints
    due: Ints
    dropped: Ints


NO_DEADLINES = Running(EMPTY, EMPTY, EMPTY, EMPTY)


class Cut(Protocol):
    """Say up to when conclusions about each key are settled, and what was settled. Times are relative to the origin."""

    @property
    def earliest(self) -> int:
        """Return the first cut of all keys."""

    @property
    def running(self) -> Mapping[Due, Running]:
        """Return the deadlines that were running at the cut."""

    def of_rows(self, relation: Relation, codes: Callable[[int], Ints]) -> Ints:
        """Return the cut of each row, or an array of one for all. codes: of the arguments at a position."""

    def of_keys(self, relation: Relation, keys: Ints, axis: Axis) -> Ints:
        """Return the cut of each key."""

    def holding(self, relation: Relation) -> Ints:
        """Return the keys of a simple fluent that hold right after the cut."""

    def settled(self, relation: Relation) -> Data | None:
        """Return what was concluded up to the cut; None if nothing was."""

    def merge_later(self, relation: Relation, one: Ints, other: Ints, arity: int) -> Ints:
        """Merge two sorted lists of points that are after the earliest cut; keep those after the cut of their key."""

    def choose_later(self, relation: Relation, points: Points) -> Points:
        """Choose of points that are after the earliest cut those that are after the cut of their key."""

    def leading(self, relations: Iterable[Relation]) -> tuple[Ints, Ints] | None:
        """Return cuts that follow from the leading code of a point: an edge for each code, and three numbers.

        They are: by how many bits the code stands before the rest (-1: one cut for all), how long before its edge the
        cut is, and the earliest cut. None: cuts follow from something else.
        """


@dataclass(frozen=True, slots=True)
class CommonCut:
    """One cut for all keys."""

    earliest: int
    held: Mapping[Relation, Ints] = field(default_factory=dict)
    concluded: Mapping[Relation, Data] = field(default_factory=dict)
    running: Mapping[Due, Running] = field(default_factory=dict)

    def of_rows(self, relation: Relation, codes: Callable[[int], Ints]) -> Ints:
        return np.array([self.earliest])

    def of_keys(self, relation: Relation, keys: Ints, axis: Axis) -> Ints:
        return np.full(len(keys), self.earliest)

    def holding(self, relation: Relation) -> Ints:
        return self.held.get(relation, EMPTY)

    def settled(self, relation: Relation) -> Data | None:
        return self.concluded.get(relation)

    def merge_later(self, relation: Relation, one: Ints, other: Ints, arity: int) -> Ints:
        return merge_sorted(one, other) if other.size else one

    def choose_later(self, relation: Relation, points: Points) -> Points:
        return points

    def leading(self, relations: Iterable[Relation]) -> tuple[Ints, Ints] | None:
        return EMPTY, np.array([-1, 0, self.earliest])
