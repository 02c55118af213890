"""Prolog's cut in background rules: left out where it changes no answer, refused where it does."""

from __future__ import annotations

from dataclasses import replace

from holdsfor.language.description import Call, Clause, Edge, Happens, Holds, HoldsFor, Literal, Signature
from holdsfor.language.draft import Draft
from holdsfor.language.names import calls
from holdsfor.language.strata import signature
from holdsfor.language.terms import Atom, Var, variables

_CUT = Atom("!")


def cuts(draft: Draft) -> None:
    """Without the order of clauses a cut can only be a hint for speed; where it is more, the rule must say so."""
    last = {signature(clause.head): number for number, clause in enumerate(draft.background)}
    for number, clause in enumerate(draft.background):
        cut = next((literal for literal in clause.body if _is_cut(literal)), None)
        if cut is None:
            continue
        owner = signature(clause.head)
        ends = _is_cut(clause.body[-1]) and _only_tests(draft, owner)
        if not ends and number != last[owner]:
            hint = "remove the cut and write the opposite of its conditions in the other clauses: \\+ ..."
            draft.error("cut", f"this cut makes the clauses of {owner} depend on their order", cut.place, hint)
        elif not ends:
            message = f"the cut is left out: every answer of {owner} counts, not only the first"
            draft.warning("cut", message, cut.place, "remove the cut")
        body = tuple(literal for literal in clause.body if not _is_cut(literal))
        draft.background[number] = Clause(clause.head, body, clause.place)
    draft.groundings = [
        replace(each, body=tuple(lit for lit in each.body if not _is_cut(lit))) for each in draft.groundings
    ]


def _is_cut(literal: Literal) -> bool:
    return isinstance(literal, Call) and literal.goal == _CUT


def _only_tests(draft: Draft, owner: Signature) -> bool:
    """Does every call ask only whether there is an answer? Then a second answer adds nothing."""
    for rule in draft.rules:
        given: set[Var] = set()
        for literal in rule.body:
            if isinstance(literal, Happens):
                given.update(variables(literal.event), variables(literal.time))
            elif isinstance(literal, Edge | Holds | HoldsFor):
                given.update(variables(literal.fluent), variables(literal.value))
        for call in calls(rule.body):
            if signature(call.goal) == owner and not given.issuperset(variables(call.goal)):
                return False
    return True
