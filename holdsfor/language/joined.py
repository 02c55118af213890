"""Arguments that rules take for the same thing: a variable stands in both places."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from holdsfor.language.description import EventDescription, Signature
from holdsfor.language.literals import Compare, Edge, Happens, Holds, HoldsFor, Literal, Occurs
from holdsfor.language.nodes import find_all
from holdsfor.language.passes.numbers import Slot, body_slots, head_slots, slots
from holdsfor.language.terms import Atom, Float, Int, Term, Var, name_and_args


def joined_arguments(description: EventDescription) -> list[list[Slot]]:
    """Groups of arguments that a variable leads from one to the other, through rules and what they define."""
    parents: dict[Slot, Slot] = {}

    def find(slot: Slot) -> Slot:
        while parents.setdefault(slot, slot) != slot:
            slot = parents[slot]
        return slot

    for places in _places(description):
        by_variable: dict[Var, list[Slot]] = defaultdict(list)
        for slot, variable in places:
            by_variable[variable].append(slot)
        for first, *others in by_variable.values():
            for other in others:
                parents[find(other)] = find(first)
    groups: dict[Slot, list[Slot]] = defaultdict(list)
    for slot in parents:
        groups[find(slot)].append(slot)
    return [group for group in groups.values() if len(group) > 1]


def _places(description: EventDescription) -> Iterator[Iterable[tuple[Slot, Var]]]:
    """Of each clause, where its variables stand."""
    for rule in description.rules:
        yield [*head_slots(rule.subject, rule.value), *body_slots(rule.body)]
    for pattern in description.patterns:
        yield [*slots("event", pattern.head), *body_slots(pattern.body)]
    for clause in description.background:
        if clause.body:
            yield [*slots("predicate", clause.head), *body_slots(clause.body)]


def constants_asked_for(description: EventDescription) -> Iterator[tuple[Slot, Term]]:
    """Where rules ask for an argument that is a constant: `reading(M, 90)`, or `reading(M, X), X = 90`."""
    bodies = [*(rule.body for rule in description.rules), *(rule.body for rule in description.patterns)]
    for body in bodies:
        equal = dict(_equal_constants(body))
        for slot, variable in body_slots(body):
            if variable in equal:
                yield slot, equal[variable]
        for literal in find_all(body, Literal):
            if isinstance(literal, Happens | Occurs):
                yield from _constants("event", literal.event)
            elif isinstance(literal, Edge | Holds | HoldsFor):
                yield from _constants("fluent", literal.fluent)


def _equal_constants(body: Iterable[Literal]) -> Iterator[tuple[Var, Term]]:
    for literal in find_all(body, Literal):
        if isinstance(literal, Compare) and literal.op in ("=", "=="):
            for one, other in ((literal.left, literal.right), (literal.right, literal.left)):
                if isinstance(one, Var) and isinstance(other, Atom | Int | Float):
                    yield one, other


def _constants(kind: str, entity: Term) -> Iterator[tuple[Slot, Term]]:
    for position, arg in enumerate(name_and_args(entity)[1]):
        if isinstance(arg, Atom | Int | Float):
            yield (kind, Signature.of(entity), position), arg
