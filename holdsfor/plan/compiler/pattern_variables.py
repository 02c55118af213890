"""The variables of a pattern, and where those of what must be absent get their values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from holdsfor.language.literals import Not
from holdsfor.language.nodes import find_all
from holdsfor.language.patterns import (
    Absence,
    Either,
    EventPattern,
    Filter,
    Join,
    Limit,
    Pattern,
    RunningAggregate,
    Stretch,
)
from holdsfor.language.terms import variables
from holdsfor.plan.rewrite import names_of


def names_used(pattern: Pattern) -> Iterator[str]:
    """The variables of a pattern, as often as they stand in it."""
    for part in find_all(pattern, Pattern):
        match part:
            case EventPattern():
                yield from (v.name for v in variables(part.event))
            case Stretch():
                yield from (v.name for term in (part.fluent, part.value) for v in variables(term))
            case Filter():
                yield from (name for literal in part.conditions for name in names_of(literal))
            case RunningAggregate():
                for measure in part.measures:
                    yield measure.variable.name
                    yield from (v.name for term in measure.arguments for v in variables(term))
            case _:
                pass


def names_bound(pattern: Pattern) -> frozenset[str]:
    """The variables that have values in every occurrence of a pattern."""
    match pattern:
        case EventPattern() | Stretch():
            return frozenset(names_used(pattern))
        case Either():
            return frozenset.intersection(*map(names_bound, pattern.alternatives))
        case Filter():
            positive = (literal for literal in pattern.conditions if not isinstance(literal, Not))
            return names_bound(pattern.pattern) | {name for literal in positive for name in names_of(literal)}
        case RunningAggregate():
            return names_bound(pattern.pattern) | {measure.variable.name for measure in pattern.measures}
        case Join():
            return names_bound(pattern.left) | names_bound(pattern.right)
        case Absence():
            outside = frozenset[str]().union(*map(names_bound, pattern.outside)) & frozenset(names_used(pattern.what))
            return outside.union(*map(names_bound, sides_of(pattern)))
        case _:
            return frozenset[str]().union(*map(names_bound, pattern.parts))


def sides_of(pattern: Join | Absence) -> tuple[Pattern, ...]:
    """Return what a join brings together: of an absence what is around it."""
    if isinstance(pattern, Join):
        return pattern.left, pattern.right
    return (pattern.first,) if isinstance(pattern.last, int) else (pattern.first, pattern.last)


# ---------------------------------------------------------------- values from outside


def with_values_outside(pattern: Pattern, beside: tuple[Pattern, ...]) -> Pattern:
    """The pattern in which each absence has the events beside it that give values to variables of what is absent."""
    match pattern:
        case Join(left=left, right=right):
            one, other = with_values_outside(left, (*beside, right)), with_values_outside(right, (*beside, left))
            return replace(pattern, left=one, right=other)
        case Either():
            ways = tuple(with_values_outside(one, beside) for one in pattern.alternatives)
            return replace(pattern, alternatives=ways)
        case Absence(first=first, last=last):
            around = sides_of(pattern)
            what = with_values_outside(pattern.what, (*beside, *around))
            first = with_values_outside(first, (*beside, *around[1:]))
            last = last if isinstance(last, int) else with_values_outside(last, (*beside, pattern.first))
            changed = replace(pattern, what=what, first=first, last=last)
            names = sorted(frozenset(names_used(what)) - names_bound(changed))
            sources = (source for name in names if (source := _source_among(beside, name)) is not None)
            return replace(changed, outside=tuple(dict.fromkeys(sources)))
        case Filter() | Limit() | RunningAggregate():
            return replace(pattern, pattern=with_values_outside(pattern.pattern, beside))
    return pattern


def _source_among(patterns: Iterable[Pattern], name: str) -> Pattern | None:
    return next((source for pattern in patterns if (source := _source_of(pattern, name)) is not None), None)


def _source_of(pattern: Pattern, name: str) -> Pattern | None:
    """The event or fluent that gives a variable a value in every occurrence of a pattern."""
    match pattern:
        case EventPattern() | Stretch():
            return pattern if name in names_used(pattern) else None
        case Either():
            sources = [_source_of(one, name) for one in pattern.alternatives]
            known = tuple(source for source in sources if source is not None)
            return Either(known, pattern.place) if len(known) == len(sources) else None
        case Absence():
            return _source_among(sides_of(pattern), name)
        case _:
            return _source_among(pattern.parts, name)
