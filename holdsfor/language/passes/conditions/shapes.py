"""Arguments of events and fluents are terms, matched by structure: calculations and open lists are refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from holdsfor.language.draft import Draft
from holdsfor.language.literals import Body, Mention
from holdsfor.language.nodes import find_all
from holdsfor.language.patterns import is_calculated
from holdsfor.language.terms import Compound, Items, Term, is_ground, name_and_args
from holdsfor.language.written import written

SIGNS = ("+", "-", "*", "/")


def shapes(draft: Draft) -> None:
    """`pos(X,Y)` is matched and put together; `N+1` would be, too, and not calculated, which nobody means."""
    for rule in draft.rules:
        _check(draft, rule.subject, rule.value, True)
        _conditions(draft, rule.body)
    for pattern in draft.patterns:
        _check(draft, _without_calculations(pattern.head), None, True)
        _conditions(draft, pattern.body)
    for initial in draft.initially:
        _check(draft, initial.fluent, initial.value, True)
    for deadline in draft.deadlines:
        _check(draft, deadline.fluent, None, True)


def _without_calculations(head: Term) -> Term:
    """The head of a pattern rule without the arguments that are worked out."""
    name, args = name_and_args(head)
    return Compound(name, tuple(arg for arg in args if not is_calculated(arg)))


def _conditions(draft: Draft, body: Body) -> None:
    for literal in find_all(body, Mention):
        _check(draft, literal.subject, literal.value, False)


def _check(draft: Draft, entity: Term, value: Term | None, head: bool) -> None:
    if entity.functor in SIGNS:
        message = f"`{written(entity)}` is a calculation, not the name of an event or fluent"
        draft.error("syntax", message, entity.place, _name_hint(entity))
        return
    for term in _refused((*name_and_args(entity)[1], *(() if value is None else (value,)))):
        text = written(term)
        if isinstance(term, Compound):
            message = f"`{text}` is not calculated here"
            hint = f"calculate it in a condition: Value is {text}, and write Value here"
            if not head:
                hint = f"write Value here, and compare it in a condition: Value =:= {text}"
        else:
            message = f"`{text}` is a list with variables inside, which cannot be taken apart"
            hint = "give its parts as arguments of their own, or of a term: pair(X,Y)"
        draft.error("argument", message, term.place, hint)


def _name_hint(entity: Term) -> str:
    """`over-heated(M)` is probably meant as a name."""
    parts = [name_and_args(part) for part in entity.args if part.is_named]
    if len(parts) < 2:
        return "write its name, as in hot(Machine)"
    name, args = "_".join(part for part, _ in parts), ", ".join(map(written, parts[-1][1]))
    return f"names have no `{entity.functor}` in them: write {name}{f'({args})' if args else ''}"


def _refused(terms: Iterable[Term]) -> Iterator[Term]:
    for term in terms:
        if is_ground(term):
            continue
        if isinstance(term, Items) or is_calculated(term):
            yield term
        else:
            yield from _refused(term.args)
