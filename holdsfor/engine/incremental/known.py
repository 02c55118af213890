"""Knowledge after a query time, kept so that the next one has to look only at what changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from holdsfor.engine.data.axis import EMPTY, Ints
from holdsfor.engine.data.cut import Running
from holdsfor.engine.data.memo import Memo
from holdsfor.engine.data.relation import Data
from holdsfor.engine.data.world import World
from holdsfor.engine.incremental.arrivals import Stores
from holdsfor.engine.incremental.stored import Difference, keep, merge_differences
from holdsfor.engine.incremental.units import SessionSetting
from holdsfor.engine.input.window import NEVER
from holdsfor.engine.stepping.frontier import Frontier
from holdsfor.engine.stepping.query_times import QueryMoment
from holdsfor.engine.tuning import Tuning
from holdsfor.plan.definitions import Due
from holdsfor.plan.operators import Relation
from holdsfor.plan.whole_plan import Reach

#: The counts that say how much a query time looks at.
WORK = ("definitions_evaluated", "definitions_skipped", "blocks_evaluated", "rows_gathered")

Differences = dict[Relation, Difference]


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

    def world(self) -> World:
        """All that is known."""
        relations = {relation: stored.whole() for relation, stored in self.stores.items()}
        return replace(self.bare, relations=relations, running=dict(self.running), shared=Memo())


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
    future = {r: starts for r, data in now.relations.items() if len(starts := data.starts_after(limit))}
    return KnownWorld(moment.query_time, bare, stores, dict(now.running), moment.state.frontier, edges, agenda, future)


def last_start(world: World) -> int:
    """The latest that an interval may begin for results to have it, relative to the origin of the axis."""
    return world.axis.next_time(world.now_on_axis)


def next_future(known: KnownWorld, differences: Mapping[Relation, Difference], bare: World) -> dict[Relation, Ints]:
    now, mask = last_start(bare), bare.axis.mask
    future = {relation: starts[(starts & mask) > now] for relation, starts in known.future.items()}
    for relation, difference in differences.items():
        added = difference.added.starts_after(now)
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


def next_agenda(
    known: KnownWorld, differences: Mapping[Relation, Difference], setting: SessionSetting, edges: Mapping[Reach, int]
) -> dict[Relation, Data]:
    """With the rows that were added, without those that are over."""
    agenda: dict[Relation, Data] = {}
    for relation, edge in _find_first_edges(setting, edges).items():
        difference, rows = differences.get(relation), known.agenda.get(relation)
        added = None if difference is None or not len(difference.added) else difference.added
        parts = [lingering for part in (rows, added) if part is not None and len(lingering := part.lingering(edge))]
        if parts:
            agenda[relation] = parts[0] if len(parts) == 1 else parts[0].change(EMPTY, parts[1])
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
    return min(wakes) + known.bare.axis.origin if wakes else NEVER


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
