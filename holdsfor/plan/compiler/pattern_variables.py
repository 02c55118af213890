"""The variables of a pattern, and where those of what must be absent get their values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from holdsfor.language.literals import names_of, positive_names
from holdsfor.language.nodes import Node
from holdsfor.language.patterns import Absence, Either, Filter, Pattern, RunningAggregate
from holdsfor.language.terms import variables


def names_bound(pattern: Pattern) -> frozenset[str]:
    """Return the variables that have values in every occurrence of a pattern."""
    bound = frozenset(variable.name for term in pattern.terms for variable in variables(term))
    bound = bound.union(*map(names_bound, pattern.together))
    match pattern:
        case Either():
            return frozenset.intersection(*map(names_bound, pattern.alternatives))
        case Filter():
            return bound | positive_names(pattern.conditions)
        case RunningAggregate():
            return bound | {measure.variable.name for measure in pattern.measures}
        case Absence():
            outside = frozenset[str]().union(*map(names_bound, pattern.outside))
            return bound | (outside & frozenset(names_of(pattern.what)))
    return bound


# ---------------------------------------------------------------- values from outside


def with_values_outside(pattern: Pattern, beside: tuple[Pattern, ...]) -> Pattern:
    """Return the pattern in which each absence has the events beside it that give values to what is absent."""

    def change(child: Node) -> Node:
        others = (part for part in pattern.together if part is not child)
        return with_values_outside(child, (*beside, *others)) if isinstance(child, Pattern) else child

    changed = pattern.rebuild(change)
    if not isinstance(changed, Absence):
        return changed
    names = sorted(frozenset(names_of(changed.what)) - names_bound(changed))
    sources = (source for name in names if (source := _source_among(beside, name)) is not None)
    return replace(changed, outside=tuple(dict.fromkeys(sources)))


def _source_among(patterns: Iterable[Pattern], name: str) -> Pattern | None:
    return next((source for pattern in patterns if (source := _source_of(pattern, name)) is not None), None)


def _source_of(pattern: Pattern, name: str) -> Pattern | None:
    """Return the event or fluent that gives a variable a value in every occurrence of a pattern."""
    if isinstance(pattern, Either):
        sources = [_source_of(one, name) for one in pattern.alternatives]
        alternatives = tuple(source for source in sources if source is not None)
        return Either(alternatives, pattern.place) if len(alternatives) == len(sources) else None
    if pattern.parts:
        return _source_among(pattern.together, name)
    return pattern if name in names_of(pattern) else None
