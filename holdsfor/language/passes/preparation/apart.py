"""The variables that are an aggregate's own get names that stand nowhere else in the clause."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TypeVar

from holdsfor.language.description import Clause, Deadline, Grounding, Initially, Rule
from holdsfor.language.draft import Draft
from holdsfor.language.literals import Aggregate, Body, Literal, all_variables
from holdsfor.language.nodes import find_all, map_terms
from holdsfor.language.terms import Term, Var, renamed, variables
from holdsfor.language.written import written

WithBody = TypeVar("WithBody", Rule, Clause, Grounding, Initially, Deadline)


def apart(draft: Draft) -> None:
    """Two findalls may collect the same variable: in each it is another one."""
    draft.rewrite(partial(_clause, draft))


def _clause(draft: Draft, clause: WithBody) -> WithBody:
    if next(find_all(clause.body, Aggregate), None) is None:
        return clause
    return replace(clause, body=_body(draft, clause.body, clause.head_variables))


def _body(draft: Draft, body: Body, outside: set[Var]) -> Body:
    literals: list[Literal] = []
    for literal in body:
        around = outside | {v for other in body if other is not literal for v in _seen(other)}
        if isinstance(literal, Aggregate):
            literals.append(_aggregate(draft, literal, around))
        else:
            literals.append(literal.with_bodies(partial(_body, draft, outside=around)))
    return tuple(literals)


def _seen(literal: Literal) -> set[Var]:
    """The variables that a literal shares with those beside it: of an aggregate only the result."""
    return literal.gives if isinstance(literal, Aggregate) else all_variables(literal)


def _aggregate(draft: Draft, literal: Aggregate, around: set[Var]) -> Aggregate:
    shared = around | set(variables(literal.result))
    if isinstance(literal.template, Var) and literal.template in shared:
        name = written(literal.template)
        hint = f"collect a variable that stands nowhere else, if all values of {name} are meant"
        message = f"{name} stands outside this findall, too: only that value is collected"
        draft.warning("findall", message, literal.template.place, hint)
    own = {*variables(literal.template), *all_variables(literal.literals)} - shared
    names: dict[Term, Term] = {each: draft.variable(each) for each in own}
    inner = tuple(map_terms(each, lambda term: renamed(term, names)) for each in literal.literals)
    inner = _body(draft, inner, shared | set(variables(renamed(literal.template, names))))
    return replace(literal, template=renamed(literal.template, names), literals=inner)
