"""Pattern rules: from what a rule file says to a tree of joins over relations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product

from holdsfor.language.description import EventDescription, Signature
from holdsfor.language.literals import Body, Compare, HoldsFor, Not, names_of, positive_names
from holdsfor.language.nodes import Node, find_all
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
from holdsfor.plan.compiler.bodies.relations import open_value_variants
from holdsfor.plan.compiler.bodies.unfold import unfold
from holdsfor.plan.compiler.order import Ordering, head_args, order_conditions
from holdsfor.plan.compiler.pattern_variables import names_bound, with_values_outside
from holdsfor.plan.compiler.pipeline import Pipeline
from holdsfor.plan.distances import least
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


def fluents_in_patterns(description: EventDescription) -> Iterator[Body]:
    """The fluents that patterns and their conditions are about, as conditions on them."""
    for rule in description.patterns:
        yield from (part.conditions for part in find_all(rule.pattern, Filter))
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


def _names_inside(rule: PatternRule, uses: Counter[str]) -> Iterator[str]:
    """Iterate over the variables that stand in one negation behind WHERE, and nowhere else."""
    for negation in find_all(rule.pattern, Not):
        yield from (name for name, times in Counter(names_of(negation)).items() if times == uses[name])


def _split_choices(pattern: Pattern, written: Counter[str]) -> Pattern:
    """Write `(a OR c(Y)) SEQ d(Y)` as `(a SEQ d(Y)) OR (c(Y) SEQ d(Y))`: in the first, any Y goes with an `a`."""
    ways = list(_ways(pattern, written))
    return ways[0] if len(ways) == 1 else Either(tuple(ways), pattern.place)


def _ways(pattern: Pattern, written: Counter[str]) -> Iterator[Pattern]:
    if isinstance(pattern, RunningAggregate):
        yield replace(pattern, pattern=_split_choices(pattern.pattern, written))
    elif isinstance(pattern, Either):
        alternatives = tuple(way for one in pattern.alternatives for way in _ways(one, written))
        yield from alternatives if _binds_unlike(pattern, written) else [replace(pattern, alternatives=alternatives)]
    else:
        for choice in product(*(list(_ways(part, written)) for part in pattern.together)):
            ways = dict(zip(map(id, pattern.together), choice, strict=True))
            yield pattern.rebuild(partial(_replaced, ways))


def _replaced(nodes: Mapping[int, Node], node: Node) -> Node:
    return nodes.get(id(node), node)


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
        outer = set(uses) - set(_names_inside(rule, uses))
        if rule.policy != "unrestricted" or any(find_all(rule.pattern, RunningAggregate)):
            uses.update(set(uses))  # each occurrence counts, whatever tells it from others
        ordering = Ordering(pipeline.relations, uses, outer, set())
        prefers = tuple(
            (preference[0], ordering.name(preference[1].name)) if isinstance(preference, tuple) else (preference, "")
            for preference in rule.prefers
        )
        return cls(ordering, pipeline, written, Choosing(rule.policy, prefers))

    def pattern(self, pattern: Pattern, within: int | None) -> plan.Pattern:
        return _COMPILERS[type(pattern)](self, pattern, within)

    def _event(self, pattern: EventPattern, within: int | None) -> plan.Scan:
        relation = self.ordering.relations.of_event(pattern.event)
        return self._scan(relation, name_and_args(pattern.event)[1], pattern, within)

    def _instant(self, pattern: Instant, within: int | None) -> plan.Moment:
        return plan.Moment(pattern.time)

    def _limit(self, pattern: Limit, within: int | None) -> plan.Pattern:
        return self.pattern(pattern.pattern, least(within, pattern.duration))

    def _either(self, pattern: Either, within: int | None) -> plan.OneOfSeveral:
        return _one_of(tuple(self.pattern(one, within) for one in pattern.alternatives))

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
        conditions: Body = ()
        times: list[Timed] = []
        while isinstance(core, Filter | Limit | Timed):
            if isinstance(core, Limit):
                within = least(within, core.duration)
            elif isinstance(core, Timed):
                times.append(core)
            else:
                conditions = (*core.conditions, *conditions)
            core = core.pattern
        if isinstance(core, Join | Absence):
            return self._join(core, within, conditions, times)
        return plan.Selected(self.pattern(core, within), self._conditions(conditions, names_bound(core), times))

    def _join(
        self, pattern: Join | Absence, within: int | None, conditions: Body = (), times: Sequence[Timed] = ()
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

    def _conditions(self, literals: Body, bound: frozenset[str], times: Sequence[Timed] = ()) -> tuple[Chain, ...]:
        """One chain for each variant of what is called. times: of the occurrence, which they may be about."""
        if not literals and not times:
            return NO_CONDITIONS
        spans = tuple(TimesOf(self._time(each.start), self._time(each.end)) for each in times)
        bound = bound.union(*({each.start.name, each.end.name} for each in times))
        chains: list[Chain] = []
        for variant in self._variants(literals):
            self.ordering.uses.update(name for literal in variant for name in names_of(literal))
            self.ordering.outer |= positive_names(variant)
            self.ordering.bound = set(bound)
            chains.append((*spans, *order_conditions(variant, self.ordering)))
        return tuple(dict.fromkeys(chains))

    def _variants(self, literals: Body) -> Iterator[Body]:
        """Iterate over conditions in which only facts are called, and fluents have the values that are stored."""
        for variant in unfold(literals, self.pipeline.background, self.pipeline.fresh):
            prefix = f"value~{next(self.pipeline.fresh)}_"
            yield from open_value_variants(variant, self.ordering.relations, prefix)

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
        return plan.Sliding(of, names, made, pattern.events, pattern.duration, within, pattern.is_partial)


_COMPILERS: dict[type[Pattern], Callable[..., plan.Pattern]] = {
    EventPattern: _Compiler._event,
    Stretch: _Compiler._stretch,
    Instant: _Compiler._instant,
    Limit: _Compiler._limit,
    Either: _Compiler._either,
    Join: _Compiler._join,
    Absence: _Compiler._join,
    Filter: _Compiler._filter,
    Timed: _Compiler._filter,
    RunningAggregate: _Compiler._sliding,
}


def _one_of(alternatives: tuple[plan.Pattern, ...]) -> plan.OneOfSeveral:
    common = set.intersection(*(set(one.binds()) for one in alternatives))
    return plan.OneOfSeveral(alternatives, tuple(sorted(common)))


def _pushed(pattern: Join | Absence, conditions: Body, can_test: Sequence[bool]) -> tuple[tuple[Pattern, ...], Body]:
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
