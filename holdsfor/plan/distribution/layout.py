"""Places of definitions, as far as they have been chosen."""

from __future__ import annotations

from dataclasses import dataclass, field

from holdsfor.plan.definitions import Definition
from holdsfor.plan.operators import Relation
from holdsfor.plan.routes import Route, Slices

INPUT = -1  # the stage that input comes from


@dataclass(frozen=True, slots=True)
class Placement:
    """positions: the key; (): everything in one bucket; None: wherever the conditions are."""

    stage: int
    positions: tuple[int, ...] | None
    routes: tuple[Route, ...]
    slices: Slices | None = None  # evaluated by time

    @property
    def cost(self) -> tuple[int, int, int]:
        """Stages first, then what has to be sent to several buckets."""
        return self.stage, sum(route.way == "follow" for route in self.routes), len(self.positions or ())


@dataclass(frozen=True, slots=True)
class Layout:
    """Places of all definitions so far. declared: relations with a declared domain, over which wildcards range."""

    declared: frozenset[Relation] = frozenset()
    placed: dict[Relation, Placement] = field(default_factory=dict)
    definitions: dict[Relation, Definition] = field(default_factory=dict)

    def copy(self) -> Layout:
        return Layout(self.declared, dict(self.placed), dict(self.definitions))

    def stage_of(self, relation: Relation) -> int:
        placement = self.placed.get(relation)
        return INPUT if placement is None else placement.stage

    def add(self, definition: Definition, placement: Placement) -> None:
        self.placed.update(dict.fromkeys(definition.defines, placement))
        self.definitions.update(dict.fromkeys(definition.defines, definition))
