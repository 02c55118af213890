"""Units: definitions that are evaluated for the same tuples of arguments, with all that stays known about them.

A stage shares its rows out by tuples of arguments, and each tuple is by itself. What is true of a bucket of a stage
(see `plan.distribution`) is true of any set of tuples: with all rows about them, what is concluded about them is as if
all other rows were there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

from holdsfor.engine.definitions.evaluate import Program
from holdsfor.engine.input.window import Windows
from holdsfor.engine.scripts.confirming import Readers, may_confirm
from holdsfor.engine.stepping.frontier import (
    Delays,
    Lookings,
    find_delays,
    find_stirring,
    make_lookings,
)
from holdsfor.engine.stepping.settling import Scope
from holdsfor.plan.definitions import Definition, Due, Fixpoint, Group, Simple, Static
from holdsfor.plan.operators import Relation
from holdsfor.plan.walk import complements, interval_rules, names_times
from holdsfor.plan.whole_plan import Look, Plan, Reach, Stage

Positions = tuple[int, ...]
Carriers = tuple[tuple[Relation, int], ...]
"""Fluents, each with the argument that is the tuple of a unit."""

Place = TypeVar("Place", int, Positions)


class RowsWanted(NamedTuple):
    """The rows of a relation that a unit looks at: see `Unit`. reach: how far back; None: at any distance.

    shares: by which arguments rows belong to tuples. leader: the one argument that tells; None: more than one does.
    is_member: whether it leads to tuples of several.
    """

    shares: tuple[Positions, ...]
    follows: tuple[int, ...]
    is_everywhere: bool
    reach: int | None
    leader: int | None
    is_member: bool


class DefinitionStep(NamedTuple):
    """A definition on the way through a unit: what it defines and reads, and its deadlines."""

    number: int
    definition: Definition
    own: tuple[Relation, ...]
    reads: tuple[Relation, ...]
    deadlines: tuple[Due, ...]


class Wait(NamedTuple):
    """Definitions, by how far they look from the present. carriers: they hold only while one of these does, so that
    time alone changes nothing where none does; None: not known of them.
    """

    carriers: Carriers | None
    numbers: dict[Reach, list[int]]


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """Definitions of one stage that are evaluated for the same tuples.

    follows: rows that belong to all tuples with the argument at the position; links: relations that say which tuples
    there are; everywhere: rows that belong to all. homes: where tuples stand in what is defined; about: where they
    stand in all that has a place for them. wanted: the rows that it looks at. delays: how far its definitions look.
    pointwise: circles of intervals that say of each point what others say of it, so that time alone changes nothing.
    always: definitions that any query time may change; waits: those that rows of a relation may change as time passes.
    confirming: events of which each occurrence may be judged by itself, with the fluents that read them.
    """

    steps: tuple[DefinitionStep, ...]
    reads: frozenset[Relation]
    follows: Mapping[Relation, tuple[int, ...]]
    links: tuple[tuple[Relation, Positions], ...]
    everywhere: frozenset[Relation]
    homes: Mapping[Relation, Positions]
    about: Mapping[Relation, tuple[Positions, ...]]
    wanted: Mapping[Relation, RowsWanted]
    delays: Delays
    pointwise: frozenset[int]
    always: tuple[int, ...]
    waits: Mapping[Relation, tuple[Wait, ...]]
    confirming: Mapping[Relation, Readers]

    @property
    def is_keyed(self) -> bool:
        """Whether tuples are by themselves; if not, all is evaluated together."""
        return bool(self.homes)

    @property
    def of_several(self) -> Iterator[tuple[Relation, Positions]]:
        """Yield the places of tuples of several arguments, which are those that rows follow to."""
        yield from self.links
        for relation, places in self.about.items():
            yield from ((relation, positions) for positions in places if len(positions) > 1)


@dataclass(frozen=True, slots=True)
class SessionSetting:
    """Settings of all query times of a session. timed: definitions that name times by themselves.

    complementing: those that have intervals which begin with the history, and with no row. lookings: how all look.
    waits: how far those that read a relation look from the present; waiting: the same of all, each with one of the
    definitions that do.
    """

    program: Program
    windows: Windows
    scope: Scope
    units: tuple[Unit, ...]
    timed: frozenset[int]
    complementing: frozenset[int]
    lookings: Lookings
    waits: Mapping[Relation, tuple[Reach, ...]]
    waiting: Mapping[Reach, int]

    def stirring(self, number: int, known: int) -> int | None:
        """See `find_stirring`."""
        return find_stirring(self.program.plan.looks[number], self.windows, known)


def make_setting(program: Program, windows: Windows, scope: Scope) -> SessionSetting:
    plan = program.plan
    timed = frozenset(number for number in scope.definitions if names_times(plan.definitions[number]))
    complementing = frozenset(number for number in scope.definitions if _complements(plan.definitions[number]))
    units = tuple(find_units(plan, scope.definitions, windows))
    looks = [plan.looks[number] for number in scope.definitions]
    return SessionSetting(
        program,
        windows,
        scope,
        units,
        timed,
        complementing,
        make_lookings(plan, range(len(plan.definitions))),
        _find_reaches(looks),
        {look.stirs: number for look, number in zip(looks, scope.definitions, strict=True) if look.stirs is not None},
    )


def _complements(definition: Definition) -> bool:
    return any(complements(rule.expression) for rule in interval_rules(definition))


def _find_reaches(looks: Iterable[Look]) -> dict[Relation, tuple[Reach, ...]]:
    reaches: dict[Relation, dict[Reach, None]] = {}
    for look in looks:
        for relation in look.relations:
            if look.stirs is not None:
                reaches.setdefault(relation, {})[look.stirs] = None
    return {relation: tuple(each) for relation, each in reaches.items()}


# ---------------------------------------------------------------- units of a stage


def find_units(plan: Plan, definitions: Iterable[int], windows: Windows | None = None) -> Iterator[Unit]:
    """Yield the units of the stages that have these definitions, in the order of the stages.

    windows: None if it does not matter how far definitions look.
    """
    within = set(definitions)
    for stage in plan.stages:
        keyed = {home.relation for home in stage.homes if home.positions and home.slices is None}
        by_key = [n for n in stage.definitions if n in within and keyed.issuperset(plan.definitions[n].defines)]
        others = [n for n in stage.definitions if n in within and n not in set(by_key)]
        if by_key:
            yield _make_unit(plan, by_key, stage, windows)
        if others:
            yield _make_unit(plan, others, None, windows)


def _make_unit(plan: Plan, definitions: list[int], stage: Stage | None, windows: Windows | None) -> Unit:
    """Make a unit of definitions. stage: by which rows are shared out; None: all is evaluated together."""
    steps = tuple(_make_step(plan, number) for number in definitions)
    reads = frozenset(relation for step in steps for relation in step.reads)
    own = {relation for step in steps for relation in step.own}
    routes = () if stage is None else stage.routes
    shares = _group((route.relation, route.positions) for route in routes if route.way == "share" and route.positions)
    follows = _group((route.relation, route.positions[0]) for route in routes if route.way == "follow")
    everywhere = {route.relation for route in routes if route.way == "everywhere"}
    if stage is not None:
        everywhere |= reads - shares.keys() - follows.keys() - own
    homes = {} if stage is None else {h.relation: h.positions for h in stage.homes if h.relation in own and h.positions}
    about = _group([*((r, each) for r, places in shares.items() for each in places), *homes.items()])
    delays = Delays({}, {}) if windows is None else find_delays(make_lookings(plan, definitions), windows)
    pointwise = frozenset(n for n in definitions if _is_pointwise(plan, n))
    always = tuple(n for n in definitions if plan.looks[n].stirs is None or names_times(plan.definitions[n]))
    unit = Unit(
        steps,
        reads,
        follows,
        tuple((route.relation, route.positions) for route in routes if route.way == "link"),
        frozenset(everywhere & reads),
        homes,
        about,
        {},
        delays,
        pointwise,
        always,
        {},
        {},
    )
    return replace(
        unit,
        wanted={relation: _find_wanted(unit, relation) for relation in {*reads, *homes}},
        waits=_find_waits(plan, [step for step in steps if step.number not in {*always, *pointwise}], unit),
        confirming={} if plan.domains else _find_confirming(unit),
    )


def _group(pairs: Iterable[tuple[Relation, Place]]) -> dict[Relation, tuple[Place, ...]]:
    """Group places by their relations, each once."""
    places: dict[Relation, dict[Place, None]] = {}
    for relation, place in pairs:
        places.setdefault(relation, {})[place] = None
    return {relation: tuple(each) for relation, each in places.items()}


def _make_step(plan: Plan, number: int) -> DefinitionStep:
    definition = plan.definitions[number]
    deadlines = definition.deadlines if isinstance(definition, Group) else ()
    return DefinitionStep(number, definition, definition.defines, tuple(plan.looks[number].relations), tuple(deadlines))


def _find_wanted(unit: Unit, relation: Relation) -> RowsWanted:
    shares, follows = unit.about.get(relation, ()), unit.follows.get(relation, ())
    leaders = [*shares, *((position,) for position in follows)]
    leader = leaders[0][0] if len(leaders) == 1 and len(leaders[0]) == 1 else None
    is_everywhere = relation in unit.everywhere or not unit.is_keyed
    return RowsWanted(shares, follows, is_everywhere, unit.delays.edges.get(relation), leader, bool(follows))


# ---------------------------------------------------------------- what time alone, or one row, may change


def _is_pointwise(plan: Plan, number: int) -> bool:
    definition = plan.definitions[number]
    if not isinstance(definition, Fixpoint) or definition.endless is not None or _complements(definition):
        return False
    return plan.looks[number].reach == Reach(0, 0)


def _find_waits(plan: Plan, steps: Iterable[DefinitionStep], unit: Unit) -> dict[Relation, tuple[Wait, ...]]:
    waits: dict[Relation, dict[Carriers | None, dict[Reach, list[int]]]] = {}
    for step in steps:
        stirs = plan.looks[step.number].stirs
        assert stirs is not None, "others may change at any query time"
        carriers = _find_carriers(step.definition, unit) if stirs.back else None
        for relation in step.reads:
            alike = waits.setdefault(relation, {}).setdefault(carriers, {})
            alike.setdefault(stirs, []).append(step.number)
    return {relation: tuple(Wait(*alike) for alike in each.items()) for relation, each in waits.items()}


def _find_carriers(definition: Definition, unit: Unit) -> Carriers | None:
    if not isinstance(definition, Static) or len(unit.homes.get(definition.relation, ())) != 1:
        return None
    positions: dict[Relation, int] = {}
    for rule in definition.rules:
        relations = rule.expression.carriers()
        if relations is None:
            return None
        for relation in relations:
            places = unit.about.get(relation, ())
            if len(places) != 1 or len(places[0]) != 1:
                return None
            positions[relation] = places[0][0]
    return tuple(positions.items())


def _find_confirming(unit: Unit) -> dict[Relation, Readers]:
    confirming = {}
    for relation in unit.about.keys() - unit.homes.keys() - unit.follows.keys() - unit.everywhere:
        readers = tuple(step for step in unit.steps if relation in step.reads)
        places = [*unit.about[relation], *(unit.homes[own] for step in readers for own in step.own)]
        is_alone = len(unit.about[relation]) == 1 and all(len(positions) == 1 for positions in places)
        if relation.kind == "event" and is_alone and all(may_confirm(step.definition, relation) for step in readers):
            fluents = tuple(step.definition for step in readers if isinstance(step.definition, Simple))
            confirming[relation] = Readers(relation, fluents)
    return confirming
