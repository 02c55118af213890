"""Patterns inside patterns, and what a pattern asks for as a body of conditions."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.language.description import Aggregate, Holds, Is, Literal, Not, Occurs, Or
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
    is_calculated,
)
from holdsfor.language.terms import Term, Var, name_and_args, variables
from holdsfor.language.walk import all_variables

_TIME = Var("~time")


def inside(pattern: Pattern) -> tuple[Pattern, ...]:
    """The patterns that a pattern is made of, from left to right."""
    match pattern:
        case Join():
            return pattern.left, pattern.right
        case Either():
            return pattern.alternatives
        case Absence(last=int()):
            return pattern.what, pattern.first
        case Absence(what=what, first=first, last=last):
            assert not isinstance(last, int)
            return what, first, last
        case Filter() | Limit() | RunningAggregate():
            return (pattern.pattern,)
    return ()


def every_pattern(pattern: Pattern) -> Iterator[Pattern]:
    """The pattern and all inside it, each before those inside it."""
    yield pattern
    for part in inside(pattern):
        yield from every_pattern(part)


def own_variables(pattern: Pattern) -> set[Var]:
    """The variables of a pattern, without those of patterns inside it."""
    match pattern:
        case EventPattern():
            return set(variables(pattern.event))
        case Stretch():
            return {*variables(pattern.fluent), *variables(pattern.value)}
        case Filter():
            return all_variables(pattern.conditions)
        case RunningAggregate():
            return {variable for measure in pattern.measures for variable in measure_variables(measure)}
    return set()


def measure_variables(measure: Measure) -> set[Var]:
    return {measure.variable, *(variable for term in measure.arguments for variable in variables(term))}


def pattern_variables(pattern: Pattern) -> set[Var]:
    return {variable for each in every_pattern(pattern) for variable in own_variables(each)}


def event_variables(pattern: Pattern) -> frozenset[Var]:
    """The variables that events and fluents of a pattern give a value, whichever alternatives of OR happen."""
    match pattern:
        case EventPattern() | Stretch():
            return frozenset(own_variables(pattern))
        case Either():
            return frozenset.intersection(*map(event_variables, pattern.alternatives))
    return frozenset[Var]().union(*map(event_variables, beside_each_other(pattern)))


def beside_each_other(pattern: Pattern) -> tuple[Pattern, ...]:
    """The patterns inside that occur together: all but what must be absent, and alternatives."""
    match pattern:
        case Either():
            return ()
        case Absence():
            return tuple(part for part in inside(pattern) if part is not pattern.what)
    return inside(pattern)


def as_body(rule: PatternRule) -> tuple[Literal, ...]:
    """What a rule asks for, without the order in time: the same events, fluents, tests and calculations."""
    calculated: list[Term] = [arg for arg in name_and_args(rule.head)[1] if is_calculated(arg)]
    return (*_asked(rule.pattern), *(Is(Var(f"~{i}"), arg, arg.place) for i, arg in enumerate(calculated)))


def _asked(pattern: Pattern) -> tuple[Literal, ...]:
    match pattern:
        case EventPattern():
            return (Occurs(pattern.event, _TIME, _TIME, pattern.place),)
        case Stretch():
            return (Holds(pattern.fluent, pattern.value, _TIME, pattern.place),)
        case Instant():
            return ()
        case Either():
            return (Or(tuple(_asked(each) for each in pattern.alternatives), pattern.place),)
        case Absence():
            last = () if isinstance(pattern.last, int) else _asked(pattern.last)
            return (*_asked(pattern.first), *last, Not(_asked(pattern.what), pattern.what.place))
        case Filter():
            return (*_asked(pattern.pattern), *pattern.conditions)
        case RunningAggregate():
            measured = (literal for measure in pattern.measures for literal in _measured(measure))
            return (*_asked(pattern.pattern), *measured)
    return tuple(literal for part in inside(pattern) for literal in _asked(part))


def _measured(measure: Measure) -> Iterator[Literal]:
    if not measure.arguments:
        yield Aggregate("count", measure.variable, (), measure.variable, measure.place)
    for term in measure.arguments:  # whatever the function, it is of numbers
        yield Aggregate("sum", term, (), measure.variable, measure.place)
