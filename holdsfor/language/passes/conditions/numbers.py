"""Find the arguments that must be numbers: rules calculate or compare with them, wherever the variable goes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from holdsfor.language.description import Signature
from holdsfor.language.literals import About, Aggregate, Call, Compare, Is, Literal
from holdsfor.language.nodes import find_all
from holdsfor.language.passes.order.strata import Node
from holdsfor.language.terms import Term, Var, name_and_args, variables
from holdsfor.language.vocabulary import ARITHMETIC_COMPARISONS

if TYPE_CHECKING:
    from holdsfor.language.draft import Draft

#: An argument of an event, fluent or predicate; the value of a fluent has the position after its last argument.
Slot = tuple[str, Signature, int]


def numbers(draft: Draft) -> dict[Node, frozenset[int]]:
    """The positions of each event and fluent whose argument must be a number."""
    by_node: dict[Node, set[int]] = defaultdict(set)
    for kind, owner, position in number_slots(draft):
        if kind != "predicate" and position < owner.arity:
            by_node["event" if kind == "event" else "fluent", owner].add(position)
    return {node: frozenset(positions) for node, positions in by_node.items()}


def number_slots(draft: Draft) -> set[Slot]:
    """All slots that must hold numbers. Asks from conditions to what gives them their values, until nothing is new."""
    clauses = [(list(slots("predicate", clause.head)), clause.body) for clause in draft.background if clause.body]
    used = _used(clauses)
    heads = [(list(head_slots(rule.subject, rule.value)), rule.body) for rule in draft.rules]
    heads += [(list(head_slots(each.fluent, each.value)), each.body) for each in draft.initially]
    heads += [(list(head_slots(each.fluent, each.target)), each.body) for each in draft.deadlines]
    heads += [(list(slots("event", each.head)), each.body) for each in draft.patterns]
    numeric_slots: set[Slot] = set()
    passed: dict[Slot, set[Slot]] = defaultdict(set)  # from a slot of a head to those that give its variable a value
    for head, body in [*heads, *clauses]:
        numeric, slot_variables = _numeric(body, used), list(body_slots(body))
        numeric_slots.update(slot for slot, variable in slot_variables if variable in numeric)
        for slot, variable in head:
            passed[slot].update(source for source, name in slot_variables if name == variable)
    waiting = list(numeric_slots)
    while waiting:
        fresh = passed.get(waiting.pop(), set()) - numeric_slots
        numeric_slots |= fresh
        waiting += fresh
    return numeric_slots | used


def _used(clauses: list[tuple[list[tuple[Slot, Var]], tuple[Literal, ...]]]) -> set[Slot]:
    """The arguments that background rules calculate with."""
    used: set[Slot] = set()
    while True:
        before = len(used)
        for head, body in clauses:
            numeric = _numeric(body, used)
            used.update(slot for slot, variable in head if variable in numeric)
        if len(used) == before:
            return used


def _numeric(body: Iterable[Literal], used: set[Slot]) -> set[Var]:
    """The variables that a body needs as numbers."""
    numeric: set[Var] = set()
    for literal in find_all(body, Literal):
        if isinstance(literal, Compare) and literal.op in ARITHMETIC_COMPARISONS:
            numeric.update(variables(literal.left), variables(literal.right))
        elif isinstance(literal, Is):
            numeric.update(variables(literal.target), variables(literal.expression))
        elif isinstance(literal, Call):
            numeric.update(variable for slot, variable in slots("predicate", literal.goal) if slot in used)
        elif isinstance(literal, Aggregate) and literal.function != "count":
            numeric.update(variables(literal.template), variables(literal.result))
    return numeric


def slots(kind: str, term: Term, value: Term | None = None) -> Iterator[tuple[Slot, Var]]:
    owner = Signature.of(term)
    for position, arg in enumerate((*name_and_args(term)[1], value)):
        if isinstance(arg, Var):
            yield (kind, owner, position), arg


def head_slots(subject: Term, value: Term | None) -> Iterator[tuple[Slot, Var]]:
    return slots("event" if value is None else "fluent", subject, value)


def body_slots(body: Iterable[Literal]) -> Iterator[tuple[Slot, Var]]:
    for literal in find_all(body, About):
        yield from slots(literal.ENTITY, literal.subject, literal.value)
