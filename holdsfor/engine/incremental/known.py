"""What is known after a query time, kept so that the next one has to look only at what changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace

import numpy as np

from holdsfor.engine.axis import Ints
from holdsfor.engine.evaluate import Program
from holdsfor.engine.frontier import Delays, Frontier, Lookings, find_delays, find_stirring, joining_of, make_lookings
from holdsfor.engine.incremental.arrivals import Stores
from holdsfor.engine.incremental.keys import Unit, find_units
from holdsfor.engine.incremental.stored import Difference, keep
from holdsfor.engine.relation import EMPTY, Data, Intervals, merge_in_order
from holdsfor.engine.settling import Scope
from holdsfor.engine.stepping import QueryMoment
from holdsfor.engine.window import Windows
from holdsfor.engine.world import Running, World
from holdsfor.plan.operators import Definition, Due, Group, Plan, Reach, Relation, Static
from holdsfor.plan.walk import complements, names_times

Waiting = tuple[Relation, Reach]
"""A relation, and how far a definition that reads it looks from the present."""


@dataclass(frozen=True, slots=True)
class Stirred:
    """always: definitions of a unit that any query time may change. waits: rows that may change some, when time passes.

    due: definitions with deadlines.
    """

    always: tuple[int, ...]
    waits: dict[Waiting, tuple[int, ...]]
    due: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SessionSetting:
    """What does not change from query time to query time. timed: definitions that name times by themselves.

    complementing: those that have intervals which begin with the history, and with no row. lookings: of the whole plan.
    of_units: how far the definitions of each unit look. stirred: what may change a unit by the passing of time alone.
    """

    program: Program
    windows: Windows
    scope: Scope
    units: tuple[Unit, ...]
    joining: int
    timed: frozenset[int]
    complementing: frozenset[int]
    lookings: Lookings
    of_units: dict[Unit, Delays]
    waits: tuple[tuple[Waiting, int], ...]
    stirred: dict[Unit, Stirred]

    def stirring(self, number: int, known: int) -> int | None:
        """See `find_stirring`."""
        return find_stirring(self.program.plan.looks[number], self.windows, known, self.joining)


def make_setting(program: Program, windows: Windows, scope: Scope) -> SessionSetting:
    plan = program.plan
    timed = frozenset(number for number in scope.definitions if names_times(plan.definitions[number]))
    complementing = frozenset(number for number in scope.definitions if _complements(plan.definitions[number]))
    units = find_units(plan, scope.definitions)
    joining = joining_of(plan, windows)
    of_units = {unit: find_delays(make_lookings(plan, unit.definitions), windows, joining) for unit in units}
    every = make_lookings(plan, range(len(plan.definitions)))
    waits = _find_waits(plan, scope.definitions)
    stirred = {unit: _find_stirred(plan, unit, timed) for unit in units}
    return SessionSetting(
        program, windows, scope, units, joining, timed, complementing, every, of_units, waits, stirred
    )


def _find_stirred(plan: Plan, unit: Unit, timed: Set[int]) -> Stirred:
    always = tuple(n for n in unit.definitions if plan.looks[n].stirs is None or n in timed)
    waits: dict[Waiting, tuple[int, ...]] = {}
    due = []
    for number in unit.definitions:
        look, definition = plan.looks[number], plan.definitions[number]
        if number in always or look.stirs is None:
            continue
        for relation in look.relations:
            waits[relation, look.stirs] = (*waits.get((relation, look.stirs), ()), number)
        if isinstance(definition, Group) and definition.deadlines:
            due.append(number)
    return Stirred(always, waits, tuple(due))


def _complements(definition: Definition) -> bool:
    return isinstance(definition, Static) and any(complements(rule.expression) for rule in definition.rules)


@dataclass(frozen=True, slots=True)
class KnownWorld:
    """bare: a world without relations. agenda: rows that may change something by the passing of time alone.

    future: where intervals begin that are known and not there yet.
    """

    query_time: int
    bare: World
    stores: Stores
    running: Mapping[Due, Running]
    frontier: Frontier
    agenda: Mapping[Waiting, Data] = field(default_factory=dict)
    future: Mapping[Relation, Ints] = field(default_factory=dict)

    def world(self) -> World:
        """All that is known."""
        relations = {relation: stored.whole() for relation, stored in self.stores.items()}
        return replace(self.bare, relations=relations, running=dict(self.running), shared={})


def know(moment: QueryMoment, setting: SessionSetting) -> KnownWorld:
    """What was evaluated from scratch."""
    now = moment.now
    own = set(setting.scope.relations(setting.program.plan))
    stores = {r: keep(data.distinct() if r in own else data) for r, data in now.relations.items()}
    bare = replace(now, relations={}, shared={}, carried={}, settled={}, carried_running={}, running={})
    agenda = {}
    for waiting, edge in _edges(setting, moment.query_time):
        stored = stores.get(waiting[0])
        if stored is not None:
            agenda[waiting] = stored.base.lingering(edge - now.axis.origin)
    future = {r: starts for r, data in now.relations.items() if len(starts := _future_starts(data, now))}
    return KnownWorld(moment.query_time, bare, stores, dict(now.running), moment.state.frontier, agenda, future)


def _future_starts(data: Data, world: World) -> Ints:
    """Where intervals begin that no result has yet."""
    if not isinstance(data, Intervals):
        return EMPTY
    return data.s[(data.s & data.axis.mask) > last_start(world)]


def last_start(world: World) -> int:
    """The latest that an interval may begin for results to have it, relative to the origin of the axis."""
    return int(world.axis.following(np.array([world.now - world.axis.origin]))[0])


def next_future(known: KnownWorld, differences: Mapping[Relation, Difference], bare: World) -> dict[Relation, Ints]:
    future: dict[Relation, Ints] = {}
    now = last_start(bare)
    for relation in {*known.future, *differences}:
        before = known.future.get(relation, EMPTY)
        difference = differences.get(relation)
        added = EMPTY if difference is None else _future_starts(difference.added, bare)
        if not len(before) and not len(added):
            continue
        starts = np.unique(np.concatenate([before[(before & bare.axis.mask) > now], added]))
        if len(starts):
            future[relation] = starts
    return future


def _edges(setting: SessionSetting, query_time: int) -> Iterator[tuple[Waiting, int]]:
    """For each relation that something reads: since when its rows may still change something by themselves."""
    for waiting, number in setting.waits:
        edge = setting.stirring(number, query_time)
        assert edge is not None, "what stirs at any distance waits for nothing"
        yield waiting, edge


def _find_waits(plan: Plan, definitions: Iterable[int]) -> tuple[tuple[Waiting, int], ...]:
    """What definitions read, and how far they look from the present: each once, with one of the definitions."""
    waits: dict[Waiting, int] = {}
    for number in definitions:
        look = plan.looks[number]
        if look.stirs is not None:
            waits |= {(relation, look.stirs): number for relation in look.relations}
    return tuple(waits.items())


def next_agenda(
    known: KnownWorld, differences: Mapping[Relation, Difference], setting: SessionSetting, query_time: int
) -> dict[Waiting, Data]:
    """With the rows that were added, without those that are over."""
    agenda: dict[Waiting, Data] = {}
    for waiting, edge in _edges(setting, query_time):
        before, difference = known.agenda.get(waiting), differences.get(waiting[0])
        edge -= known.bare.axis.origin
        left = before.lingering(edge) if before is not None and len(before) else None
        if difference is not None and len(difference.added):
            added = difference.added.lingering(edge)
            left = added if left is None or not len(left) else merge_in_order(left, added)[0]
        if left is not None and len(left):
            agenda[waiting] = left
    return agenda


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
