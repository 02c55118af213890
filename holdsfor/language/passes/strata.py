"""The order in which definitions are computed: each after all that it depends on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from holdsfor.language.description import Edge, Happens, Holds, HoldsFor, Literal, Rule, Signature
from holdsfor.language.draft import Draft, Entity
from holdsfor.language.passes.graph import components
from holdsfor.language.terms import Place, Term, name_and_args
from holdsfor.language.walk import every

Node = tuple[Entity, Signature]
Mention = Happens | Edge | Holds | HoldsFor


@dataclass(frozen=True, slots=True)
class Step:
    """One definition needs another: a condition of a rule, or (rule is None) a deadline."""

    head: Node
    need: Node
    literal: Mention | None
    rule: Rule | None
    place: Place


def strata(draft: Draft) -> None:
    """Levels of definitions. Simple fluents that need each other are computed together, point by point."""
    found = list(steps(draft))
    needs: dict[Node, list[Node]] = {node: [] for node in defined_nodes(draft)}
    for step in found:
        needs[step.head].append(step.need)
    levels: dict[Node, int] = {}
    for group in components(needs):
        inner = set(group)
        below = [levels[need] for node in group for need in needs[node] if need not in inner]
        for node in group:
            levels[node] = max(below, default=-1) + 1
        if any(need in inner for node in group for need in needs[node]):
            draft.circles.append([step for step in found if step.head in inner and step.need in inner])
            draft.cycles.append(tuple(node[1] for node in needs if node in inner))
    members: list[list[Signature]] = [[] for _ in range(max(levels.values(), default=-1) + 1)]
    for node in needs:
        members[levels[node]].append(node[1])
    draft.strata = list(map(tuple, members))


def defined_nodes(draft: Draft) -> dict[Node, None]:
    """Every event and fluent that is defined, in the order of rules, initially and deadlines."""
    fluents = [each.fluent for each in draft.initially] + [each.fluent for each in draft.deadlines]
    also: list[Node] = [("fluent", signature(fluent)) for fluent in fluents]
    return dict.fromkeys([*map(defined, draft.rules), *also])


def steps(draft: Draft) -> Iterator[Step]:
    """What each definition needs, among those that are defined."""
    known = defined_nodes(draft)
    for rule in draft.rules:
        for literal in mentions(rule.body):
            if node(literal) in known:
                yield Step(defined(rule), node(literal), literal, rule, literal.place)
    for deadline in draft.deadlines:
        fluent: Node = "fluent", signature(deadline.fluent)
        yield Step(fluent, fluent, None, None, deadline.place)


def defined(rule: Rule) -> Node:
    """The event or fluent that a rule is for."""
    return "event" if rule.kind == "happensAt" else "fluent", signature(rule.subject)


def signature(term: Term) -> Signature:
    name, args = name_and_args(term)
    return Signature(name, len(args))


def mentions(body: tuple[Literal, ...]) -> Iterator[Mention]:
    """The conditions of a body that are about events and fluents, also those inside others."""
    return (literal for literal in every(body) if isinstance(literal, Mention))


def node(literal: Mention) -> Node:
    """What a condition is about."""
    if isinstance(literal, Happens):
        return "event", signature(literal.event)
    return "fluent", signature(literal.fluent)


def mentioned(body: tuple[Literal, ...]) -> Iterator[tuple[Node, Place]]:
    return ((node(literal), literal.place) for literal in mentions(body))
