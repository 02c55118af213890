"""Backtracking over ground facts: all substitutions that make the literals of a body true, whatever their order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from holdsfor.language.description import Clause, Signature
from holdsfor.language.literals import (
    Aggregate,
    Algebra,
    Allen,
    Apply,
    Call,
    Compare,
    Duration,
    Edge,
    Happens,
    Holds,
    HoldsFor,
    Is,
    Literal,
    Not,
    Occurs,
    Or,
)
from holdsfor.language.terms import Atom, Compound, Int, Term, is_ground, name_and_args
from tests.naive.calculate import (
    Bindings,
    NotYet,
    Number,
    compare,
    evaluate,
    invert,
    match,
    match_all,
    names,
    number_term,
    substitute,
)
from tests.naive.calls import apply
from tests.naive.intervals import Intervals, holds_at, next_point, previous_point

Grounding = tuple[tuple[Term, ...], Term]  # arguments and value

_AGGREGATES: dict[str, Callable[[list[Number]], Number | None]] = {
    "sum": sum,
    "min": lambda numbers: min(numbers, default=None),
    "max": lambda numbers: max(numbers, default=None),
}

#: What to try when no literal can be evaluated: more bindings for one of the variables.
Fallback = Callable[[Bindings], Iterable[Bindings]]


def signature(term: Term) -> Signature:
    name, args = name_and_args(term)
    return Signature(name, len(args))


def literal_names(literal: Literal) -> set[str]:
    match literal:
        case Happens():
            return names(literal.event, literal.time)
        case Occurs():
            return names(literal.event, literal.start, literal.end)
        case Edge() | Holds():
            return names(literal.fluent, literal.value, literal.time)
        case HoldsFor():
            return names(literal.fluent, literal.value)
        case Compare():
            return names(literal.left, literal.right)
        case Is():
            return names(literal.target, literal.expression)
        case Apply():
            return names(literal.target, literal.call)
        case Call():
            return names(literal.goal)
        case Not():
            return set().union(*map(literal_names, literal.literals))
        case Or():
            return {
                name for alternative in literal.alternatives for part in alternative for name in literal_names(part)
            }
        case Aggregate():
            return names(literal.template, literal.result).union(*map(literal_names, literal.literals))
        case Duration():
            return names(literal.bound)
        case Algebra() | Allen():
            return set()


def shown_names(literal: Literal) -> set[str]:
    """The variables that the rest of the body sees; those of a negation or an aggregate may be its own."""
    match literal:
        case Not():
            return set()
        case Or():
            return {name for alternative in literal.alternatives for part in alternative for name in shown_names(part)}
        case Aggregate():
            return names(literal.result)
        case _:
            return literal_names(literal)


@dataclass
class World:
    """All that is known so far: occurrences, intervals, background knowledge; from first to last."""

    tick: int
    first: int
    last: int
    background: Sequence[Clause]
    events: dict[Signature, dict[int, list[tuple[Term, ...]]]] = field(default_factory=lambda: defaultdict(dict))
    spans: dict[Signature, set[tuple[tuple[Term, ...], int, int]]] = field(default_factory=lambda: defaultdict(set))
    fluents: dict[Signature, dict[Grounding, Intervals]] = field(default_factory=lambda: defaultdict(dict))

    reached: dict[Signature, dict[int, list[Grounding]]] = field(default_factory=lambda: defaultdict(dict))  # deadlines

    growing: set[Signature] = field(default_factory=set)  # the group that is going through time now
    _edges: dict[tuple[str, Signature], dict[int, list[Grounding]]] = field(default_factory=dict)

    def begin(self, start: int) -> int:
        """From when on an interval counts: what begins with the history, or before, from its first tick on."""
        return start if start > self.first else next_point(self.first, self.tick)

    def add_event(self, entity: Signature, args: tuple[Term, ...], t: int, start: int | None = None) -> None:
        """t: when it happens, which is when it ends; start: of one that takes time."""
        self.spans[entity].add((args, t if start is None else start, t))
        known = self.events[entity].setdefault(t, [])
        if args not in known:
            known.append(args)

    # ------------------------------------------------------------ bodies

    def solve(
        self, literals: Sequence[Literal], bindings: Bindings, visible: set[str], fallback: Fallback | None = None
    ) -> Iterator[Bindings]:
        """visible: the variables of the head, to which the body adds. Others are local to a negation or aggregate."""
        outside = visible.union(*map(shown_names, literals))
        return self._solve(tuple(literals), bindings, outside, fallback)

    def _solve(
        self, literals: tuple[Literal, ...], bindings: Bindings, visible: set[str], fallback: Fallback | None
    ) -> Iterator[Bindings]:
        if not literals:
            yield bindings
            return
        for place, literal in enumerate(literals):
            try:
                found = list(self._options(literal, bindings, visible))
            except NotYet:
                continue
            rest = literals[:place] + literals[place + 1 :]
            for more in found:
                yield from self._solve(rest, more, visible, fallback)
            return
        if fallback is None:
            raise NotYet
        for more in fallback(bindings):
            yield from self._solve(literals, more, visible, fallback)

    def _options(self, literal: Literal, bindings: Bindings, visible: set[str]) -> Iterator[Bindings]:
        match literal:
            case Happens():
                yield from self._happens(literal, bindings)
            case Occurs():
                yield from self._occurs(literal, bindings)
            case Edge():
                yield from self._edge(literal, bindings)
            case Holds():
                yield from self._holds(literal, bindings)
            case Compare():
                found = compare(literal.op, literal.left, literal.right, bindings)
                yield from [] if found is None else [found]
            case Is():
                yield from self._is(literal, bindings)
            case Apply():
                value = apply(literal, bindings)
                found = None if value is None else match(literal.target, value, bindings)
                yield from [] if found is None else [found]
            case Call():
                yield from self._call(literal, bindings)
            case Not():
                if (literal_names(literal) & visible) - bindings.keys():
                    raise NotYet
                if next(self.solve(literal.literals, bindings, visible), None) is None:
                    yield bindings
            case Or():
                for way, alternative in enumerate(literal.alternatives):
                    for found in self.solve(alternative, bindings, visible):
                        yield self._by(way, literal, found)
            case Aggregate():
                yield from self._aggregate(literal, bindings, visible)
            case _:
                raise NotYet

    # ------------------------------------------------------------ literals

    def _happens(self, literal: Happens, bindings: Bindings) -> Iterator[Bindings]:
        _, patterns = name_and_args(literal.event)
        known = self.events.get(signature(literal.event), {})
        for t, at_time in self._at(literal.time, known, bindings):
            for args in known[t]:
                found = match_all(patterns, args, at_time)
                if found is not None:
                    yield found

    def _occurs(self, literal: Occurs, bindings: Bindings) -> Iterator[Bindings]:
        _, patterns = name_and_args(literal.event)
        for args, start, end in self.spans.get(signature(literal.event), set()):
            for _, with_start in self._at(literal.start, [start], bindings):
                for _, with_end in self._at(literal.end, [end], with_start):
                    found = match_all(patterns, args, with_end)
                    if found is not None:
                        yield found

    def _edge(self, literal: Edge, bindings: Bindings) -> Iterator[Bindings]:
        _, patterns = name_and_args(literal.fluent)
        known = self.edges(literal.edge, signature(literal.fluent))
        for t, at_time in self._at(literal.time, known, bindings):
            for args, value in known[t]:
                found = match_all((*patterns, literal.value), (*args, value), at_time)
                if found is not None:
                    yield found

    def edges(self, edge: str, fluent: Signature) -> dict[int, list[Grounding]]:
        """When each grounding starts or ends, or a deadline initiates it."""
        if edge == "deadline":
            return self.reached[fluent]
        if fluent in self.growing:
            return self._find_edges(edge, fluent)
        if (edge, fluent) not in self._edges:
            self._edges[edge, fluent] = self._find_edges(edge, fluent)
        return self._edges[edge, fluent]

    def forget_edges(self, fluents: set[Signature]) -> None:
        """More values of them are about to be known."""
        self._edges = {key: known for key, known in self._edges.items() if key[1] not in fluents}

    def _find_edges(self, edge: str, fluent: Signature) -> dict[int, list[Grounding]]:
        known: dict[int, list[Grounding]] = defaultdict(list)
        for grounding, intervals in self.fluents.get(fluent, {}).items():
            for start, end in intervals:
                point = start if edge in ("start", "startI") else end
                before = previous_point(point, self.tick)
                t = before if edge in ("start", "end") else point
                if self.first <= before and t <= self.last:
                    known[t].append(grounding)
        return known

    def _at(self, time: Term, known: Iterable[int], bindings: Bindings) -> Iterator[tuple[int, Bindings]]:
        """The known times that the time expression may stand for."""
        if is_ground(substitute(time, bindings)):
            t = evaluate(time, bindings)
            if isinstance(t, int) and t in known:
                yield t, bindings
            return
        for t in sorted(known):
            found = invert(time, t, bindings)
            if found is not None:
                yield t, found

    def _holds(self, literal: Holds, bindings: Bindings) -> Iterator[Bindings]:
        t = evaluate(literal.time, bindings)
        _, patterns = name_and_args(literal.fluent)
        for (args, value), intervals in self.fluents.get(signature(literal.fluent), {}).items():
            found = match_all((*patterns, literal.value), (*args, value), bindings)
            if found is not None and isinstance(t, int) and holds_at(intervals, t):
                yield found

    def _is(self, literal: Is, bindings: Bindings) -> Iterator[Bindings]:
        target = substitute(literal.target, bindings)
        if isinstance(target, Int) and len(names(substitute(literal.expression, bindings))) == 1:
            found = invert(literal.expression, target.value, bindings)  # T2 is T+5 where only T2 is known
        else:
            value = evaluate(literal.expression, bindings)
            found = None if value is None else match(target, number_term(value), bindings)
        if found is not None:
            yield found

    def _aggregate(self, literal: Aggregate, bindings: Bindings, visible: set[str]) -> Iterator[Bindings]:
        """Over the distinct solutions: two that differ in any variable, or in the way to them, count twice."""
        inside = names(literal.template).union(*map(literal_names, literal.literals))
        if (inside & visible) - bindings.keys():
            raise NotYet
        solutions = {frozenset(found.items()) for found in self.solve(literal.literals, bindings, visible)}
        if literal.function == "count":
            value: Number | None = len(solutions)
        else:
            numbers = [evaluate(literal.template, dict(found)) for found in solutions]
            value = _AGGREGATES[literal.function]([n for n in numbers if n is not None])
        found = None if value is None else match(literal.result, number_term(value), bindings)
        if found is not None:
            yield found

    def _call(self, literal: Call, bindings: Bindings) -> Iterator[Bindings]:
        _, args = name_and_args(literal.goal)
        goal = tuple(substitute(arg, bindings) for arg in args)
        for way, clause in enumerate(self.background):
            if signature(clause.head) == signature(literal.goal):
                for answer, inner in self._clause(clause, goal):
                    found = match_all(goal, answer, bindings)
                    if found is not None:
                        yield self._by((way, inner), literal, found) if clause.body else found

    @staticmethod
    def _by(way: object, literal: Literal, found: Bindings) -> Bindings:
        """The solution with the way to it, as a variable that no rule has: findall counts each way."""
        return {**found, f"~{literal.place} {id(literal)}": Atom(str(way))}

    def _clause(self, clause: Clause, goal: tuple[Term, ...]) -> Iterator[tuple[tuple[Term, ...], list[str]]]:
        """The ground heads of a clause that agree with the ground arguments of the goal, each with all variables.

        The clause's own variables never meet those of the rule: only ground terms go in and come out.
        """
        _, head = name_and_args(clause.head)
        inner: Bindings | None = {}
        for pattern, arg in _ground_parts(head, goal):
            if inner is not None:
                inner = match(pattern, arg, inner)
        if inner is None:
            return
        for found in self.solve(clause.body, inner, names(clause.head)):
            answer = tuple(substitute(arg, found) for arg in head)
            if not all(map(is_ground, answer)):
                raise NotYet
            yield answer, sorted(f"{name}={value!r}" for name, value in found.items())


def _ground_parts(head: Sequence[Term], goal: Sequence[Term]) -> Iterator[tuple[Term, Term]]:
    """What of a goal is ground, also inside terms, beside what a head has there."""
    for pattern, arg in zip(head, goal, strict=True):
        if is_ground(arg):
            yield pattern, arg
        elif isinstance(pattern, Compound) and isinstance(arg, Compound) and len(pattern.args) == len(arg.args):
            yield from _ground_parts(pattern.args, arg.args)
