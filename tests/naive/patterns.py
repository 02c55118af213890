"""Figure 2 of the ETALIS paper, over plain lists: every pair of occurrences is looked at.

A match is the variables' values with a start and an end. Where a rule has a policy, each pair that a join could make is
tried first with the conditions and windows around the join; then the policy chooses among those that pass.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdsfor.functions import Registered
from holdsfor.language.description import Signature
from holdsfor.language.literals import Not, all_variables
from holdsfor.language.nodes import find_all, walk
from holdsfor.language.patterns import (
    Absence,
    Either,
    EventPattern,
    Filter,
    Instant,
    Join,
    Limit,
    Measure,
    Pattern,
    PatternRule,
    RunningAggregate,
    Stretch,
    Timed,
    is_calculated,
)
from holdsfor.language.terms import Int, Term, name_and_args, variables
from tests.naive.calculate import evaluate, match_all, names, number_term, standard_order, substitute
from tests.naive.choose import Pair, choose
from tests.naive.intervals import FOREVER
from tests.naive.match import Match, merged, unique
from tests.naive.solve import World, signature

Span = tuple[tuple[Term, ...], int, int]  # arguments, start, end
#: What the conditions and windows around a pattern make of a match: nothing, itself, or several with more values.
Tests = Callable[[Match], list[Match]]

_STANDS: dict[str, Callable[[int, int, int, int], bool]] = {
    "seq": lambda q1, q2, q3, q4: q2 < q3,
    "and": lambda q1, q2, q3, q4: True,
    "par": lambda q1, q2, q3, q4: max(q1, q3) < min(q2, q4),
    "equals": lambda q1, q2, q3, q4: q1 == q3 and q2 == q4,
    "meets": lambda q1, q2, q3, q4: q2 == q3,
    "during": lambda q1, q2, q3, q4: q3 < q1 < q2 < q4,
    "starts": lambda q1, q2, q3, q4: q1 == q3 and q2 < q4,
    "finishes": lambda q1, q2, q3, q4: q2 == q4 and q3 < q1,
}
#: Their result is the right operand; that of the others all that the two span.
_OUTER = frozenset({"during", "starts", "finishes"})


def _names_outside_negations(pattern: Pattern) -> set[str]:
    """The variables that stand anywhere but in a negated condition."""
    negations = (each for part in find_all(pattern, Filter) for each in part.conditions if isinstance(each, Not))
    negated = {id(node) for each in negations for node in walk(each)}
    terms = (term for node in walk(pattern) if id(node) not in negated for term in node.terms)
    return {variable.name for term in terms for variable in variables(term)}


@dataclass
class Patterns:
    """until: what ends later is not known yet."""

    world: World
    until: int

    def occurrences(self, rule: PatternRule) -> Iterator[Span]:
        """All that the rule makes of what is known."""
        outside = _names_outside_negations(rule.pattern) | names(rule.head)
        for found in self._matches(rule, rule.pattern, _as_it_is, outside):
            args = tuple(_worked_out(arg, found) for arg in name_and_args(rule.head)[1])
            if None not in args and found.end <= self.until:
                yield tuple(arg for arg in args if arg is not None), found.start, found.end

    def _matches(self, rule: PatternRule, pattern: Pattern, tests: Tests, outside: set[str]) -> list[Match]:
        """outside: the variables of the rule that stand elsewhere."""
        match pattern:
            case EventPattern():
                found = self._atoms(pattern)
            case Stretch():
                found = self._stretches(pattern)
            case Instant():
                found = [Match({}, pattern.time, pattern.time)] if pattern.time <= self.until else []
            case Either():
                parts = (self._matches(rule, part, tests, outside) for part in pattern.alternatives)
                return unique(each for part in parts for each in part)
            case Filter():
                return self._matches(rule, pattern.pattern, self._tested(pattern, tests, outside), outside)
            case Limit():
                return self._matches(rule, pattern.pattern, _limited(pattern, tests), outside)
            case Timed():
                return self._matches(rule, pattern.pattern, _timed(pattern, tests), outside)
            case Join():
                return self._joined(rule, pattern, tests, outside)
            case Absence():
                return self._absent(rule, pattern, tests, outside)
            case RunningAggregate():
                found = self._running(rule, pattern, outside)
        return unique(each for one in found for each in tests(one))

    # ------------------------------------------------------------ leaves

    def _atoms(self, pattern: EventPattern) -> list[Match]:
        _, terms = name_and_args(pattern.event)
        known = self.world.spans.get(signature(pattern.event), set())
        found = [(match_all(terms, args, {}), start, end) for args, start, end in known if end <= self.until]
        return [Match(dict(values), start, end) for values, start, end in found if values is not None]

    def _stretches(self, pattern: Stretch) -> list[Match]:
        terms = (*name_and_args(pattern.fluent)[1], pattern.value)
        found = []
        for (args, value), intervals in self.world.fluents.get(signature(pattern.fluent), {}).items():
            values = match_all(terms, (*args, value), {})
            if values is not None:
                ended = [(self.world.begin(s), e - 1) for s, e in intervals if e != FOREVER]
                found += [Match(dict(values), s, e) for s, e in ended if s <= e <= self.until]
        return found

    # ------------------------------------------------------------ pairs

    def _joined(self, rule: PatternRule, pattern: Join, tests: Tests, outside: set[str]) -> list[Match]:
        lefts = self._matches(rule, pattern.left, _as_it_is, outside)
        rights = self._matches(rule, pattern.right, _as_it_is, outside)
        pairs = []
        for left in lefts:
            for right in rights:
                values = merged(left, right)
                times = (left.start, left.end, right.start, right.end)
                if values is not None and _STANDS[pattern.kind](*times):
                    whole = (right.start, right.end) if pattern.kind in _OUTER else (min(times), max(times))
                    pairs.append(Pair(left, right, tests(Match(values, *whole))))
        return _chosen(rule, pattern.left, pattern.right, pairs)

    def _absent(self, rule: PatternRule, pattern: Absence, tests: Tests, outside: set[str]) -> list[Match]:
        """NOT is decided, and a policy chooses, for each value that the rest of the rule gives to what is absent."""
        absent = self._matches(rule, pattern.what, _as_it_is, outside)
        values = self._values_outside(rule, pattern)
        firsts = self._for_each(values, self._matches(rule, pattern.first, _as_it_is, outside))
        if isinstance(pattern.last, int):
            ends = [(first.end, Match(first.values, first.start, first.end + pattern.last)) for first in firsts]
            tested = [(end, each) for end, whole in ends if whole.end <= self.until for each in tests(whole)]
            return unique(each for end, each in tested if not _between(absent, each, end, each.end + 1))
        lasts = self._for_each(values, self._matches(rule, pattern.last, _as_it_is, outside))
        pairs = []
        for first in firsts:
            for last in lasts:
                both = merged(first, last)
                if both is not None and first.end < last.start:
                    tested_pairs = tests(Match(both, first.start, last.end))
                    free = [each for each in tested_pairs if not _between(absent, each, first.end, last.start)]
                    pairs.append(Pair(first, last, free))
        return _chosen(rule, pattern.first, pattern.last, pairs)

    def _values_outside(self, rule: PatternRule, pattern: Absence) -> dict[str, set[Term]]:
        """What other events of the rule give to variables of what is absent that those around it do not have."""
        absent = [part.what for part in find_all(rule.pattern, Absence)]
        others = [what for what in absent if id(pattern) not in map(id, find_all(what, Pattern))]
        unseen = {id(each) for what in others for each in find_all(what, Pattern)}  # what is absent gives no values
        leaves = [each for each in find_all(rule.pattern, Pattern) if isinstance(each, EventPattern | Stretch)]
        leaves = [leaf for leaf in leaves if id(leaf) not in unseen]
        found = [each for leaf in leaves for each in self._matches(rule, leaf, _as_it_is, set())]
        around = [pattern.first] if isinstance(pattern.last, int) else [pattern.first, pattern.last]
        known = {each.name for part in around for each in all_variables(part)}
        given = {each.name for leaf in leaves for each in all_variables(leaf)}
        wanted = ({each.name for each in all_variables(pattern.what)} & given) - known
        return {name: {each.values[name] for each in found if name in each.values} for name in sorted(wanted)}

    @staticmethod
    def _for_each(values: dict[str, set[Term]], matches: Iterable[Match]) -> list[Match]:
        """Each match once for each choice of values."""
        choices = [dict(zip(values, chosen, strict=True)) for chosen in product(*values.values())]
        return [Match({**each.values, **choice}, each.start, each.end) for each in matches for choice in choices]

    # ------------------------------------------------------------ conditions and aggregates

    def _tested(self, pattern: Filter, tests: Tests, outside: set[str]) -> Tests:
        def apply(found: Match) -> list[Match]:
            solutions = self.world.solve(pattern.conditions, found.values, outside)
            shown = ({name: term for name, term in one.items() if name[0] != "~"} for one in solutions)
            return [each for values in shown for each in tests(Match(values, found.start, found.end))]

        return apply

    def _running(self, rule: PatternRule, pattern: RunningAggregate, outside: set[str]) -> list[Match]:
        shared = _shared(rule, pattern)
        groups: dict[frozenset[tuple[str, Term]], list[Match]] = {}
        for found in self._matches(rule, pattern.pattern, _as_it_is, outside):
            key = frozenset((name, term) for name, term in found.values.items() if name in shared)
            groups.setdefault(key, []).append(found)
        results = []
        for key, members in groups.items():
            members.sort(key=lambda each: (each.end, each.start, by_measures(each, pattern.measures)))
            for end in sorted({each.end for each in members}):
                known = [each for each in members if each.end <= end]
                if pattern.events is not None:
                    is_full = pattern.is_partial or len(known) >= pattern.events
                    window = known[-pattern.events :] if is_full else []
                else:
                    assert pattern.duration is not None
                    window = [each for each in known if each.end > end - pattern.duration]
                values = _measured(pattern.measures, window) if window else None
                if values is not None:
                    results.append(Match({**dict(key), **values}, min(each.start for each in window), end))
        return results


def _as_it_is(found: Match) -> list[Match]:
    return [found]


def _limited(pattern: Limit, tests: Tests) -> Tests:
    return lambda found: tests(found) if found.end - found.start <= pattern.duration else []


def _timed(pattern: Timed, tests: Tests) -> Tests:
    def apply(found: Match) -> list[Match]:
        times = {pattern.start.name: Int(found.start), pattern.end.name: Int(found.end)}
        return tests(Match({**found.values, **times}, found.start, found.end))

    return apply


def _between(absent: Iterable[Match], whole: Match, after: int, before: int) -> bool:
    """Is there one strictly between, whatever the values of its own variables?"""
    return any(after < each.start and each.end < before and merged(each, whole) is not None for each in absent)


def _chosen(rule: PatternRule, left: Pattern, right: Pattern, pairs: Sequence[Pair]) -> list[Match]:
    passed = [pair for pair in pairs if pair.outcomes]
    if rule.policy != "unrestricted":
        orders = variable_order(left), variable_order(right)
        passed = choose(rule.policy, rule.prefers, passed, orders)
    return unique(outcome for pair in passed for outcome in pair.outcomes)


def _worked_out(arg: Term, found: Match) -> Term | None:
    if not is_calculated(arg):
        return substitute(arg, found.values)
    number = evaluate(arg, found.values)
    return None if number is None else number_term(number)


def _measured(measures: Iterable[Measure], window: Sequence[Match]) -> dict[str, Term] | None:
    """The value of each measure; None if one of them has no number."""
    values: dict[str, Term] = {}
    for measure in measures:
        columns = [[evaluate(term, each.values) for each in window] for term in measure.arguments]
        if any(number is None for column in columns for number in column):
            return None
        known = [[number for number in column if number is not None] for column in columns]
        result = _result(measure, known, len(window))
        if result is None or result != result:
            return None
        values[measure.variable.name] = number_term(result)
    return values


def _result(measure: Measure, columns: Sequence[Sequence[int | float]], count: int) -> int | float | None:
    """Of an integer and a float that are equal, the integer is the least and the greatest."""
    if measure.registered is not None:
        return _of_registered(measure.registered, [np.array(column) for column in columns])
    if not columns:
        return count
    total = math.fsum(columns[0]) if any(isinstance(number, float) for number in columns[0]) else sum(columns[0])
    average = total // count if isinstance(total, int) and total % count == 0 else total / count
    least = min(columns[0], key=lambda number: (number, isinstance(number, float)))
    greatest = max(columns[0], key=lambda number: (number, isinstance(number, int)))
    return {"sum": total, "avg": average, "min": least, "max": greatest}[measure.function]


def _of_registered(function: Registered, columns: Sequence[NDArray[Any]]) -> int | float | None:
    if function.is_vectorised:
        floats = [column.astype(float) for column in columns]
        result = function.call(*floats, np.array([0]), np.array([len(columns[0])]))[0]
    else:
        result = function.call(*columns)
    return None if result is None else np.asarray(result).item()


def _shared(rule: PatternRule, running: RunningAggregate) -> set[str]:
    """The variables of an aggregate's pattern that stand outside of it and of its measures: they make the groups."""

    def elsewhere(pattern: Pattern) -> set[str]:
        if pattern is running:
            return set()
        own = {each.name for each in pattern.own_variables}
        return own.union(*map(elsewhere, pattern.parts))

    return {each.name for each in all_variables(running.pattern)} & (elsewhere(rule.pattern) | names(rule.head))


