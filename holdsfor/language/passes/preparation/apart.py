"""The variables that are an aggregate's own get names that stand nowhere else in the clause."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeVar

from holdsfor.language.description import Clause, Deadline, Grounding, Initially, Rule
from holdsfor.language.draft import Draft
from holdsfor.language.literals import Aggregate, Literal, Not, Or, all_variables
from holdsfor.language.nodes import find_all, map_terms
from holdsfor.language.reading.changes import renamed
from holdsfor.language.terms import Term, Var, variables
from holdsfor.language.written import written

WithBody = TypeVar("WithBody", Rule, Clause, Grounding, Initially, Deadline)
Literals = tuple[Literal, ...]


def apart(draft: Draft) -> None:
    """Two findalls may collect the same variable: in each it is another one."""
    draft.rules = [_clause(draft, each) for each in draft.rules]
    draft.background = [_clause(draft, each) for each in draft.background]
    draft.groundings = [_clause(draft, each) for each in draft.groundings]
    draft.initially = [_clause(draft, each) for each in draft.initially]
    draft.deadlines = [_clause(draft, each) for each in draft.deadlines]


def _clause(draft: Draft, clause: WithBody) -> WithBody:
    if not clause.body or not any(isinstance(literal, Aggregate) for literal in find_all(clause.body, Literal)):
        return clause
    head = {variable for term in head_terms(clause) for variable in variables(term)}
    return replace(clause, body=_body(draft, clause.body, head))


def head_terms(clause: Rule | Clause | Grounding | Initially | Deadline) -> Iterator[Term]:
    match clause:
        case Rule():
            yield from (clause.subject, clause.at)
            yield from () if clause.value is None else (clause.value,)
        case Clause():
            yield clause.head
        case Grounding():
            yield clause.entity
            yield from () if clause.value is None else (clause.value,)
        case Initially():
            yield from (clause.fluent, clause.value)
        case Deadline():
            yield from (clause.fluent, clause.duration)


def _body(draft: Draft, body: Literals, outside: set[Var]) -> Literals:
    literals: list[Literal] = []
    for literal in body:
        around = outside | {v for other in body if other is not literal for v in _seen(other)}
        match literal:
            case Aggregate():
                literals.append(_aggregate(draft, literal, around))
            case Not():
                literals.append(replace(literal, literals=_body(draft, literal.literals, around)))
            case Or():
                cases = tuple(_body(draft, each, around) for each in literal.alternatives)
                literals.append(replace(literal, alternatives=cases))
            case _:
                literals.append(literal)
    return tuple(literals)


def _seen(literal: Literal) -> set[Var]:
    """The variables that a literal shares with those beside it: of an aggregate only the result."""
    if isinstance(literal, Aggregate):
        return set(variables(literal.result))
    return all_variables([literal])


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
