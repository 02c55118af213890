"""The order in which definitions are computed: each after all that it depends on."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.language.description import Edge, Happens, Holds, HoldsFor, Literal, Not, Rule, Signature
from holdsfor.language.draft import Draft, Entity
from holdsfor.language.graph import components, cycle
from holdsfor.language.terms import Place, Term, name_and_args

Node = tuple[Entity, Signature]


def strata(draft: Draft) -> None:
    """Levels of definitions, or the cycles that prevent them."""
    needs = dependencies(draft)
    levels: dict[Node, int] = {}
    for group in components(needs):
        circle = cycle(group, needs)
        if circle:
            _report(draft, circle, needs[circle[0]][circle[1]])
        inner = set(group)
        below = [levels[need] for node in group for need in needs[node] if need not in inner]
        for node in group:
            levels[node] = max(below, default=-1) + 1
    depth = max(levels.values(), default=-1) + 1
    draft.strata = [tuple(node[1] for node in needs if levels[node] == level) for level in range(depth)]


def dependencies(draft: Draft) -> dict[Node, dict[Node, Place]]:
    """For each defined event and fluent, in order of appearance, the defined ones that its rules mention, and where."""
    needs: dict[Node, dict[Node, Place]] = {defined(rule): {} for rule in draft.rules}
    for rule in draft.rules:
        for node, place in mentioned(rule.body):
            if node in needs:
                needs[defined(rule)].setdefault(node, place)
    return needs


def defined(rule: Rule) -> Node:
    """The event or fluent that a rule is for."""
    return "event" if rule.kind == "happensAt" else "fluent", signature(rule.subject)


def signature(term: Term) -> Signature:
    name, args = name_and_args(term)
    return Signature(name, len(args))


def mentioned(body: tuple[Literal, ...]) -> Iterator[tuple[Node, Place]]:
    """The events and fluents of a body, also inside negation."""
    for literal in body:
        if isinstance(literal, Happens):
            yield ("event", signature(literal.event)), literal.place
        elif isinstance(literal, Edge | Holds | HoldsFor):
            yield ("fluent", signature(literal.fluent)), literal.place
        elif isinstance(literal, Not):
            yield from mentioned(literal.literals)


def _report(draft: Draft, circle: list[Node], place: Place) -> None:
    shown = " <- ".join(str(signature) for _, signature in circle)
    message = f"{circle[0][1]} depends on itself: {shown}; cyclic definitions come in a later version"
    draft.not_yet("cycle", message, place, "remove one of the conditions that close the circle")
