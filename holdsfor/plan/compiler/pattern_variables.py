"""The variables of a pattern, and where those of what must be absent get their values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from holdsfor.language.literals import Not, names_of
from holdsfor.language.patterns import (
    Absence,
    Either,
    EventPattern,
    Filter,
    Join,
    Pattern,
    RunningAggregate,
    Stretch,
)
from holdsfor.language.terms import variables


def names_bound(pattern: Pattern) -> frozenset[str]:
    """Return the variables that have values in every occurrence of a pattern."""
    bound = frozenset(variable.name for term in pattern.terms for variable in variables(term))
    bound = bound.union(*map(names_bound, pattern.together))
    match pattern:
        case Either():
            return frozenset.intersection(*map(names_bound, pattern.alternatives))
        case Filter():
            positive = (literal for literal in pattern.conditions if not isinstance(literal, Not))
            return bound | {name for literal in positive for name in names_of(literal)}
        case RunningAggregate():
            return bound | {measure.variable.name for measure in pattern.measures}
        case Absence():
            outside = frozenset[str]().union(*map(names_bound, pattern.outside))
            return bound | (outside & frozenset(names_of(pattern.what)))
    return bound


# ---------------------------------------------------------------- values from outside


def with_values_outside(pattern: Pattern, beside: tuple[Pattern, ...]) -> Pattern:
    """The pattern in which each absence has the events beside it that give values to variables of what is absent."""
    match pattern:
        case Join(left=left, right=right):
            one, other = with_values_outside(left, (*beside, right)), with_values_outside(right, (*beside, left))
            return replace(pattern, left=one, right=other)
        case Absence(first=first, last=last):
            around = pattern.together
            what = with_values_outside(pattern.what, (*beside, *around))
            first = with_values_outside(first, (*beside, *around[1:]))
            last = last if isinstance(last, int) else with_values_outside(last, (*beside, pattern.first))
            changed = replace(pattern, what=what, first=first, last=last)
            names = sorted(frozenset(names_of(what)) - names_bound(changed))
            sources = (source for name in names if (source := _source_among(beside, name)) is not None)
            return replace(changed, outside=tuple(dict.fromkeys(sources)))
    return pattern.rebuild(lambda part: with_values_outside(part, beside) if isinstance(part, Pattern) else part)


def _source_among(patterns: Iterable[Pattern], name: str) -> Pattern | None:
    return next((source for pattern in patterns if (source := _source_of(pattern, name)) is not None), None)


def _source_of(pattern: Pattern, name: str) -> Pattern | None:
    """The event or fluent that gives a variable a value in every occurrence of a pattern."""
    match pattern:
        case EventPattern() | Stretch():
            return pattern if name in names_of(pattern) else None
        case Either():
            sources = [_source_of(one, name) for one in pattern.alternatives]
            alternatives = tuple(source for source in sources if source is not None)
            return Either(alternatives, pattern.place) if len(alternatives) == len(sources) else None
        case _:
            return _source_among(pattern.together, name)
