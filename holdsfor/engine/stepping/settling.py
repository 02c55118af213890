"""The state that goes from one query time to the next, and how settled rows are put in front of new ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from holdsfor.engine.data.axis import Axis, Ints
from holdsfor.engine.data.cut import CommonCut, Running
from holdsfor.engine.data.relation import Data
from holdsfor.engine.data.world import World
from holdsfor.engine.input.inputs import events_counted
from holdsfor.engine.stepping.frontier import Frontier
from holdsfor.plan.definitions import Due, InputSource
from holdsfor.plan.operators import Relation
from holdsfor.plan.whole_plan import Plan


@dataclass(frozen=True, slots=True)
class State:
    """The state carried to the next query time. settled: what was concluded up to the cut of each relation.

    holding: the keys of simple fluents that hold right after it.
    """

    frontier: Frontier
    settled: dict[Relation, Data] = field(default_factory=dict)
    holding: dict[Relation, Ints] = field(default_factory=dict)
    running: dict[Due, Running] = field(default_factory=dict)  # deadlines that are not yet due

    def cut_of(self, relation: Relation, axis: Axis) -> CommonCut:
        """Return the cut after which a relation is concluded."""
        return CommonCut(self.frontier.cut(relation) - axis.origin, self.holding, self.settled, self.running)


@dataclass(frozen=True, slots=True)
class Scope:
    """The definitions to evaluate: the whole plan, or one stage of it on one bucket.

    sources: what comes from earlier stages. restrict: drops what a bucket concludes about the entities of others.
    forgets: whether results go as soon as no condition looks at them any more, or stay for the whole history.
    counted: events of which rows that are equal to another are counted here; None: they are counted nowhere.
    """

    definitions: tuple[int, ...]
    sources: tuple[InputSource, ...] = ()
    restrict: Callable[[Relation, World], None] = lambda relation, world: None
    forgets: bool = False
    counted: frozenset[Relation] | None = frozenset()

    def relations(self, plan: Plan) -> tuple[Relation, ...]:
        return tuple(relation for number in self.definitions for relation in plan.definitions[number].defines)


def everything(plan: Plan) -> Scope:
    """Evaluate all in one place."""
    return Scope(tuple(range(len(plan.definitions))), counted=events_counted(plan.sources))


class Views:
    """The world as each definition sees it, with its conclusions settled.

    Where something unbounded keeps a relation for ever, the bounded definitions see only the recent part of it: what
    they cost must not grow with the stream.
    """

    def __init__(self, plan: Plan, state: State, world: World, scope: Scope) -> None:
        self.plan, self.state, self.world, self.scope = plan, state, world, scope
        self.recent = world
        if not state.frontier.unbounded.isdisjoint(scope.relations(plan)):
            self.recent = world.with_only({})
            for relation in world.relations:
                self._show_recent(relation)

    def of(self, number: int) -> World:
        relation = self.plan.definitions[number].defines[0]
        seen = self.world if relation in self.state.frontier.unbounded else self.recent
        return seen.conclude_after(self.state.cut_of(relation, self.world.axis))

    def settle(self, relation: Relation, seen: World) -> None:
        """Puts what is settled in front of what has just been concluded."""
        self.scope.restrict(relation, seen)
        self.world.relations[relation] = seen.join_settled(relation)
        if self.recent is not self.world:
            self._show_recent(relation)

    def _show_recent(self, relation: Relation) -> None:
        edge = self.state.frontier.recent - self.world.axis.origin
        self.recent.relations[relation] = self.world.relations[relation].beyond(edge)


def settle(
    plan: Plan,
    scope: Scope,
    frontier: Frontier,
    world: World,
    running: Mapping[Due, Running],
    forgets: bool | None = None,
) -> State:
    """The state at a frontier, out of what is known. forgets: what was over at its horizon; None: as the scope says."""
    forgets = scope.forgets if forgets is None else forgets
    origin = world.axis.origin
    settled = [relation for relation in scope.relations(plan) if frontier.is_settled(relation)]
    edges = {r: frontier.horizon(r) - origin if forgets else None for r in settled}
    boundaries = {r: frontier.cut(r) + 1 - origin for r in settled}
    within = [plan.definitions[number] for number in scope.definitions]
    simple = {r for d in within for fluent in d.simple_fluents for r in fluent.relations}
    return State(
        frontier,
        {r: world.relations[r].until(boundaries[r], edges[r]) for r in settled},
        {r: world.intervals_of(r).holding_at(boundaries[r]) for r in simple if r in boundaries},
        {
            due: still_running(d, frontier.cut(due.source) - origin)
            for due, d in running.items()
            if due.source in boundaries
        },
    )


def still_running(running: Running, cut: int | Ints) -> Running:
    """The deadlines that were set by then, neither due nor dropped yet."""
    kept = (running.made <= cut) & (running.due > cut) & (running.dropped > cut)
    return Running(running.keys[kept], running.made[kept], running.due[kept], running.dropped[kept])
