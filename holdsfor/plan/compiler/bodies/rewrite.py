"""Substitution and renaming of variables in literals: the grammar of every rewriting pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from holdsfor.language.literals import Aggregate, Literal, Not
from holdsfor.language.nodes import Node, all_terms, find_all, map_terms, transform
from holdsfor.language.terms import Term, Var, variables

Substitution = Mapping[str, Term]


def substitute(term: Term, binding: Substitution) -> Term:
    return transform(term, lambda part: binding.get(part.name, part) if isinstance(part, Var) else part)


def substitute_all(literals: Iterable[Literal], binding: Substitution) -> tuple[Literal, ...]:
    return tuple(map_terms(literal, lambda term: substitute(term, binding)) for literal in literals)


def positive_names(body: Iterable[Literal]) -> set[str]:
    """The names of the variables that occur outside negations."""
    names: set[str] = set()
    for literal in body:
        if isinstance(literal, Aggregate):  # its own variables stay inside
            names |= {variable.name for variable in variables(literal.result)}
        elif not isinstance(literal, Not):
            names |= set(names_of(literal))
    return names


def names_of(node: Node) -> Iterator[str]:
    """Iterate over the variables of a literal or pattern, repeated as they occur; those of intervals are left out."""
    return (variable.name for variable in find_all(all_terms(node), Var))
