"""Pattern rules: from what a rule file says to a tree of joins over relations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from holdsfor.language.description import EventDescription, Signature
from holdsfor.language.literals import Compare, HoldsFor, Literal
from holdsfor.language.nodes import find_all
from holdsfor.language.patterns import (
    Absence,
    Either,
    EventPattern,
    Filter,
    Instant,
    Join,
    Limit,
    Pattern,
    PatternRule,
    RunningAggregate,
    Stretch,
    Timed,
)
from holdsfor.language.terms import Compound, Term, Var, is_ground, name_and_args, variables
from holdsfor.language.vocabulary import FUNCTIONS
from holdsfor.plan import patterns as plan
from holdsfor.plan.compiler.bodies.rewrite import names_of, positive_names
from holdsfor.plan.compiler.bodies.unfold import unfold
from holdsfor.plan.compiler.order import Ordering, head_args, order_conditions
from holdsfor.plan.compiler.pattern_variables import names_bound, with_values_outside
from holdsfor.plan.compiler.pipeline import Pipeline
from holdsfor.plan.operators import Chain, Conclude, Let, Occurring, Relation, TimesOf
from holdsfor.plan.patterns import Choosing, Measured

NO_CONDITIONS: tuple[Chain, ...] = ((),)


def compile_pattern_rule(rule: PatternRule, pipeline: Pipeline) -> Conclude:
    written = _count_names(rule)
    rule = replace(rule, pattern=with_values_outside(rule.pattern, ()))
    rule = replace(rule, pattern=_split_choices(rule.pattern, written))
    compiler = _Compiler.of(rule, written, pipeline)
    pattern = compiler.pattern(rule.pattern, None)
    ordering = compiler.ordering
    ordering.bound = set(names_bound(rule.pattern))
    start, end = ordering.name("start~"), ordering.name("time~")
    terms, lets = _calculated(name_and_args(rule.head)[1], ordering)
    args = head_args(terms, ordering, rule.head.place)
    chain: Chain = (Occurring(pattern, start, end), *lets)
    return Conclude(chain, args, end, rule.head.place, ordering.written_names(), start)


def fluents_in_patterns(description: EventDescription) -> Iterator[tuple[Literal, ...]]:
    """The fluents that patterns are about, as conditions on them."""
    for rule in description.patterns:
        for part in find_all(rule.pattern, Stretch):
            yield (HoldsFor(part.fluent, part.value, Var("I"), part.place),)


def _calculated(terms: Iterable[Term], ordering: Ordering) -> tuple[list[Term], list[Let]]:
    """Arithmetic in a head, worked out into variables of its own."""
    made: list[Term] = []
    lets: list[Let] = []
    for number, term in enumerate(terms):
        if isinstance(term, Compound) and (term.functor, len(term.args)) in FUNCTIONS:
            name = f"head~{number}"
            lets.append(Let(ordering.name(name), ordering.expression(term)))
            ordering.bound.add(name)
            ordering.uses[name] = 2
            term = Var(name)
        made.append(term)
    return made, lets


# ---------------------------------------------------------------- choices


def _count_names(rule: PatternRule) -> Counter[str]:
    """How often the rule has each variable."""
    return Counter([*names_of(rule.pattern), *(v.name for v in variables(rule.head))])


def _split_choices(pattern: Pattern, written: Counter[str]) -> Pattern:
    """Write `(a OR c(Y)) SEQ d(Y)` as `(a SEQ d(Y)) OR (c(Y) SEQ d(Y))`: in the first, any Y goes with an `a`."""
    ways = list(_ways(pattern, written))
    return ways[0] if len(ways) == 1 else Either(tuple(ways), pattern.place)


def _ways(pattern: Pattern, written: Counter[str]) -> Iterator[Pattern]:
    match pattern:
        case Either() if _binds_unlike(pattern, written):
            for one in pattern.alternatives:
                yield from _ways(one, written)
        case Join():
            for left, right in product(_ways(pattern.left, written), list(_ways(pattern.right, written))):
                yield replace(pattern, left=left, right=right)
        case Absence(last=int()):
            yield from (replace(pattern, first=first) for first in _ways(pattern.first, written))
        case Absence():
            assert not isinstance(pattern.last, int)
            for first, last in product(_ways(pattern.first, written), list(_ways(pattern.last, written))):
                yield replace(pattern, first=first, last=last)
        case Filter() | Limit() | Timed():
            yield from (replace(pattern, pattern=within) for within in _ways(pattern.pattern, written))
        case Either():
            yield replace(
                pattern, alternatives=tuple(way for one in pattern.alternatives for way in _ways(one, written))
            )
        case RunningAggregate():
            yield replace(pattern, pattern=_split_choices(pattern.pattern, written))
        case _:
            yield pattern


def _binds_unlike(pattern: Either, written: Counter[str]) -> bool:
    """Whether only some alternatives give a variable a value that the rule has outside of them, too."""
    own = Counter(names_of(pattern))
    some = frozenset[str]().union(*map(names_bound, pattern.alternatives)) - names_bound(pattern)
    return any(written[name] > own[name] for name in some)


# ---------------------------------------------------------------- the tree


@dataclass(slots=True)
class _Compiler:
    ordering: Ordering
    pipeline: Pipeline
    written: Counter[str]  # how often the rule has each variable, as it is written
    choosing: Choosing

    @classmethod
    def of(cls, rule: PatternRule, written: Counter[str], pipeline: Pipeline) -> _Compiler:
        uses = _count_names(rule)
        if rule.policy != "unrestricted" or any(find_all(rule.pattern, RunningAggregate)):
            uses.update(set(uses))  # each occurrence counts, whatever tells it from others
        ordering = Ordering(pipeline.relations, uses, set(uses), set())
        prefers = tuple(
            (preference[0], ordering.name(preference[1].name)) if isinstance(preference, tuple) else (preference, "")
            for preference in rule.prefers
        )
        return cls(ordering, pipeline, written, Choosing(rule.policy, prefers))

    def pattern(self, pattern: Pattern, within: int | None) -> plan.Pattern:
        match pattern:
            case EventPattern():
                relation = self.ordering.relations.of_event(pattern.event)
                return self._scan(relation, name_and_args(pattern.event)[1], pattern, within)
            case Stretch():
                return self._stretch(pattern, within)
            case Instant():
                return plan.Moment(pattern.time)
            case Limit():
                return self.pattern(pattern.pattern, _least(within, pattern.duration))
            case Either():
                return _one_of(tuple(self.pattern(one, within) for one in pattern.alternatives))
            case Join() | Absence():
                return self._join(pattern, (), within)
            case Filter() | Timed():
                return self._filter(pattern, within)
            case RunningAggregate():
                return self._sliding(pattern, within)
        raise TypeError(pattern)

    def _scan(
        self, relation: Relation, args: tuple[Term, ...], of: EventPattern | Stretch, within: int | None
    ) -> plan.Scan:
        return plan.Scan(relation, tuple(self.ordering.arg(arg, of.place) for arg in args), within)

    def _stretch(self, pattern: Stretch, within: int | None) -> plan.Pattern:
        """An open value of a fluent that is stored value by value is one of these values."""
        relations = self.ordering.relations
        name, args = name_and_args(pattern.fluent)
        values = relations.values.get(Signature(name, len(args)))
        if values is None or is_ground(pattern.value):
            relation, columns = relations.columns(pattern.fluent, pattern.value)
            return self._scan(relation, columns, pattern, within)
        assert isinstance(pattern.value, Var)
        variable = self.ordering.name(pattern.value.name)
        alternatives = []
        for value in values:
            scan = self._scan(relations.columns(pattern.fluent, value)[0], args, pattern, within)
            alternatives.append(plan.Selected(scan, ((Let(variable, value, same=True),),)))
        return _one_of(tuple(alternatives))

    def _filter(self, pattern: Filter | Timed, within: int | None) -> plan.Pattern:
        """Conditions on a join are tested on its pairs, before a policy chooses among them."""
        core: Pattern = pattern
        conditions: tuple[Literal, ...] = ()
        times: list[Timed] = []
        while isinstance(core, Filter | Limit | Timed):
            if isinstance(core, Limit):
                within = _least(within, core.duration)
            elif isinstance(core, Timed):
                times.append(core)
            else:
                conditions = (*core.conditions, *conditions)
            core = core.pattern
        if isinstance(core, Join | Absence):
            return self._join(core, conditions, within, times)
        return plan.Selected(self.pattern(core, within), self._conditions(conditions, names_bound(core), times))

    def _join(
        self,
        pattern: Join | Absence,
        conditions: tuple[Literal, ...],
        within: int | None,
        times: Sequence[Timed] = (),
    ) -> plan.Pattern:
        """Comparisons that are about one side only are tested there, if no policy has chosen there before."""
        sides, rest = _pushed(pattern, conditions, [not self._chooses(side) for side in pattern.together])
        chosen = self._conditions(rest, names_bound(pattern), times)
        if isinstance(pattern, Join):
            left, right = (self._operand(side, within) for side in sides)
            return plan.Pairs(pattern.kind, left, right, within, chosen, self.choosing)
        first, *last = (self._operand(side, within) for side in sides)
        what = tuple(self._operand(one, within) for one in _ways(pattern.what, self.written))
        until = pattern.last if isinstance(pattern.last, int) else last[0]
        outside = tuple(self.pattern(one, None) for one in pattern.outside)
        return plan.Absent(what, first, until, within, chosen, self.choosing, outside)

    def _operand(self, pattern: Pattern, within: int | None) -> plan.Pattern:
        """A window limits the operands, too, where no policy chooses before the window is known."""
        return self.pattern(pattern, None if self._chooses(pattern) else within)

    def _chooses(self, pattern: Pattern) -> bool:
        parts = find_all(pattern, Pattern)
        return self.choosing.policy != "unrestricted" and any(isinstance(part, Join | Absence) for part in parts)

    def _conditions(
        self, literals: tuple[Literal, ...], bound: frozenset[str], times: Sequence[Timed] = ()
    ) -> tuple[Chain, ...]:
        """One chain for each variant of what is called. times: of the occurrence, which they may be about."""
        if not literals and not times:
            return NO_CONDITIONS
        spans = tuple(TimesOf(self._time(each.start), self._time(each.end)) for each in times)
        bound = bound.union(*({each.start.name, each.end.name} for each in times))
        chains: list[Chain] = []
        for variant in unfold(literals, self.pipeline.background, self.pipeline.fresh):
            self.ordering.uses.update(name for literal in variant for name in names_of(literal))
            self.ordering.outer |= positive_names(variant)
            self.ordering.bound = set(bound)
            chains.append((*spans, *order_conditions(variant, self.ordering)))
        return tuple(dict.fromkeys(chains))

    def _time(self, variable: Var) -> str | None:
        """Return the name of a time that something else asks for."""
        return self.ordering.name(variable.name) if self.ordering.uses[variable.name] > 1 else None

    def _sliding(self, pattern: RunningAggregate, within: int | None) -> plan.Sliding:
        own = Counter(names_of(pattern))
        measures = {measure.variable.name for measure in pattern.measures}
        group = [name for name in sorted(names_bound(pattern.pattern)) if self.written[name] > own[name]]
        made = tuple(
            Measured(
                self.ordering.name(measure.variable.name),
                measure.function,
                tuple(map(self.ordering.expression, measure.arguments)),
                measure.registered,
            )
            for measure in pattern.measures
        )
        names = tuple(self.ordering.name(name) for name in group if name not in measures)
        of = self.pattern(pattern.pattern, None)
        return plan.Sliding(of, names, made, pattern.events, pattern.duration, within)


def _one_of(alternatives: tuple[plan.Pattern, ...]) -> plan.OneOfSeveral:
    common = set.intersection(*(set(one.binds()) for one in alternatives))
    return plan.OneOfSeveral(alternatives, tuple(sorted(common)))


def _pushed(
    pattern: Join | Absence, conditions: tuple[Literal, ...], can_test: Sequence[bool]
) -> tuple[tuple[Pattern, ...], tuple[Literal, ...]]:
    """The sides of a join with the comparisons that are about one of them, and the other conditions."""
    sides = list(pattern.together)
    rest = []
    for literal in conditions:
        names = frozenset(names_of(literal))
        places = [p for p, side in enumerate(sides) if can_test[p] and names and names <= names_bound(side)]
        if isinstance(literal, Compare) and places:
            sides[places[0]] = Filter(sides[places[0]], (literal,), literal.place)
        else:
            rest.append(literal)
    return tuple(sides), tuple(rest)


def _least(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else min(one, other)
