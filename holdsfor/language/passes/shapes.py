"""Arguments of events and fluents are constants or variables: a term with variables inside is refused."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.language.description import Happens, Literal
from holdsfor.language.draft import Draft
from holdsfor.language.passes.strata import mentions
from holdsfor.language.terms import Compound, Items, Term, is_ground, name_and_args
from holdsfor.language.vocabulary import FUNCTIONS
from holdsfor.language.written import written


def shapes(draft: Draft) -> None:
    """Terms are compared as wholes, so `pos(X,Y)` as an argument could not give X and Y their values."""
    for rule in draft.rules:
        _check(draft, rule.subject, rule.value, True)
        _conditions(draft, rule.body)
    for initial in draft.initially:
        _check(draft, initial.fluent, initial.value, True)
    for deadline in draft.deadlines:
        _check(draft, deadline.fluent, None, True)


def _conditions(draft: Draft, body: tuple[Literal, ...]) -> None:
    for literal in mentions(body):
        if isinstance(literal, Happens):
            _check(draft, literal.event, None, False)
        else:
            _check(draft, literal.fluent, literal.value, False)


def _check(draft: Draft, entity: Term, value: Term | None, head: bool) -> None:
    for term in _inner(entity, value):
        text = written(term)
        if isinstance(term, Compound) and (term.functor, len(term.args)) in FUNCTIONS:
            message = f"`{text}` is not calculated here"
            hint = f"calculate it in a condition: X is {text}, and write X here"
            if not head:
                hint = f"write X here, and compare it in a condition: X =:= {text}"
        else:
            message = f"`{text}` has variables inside: an argument is a constant or a variable"
            hint = "pass its parts as arguments of their own"
        draft.error("argument", message, term.place, hint)


def _inner(entity: Term, value: Term | None) -> Iterator[Term]:
    for term in (*name_and_args(entity)[1], *(() if value is None else (value,))):
        if isinstance(term, Compound | Items) and not is_ground(term):
            yield term
