"""Literals inside literals: negations, alternatives and aggregates have some of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from holdsfor.language.description import (
    Aggregate,
    Algebra,
    Allen,
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
from holdsfor.language.terms import Term, Var, variables

#: Literals about lists of intervals.
Intervals = HoldsFor | Algebra | Allen | Duration


def inside(literal: Literal) -> tuple[tuple[Literal, ...], ...]:
    """The conjunctions that a literal is made of: none, one, or for Or several."""
    if isinstance(literal, Not | Aggregate):
        return (literal.literals,)
    return literal.alternatives if isinstance(literal, Or) else ()


def every(body: Iterable[Literal]) -> Iterator[Literal]:
    """All literals of a body, each before those inside it."""
    for literal in body:
        yield literal
        for conjunction in inside(literal):
            yield from every(conjunction)


def own_terms(literal: Literal) -> tuple[Term, ...]:
    """The terms of a literal, without those of literals inside it."""
    match literal:
        case Occurs():
            return literal.event, literal.start, literal.end
        case Happens():
            return literal.event, literal.time
        case Edge() | Holds():
            return literal.fluent, literal.value, literal.time
        case HoldsFor():
            return literal.fluent, literal.value, literal.interval
        case Algebra():
            return *literal.operands, literal.result
        case Allen():
            return literal.source, literal.target, literal.result
        case Duration():
            return literal.interval, literal.bound, literal.result
        case Compare():
            return literal.left, literal.right
        case Is():
            return literal.target, literal.expression
        case Call():
            return (literal.goal,)
        case Aggregate():
            return literal.template, literal.result
    return ()


def all_variables(literals: Iterable[Literal]) -> set[Var]:
    """The variables of literals, also of those inside them."""
    return {variable for literal in every(literals) for term in own_terms(literal) for variable in variables(term)}


def rewritten(literal: Literal, change: Callable[[Term], Term]) -> Literal:
    """The literal with `change` made to its terms and to those inside it. Lists of intervals keep their names."""
    match literal:
        case Happens():
            return replace(literal, event=change(literal.event), time=change(literal.time))
        case Occurs():
            event, start, end = map(change, own_terms(literal))
            return replace(literal, event=event, start=start, end=end)
        case Edge() | Holds():
            fluent, value, time = map(change, own_terms(literal))
            return replace(literal, fluent=fluent, value=value, time=time)
        case HoldsFor():
            return replace(literal, fluent=change(literal.fluent), value=change(literal.value))
        case Duration():
            return replace(literal, bound=change(literal.bound))
        case Compare():
            return replace(literal, left=change(literal.left), right=change(literal.right))
        case Is():
            return replace(literal, target=change(literal.target), expression=change(literal.expression))
        case Call():
            return replace(literal, goal=change(literal.goal))
        case Not():
            return replace(literal, literals=_all_rewritten(literal.literals, change))
        case Or():
            cases = tuple(_all_rewritten(each, change) for each in literal.alternatives)
            return replace(literal, alternatives=cases)
        case Aggregate():
            template, result = change(literal.template), change(literal.result)
            return replace(literal, template=template, literals=_all_rewritten(literal.literals, change), result=result)
        case Algebra() | Allen():
            return literal


def _all_rewritten(literals: tuple[Literal, ...], change: Callable[[Term], Term]) -> tuple[Literal, ...]:
    return tuple(rewritten(literal, change) for literal in literals)
