"""Definitions that also come as input: what they are is the union of what rules conclude and of the input.

The rows are a relation of their own, `a as input`. An event, a pattern and a statically determined fluent have one more
rule, which copies it. What rules conclude of a simple fluent becomes the relation `f derived`, which inertia, deadlines
and the conditions of its own circle go by; what all others read is the union of it and the input.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from holdsfor.language.description import AS_INPUT
from holdsfor.plan.definitions import Circle, Definition, Domain, Due, Group, Simple, Static, UnionNode
from holdsfor.plan.operators import At, Combine, Conclude, Holding, HoldsForRule, Of, Relation
from holdsfor.plan.whole_plan import Plan

DERIVED = "derived"
TIME, START = "time", "start"
Names = Mapping[Relation, Relation]


def unite_with_input(plan: Plan) -> Plan:
    """Add the rows of input to the definitions that they are about."""
    sources = [source for source in plan.sources if source.input.is_defined and source.input.key is None]
    rows = {_definition_of(each): each for source in sources for each in source.relations}
    if not rows:
        return plan
    lasting = {each for source in sources if source.input.may_last for each in source.relations}
    definitions, domains = list[Definition](), list(plan.domains)
    for definition in plan.definitions:
        derived = _derived(definition, rows)
        definitions += _united(definition, rows, derived, lasting)
        domains += (Domain(derived[each.relation], each.rules) for each in plan.domains if each.relation in derived)
    return replace(plan, definitions=tuple(definitions), domains=tuple(domains))


def _definition_of(rows: Relation) -> Relation:
    return Relation(rows.name.removesuffix(f" {AS_INPUT}"), rows.arity, rows.value, rows.kind)


def _derived(definition: Definition, rows: Names) -> Names:
    """Names for what rules conclude of simple fluents that also come as input."""
    relations = (each for fluent in definition.simple_fluents for each in fluent.relations if each in rows)
    return {
        each: Relation(f"{each.name} {DERIVED}", each.arity, each.value, each.kind, part_of=each.signature)
        for each in relations
    }


def _united(definition: Definition, rows: Names, derived: Names, lasting: set[Relation]) -> Iterator[Definition]:
    yield _renamed(_with_copies(definition, rows, lasting), derived)
    for relation, of_rules in derived.items():
        yield Static(relation, (_held(of_rules, rows[relation]),))


def _with_copies(node: Any, rows: Names, lasting: set[Relation]) -> Any:
    """Return the definition with one more rule for each relation, which copies the rows of input."""
    if isinstance(node, Circle):
        return node.rebuild(lambda part: _with_copies(part, rows, lasting))
    if not isinstance(node, UnionNode) or node.relation not in rows:
        return node
    read = rows[node.relation]
    copied = _happened(read, lasting) if read.kind == "event" else _held(read)
    return node.map_rules(lambda rules: (*rules, copied))


def _happened(rows: Relation, lasting: set[Relation]) -> Conclude:
    args, start = _columns(rows), START if rows in lasting else None
    return Conclude((At("occurrence", rows, args, TIME, start),), args, TIME, start=start)


def _held(*relations: Relation) -> HoldsForRule:
    """Make the rule that unites relations with the same columns."""
    columns = _columns(relations[0])
    parts = tuple(Of(relation, columns) for relation in relations)
    return HoldsForRule(columns, columns, tuple((part,) for part in parts), (), Combine("union", parts).simplified())


def _columns(relation: Relation) -> tuple[str, ...]:
    return tuple(f"v{number}" for number in range(relation.arity))


# ---------------------------------------------------------------- names of what rules conclude


def _renamed(node: Any, names: Names) -> Any:
    """Return a definition that makes and asks for other relations; what holds initially asks for none of its own."""
    match node:
        case Simple():
            relations = tuple(names.get(relation, relation) for relation in node.relations)
            renamed = node.map_rules(lambda rules: tuple(_renamed(rule, names) for rule in rules))
            return replace(renamed, relations=relations)
        case Group():
            reached = tuple((names.get(target, target), event) for target, event in node.reached)
            return replace(node.rebuild(lambda part: _renamed(part, names)), reached=reached)
        case Due():
            return replace(node, source=names.get(node.source, node.source), target=names.get(node.target, node.target))
        case At() | Holding():
            return replace(node, relation=names.get(node.relation, node.relation))
    return node.rebuild(lambda part: _renamed(part, names))
