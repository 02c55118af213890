"""Background predicates that call themselves: all that they are true of is worked out first, so it must be finite."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.language.description import Signature
from holdsfor.language.draft import Draft
from holdsfor.language.literals import Call, Closed, Literal
from holdsfor.language.nodes import find_all
from holdsfor.language.passes.order.graph import components, shortest_way
from holdsfor.language.terms import Place


def recursion(draft: Draft) -> None:
    """Finds the groups that call each other. A call inside a negation or findall must be of an earlier group."""
    needs: dict[Signature, dict[Signature, Place]] = {
        clause.signature: {} for clause in draft.background if clause.body
    }
    closed: dict[tuple[Signature, Signature], Place] = {}
    for clause in draft.background:
        owner = clause.signature
        for call in find_all(clause.body, Call):
            if call.signature in needs:
                needs[owner].setdefault(call.signature, call.place)
        for call in _closed(clause.body):
            closed.setdefault((owner, call.signature), call.place)
    for group in components(needs):
        if len(group) == 1 and group[0] not in needs[group[0]]:
            continue
        draft.order.recursive.update(group)
        for (owner, called), place in closed.items():
            if owner in group and called in group:
                _report(draft, called, " <- ".join(map(str, shortest_way(needs, called, called))), place)
                break


def _report(draft: Draft, called: Signature, way: str, place: Place) -> None:
    message = f"{called} calls itself inside a negation or findall: {way}; it has no answer that comes first"
    hint = f"define what is asked there without {called}, or write the cases as facts"
    draft.error("cycle", message, place, hint)


def _closed(body: tuple[Literal, ...]) -> Iterator[Call]:
    """The calls inside negations and findalls."""
    for literal in body:
        for conjunction in literal.bodies:
            if isinstance(literal, Closed):
                yield from find_all(conjunction, Call)
            else:
                yield from _closed(conjunction)