def variable_order(pattern: Pattern) -> list[str]:
    """The variables of a pattern in the order of the text."""
    match pattern:
        case Filter():
            found = [each.name for each in all_variables(pattern.conditions)]
        case RunningAggregate():
            found = [each.name for measure in pattern.measures for each in all_variables(measure)]
        case _:
            found = []
    places = {each.name: (each.place.line, each.place.column) for each in all_variables(pattern)}
    return sorted(dict.fromkeys([*places, *found]), key=lambda name: (places.get(name, (0, 0)), name))


def by_measures(found: Match, measures: Iterable[Measure]) -> list[tuple[bool, int | float, bool]]:
    """By the numbers that are measured: a float before the integer that it equals, and no number last."""
    numbers = [evaluate(term, found.values) for measure in measures for term in measure.arguments]
    return [(number is None, number or 0, isinstance(number, int)) for number in numbers]


def by_values(found: Match, order: Sequence[str]) -> tuple[object, ...]:
    return tuple(standard_order(found.values[name]) for name in order if name in found.values)


def define(members: Sequence[Signature], rules: Sequence[PatternRule], world: World) -> None:
    """Finds all occurrences of events that depend on each other, and only on others that are known."""
    own = [rule for rule in rules if signature(rule.head) in members]
    if all(rule.policy == "unrestricted" and not _negates(rule, members) for rule in own):
        _saturate(own, world, world.last, 0)
        return
    earliest = min((start for spans in world.spans.values() for _, start, _ in spans), default=world.first)
    for now in range(min(world.first, earliest), world.last + 1):  # policies and NOT look at what has ended by now
        _saturate(own, world, now, now)


def _negates(rule: PatternRule, members: Sequence[Signature]) -> bool:
    absent = (part.what for part in find_all(rule.pattern, Absence))
    leaves = (leaf for what in absent for leaf in find_all(what, EventPattern))
    return any(signature(leaf.event) in members for leaf in leaves)


def _saturate(rules: Sequence[PatternRule], world: World, until: int, since: int) -> None:
    """Applies the rules to what has ended by `until`, until nothing new that ends then comes out."""
    for _ in range(1000):
        found = [(signature(rule.head), span) for rule in rules for span in Patterns(world, until).occurrences(rule)]
        fresh = [(entity, span) for entity, span in found if span not in world.spans[entity]]
        fresh = [(entity, span) for entity, span in fresh if span[2] >= since or since == 0]
        if not fresh:
            return
        for entity, (args, start, end) in fresh:
            world.add_event(entity, args, end, start)
    raise AssertionError("these rules never end")
