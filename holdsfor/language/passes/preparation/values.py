"""The values of a fluent: the constants in its heads, and those that groundings declare.

Where groundings declare some values of a fluent, a constant that they leave out is a value all the same: it ends the
others, and has the domain that they have together. It is not reported. A value that only the data bring, and that no
grounding declares, is none.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

from holdsfor.language.description import Grounding, Signature
from holdsfor.language.draft import Draft
from holdsfor.language.literals import Call
from holdsfor.language.nodes import find_all
from holdsfor.language.terms import Term, Var, is_ground, name_and_args
from holdsfor.language.written import written


def values(draft: Draft) -> None:
    """Gives the values without a declaration the declarations of the others."""
    declared: dict[Signature, list[Grounding]] = {}
    for grounding in draft.groundings:
        if grounding.value is not None:
            declared.setdefault(grounding.signature, []).append(grounding)
    checked: set[tuple[Signature, Term]] = set()
    for fluent, value in chain(draft.given_values, draft.ended_values):
        owner = Signature.of(fluent)
        clauses = declared.get(owner, [])
        if not clauses or (owner, value) in checked or not is_ground(value):
            continue
        checked.add((owner, value))
        if any(_declares(draft, clause, value) for clause in clauses):
            continue
        draft.definitions.unreported.add((owner, value))
        draft.groundings += [replace(clause, value=value) for clause in clauses]
        _warn(draft, clauses, fluent, value)


def _declares(draft: Draft, clause: Grounding, value: Term) -> bool:
    """Whether a declaration may be about the value; a variable is about the facts that its conditions name."""
    if not isinstance(clause.value, Var):
        return clause.value == value
    variable = clause.value
    return all(
        _may_give(draft, literal.signature, position, value)
        for literal in find_all(clause.body, Call)
        for position, argument in enumerate(name_and_args(literal.goal)[1])
        if argument == variable
    )


def _may_give(draft: Draft, owner: Signature, position: int, value: Term) -> bool:
    """Whether a predicate has the value at a position, or rules or the data may add to its facts."""
    clauses = [clause for clause in draft.background if clause.signature == owner]
    tables = [table for table in draft.texts.tables if table.signature == owner]
    has_facts_alone = bool(clauses or tables) and not any(clause.body for clause in clauses)
    listed = any(name_and_args(clause.head)[1][position] == value for clause in clauses)
    is_open = not has_facts_alone or owner in draft.declared.dynamic_domains
    return is_open or listed or any(table.has(position, value) for table in tables)


def _warn(draft: Draft, declarations: list[Grounding], fluent: Term, value: Term) -> None:
    text = written(value)
    names = ", ".join(dict.fromkeys(written(each.value) for each in declarations if each.value is not None))
    owner = Signature.of(fluent)
    rules = (rule for rule in draft.rules if rule.kind == "holdsFor" and rule.value == value)
    static = any(rule.signature == owner for rule in rules)
    effect = "it is not reported" if static else "it ends the others, and is not reported"
    message = f"groundings declare {owner} with {names}, not with {text}: {effect}"
    draft.warning(
        "domain", message, value.place, f"to have it reported, add grounding({written(fluent)}={text}) :- ..."
    )
