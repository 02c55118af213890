"""The naive evaluator: DESIGN.md section 3 written down as plainly as possible.

It shares no code with plan, engine and kernels.

What counts is decided per row; then one window over all of it is evaluated, stratum by stratum, point by point.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from holdsfor.language.description import EventDescription, Rule, Signature
from holdsfor.language.terms import Int, Term, Var, name_and_args
from tests.naive.calculate import Bindings, NotYet, names, substitute
from tests.naive.domain import Domain, Instance, matching
from tests.naive.intervals import FOREVER, Intervals, from_points, next_point, union
from tests.naive.rows import Horizon, Row, counting
from tests.naive.solve import Fallback, Grounding, World, signature
from tests.naive.static import statically_determined

Key = tuple[str, tuple[str, ...], str]


@dataclass
class Answer:
    """The amalgamated history: intervals by fluent, arguments and value (None: open), and occurrences."""

    intervals: dict[Key, list[tuple[int, int | None]]] = field(default_factory=dict)
    occurrences: set[tuple[str, tuple[str, ...], int]] = field(default_factory=set)


def recognise(description: EventDescription, rows: Iterable[Row], horizon: Horizon) -> Answer:
    return Evaluation(description, horizon).run(counting(rows, horizon))


class Evaluation:
    def __init__(self, description: EventDescription, horizon: Horizon) -> None:
        self.description = description
        self.horizon = horizon
        self.world = World(horizon.tick, horizon.start, horizon.end, description.background)
        self.domain = Domain(description, self.world)

    def run(self, rows: Iterable[Row]) -> Answer:
        self._feed(rows)
        for stratum in self.description.strata:
            for entity in stratum:
                self._define(entity)
        return self._answer()

    def _feed(self, rows: Iterable[Row]) -> None:
        pieces: dict[tuple[Signature, Grounding], list[tuple[int, int]]] = defaultdict(list)
        points: dict[tuple[Signature, Grounding], list[int]] = defaultdict(list)
        for row in rows:
            entity = Signature(row.name, len(row.args))
            if row.value is None:
                self.world.add_event(entity, row.args, row.start)
            elif row.kind == "point":
                points[entity, (row.args, row.value)].append(row.start)
            else:
                pieces[entity, (row.args, row.value)].append((row.start, row.end))
        for key, times in points.items():
            pieces[key].extend(from_points(times, self.horizon.tick, self.horizon.end))
        for (entity, grounding), intervals in pieces.items():
            self.world.fluents[entity][grounding] = union([[interval] for interval in intervals])

    def _define(self, entity: Signature) -> None:
        if entity in self.description.events:
            self._define_event(entity)
        elif entity in self.description.simple:
            self._define_simple(entity)
        elif entity in self.description.static:
            self.world.fluents[entity] = statically_determined(self._rules("holdsFor", entity), self.world, self.domain)

    def _rules(self, kind: str, entity: Signature) -> list[Rule]:
        return [rule for rule in self.description.rules if rule.kind == kind and signature(rule.subject) == entity]

    # ------------------------------------------------------------ rules about points

    def _define_event(self, entity: Signature) -> None:
        for rule in self._rules("happensAt", entity):
            for (args, _), t in list(self._points(rule, self.domain.enumerated(entity))):
                if self.domain.admits(entity, args, None):
                    self.world.add_event(entity, args, t)

    def _define_simple(self, entity: Signature) -> None:
        rules = self._rules("initiatedAt", entity)
        sure: set[tuple[Grounding, int]] = set()  # by rules that bind all arguments, or over a declared domain
        if_alive: set[tuple[Grounding, int]] = set()
        open_rules = []
        for rule in rules:
            try:
                sure.update(self._points(rule, None))
            except NotYet:
                open_rules.append(rule)
        for rule in open_rules:
            declared = self.domain.enumerated(entity)
            if declared is None:
                if_alive.update(self._points(rule, [(args, None) for (args, _), _ in sure]))
            else:
                sure.update(self._points(rule, declared))
        groundings = {grounding for grounding, _ in sure | if_alive}
        ended = {found for rule in self._rules("terminatedAt", entity) for found in self._ended(rule, groundings)}
        self._inertia(entity, sure, if_alive, ended)

    def _ended(self, rule: Rule, groundings: set[Grounding]) -> Iterator[tuple[Grounding, int]]:
        """An argument or value that no literal binds stands for every grounding: only one that is initiated can end."""
        _, patterns = name_and_args(rule.subject)
        assert rule.value is not None
        head = (*patterns, rule.value)

        def fallback(bindings: Bindings) -> Iterator[Bindings]:
            yield from matching(head, [(*args, value) for args, value in groundings], bindings)

        for found in self._solutions(rule, head, fallback):
            *args, value = (substitute(term, found) for term in head)
            yield (tuple(args), value), _time(rule, found)

    def _points(self, rule: Rule, domain: list[Instance] | None) -> Iterator[tuple[Grounding, int]]:
        """The groundings of the head and when; arguments that no literal binds range over the domain (None: NotYet)."""
        _, patterns = name_and_args(rule.subject)

        def fallback(bindings: Bindings) -> Iterator[Bindings]:
            if domain is None:
                raise NotYet
            for args, value in domain:
                if value is None or rule.value is None or isinstance(value, Var):
                    yield from matching(patterns, [args], bindings)
                else:
                    yield from matching((*patterns, rule.value), [(*args, value)], bindings)

        for found in self._solutions(rule, patterns, fallback):
            args = tuple(substitute(arg, found) for arg in patterns)
            value = rule.value if rule.value is None else substitute(rule.value, found)
            yield (args, value), _time(rule, found)  # type: ignore[misc]

    def _solutions(self, rule: Rule, head: tuple[Term, ...], fallback: Fallback) -> Iterator[Bindings]:
        visible = names(*head, rule.value, rule.at)
        for found in self.world.solve(rule.body, {}, visible, fallback):
            if self.world.first <= _time(rule, found) <= self.world.last:
                if names(*head) <= found.keys():
                    yield found
                else:
                    yield from fallback(found)

    # ------------------------------------------------------------ inertia

    def _inertia(
        self,
        entity: Signature,
        sure: set[tuple[Grounding, int]],
        if_alive: set[tuple[Grounding, int]],
        ended: set[tuple[Grounding, int]],
    ) -> None:
        for args in {args for (args, _), _ in sure}:
            starts, perhaps, ends = (self._by_point(args, found) for found in (sure, if_alive, ended))
            state: set[Term] = set()
            intervals: dict[Term, Intervals] = defaultdict(list)
            for point in sorted(starts.keys() | perhaps.keys() | ends.keys()):
                begun = set(starts[point])
                if state or begun:
                    begun |= perhaps[point]
                now = {v for v in state | begun if v not in ends[point] and not begun - {v}}
                for value in now - state:
                    intervals[value].append((point, FOREVER))
                for value in state - now:
                    intervals[value][-1] = (intervals[value][-1][0], point)
                state = now
            for value, found in intervals.items():
                if self.domain.admits(entity, args, value):
                    self.world.fluents[entity][args, value] = found

    def _by_point(self, args: tuple[Term, ...], found: set[tuple[Grounding, int]]) -> dict[int, set[Term]]:
        """The values concerned at each point of the grid at which a change takes effect."""
        result: dict[int, set[Term]] = defaultdict(set)
        for (these, value), t in found:
            if these == args:
                result[next_point(t, self.horizon.tick)].add(value)
        return result

    # ------------------------------------------------------------ the answer

    def _answer(self) -> Answer:
        answer = Answer()
        latest = next_point(self.world.last, self.world.tick)  # what begins later has not begun
        for entity in self.description.simple | self.description.static:
            for (args, value), intervals in self.world.fluents.get(entity, {}).items():
                key = entity.name, tuple(map(str, args)), str(value)
                begun = [(s, None if e == FOREVER else e) for s, e in intervals if s <= latest]
                if begun:
                    answer.intervals[key] = begun
        for entity in self.description.events:
            for t, all_args in self.world.events.get(entity, {}).items():
                if t > self.horizon.start:
                    answer.occurrences.update((entity.name, tuple(map(str, args)), t) for args in all_args)
        return answer


def _time(rule: Rule, bindings: Bindings) -> int:
    t = bindings[rule.at.name]
    assert isinstance(t, Int)
    return t.value
