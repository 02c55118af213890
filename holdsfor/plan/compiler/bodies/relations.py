"""Relations: how each event and fluent is stored, and fluent literals rewritten to them.

A fluent whose values are all written in the rules is split into one relation per value; a literal that leaves the value
open becomes one variant per value. A fluent whose value comes from the data keeps the value as its last column.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from holdsfor.language.description import EventDescription, Rule, Signature
from holdsfor.language.literals import Aggregate, Body, Compare, FluentLiteral, Literal, Not, names_of
from holdsfor.language.nodes import find_all
from holdsfor.language.passes.order.combinations import combinations
from holdsfor.language.terms import Term, is_ground, name_and_args, variables
from holdsfor.plan.compiler.bodies.unfold import united
from holdsfor.plan.operators import Relation


@dataclass(frozen=True, slots=True)
class Relations:
    """values: the constant values of each split fluent, in order of appearance; others have their value as a column.

    static: those that are statically determined, of fluents that have both kinds of values.
    """

    values: Mapping[Signature, tuple[Term, ...]]
    static: frozenset[tuple[Signature, Term]] = frozenset()

    def of_event(self, event: Term) -> Relation:
        name, args = name_and_args(event)
        return Relation(name, len(args), None, "event")

    def of_fluent(self, signature: Signature) -> tuple[Relation, ...]:
        if signature in self.values:
            return tuple(Relation(signature.name, signature.arity, v, "fluent") for v in self.values[signature])
        return (Relation(signature.name, signature.arity + 1, None, "valued"),)

    def simple_values(self, signature: Signature) -> tuple[Relation, ...]:
        """The relations of a fluent's values that are initiated and terminated."""
        values = self.of_fluent(signature)
        return tuple(each for each in values if each.value is None or (signature, each.value) not in self.static)

    def columns(self, fluent: Term, value: Term) -> tuple[Relation, tuple[Term, ...]]:
        """The relation of a fluent-value and its column terms; a split fluent must come with a constant value."""
        name, args = name_and_args(fluent)
        signature = Signature(name, len(args))
        if signature in self.values:
            return Relation(name, len(args), value, "fluent"), args
        return Relation(name, len(args) + 1, None, "valued"), (*args, value)


def deadline_of(relation: Relation) -> Relation:
    """The points at which deadlines initiate a value: an event that rules may ask for, and results do not have."""
    value = "" if relation.value is None else f"={relation.value}"
    return Relation(f"{relation.name}{value} by deadline", relation.arity, None, "event", relation.signature)


def relations(description: EventDescription, bodies: Iterable[Body]) -> Relations:
    """Splits the fluents whose values are all constants."""
    values: dict[Signature, dict[Term, None]] = defaultdict(dict)
    open_values: set[Signature] = set()
    defined = description.defined.simple | description.defined.static
    for rule in description.rules:
        if rule.value is None:
            continue
        signature = rule.signature
        if is_ground(rule.value):
            values[signature].setdefault(rule.value)
        elif rule.kind != "terminatedAt" and _bound_in_body(rule):
            open_values.add(signature)
        else:
            values.setdefault(signature, {})
    for fact in description.initially:
        values[fact.signature].setdefault(fact.value)
    for deadline in description.deadlines:
        values[deadline.signature].setdefault(deadline.source)
        values[deadline.signature].setdefault(deadline.target)
    declared = {item.signature for item in description.inputs if item.is_defined}
    for grounding in description.background.groundings:
        if grounding.value is not None and grounding.signature in declared:
            values[grounding.signature].setdefault(grounding.value)
    for literal in find_all((literal for body in bodies for literal in body), FluentLiteral):
        signature = literal.signature
        if signature in defined:
            continue
        if is_ground(literal.value):
            values[signature].setdefault(literal.value)
        else:
            open_values.add(signature)
    static = frozenset(_mixed(description))
    return Relations({key: tuple(members) for key, members in values.items() if key not in open_values}, static)


def _mixed(description: EventDescription) -> Iterator[tuple[Signature, Term]]:
    for rule in description.rules:
        signature = rule.signature
        if rule.kind == "holdsFor" and rule.value is not None and signature in description.defined.simple:
            yield signature, rule.value


def open_value_variants(body: Body, relations: Relations, prefix: str = "value~") -> list[Body]:
    """Variants of the body in which every literal on a split fluent has a constant value that the fluent can have.

    prefix: for names that are used nowhere else.
    """
    return combinations(body, [_choices(literal, relations, f"{prefix}{n}_") for n, literal in enumerate(body)])


def _choices(literal: Literal, relations: Relations, prefix: str) -> list[Body]:
    if isinstance(literal, Not):
        variants = open_value_variants(literal.literals, relations, prefix)
        return [tuple(Not(variant, literal.place) for variant in variants)]
    if isinstance(literal, Aggregate):
        return united(literal, open_value_variants(literal.literals, relations, prefix), prefix)
    if not isinstance(literal, FluentLiteral):
        return [(literal,)]
    values = relations.values.get(literal.signature)
    if values is None:
        return [(literal,)]
    if is_ground(literal.value):
        return [(literal,)] if literal.value in values else []
    equal = (Compare("=", literal.value, value, literal.place) for value in values)
    return [(replace(literal, value=test.right), test) for test in equal]  # type: ignore[type-var]


def _bound_in_body(rule: Rule) -> bool:
    assert rule.value is not None
    bound = {name for literal in rule.body for name in names_of(literal)}
    return any(variable.name in bound for variable in variables(rule.value))
