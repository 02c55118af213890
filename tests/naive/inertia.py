"""Simple fluents, alone or in a cycle: all members of a group go through time together, point by point.

A condition at T sees the state at T, which what happened before T has made; so no order of rules matters. Only what
happens at T itself (start and end of a member, an event of the group) must be known before the rules that mention it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from holdsfor.language.description import Deadline, Signature
from holdsfor.language.literals import Aggregate, Edge, Happens, Literal, Not, Or
from holdsfor.language.terms import Term, Var, name_and_args
from tests.naive.calculate import NotYet, evaluate, match_all, names, substitute
from tests.naive.heads import Heads, Occurrence
from tests.naive.intervals import FOREVER, Intervals, next_point
from tests.naive.solve import Grounding, signature

Arguments = tuple[Term, ...]
Starts = dict[Arguments, dict[Term, list[int]]]  # by value: when it is initiated


@dataclass
class Course:
    """What becomes of one grounding of a fluent: the value that it has now and had.

    begun: when the present value was initiated, since it began to hold without a break.
    """

    value: Term | None = None
    begun: list[int] = field(default_factory=list)
    intervals: dict[Term, Intervals] = field(default_factory=lambda: defaultdict(list))

    def initially(self, value: Term, first: int) -> None:
        """It holds at `first` already, before anything in the history: that is why it has no start."""
        self.value = value
        self.intervals[value].append((first, FOREVER))

    def advance(self, point: int, starts: dict[Term, list[int]], ends: set[Term]) -> None:
        """What was initiated and terminated takes effect at the point."""
        now = self.value
        if starts:
            now = next(iter(starts)) if len(starts) == 1 else None  # two values cancel each other
        if now in ends:
            now = None
        if now != self.value:
            self._end(point)
            if now is not None:
                self.intervals[now].append((point, FOREVER))
            self.value, self.begun = now, []
        self.begun += starts.get(now, []) if now is not None else []

    def _end(self, point: int) -> None:
        if self.value is not None:
            start, _ = self.intervals[self.value].pop()
            if start < point:
                self.intervals[self.value].append((start, point))


class Group:
    """members: simple fluents, and events that are defined by them and they by it."""

    def __init__(self, members: Sequence[Signature], heads: Heads) -> None:
        self.heads = heads
        self.description, self.world, self.domain = heads.description, heads.world, heads.domain
        self.members = self._in_order(members)
        self.courses: dict[Signature, dict[Arguments, Course]] = {
            member: defaultdict(Course) for member in self.members
        }

    def run(self) -> None:
        self.world.growing = set(self.members)
        self._initially()
        tick = self.world.tick
        point = next_point(self.world.first, tick)
        while point - tick <= self.world.last:
            times = range(max(point - tick, self.world.first), min(point - 1, self.world.last) + 1)
            for member in self.members:
                if member in self.description.defined.events:
                    self._happen(member, times)
                else:
                    self._step(member, times, point)
            point += tick
        self.world.growing = set()

    def _in_order(self, members: Sequence[Signature]) -> list[Signature]:
        """Each after those whose start, end or occurrence at the same time its rules mention."""
        waiting, order = list(members), list[Signature]()
        while waiting:
            free = [m for m in waiting if not self._at_once(m) & (set(waiting) - {m})]
            order.append((free or waiting)[0])
            waiting.remove(order[-1])
        return order

    def _at_once(self, member: Signature) -> set[Signature]:
        kinds = ("initiatedAt", "terminatedAt", "happensAt")
        rules = [rule for kind in kinds for rule in self.heads.rules(kind, member)]
        return {entity for rule in rules for entity in _at_time(rule.body, rule.at)}

    def _initially(self) -> None:
        for member in self.members:
            clauses = [clause for clause in self.description.initially if signature(clause.fluent) == member]
            values: dict[Arguments, set[Term]] = defaultdict(set)
            for clause in clauses:
                for args, value in self.heads.initial(clause):
                    if self.domain.admits(member, args, value):
                        values[args].add(value)
            for args, initial in values.items():
                if len(initial) == 1:  # otherwise they cancel each other
                    self.courses[member][args].initially(initial.pop(), self.world.first)
                    self._show(member, args)

    def _happen(self, member: Signature, times: range) -> None:
        for rule in self.heads.rules("happensAt", member):
            for time in times:
                for args, _, _ in self.heads.begun(rule, time):
                    if self.domain.admits(member, args, None):
                        self.world.add_event(member, args, time)

    # ------------------------------------------------------------ one step of a fluent

    def _step(self, member: Signature, times: range, point: int) -> None:
        self._reach(member, times, {}, extensible=False)
        starts = self._starts(member, times)
        self._reach(member, times, starts, extensible=True)
        for time in times:
            found = self.world.reached[member].get(time, [])
            self._add(starts, member, [(args, value, time) for args, value in found])
        ends = self._ends(member, times, starts)
        for args in starts.keys() | ends.keys():
            course = self.courses[member][args]
            course.advance(point, starts.get(args, {}), ends.get(args, set()))
            self._show(member, args)

    def _starts(self, member: Signature, times: range) -> Starts:
        """By rules that bind all arguments or have a domain; then by those that range over what is alive."""
        starts: Starts = defaultdict(dict)
        waiting = []
        for rule in self.heads.rules("initiatedAt", member):
            for t in times:
                try:
                    found = self.heads.begun(rule, t)
                except NotYet:
                    waiting.append((rule, t))
                    continue
                self._add(starts, member, found)
        alive = {args for args, course in self.courses[member].items() if course.value is not None} | starts.keys()
        for rule, t in waiting:
            self._add(starts, member, self.heads.begun(rule, t, alive))
        return starts

    def _add(self, starts: Starts, member: Signature, found: Sequence[Occurrence]) -> None:
        """What is outside a declared domain does not exist: its initiation ends nothing either."""
        for args, value, t in found:
            if value is not None and self.domain.admits(member, args, value):
                starts[args].setdefault(value, []).append(t)

    def _ends(self, member: Signature, times: range, starts: Starts) -> dict[Arguments, set[Term]]:
        groundings: set[Grounding] = {(args, value) for args, values in starts.items() for value in values}
        for args, course in self.courses[member].items():
            if course.value is not None:
                groundings.add((args, course.value))
        ends: dict[Arguments, set[Term]] = defaultdict(set)
        for rule in self.heads.rules("terminatedAt", member):
            for t in times:
                for args, value in self.heads.ended(rule, t, groundings) & groundings:
                    ends[args].add(value)
        return ends

    def _reach(self, member: Signature, times: range, starts: Starts, extensible: bool) -> None:
        """Notes which deadlines are reached; a new initiation at the same point may still put off an extensible one."""
        for args in list(self.courses[member]):
            for _, value, time in self._due(member, args, times, starts.get(args, {}), extensible):
                if value is not None and self.domain.admits(member, args, value):
                    self.world.reached[member].setdefault(time, []).append((args, value))

    def _due(
        self, member: Signature, args: Arguments, times: range, starts: dict[Term, list[int]], extensible: bool
    ) -> Iterator[Occurrence]:
        """The deadlines of the present value that are reached now, and the values they initiate."""
        course = self.courses[member][args]
        if course.value is None:
            return
        again = course.begun + starts.get(course.value, [])
        for deadline in self.description.deadlines:
            if signature(deadline.fluent) == member and deadline.extensible == extensible:
                for target, duration in self._deadlines(deadline, args, course.value):
                    for begun in course.begun:
                        t = begun + duration
                        if t in times and not (deadline.extensible and any(begun < s <= t for s in again)):
                            yield args, target, t

    def _deadlines(self, deadline: Deadline, args: Arguments, value: Term) -> list[tuple[Term, int]]:
        """The target values and durations of a deadline for one grounding."""
        head = (*name_and_args(deadline.fluent)[1], deadline.source)
        found = match_all(head, (*args, value), {})
        if found is None:
            return []
        result = []
        for bindings in self.world.solve(deadline.body, found, names(*head, deadline.target, deadline.duration)):
            duration = evaluate(deadline.duration, bindings)
            if isinstance(duration, int):
                result.append((substitute(deadline.target, bindings), duration))
        return result

    def _show(self, member: Signature, args: Arguments) -> None:
        for value, intervals in self.courses[member][args].intervals.items():
            if intervals:
                self.world.fluents[member][args, value] = intervals
            else:
                self.world.fluents[member].pop((args, value), None)


def _at_time(body: Sequence[Literal], time: Var) -> Iterator[Signature]:
    for literal in body:
        match literal:
            case Happens() if literal.time == time:
                yield signature(literal.event)
            case Edge(edge="start" | "end" | "deadline") if literal.time == time:
                yield signature(literal.fluent)
            case Not() | Aggregate():
                yield from _at_time(literal.literals, time)
            case Or():
                for alternative in literal.alternatives:
                    yield from _at_time(alternative, time)
            case _:
                pass
