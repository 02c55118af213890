"""Cuts: up to when nothing has changed for each tuple of a block. Conclusions about it begin after that."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from holdsfor.engine.data.axis import Axis, Ints
from holdsfor.engine.data.cut import Running
from holdsfor.engine.data.points import Points
from holdsfor.engine.data.relation import Data
from holdsfor.engine.incremental.stored import Gathered
from holdsfor.engine.incremental.tuples import Tuples
from holdsfor.engine.incremental.units import Unit
from holdsfor.kernels.rows.gathering import cuts_of_codes
from holdsfor.kernels.rows.moving import compress, merge_sorted
from holdsfor.plan.definitions import Due
from holdsfor.plan.operators import Relation


@dataclass(slots=True)
class TupleCuts:
    """Cut each tuple so long before its own time, or at the floor.

    start: of the history, relative to the origin: nothing held before it. before: what was known of what is defined.
    """

    tuples: Tuples
    unit: Unit
    delay: int
    floor: int
    start: int
    before: Mapping[Relation, Gathered]
    earliest: int
    running: Mapping[Due, Running] = field(default_factory=dict)
    _divided: dict[Relation, tuple[Data, Ints]] = field(default_factory=dict)  # as soon as somebody asks

    @property
    def is_common(self) -> bool:
        return False

    def of_rows(self, relation: Relation, codes: Callable[[int], Ints]) -> Ints:
        home = self.unit.homes[relation]
        if len(home) == 1:
            return cuts_of_codes(codes(home[0]), self.tuples.until_of_codes, self.delay, self.floor)
        return np.maximum(self.tuples.until_of(home, codes) - self.delay, self.floor)

    def of_keys(self, relation: Relation, keys: Ints, axis: Axis) -> Ints:
        return self.of_rows(relation, lambda position: axis.code(keys, position, relation.arity))

    def holding(self, relation: Relation) -> Ints:
        return self._divide(relation)[1]

    def settled(self, relation: Relation) -> Data:
        return self._divide(relation)[0]

    def merge_later(self, relation: Relation, one: Ints, other: Ints, arity: int) -> Ints:
        axis = self.tuples.axis
        packed = merge_sorted(one, other) if other.size else one
        keys = packed >> axis.time_bits
        return compress(packed, (packed & axis.mask) > self.of_rows(relation, lambda p: axis.code(keys, p, arity)))

    def choose_later(self, relation: Relation, points: Points) -> Points:
        return points.where((points.packed & points.axis.mask) > self.of_rows(relation, points.codes))

    def leading(self, relations: Iterable[Relation]) -> tuple[Ints, Ints] | None:
        homes = {(self.unit.homes[relation], relation.arity) for relation in relations}
        home, arity = homes.pop()
        shift = None if homes or home != (0,) else self.tuples.axis.leading_shift(arity)
        return None if shift is None else (self.tuples.until_of_codes, np.array([shift, self.delay, self.floor]))

    def _divide(self, relation: Relation) -> tuple[Data, Ints]:
        """Divide what was known at the cuts: what was settled before them, and the keys that hold there."""
        if relation not in self._divided:
            data = self.before[relation].data
            boundary = settled_before(self.of_rows(relation, data.codes), self.floor, self.start)
            self._divided[relation] = data.divide_at(boundary)
        return self._divided[relation]


def settled_before(cut: Ints, floor: int, start: int) -> Ints:
    """The first time after a cut; before all times where that is the start of the history: nothing held there.

    floor: no cut is before it.
    """
    return cut + 1 if floor >= start else np.where(cut >= start, cut + 1, -1)
