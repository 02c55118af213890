"""Units: definitions that are evaluated for the same tuples of arguments.

A stage shares its rows out by tuples of arguments, and each tuple is by itself. What is true of a bucket of a stage
(see `plan.distribution`) is true of any set of tuples: with all rows about them, what is concluded about them is as if
all other rows were there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from holdsfor.plan.definitions import Definition, Due, Group
from holdsfor.plan.operators import Relation
from holdsfor.plan.routes import Stage
from holdsfor.plan.whole_plan import Plan

Positions = tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """Definitions of one stage that are evaluated for the same tuples.

    shares: by which arguments the rows of a relation belong to tuples. follows: rows that belong to all tuples with the
    argument at the position; links: relations that say which tuples there are; everywhere: rows that belong to all.
    homes: where tuples stand in what is defined. about: where they stand in all that has a place for them.
    is_keyed: if not, all is evaluated together.
    """

    definitions: tuple[int, ...]
    reads: frozenset[Relation]
    shares: dict[Relation, tuple[Positions, ...]] = field(default_factory=dict)
    follows: dict[Relation, tuple[int, ...]] = field(default_factory=dict)
    links: tuple[tuple[Relation, Positions], ...] = ()
    everywhere: frozenset[Relation] = frozenset()
    homes: dict[Relation, Positions] = field(default_factory=dict)
    about: dict[Relation, tuple[Positions, ...]] = field(default_factory=dict)
    is_keyed: bool = False

    @property
    def of_several(self) -> Iterator[tuple[Relation, Positions]]:
        """Yield the places of tuples of several arguments, which are those that rows follow to."""
        yield from self.links
        for relation, places in self.about.items():
            yield from ((relation, positions) for positions in places if len(positions) > 1)


def find_units(plan: Plan, definitions: Iterable[int]) -> tuple[Unit, ...]:
    """The units of the stages that have these definitions, in the order of the stages."""
    within = set(definitions)
    return tuple(
        unit
        for stage in plan.stages
        for unit in _units_of(stage, plan, within)
        if not within.isdisjoint(unit.definitions)
    )


def _units_of(stage: Stage, plan: Plan, within: set[int]) -> Iterator[Unit]:
    keyed = {home.relation for home in stage.homes if home.positions and home.slices is None}
    by_key = [n for n in stage.definitions if n in within and keyed.issuperset(plan.definitions[n].defines)]
    others = [n for n in stage.definitions if n in within and n not in set(by_key)]
    if by_key:
        yield _keyed_unit(stage, plan, tuple(by_key))
    if others:
        yield Unit(tuple(others), _reads(plan, others))


def _keyed_unit(stage: Stage, plan: Plan, definitions: tuple[int, ...]) -> Unit:
    reads = _reads(plan, definitions)
    shares: dict[Relation, list[Positions]] = {}
    follows: dict[Relation, list[int]] = {}
    links = []
    for route in stage.routes:
        if route.way == "share" and route.positions:
            shares.setdefault(route.relation, []).append(route.positions)
        elif route.way == "follow":
            follows.setdefault(route.relation, []).append(route.positions[0])
        elif route.way == "link":
            links.append((route.relation, route.positions))
    own = {relation for number in definitions for relation in plan.definitions[number].defines}
    homes = {home.relation: home.positions for home in stage.homes if home.relation in own and home.positions}
    everywhere = {route.relation for route in stage.routes if route.way == "everywhere"}
    everywhere |= reads - shares.keys() - follows.keys() - own
    return Unit(
        definitions,
        reads,
        {relation: tuple(dict.fromkeys(each)) for relation, each in shares.items()},
        {relation: tuple(dict.fromkeys(each)) for relation, each in follows.items()},
        tuple(links),
        frozenset(everywhere & reads),
        homes,
        _find_places(shares, homes),
        is_keyed=True,
    )


def _find_places(
    shares: Mapping[Relation, list[Positions]], homes: Mapping[Relation, Positions]
) -> dict[Relation, tuple[Positions, ...]]:
    places: dict[Relation, list[Positions]] = {relation: list(each) for relation, each in shares.items()}
    for relation, home in homes.items():
        places.setdefault(relation, []).append(home)
    return {relation: tuple(dict.fromkeys(each)) for relation, each in places.items()}


def _reads(plan: Plan, definitions: Iterable[int]) -> frozenset[Relation]:
    return frozenset(relation for number in definitions for relation in plan.looks[number].relations)


class RowsWanted(NamedTuple):
    """The rows of a relation that a block of a unit looks at: see `Unit`. reach: how far back; None: at any distance.

    leader: the one argument that tells; None: more than one does. is_member: whether it leads to tuples of several.
    """

    shares: tuple[Positions, ...]
    follows: tuple[int, ...]
    is_everywhere: bool
    reach: int | None
    leader: int | None
    is_member: bool


def find_wanted(unit: Unit, reaches: Mapping[Relation, int | None]) -> dict[Relation, RowsWanted]:
    return {relation: _find_wanted(unit, relation, reaches.get(relation)) for relation in {*unit.reads, *unit.homes}}


def _find_wanted(unit: Unit, relation: Relation, reach: int | None) -> RowsWanted:
    shares, follows = unit.about.get(relation, ()), unit.follows.get(relation, ())
    leaders = [*(positions for positions in shares), *((position,) for position in follows)]
    leader = leaders[0][0] if len(leaders) == 1 and len(leaders[0]) == 1 else None
    is_everywhere = relation in unit.everywhere or not unit.is_keyed
    return RowsWanted(shares, follows, is_everywhere, reach, leader, is_member=bool(follows))


@dataclass(frozen=True, slots=True)
class DefinitionStep:
    """A definition on the way through a unit: what it defines and reads, and its deadlines."""

    number: int
    definition: Definition
    own: tuple[Relation, ...]
    reads: tuple[Relation, ...]
    deadlines: tuple[Due, ...]


def make_steps(plan: Plan, unit: Unit) -> tuple[DefinitionStep, ...]:
    return tuple(_make_step(plan, number) for number in unit.definitions)


def _make_step(plan: Plan, number: int) -> DefinitionStep:
    definition, reads = plan.definitions[number], plan.looks[number].relations
    deadlines = definition.deadlines if isinstance(definition, Group) else ()
    return DefinitionStep(number, definition, definition.defines, tuple(reads), tuple(deadlines))
