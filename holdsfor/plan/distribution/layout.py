"""Places of definitions, as far as they have been chosen, and the origins of the tuples that are sent there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from holdsfor.plan.definitions import Definition
from holdsfor.plan.distribution.bodies import Body, bodies_of, body_of
from holdsfor.plan.nodes import RelationNode
from holdsfor.plan.operators import Arg, Relation
from holdsfor.plan.structures import is_open
from holdsfor.plan.whole_plan import Route, Slices

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


Tuples = frozenset[tuple[Relation, tuple[int, ...]]]
"""Relations with the positions of the tuple in them, some of which has it if the definition does."""


def tuples_of(definition: Definition, positions: tuple[int, ...], layout: Layout) -> Tuples:
    """Find the tuples of a definition; see `placing`. Every rule that begins something has evidence for one."""
    tuples = _tuples(definition, positions, layout, frozenset(definition.defines))
    assert tuples is not None
    return tuples


def _tuples(
    definition: Definition, positions: tuple[int, ...], layout: Layout, seen: frozenset[Relation]
) -> Tuples | None:
    if any(any(fluent.initially) for fluent in definition.simple_fluents):
        return None
    is_declared = not layout.declared.isdisjoint(definition.defines)
    tuples: Tuples = frozenset()
    for body in _beginnings(definition):
        head = tuple(body.head[position] for position in positions)
        if any(map(is_open, head)) and not is_declared:
            continue  # it is for tuples that others have begun
        if not body.evidence or not all(isinstance(arg, str) for arg in head):
            return None
        for alternative in body.evidence:
            sources = [_source(atom, head, layout, seen) for atom in alternative if set(head) <= set(atom.args)]
            if not sources:
                return None
            tuples |= min(sources, key=lambda source: max((layout.stage_of(r) for r, _ in source), default=-2))
    return tuples


def _is_circle(definition: Definition) -> bool:
    """Whether several fluents or events, each with other arguments, are defined together."""
    return len(definition.members) > 1


def _beginnings(definition: Definition) -> Iterator[Body]:
    """Return the rules without which it never holds or happens."""
    fluents = definition.simple_fluents
    if not fluents:
        return bodies_of(definition)
    return (body_of(rule) for fluent in fluents for rules in fluent.initiations for rule in rules)


def _source(atom: RelationNode, head: tuple[Arg, ...], layout: Layout, seen: frozenset[Relation]) -> Tuples:
    """The first relations in which the tuple is; none if the definition itself had it before."""
    if atom.relation in seen:
        return frozenset()
    positions = tuple(atom.args.index(arg) for arg in head)
    definition = layout.definitions.get(atom.relation)
    if definition is not None and not _is_circle(definition) and max(positions) < atom.relation.signature.arity:
        earlier = _tuples(definition, positions, layout, seen | frozenset(definition.defines))
        if earlier is not None:
            return earlier
    return frozenset({(atom.relation, positions)})
