"""Substitution and renaming of variables in literals: the grammar of every rewriting pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

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
from holdsfor.language.terms import Compound, Items, Term, Var, variables
from holdsfor.language.walk import rewritten

Substitution = Mapping[str, Term]


def substitute(term: Term, binding: Substitution) -> Term:
    if isinstance(term, Var):
        return binding.get(term.name, term)
    if isinstance(term, Compound):
        return Compound(term.functor, tuple(substitute(arg, binding) for arg in term.args), term.place)
    if isinstance(term, Items):
        return Items(tuple(substitute(item, binding) for item in term.items), term.place)
    return term


def substitute_all(literals: Iterable[Literal], binding: Substitution) -> tuple[Literal, ...]:
    return tuple(rewritten(literal, lambda term: substitute(term, binding)) for literal in literals)


def terms_of(literal: Literal) -> tuple[Term, ...]:
    match literal:
        case Happens():
            return (literal.event, literal.time)
        case Occurs():
            return (literal.event, literal.start, literal.end)
        case Edge() | Holds():
            return (literal.fluent, literal.value, literal.time)
        case HoldsFor():
            return (literal.fluent, literal.value)
        case Compare():
            return (literal.left, literal.right)
        case Is():
            return (literal.target, literal.expression)
        case Call():
            return (literal.goal,)
        case Duration():
            return (literal.bound,)
        case Not():
            return tuple(term for inner in literal.literals for term in terms_of(inner))
        case Or():
            return tuple(term for one in literal.alternatives for inner in one for term in terms_of(inner))
        case Aggregate():
            return (literal.template, *(t for inner in literal.literals for t in terms_of(inner)), literal.result)
        case Algebra() | Allen():
            return ()


def positive_names(body: Iterable[Literal]) -> set[str]:
    """The names of the variables that occur outside negations."""
    names: set[str] = set()
    for literal in body:
        if isinstance(literal, Aggregate):  # its own variables stay inside
            names |= {variable.name for variable in variables(literal.result)}
        elif not isinstance(literal, Not):
            names |= set(names_of(literal))
    return names


def names_of(literal: Literal) -> Iterator[str]:
    """The names of the variables of a literal, repeated as they occur (interval variables are left out)."""
    for term in terms_of(literal):
        for variable in variables(term):
            yield variable.name
