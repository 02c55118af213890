"""Statically determined fluents: interval algebra for one grounding after the other."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from holdsfor.language.description import Rule
from holdsfor.language.literals import Algebra, Allen, Call, Compare, Duration, HoldsFor, Is
from holdsfor.language.terms import Term, name_and_args, variables
from tests.naive.allen import allen
from tests.naive.calculate import Bindings, Number, evaluate, match_all, names, substitute
from tests.naive.domain import Domain, matching
from tests.naive.intervals import FOREVER, Intervals, difference, holds_at, intersection, next_point, union
from tests.naive.solve import Grounding, World, literal_names, shown_names, signature

Step = HoldsFor | Algebra | Allen | Duration

_OPERATIONS: dict[str, Callable[[Sequence[Intervals]], Intervals]] = {
    "union": union,
    "intersection": intersection,
    "difference": difference,
}
_COMPARISONS: dict[str, Callable[[Number, Number], bool]] = {
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "<": lambda a, b: a < b,
    "=<": lambda a, b: a <= b,
}


def statically_determined(rules: Iterable[Rule], world: World, domain: Domain) -> dict[Grounding, Intervals]:
    """The union over all rules of one fluent."""
    found: dict[Grounding, list[Intervals]] = defaultdict(list)
    for rule in rules:
        for grounding, intervals in Definition(rule, world, domain).groundings():
            found[grounding].append(intervals)
    result = {grounding: union(lists) for grounding, lists in found.items()}
    return {(args, v): x for (args, v), x in result.items() if x and domain.admits(signature(rule.subject), args, v)}


class Definition:
    """One holdsFor rule. A grounding that a fluent never had has no intervals there, but the rule does not fail."""

    def __init__(self, rule: Rule, world: World, domain: Domain) -> None:
        assert rule.value is not None
        self.rule, self.world, self.domain = rule, world, domain
        self.head = (*name_and_args(rule.subject)[1], rule.value)
        self.steps = [literal for literal in rule.body if isinstance(literal, Step)]
        self.tests = [literal for literal in rule.body if not isinstance(literal, Step)]
        self.operands = [step for step in self.steps if isinstance(step, HoldsFor)]
        self.loose = self._loose_variables()
        self.wanted = names(*self.head).union(*(names(x.fluent, x.value) for x in self.operands)) - self.loose

    def _loose_variables(self) -> set[str]:
        """Those that stand once in the whole rule: an operand has the intervals of all their values.

        Not where intervals are measured: each value has its own.
        """
        terms = [*self.head, *(term for x in self.operands for term in (x.fluent, x.value))]
        uses = Counter(variable.name for term in terms for variable in variables(term))
        elsewhere = {
            name for literal in self.rule.body if literal not in self.operands for name in literal_names(literal)
        }
        measured = self._measured()
        return {
            name
            for x in self.operands
            if x.interval.name not in measured
            for name in names(x.fluent, x.value)
            if uses[name] == 1 and name not in elsewhere
        }

    def _measured(self) -> set[str]:
        """The lists of intervals whose lengths or distances matter, with those that they are made of."""
        found = {
            part.name for step in self.steps for part in ((step.source, step.target) if isinstance(step, Allen) else ())
        } | {step.interval.name for step in self.steps if isinstance(step, Duration)}
        for _ in self.steps:
            for step in self.steps:
                if isinstance(step, Algebra) and step.result.name in found:
                    found |= {operand.name for operand in step.operands}
        return found

    def groundings(self) -> Iterator[tuple[Grounding, Intervals]]:
        declared = self.domain.enumerated(signature(self.rule.subject), self.rule.value) is not None
        pending = list(self.world.solve(self.tests, {}, self.wanted, self.more))
        bound = self.wanted.intersection(self.bound_by_tests(), *pending)
        while pending:
            bindings = pending.pop()
            if self.wanted <= bindings.keys():
                if not declared and not self.evident(self.wanted - bound, bindings):
                    continue
                *args, value = (substitute(term, bindings) for term in self.head)
                yield (tuple(args), value), self.intervals(bindings)
            else:
                pending.extend(self.more(bindings))

    def bound_by_tests(self) -> set[str]:
        """The variables that conditions give their values, rather than ask about them."""
        given = [x for x in self.tests if isinstance(x, Call | Is) or (isinstance(x, Compare) and x.op == "=")]
        return set().union(*map(shown_names, given))

    def evident(self, wanted: set[str], bindings: Bindings) -> bool:
        """Whether an operand that is about all these variables, if there is one, has had the grounding.

        For a complement it matters: it is not empty where nothing ever held.
        """
        members = [x for x in self.operands if name_and_args(x.fluent)[0].endswith(" ever")]
        if wanted <= set().union(*(names(x.fluent) for x in members)):
            return True  # who has ever been in a dynamic domain: the rule is about all of them
        about = [x for x in self.operands if wanted <= names(x.fluent, x.value)]
        return not wanted or not about or any(self._known(operand, bindings) is not None for operand in about)

    def _known(self, operand: HoldsFor, bindings: Bindings) -> Intervals | None:
        """The intervals of an operand, of all values of its loose variables; None if it has never had any."""
        args = tuple(substitute(arg, bindings) for arg in name_and_args(operand.fluent)[1])
        pattern = (*args, substitute(operand.value, bindings))
        had = self.world.fluents.get(signature(operand.fluent), {}).items()
        found = [
            intervals for (had_args, value), intervals in had if match_all(pattern, (*had_args, value), {}) is not None
        ]
        return union(found) if found else None

    def more(self, bindings: Bindings) -> Iterator[Bindings]:
        """A declared domain of the head, otherwise, for one variable, all that stands in its place in any operand."""
        declared = self.domain.enumerated(signature(self.rule.subject), self.rule.value)
        if declared is not None and not names(*self.head) <= bindings.keys():
            yield from matching(self.head, [(*args, value) for args, value in declared if value is not None], bindings)
            return
        variable = min(self.wanted - bindings.keys())
        terms: set[Term] = set()
        for operand in self.operands:
            pattern = (*name_and_args(operand.fluent)[1], operand.value)
            for args, value in self.world.fluents.get(signature(operand.fluent), {}):
                found = match_all(pattern, (*args, value), {})
                if found is not None and variable in found:
                    terms.add(found[variable])
        yield from ({**bindings, variable: term} for term in terms)

    def intervals(self, bindings: Bindings) -> Intervals:
        known: dict[str, Intervals] = {}
        while self.rule.at.name not in known:
            before = len(known)
            for step in self.steps:
                self._take(step, bindings, known)
            assert len(known) > before, f"no literal gives {self.rule.at}"
        return known[self.rule.at.name]

    def _take(self, step: Step, bindings: Bindings, known: dict[str, Intervals]) -> None:
        if isinstance(step, HoldsFor):
            known[step.interval.name] = self._known(step, bindings) or []
        elif isinstance(step, Algebra):
            if all(operand.name in known for operand in step.operands):
                operands = [known[operand.name] for operand in step.operands]
                if step.within is None:
                    known[step.result.name] = self._algebra(step.op, operands)
                else:
                    known[step.result.name] = self._near(step.within, operands)
        elif isinstance(step, Allen):
            if step.source.name in known and step.target.name in known:
                source, target = known[step.source.name], known[step.target.name]
                known[step.result.name] = allen(
                    step.relation, source, target, step.mode, self.world.tick, self._nearness(step.within)
                )
        elif step.interval.name in known:
            bound = evaluate(step.bound, bindings)
            known[step.result.name] = [
                (start, end)
                for start, end in known[step.interval.name]
                if bound is not None
                and (step.within is None or bound <= step.within)
                and _COMPARISONS[step.op](self._length(start, end), bound)
            ]

    def _algebra(self, op: str, operands: list[Intervals]) -> Intervals:
        if op == "complement":
            first = next_point(self.world.first, self.world.tick)
            left = difference([[(first, FOREVER)], *operands])
            # What holds at the first point, with nothing having happened, has held before: it has no start.
            return [(self.world.first if start == first else start, end) for start, end in left]
        return _OPERATIONS[op](operands)

    def _near(self, within: int, operands: list[Intervals]) -> Intervals:
        """The points in no operand that are near enough to a point of one, each looked at by itself.

        Nobody knows yet what is near a point after the history: what holds at its end stays open.
        """
        held = union(operands)
        first, last = next_point(self.world.first, self.world.tick), self.world.last
        after = next_point(last, self.world.tick) + 1  # what holds there is not looked at any more

        def is_near(p: int) -> bool:
            return any(start - within <= p and (p < end + within or end + within > last) for start, end in held)

        points = [p for p in range(first, after + 1) if is_near(p) and not holds_at(held, p)]
        found = union([[(p, FOREVER if p == after else p + 1)] for p in points])
        return [(self.world.first if start == first else start, end) for start, end in found]

    def _nearness(self, within: int | None) -> Callable[[tuple[int, int], tuple[int, int]], bool]:
        if within is None:
            return lambda s, t: True

        def near(s: tuple[int, int], t: tuple[int, int]) -> bool:
            ends = [self.world.last if end == FOREVER else end for _, end in (s, t)]
            return max(ends) - self.world.begin(min(s[0], t[0])) <= within

        return near

    def _length(self, start: int, end: int) -> int:
        """An open interval is as long as it is known to be at the end of the history."""
        return (self.world.last if end == FOREVER else end) - self.world.begin(start)
