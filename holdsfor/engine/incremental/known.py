"""Knowledge after a query time, kept so that the next one has to look only at what changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from holdsfor.engine.data.axis import Ints
from holdsfor.engine.data.cut import Running
from holdsfor.engine.data.intervals import Intervals
from holdsfor.engine.data.points import EMPTY, Points
from holdsfor.engine.data.relation import Data, change_rows
from holdsfor.engine.data.world import World
from holdsfor.engine.definitions.evaluate import Program
from holdsfor.engine.incremental.arrivals import Stores
from holdsfor.engine.incremental.stored import Difference, keep
from holdsfor.engine.incremental.units import DefinitionStep, RowsWanted, Unit, find_units, find_wanted, make_steps
from holdsfor.engine.input.window import Windows
from holdsfor.engine.scripts.confirming import Readers, may_confirm
from holdsfor.engine.stepping.frontier import (
    Delays,
    Distances,
    Frontier,
    find_delays,
    find_distances,
    find_stirring,
    make_lookings,
)
from holdsfor.engine.stepping.query_times import QueryMoment
from holdsfor.engine.stepping.settling import Scope
from holdsfor.kernels.changes.touching import starts_after
from holdsfor.kernels.intervals.algebra import merge_lingering
from holdsfor.plan.definitions import Definition, Due, Group, Simple, Static
from holdsfor.plan.operators import Relation
from holdsfor.plan.walk import complements, names_times
from holdsfor.plan.whole_plan import Look, Plan, Reach

Carriers = tuple[tuple[Relation, int], ...]
"""Fluents, each with the argument that is the tuple of a unit."""


class Wait(NamedTuple):
    """Definitions, by how far they look from the present. carriers: they hold only while one of these does, so that
    time alone changes nothing where none does; None: not known of them.
    """

    carriers: Carriers | None
    numbers: dict[Reach, list[int]]


@dataclass(frozen=True, slots=True)
class Stirred:
    """always: definitions of a unit that any query time may change. waits: those that rows of a relation may change
    when time passes. due: definitions with deadlines.
    """

    always: tuple[int, ...]
    waits: dict[Relation, tuple[Wait, ...]]
    due: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SessionSetting:
    """Settings of all query times of a session. timed: definitions that name times by themselves.

    complementing: those that have intervals which begin with the history, and with no row. distances: of the frontier.
    of_units: how far the definitions of each unit look. stirred: what may change a unit by the passing of time alone.
    steps: the definitions of each unit. wanted: which rows its blocks look at. waits: how far those
    that read a relation look from the present; waiting: the same of all, each with one of the definitions that do.
    confirming: events of which each occurrence may be judged by itself, with the fluents that read them; judged: those
    of them that all units judge, by name and number of arguments.
    """

    program: Program
    windows: Windows
    scope: Scope
    units: tuple[Unit, ...]
    timed: frozenset[int]
    complementing: frozenset[int]
    of_units: dict[Unit, Delays]
    distances: Distances
    waits: dict[Relation, tuple[Reach, ...]]
    waiting: dict[Reach, int]
    stirred: dict[Unit, Stirred]
    steps: dict[Unit, tuple[DefinitionStep, ...]]
    wanted: dict[Unit, dict[Relation, RowsWanted]]
    confirming: dict[Unit, dict[Relation, Readers]]
    judged: frozenset[tuple[str, int]]

    def stirring(self, number: int, known: int) -> int | None:
        """See `find_stirring`."""
        return find_stirring(self.program.plan.looks[number], self.windows, known)


def make_setting(program: Program, windows: Windows, scope: Scope) -> SessionSetting:
    plan = program.plan
    timed = frozenset(number for number in scope.definitions if names_times(plan.definitions[number]))
    complementing = frozenset(number for number in scope.definitions if _complements(plan.definitions[number]))
    units = find_units(plan, scope.definitions)
    of_units = {unit: find_delays(make_lookings(plan, unit.definitions), windows) for unit in units}
    every = make_lookings(plan, range(len(plan.definitions)))
    looks = [plan.looks[number] for number in scope.definitions]
    confirming = {unit: {} if plan.domains else _find_confirming(plan, unit) for unit in units}
    return SessionSetting(
        program,
        windows,
        scope,
        units,
        timed,
        complementing,
        of_units,
        find_distances(plan, windows, every),
        _find_waits(looks),
        {look.stirs: number for look, number in zip(looks, scope.definitions, strict=True) if look.stirs is not None},
        {unit: _find_stirred(plan, unit, timed) for unit in units},
        {unit: make_steps(plan, unit) for unit in units},
        {unit: find_wanted(unit, of_units[unit].edges) for unit in units},
        confirming,
        _find_judged(confirming),
    )


def _find_confirming(plan: Plan, unit: Unit) -> dict[Relation, Readers]:
    steps, confirming = make_steps(plan, unit), {}
    for relation in unit.about.keys() - unit.homes.keys() - unit.follows.keys() - unit.everywhere:
        readers = tuple(step for step in steps if relation in step.reads)
        places = [*unit.about[relation], *(unit.homes[own] for step in readers for own in step.own)]
        is_alone = len(unit.about[relation]) == 1 and all(len(positions) == 1 for positions in places)
        if relation.kind == "event" and is_alone and all(may_confirm(step.definition, relation) for step in readers):
            fluents = tuple(step.definition for step in readers if isinstance(step.definition, Simple))
            confirming[relation] = Readers(relation, fluents)
    return confirming


def _find_judged(confirming: Mapping[Unit, Mapping[Relation, Readers]]) -> frozenset[tuple[str, int]]:
    judged = {relation for readers in confirming.values() for relation in readers}
    others = {relation for unit, readers in confirming.items() for relation in unit.reads - readers.keys()}
    return frozenset((relation.name, relation.arity) for relation in judged - others)


def _find_stirred(plan: Plan, unit: Unit, timed: Set[int]) -> Stirred:
    always = tuple(n for n in unit.definitions if plan.looks[n].stirs is None or n in timed)
    waits: dict[Relation, dict[Carriers | None, dict[Reach, list[int]]]] = {}
    due = []
    for number in unit.definitions:
        look, definition = plan.looks[number], plan.definitions[number]
        if number in always or look.stirs is None:
            continue
        carriers = _find_carriers(definition, unit) if look.stirs.back else None
        for relation in look.relations:
            alike = waits.setdefault(relation, {}).setdefault(carriers, {})
            alike.setdefault(look.stirs, []).append(number)
        if isinstance(definition, Group) and definition.deadlines:
            due.append(number)
    return Stirred(always, {r: tuple(Wait(*alike) for alike in each.items()) for r, each in waits.items()}, tuple(due))


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


def _complements(definition: Definition) -> bool:
    return isinstance(definition, Static) and any(complements(rule.expression) for rule in definition.rules)


@dataclass(frozen=True, slots=True)
class KnownWorld:
    """bare: a world without relations. agenda: rows that may change something by the passing of time alone.

    edges: those that look so far from the present are changed by rows that begin or end after that, no others.
    future: where intervals begin that are known and not there yet.
    """

    query_time: int
    bare: World
    stores: Stores
    running: Mapping[Due, Running]
    frontier: Frontier
    edges: Mapping[Reach, int]
    agenda: Mapping[Relation, Data] = field(default_factory=dict)
    future: Mapping[Relation, Ints] = field(default_factory=dict)

    def count_keys(self) -> int:
        """About how many groundings the relation with the most rows has."""
        stores = self.stores.values()
        return max(stores, key=len).count_keys() if stores else 1

    def world(self) -> World:
        """All that is known."""
        relations = {relation: stored.whole() for relation, stored in self.stores.items()}
        return replace(self.bare, relations=relations, running=dict(self.running), shared={})


def know(moment: QueryMoment, setting: SessionSetting) -> KnownWorld:
    """Return what is known after a query time that was evaluated from scratch."""
    now = moment.now
    own = set(setting.scope.relations(setting.program.plan))
    relations = {r: data.distinct() if r in own else data for r, data in now.relations.items()}
    stores: Stores = {r: keep(data) for r, data in relations.items()}
    bare = now.frame.at(now.now)
    edges = find_edges(setting, moment.query_time, now.axis.origin)
    firsts = _find_first_edges(setting, edges)
    agenda = {r: data.lingering(firsts[r]) for r, data in relations.items() if r in firsts}
    limit = last_start(now)
    future = {r: starts for r, data in now.relations.items() if len(starts := _starts_after(data, limit))}
    return KnownWorld(moment.query_time, bare, stores, dict(now.running), moment.state.frontier, edges, agenda, future)


def _starts_after(data: Data, time: int) -> Ints:
    """Return the starts of intervals that no result has yet. time: the latest start that results have."""
    if not isinstance(data, Intervals) or not data.s.size:
        return EMPTY
    return starts_after(data.s, time, data.axis.mask)


def last_start(world: World) -> int:
    """The latest that an interval may begin for results to have it, relative to the origin of the axis."""
    return world.axis.next_time(world.now_on_axis)


def next_future(known: KnownWorld, differences: Mapping[Relation, Difference], bare: World) -> dict[Relation, Ints]:
    now, mask = last_start(bare), bare.axis.mask
    future = {relation: starts[(starts & mask) > now] for relation, starts in known.future.items()}
    for relation, difference in differences.items():
        added = _starts_after(difference.added, now)
        if added.size:
            future[relation] = np.unique(np.concatenate([future.get(relation, EMPTY), added]))
    return {relation: starts for relation, starts in future.items() if starts.size}


def find_edges(setting: SessionSetting, query_time: int, origin: int) -> dict[Reach, int]:
    """Since when rows may still change something by themselves, relative to the origin: by how far definitions look."""
    edges = {}
    for stirs, number in setting.waiting.items():
        edge = setting.stirring(number, query_time)
        assert edge is not None, "what stirs at any distance waits for nothing"
        edges[stirs] = edge - origin
    return edges


def _find_first_edges(setting: SessionSetting, edges: Mapping[Reach, int]) -> dict[Relation, int]:
    """Since when rows of a relation may still change something that reads them."""
    return {relation: min([edges[reach] for reach in reaches]) for relation, reaches in setting.waits.items()}


def _find_waits(looks: Iterable[Look]) -> dict[Relation, tuple[Reach, ...]]:
    waits: dict[Relation, dict[Reach, None]] = {}
    for look in looks:
        if look.stirs is not None:
            for relation in look.relations:
                waits.setdefault(relation, {})[look.stirs] = None
    return {relation: tuple(reaches) for relation, reaches in waits.items()}


def next_agenda(
    known: KnownWorld, differences: Mapping[Relation, Difference], setting: SessionSetting, edges: Mapping[Reach, int]
) -> dict[Relation, Data]:
    """With the rows that were added, without those that are over."""
    agenda: dict[Relation, Data] = {}
    for relation, edge in _find_first_edges(setting, edges).items():
        difference, rows = differences.get(relation), known.agenda.get(relation)
        added = None if difference is None or not len(difference.added) else difference.added
        parts = [part for part in (rows, added) if part is not None and not _is_over(part, edge)]
        if parts and len(lingering := _join_lingering(parts, edge)):
            agenda[relation] = lingering
    return agenda


def _is_over(rows: Data, edge: int) -> bool:
    """Whether all has happened up to the edge; of intervals it takes as long to say so as to find those that linger."""
    return isinstance(rows, Points) and rows.latest() <= edge


def _join_lingering(parts: Sequence[Data], edge: int) -> Data:
    """parts: one or two."""
    rows, added = parts[0], parts[-1]
    if len(parts) == 1:
        return rows.lingering(edge)
    if isinstance(rows, Intervals):
        assert isinstance(added, Intervals)
        return rows.of(*merge_lingering(rows.s, rows.e, added.s, added.e, edge, rows.axis.mask))
    return change_rows(rows.lingering(edge), EMPTY, added.lingering(edge))


def next_wake(known: KnownWorld, setting: SessionSetting) -> int | None:
    """The first time after the query time at which something may change though no row comes; None: any time."""
    if setting.timed:
        return None
    now = known.query_time - known.bare.axis.origin
    wakes = []
    for data in known.agenda.values():
        for times in data.known_times():
            if len(times) and int(times.min()) <= now:
                return None
            wakes += [int(times.min())] if len(times) else []
    for running in known.running.values():
        due: Ints = running.due[(running.dropped > running.due) & (running.due > now)]
        wakes += [int(due.min())] if len(due) else []
    least = min(wakes, default=np.iinfo(np.int64).max >> 1)
    return least + known.bare.axis.origin
