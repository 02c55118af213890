"""Every variable of a pattern's head and conditions gets a value, whichever alternatives of OR happen."""

from __future__ import annotations

from collections.abc import Iterable, Set

from holdsfor.language.draft import Draft
from holdsfor.language.literals import Call, all_variables
from holdsfor.language.nodes import find_all
from holdsfor.language.passes.names.predicates import Modes
from holdsfor.language.patterns import Absence, Either, Filter, Limit, Pattern, PatternRule, RunningAggregate
from holdsfor.language.terms import Var, in_order, variables
from holdsfor.language.written import written

#: The variables that have a value, for each way in which the alternatives of OR can happen; only the least of them.
Ways = frozenset[frozenset[Var]]


def pattern_safety(draft: Draft) -> None:
    modes = Modes(draft.background, draft.order.recursive)
    for rule in draft.patterns:
        _Check(draft, rule, modes).run()


class _Check:
    """Checks one rule. A variable is reported once."""

    def __init__(self, draft: Draft, rule: PatternRule, modes: Modes) -> None:
        self._draft = draft
        self._rule = rule
        self._modes = modes
        self._policy = rule.policy
        self._reported: set[Var] = set()
        self._beside: frozenset[Var] = frozenset()  # what events beside the pattern give a value

    def run(self) -> None:
        head = set(variables(self._rule.head))
        ways = self._ways(self._rule.pattern, head)
        hint = "bind it in an event of the pattern, outside of NOT; in each alternative of OR"
        for variable in dict.fromkeys(variables(self._rule.head)):
            if not all(variable in way for way in ways):
                self._report(variable, f"the pattern does not give {written(variable)} a value", hint)

    def _ways_of_part(self, parent: Pattern, part: Pattern, outside: set[Var]) -> Ways:
        """Return the ways of a pattern inside another, where others stand beside it."""
        beside = self._beside
        others = (each for each in parent.together if each is not part)
        self._beside = beside.union(*(each.event_variables for each in others))
        ways = self._ways(part, outside | _others(parent, part))
        self._beside = beside
        return ways

    def _ways(self, pattern: Pattern, outside: set[Var]) -> Ways:
        """outside: the variables of the rule that stand elsewhere."""
        match pattern:
            case Either():
                return self._either(pattern, outside)
            case Absence():
                return self._absence(pattern, outside)
            case Filter():
                return self._filter(pattern, outside)
            case RunningAggregate():
                return self._running(pattern, outside)
        ways: Ways = frozenset({frozenset(pattern.own_variables)})
        for part in pattern.parts:
            more = self._ways_of_part(pattern, part, outside)
            ways = _least(one | other for one in ways for other in more)
        return ways

    def _either(self, pattern: Either, outside: set[Var]) -> Ways:
        cases = [self._ways(each, outside | _others(pattern, each)) for each in pattern.alternatives]
        ways = [way for case in cases for way in case]
        for variable in _shared(frozenset().union(*ways), outside):
            if self._policy != "unrestricted" and not all(variable in way for way in ways):
                hint = "bind it in each of them, or write a rule for each of them"
                needed = f"all alternatives of OR must give {written(variable)} a value"
                self._report(variable, f"under the policy {self._policy} {needed}", hint)
        return _least(ways)

    def _absence(self, pattern: Absence, outside: set[Var], tested: frozenset[Var] = frozenset()) -> Ways:
        """tested: the variables of conditions that stand directly behind it, which may give them values."""
        own = all_variables(pattern.what)
        ways: Ways = frozenset({frozenset()})
        for part in pattern.together:
            more = self._ways_of_part(pattern, part, outside)
            ways = _least(one | other for one in ways for other in more)
        policy, self._policy = self._policy, "unrestricted"  # nothing is chosen of what is absent
        self._ways_of_part(pattern, pattern.what, outside)
        self._policy = policy
        ways = frozenset(way | (self._beside & own) for way in ways)
        for variable in _shared(own, outside):
            if not all(variable in way for way in ways) and variable not in tested:
                hint = "write it in an event of the pattern, or in WHERE right behind NOT; or write _ for any value"
                message = (
                    f"{written(variable)} stands in NOT and elsewhere, but no event of the pattern gives it a value"
                )
                self._report(variable, message, hint)
        return ways

    def _filter(self, pattern: Filter, outside: set[Var]) -> Ways:
        conditions = all_variables(pattern.conditions)
        for literal in find_all(pattern.conditions, Call):
            if literal.signature in self._draft.declared.dynamic_domains:
                hint = "leave the condition out: what the pattern names has been in the input"
                self._draft.error("misplaced", "WHERE cannot ask for a dynamic domain", literal.place, hint)
        ways = self._tested_ways(pattern.pattern, outside | conditions, frozenset(conditions))
        filtered: set[frozenset[Var]] = set()
        for way in ways:
            values = set(way)
            left = self._modes.run(pattern.conditions, values, outside | all_variables(pattern.pattern))
            for variable in in_order(all_variables(left[:1]) - values)[:1]:
                hint = "WHERE tests what the pattern before it gives a value: bind it there"
                message = f"WHERE needs a value for {written(variable)}, and the pattern gives it none"
                self._report(variable, message, hint)
            filtered.add(frozenset(values | all_variables(left)))
        return _least(filtered)

    def _tested_ways(self, pattern: Pattern, outside: set[Var], tested: frozenset[Var]) -> Ways:
        """Return the ways of what conditions stand behind; a window may lie between them."""
        match pattern:
            case Absence():
                return self._absence(pattern, outside, tested)
            case Limit():
                return self._tested_ways(pattern.pattern, outside, tested)
        return self._ways(pattern, outside)

    def _running(self, pattern: RunningAggregate, outside: set[Var]) -> Ways:
        measured = all_variables(pattern.measures)
        ways = self._ways(pattern.pattern, outside | measured)
        within = all_variables(pattern.pattern)
        for measure in pattern.measures:
            for variable in variables(measure.arguments):
                if not all(variable in way for way in ways):
                    hint = "measure a variable of an event of the pattern"
                    self._report(variable, f"the pattern does not give {written(variable)} a value", hint)
            if measure.variable in within:
                hint = "write another variable for the result"
                message = f"{written(measure.variable)} is the result of an aggregate, and stands in its pattern, too"
                self._report(measure.variable, message, hint)
        for variable in _shared(within, outside):
            if not all(variable in way for way in ways):
                name = written(variable)
                hint = "bind it in each alternative, or give it another name if it is another variable"
                self._report(variable, f"the groups are made by {name}, which some alternatives give no value", hint)
        results = frozenset(measure.variable for measure in pattern.measures)
        return frozenset(way | results for way in ways)

    def _report(self, variable: Var, message: str, hint: str) -> None:
        if variable not in self._reported:
            self._reported.add(variable)
            self._draft.error("unbound", message, variable.place, hint)


def _others(parent: Pattern, part: Pattern) -> set[Var]:
    """The variables of the parts beside one."""
    return all_variables(each for each in parent.parts if each is not part)


def _shared(names: Set[Var], outside: Set[Var]) -> list[Var]:
    """The variables that stand outside, too, where they stand inside, in the order of the text."""
    return in_order(variable for variable in names if variable in outside)


def _least(ways: Iterable[frozenset[Var]]) -> Ways:
    """Without those that have more than another: what the fewest values are enough for, more are."""
    distinct = set(ways)
    return frozenset(way for way in distinct if not any(other < way for other in distinct))
