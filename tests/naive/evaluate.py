"""The naive evaluator: DESIGN.md section 3 written down as plainly as possible.

It shares no code with plan, engine and kernels.

What counts is decided per row; then one window over all of it is evaluated, stratum by stratum, point by point.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from holdsfor.language.description import Defined, EventDescription, FluentValue, Signature
from holdsfor.language.terms import is_ground
from tests.naive.closure import close
from tests.naive.domain import Domain
from tests.naive.heads import Heads
from tests.naive.inertia import Group
from tests.naive.intervals import FOREVER, Intervals, from_points, next_point, union
from tests.naive.patterns import define
from tests.naive.rows import Horizon, Row, counting
from tests.naive.solve import Grounding, World, signature
from tests.naive.static import statically_determined
from tests.naive.unread import mark_unread

Key = tuple[str, tuple[str, ...], str]


@dataclass
class Answer:
    """The amalgamated history: intervals by fluent, arguments and value (None: open), and occurrences by their ends."""

    intervals: dict[Key, list[tuple[int, int | None]]] = field(default_factory=dict)
    occurrences: set[tuple[str, tuple[str, ...], int]] = field(default_factory=set)
    spans: set[tuple[str, tuple[str, ...], int, int]] = field(default_factory=set)  # with their starts


def recognise(description: EventDescription, rows: Iterable[Row], horizon: Horizon) -> Answer:
    return Evaluation(description, horizon).run(counting(rows, horizon))


class Evaluation:
    def __init__(self, description: EventDescription, horizon: Horizon) -> None:
        self.description = description = mark_unread(description)
        self.horizon = horizon
        self.world = World(horizon.sample_every, horizon.grid_start, horizon.end, description.background.clauses)
        close(self.world)
        self.domain = Domain(description, self.world)
        self.heads = Heads(description, self.world, self.domain)
        self.defined = {item.signature for item in description.inputs if item.is_defined}
        self.also: dict[Signature, dict[Grounding, Intervals]] = defaultdict(dict)  # input of what rules define

    def run(self, rows: Iterable[Row]) -> Answer:
        self._feed(rows)
        for stratum in self.description.order.strata:
            groups = [group for group in self.description.order.circles if set(group) & set(stratum)]
            for members in [*groups, *((entity,) for entity in stratum if not any(entity in g for g in groups))]:
                self._define(members)
        return self._answer()

    def _feed(self, rows: Iterable[Row]) -> None:
        pieces: dict[tuple[Signature, Grounding], list[tuple[int, int]]] = defaultdict(list)
        points: dict[tuple[Signature, Grounding], list[int]] = defaultdict(list)
        for row in rows:
            entity = Signature(row.name, len(row.args))
            if entity in self.defined and not self._is_admitted(entity, row):
                continue
            if row.value is None:
                self.world.add_event(entity, row.args, row.end, row.start)
            elif row.kind == "point":
                points[entity, (row.args, row.value)].append(row.start)
            else:
                pieces[entity, (row.args, row.value)].append((row.start, row.end))
        for key, times in points.items():
            pieces[key].extend(from_points(times, self.horizon.sample_every, self.horizon.end))
        for (entity, grounding), intervals in pieces.items():
            into = self.also if entity in self.defined else self.world.fluents
            into[entity][grounding] = union([[interval] for interval in intervals])

    def _is_admitted(self, entity: Signature, row: Row) -> bool:
        """Whether the grounding is declared, if any are, and the value is one that the fluent can have."""
        if not self.domain.admits(entity, row.args, row.value):
            return False
        if row.value is None:
            return True
        heads = [
            rule for rule in self.description.rules if rule.value is not None and signature(rule.subject) == entity
        ]
        values = {rule.value for rule in heads}
        values |= {each.value for each in self.description.initially if signature(each.fluent) == entity}
        values |= {each.value for each in self.description.background.groundings if signature(each.entity) == entity}
        for each in self.description.deadlines:
            values |= {each.source, each.target} if signature(each.fluent) == entity else set()
        is_any = any(rule.kind != "terminatedAt" and not is_ground(rule.value) for rule in heads if rule.value)
        return is_any or row.value in values

    def _define(self, members: Sequence[Defined]) -> None:
        (first, *_) = members
        self.world.forget_edges({member.signature for member in members})
        if first in {signature(rule.head) for rule in self.description.patterns}:
            define([member.signature for member in members], self.description.patterns, self.world)
        elif tuple(members) in self.description.order.fixpoints:
            self._grow(members)
        elif isinstance(first, FluentValue):
            self.world.fluents[first.signature] |= self._static(first)
        elif len(members) > 1 or first in self.description.defined.simple:
            Group([member.signature for member in members], self.heads).run()
        elif first in self.description.defined.static:
            self.world.fluents[first] = self._static(first)
        else:
            for rule in self.heads.rules("happensAt", first):
                for args, _, t in self.heads.begun(rule):
                    if self.domain.admits(first, args, None):
                        self.world.add_event(first, args, t)
        for member in members:
            self._unite(member)

    def _static(self, member: Defined) -> dict[Grounding, Intervals]:
        rules = self.heads.rules("holdsFor", member.signature)
        if isinstance(member, FluentValue):
            rules = [rule for rule in rules if rule.value == member.value]
        return statically_determined(rules, self.world, self.domain)

    def _grow(self, members: Sequence[Defined]) -> None:
        """All rules on what the round before has given, from nothing on, until it is the same."""
        while True:
            before = [dict(self.world.fluents[member.signature]) for member in members]
            found = [self._static(member) for member in members]
            for member, mine in zip(members, found, strict=True):
                self.world.fluents[member.signature] |= mine
                self._unite(member)
            if before == [self.world.fluents[member.signature] for member in members]:
                return

    def _unite(self, member: Defined) -> None:
        """The intervals of a fluent are those that rules define and those that come as input."""
        fluents, entity = self.world.fluents, member.signature
        static = {rule.value for rule in self.heads.rules("holdsFor", entity)}
        for (args, value), intervals in self.also[entity].items():
            if isinstance(member, FluentValue):
                is_mine = value == member.value
            else:
                is_mine = member not in self.description.defined.simple or value not in static
            if is_mine:
                fluents[entity][args, value] = union([fluents[entity].get((args, value), []), intervals])

    # ------------------------------------------------------------ the answer

    def _answer(self) -> Answer:
        answer = Answer()
        latest = next_point(self.world.last, self.world.tick)  # what begins later has not begun
        internal = {entity for entity, value in self.description.defined.unreported if value is None}
        for entity in (self.description.defined.simple | self.description.defined.static) - internal:
            for (args, value), intervals in self.world.fluents.get(entity, {}).items():
                if (entity, value) in self.description.defined.unreported:
                    continue
                key = entity.name, tuple(map(str, args)), str(value)
                shown = [(self.world.begin(s), e) for s, e in intervals]
                begun = [(s, None if e == FOREVER else e) for s, e in shown if s <= latest and s < e]
                if begun:
                    answer.intervals[key] = begun
        for entity in self.description.defined.events - internal:
            for t, all_args in self.world.events.get(entity, {}).items():
                if t > self.horizon.start:
                    answer.occurrences.update((entity.name, tuple(map(str, args)), t) for args in all_args)
            for args, start, end in self.world.spans.get(entity, set()):
                if end > self.horizon.start:
                    answer.spans.add((entity.name, tuple(map(str, args)), start, end))
        return answer
