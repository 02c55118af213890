"""Clauses that exclude each other: where one has an answer, no other has, so that a cut between them says nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from holdsfor.language.description import Clause
from holdsfor.language.literals import About, Body
from holdsfor.language.nodes import find_all
from holdsfor.language.passes.conditions.comparisons import ValueBound, find_bound
from holdsfor.language.terms import Term, Var, name_and_args
from holdsfor.language.vocabulary import ARITHMETIC_COMPARISONS

_Path = tuple[int, ...]
_Tests = dict[_Path, list[ValueBound]]


def excludes(body: Body, clause: Clause, clauses: Iterable[Clause]) -> bool:
    """Whether no call passes the first conditions of a clause, and all conditions of one of the other clauses.

    body: the first conditions. If one of them is no test, what it compares may be an answer of the clause.
    """
    if any(find_all(body, About)):
        return False
    bounds = _bounds_of_arguments(clause, body)
    return all(_differ(bounds, other) for other in clauses)


def _differ(tests_by_path: _Tests, clause: Clause) -> bool:
    of_other = _bounds_of_arguments(clause, clause.body)
    pairs = ((one, other) for path, tests in tests_by_path.items() for one in tests for other in of_other.get(path, ()))
    return any(one.excludes(other) for one, other in pairs)


def _bounds_of_arguments(clause: Clause, body: Body) -> _Tests:
    """Find what the clause compares numbers among its arguments with, by where each stands in the head."""
    bounds: dict[Var, list[ValueBound]] = {}
    for literal in body:
        variable, bound = find_bound(literal)
        if variable is not None and bound is not None and bound.op in ARITHMETIC_COMPARISONS:
            bounds.setdefault(variable, []).append(bound)
    return {path: bounds[term] for path, term in _paths(name_and_args(clause.head)[1]) if term in bounds}


def _paths(args: tuple[Term, ...], before: _Path = ()) -> Iterator[tuple[_Path, Var]]:
    """Iterate over the variables among arguments, also inside terms, with the positions that lead there."""
    for number, arg in enumerate(args):
        if isinstance(arg, Var):
            yield (*before, number), arg
        yield from _paths(arg.args, (*before, number))
