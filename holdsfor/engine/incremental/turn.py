"""A query time in the making: what is known so far, and what has been found to differ."""

from __future__ import annotations

from dataclasses import dataclass, field

from holdsfor.engine.data.cut import Running
from holdsfor.engine.data.world import World
from holdsfor.engine.incremental.arrivals import Stores
from holdsfor.engine.incremental.keys import Tuples
from holdsfor.engine.incremental.known import KnownWorld, SessionSetting
from holdsfor.engine.incremental.stored import Difference, merge_differences
from holdsfor.engine.tuning import Tuning
from holdsfor.plan.definitions import Due
from holdsfor.plan.operators import Relation

#: The counts that say how much a query time looks at.
WORK = ("definitions_evaluated", "definitions_skipped", "blocks_evaluated", "rows_gathered")

Differences = dict[Relation, Difference]


@dataclass(frozen=True, slots=True)
class TouchedBlock:
    """tuples: None if all are evaluated together. until: nothing has changed for any of them up to then.

    Times are relative to the origin of the axis, and the last before a tick.
    """

    tuples: Tuples | None
    until: int


@dataclass(slots=True)
class QueryTurn:
    """bare: a world without relations, at the query time."""

    known: KnownWorld
    setting: SessionSetting
    bare: World
    stores: Stores
    running: dict[Due, Running]
    differences: Differences
    counts: dict[str, int] = field(default_factory=dict)

    @property
    def tuning(self) -> Tuning:
        return self.setting.program.tuning

    def count(self, name: str, rows: int) -> None:
        self.counts[name] = self.counts.get(name, 0) + rows

    def add_difference(self, relation: Relation, difference: Difference) -> None:
        """Add a difference that shares no tuples with the others of its relation."""
        if difference:
            other = self.differences.get(relation)
            self.differences[relation] = difference if other is None else merge_differences(other, difference)
