"""Rules that depend on themselves, as they are applied to what the last round has added (semi-naive evaluation).

Union, intersection and what others are taken away from give the union of what they give for parts of an operand. So
what a rule adds is what it gives where one of its operands has only its newest intervals, for each operand in turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import replace
from functools import lru_cache
from itertools import chain

from holdsfor.language.nodes import find_all
from holdsfor.plan.definitions import Fixpoint, Static
from holdsfor.plan.nodes import names_in
from holdsfor.plan.operators import Combine, Expression, HoldsForRule, Lookup, Of, Relation

Evidence = tuple[Of | Lookup, ...]


def newest(relation: Relation) -> Relation:
    """Name the relation of the rows that the last round has added."""
    return replace(relation, name=f"{relation.name} newest", part_of=relation.signature)


@lru_cache(maxsize=4096)  # asked at each evaluation
def find_growth(rule: HoldsForRule, relations: frozenset[Relation]) -> tuple[tuple[Relation, HoldsForRule], ...]:
    """Return rules that give what a rule adds because one of the relations has grown, each with that relation."""
    return tuple(
        (operand.relation, replace(rule, expression=grown, evidence=_join_newest(rule.evidence, operand)))
        for operand, grown in dict.fromkeys(_grow(rule.expression, relations))
    )


def _grow(expression: Expression, relations: Set[Relation]) -> Iterator[tuple[Of, Expression]]:
    """Iterate over the operands that have grown, each with what the expression gives of its newest intervals."""
    if isinstance(expression, Of) and expression.relation in relations:
        yield expression, _newest_of(expression)
    elif isinstance(expression, Combine):
        parts = expression.parts[:1] if expression.op == "difference" else expression.parts
        for place, part in enumerate(parts):
            for operand, grown in _grow(part, relations):
                whole = replace(expression, parts=(*parts[:place], grown, *expression.parts[place + 1 :]))
                yield operand, grown if expression.op == "union" else whole


def _newest_of(operand: Of) -> Of:
    return replace(operand, relation=newest(operand.relation))


def _join_newest(evidence: tuple[Evidence, ...], operand: Of) -> tuple[Evidence, ...]:
    """Return the groundings that have newest intervals of an operand, which come first, as they are few."""
    joins = [tuple(item for item in each if item != operand) for each in evidence]
    needed = [each for each in joins if not any(set(other) < set(each) for other in joins)]
    return tuple(dict.fromkeys(order_joins((_newest_of(operand), *each)) for each in needed))


# ---------------------------------------------------------------- what depends on what


def affected_part(relation: Relation) -> Relation:
    """Name the groundings of a relation that may have changed."""
    return replace(relation, name=f"{relation.name} affected", part_of=relation.signature)


@lru_cache(maxsize=4096)
def find_readers(rule: HoldsForRule) -> tuple[tuple[Of, tuple[Evidence, ...]], ...]:
    """Return the operands of a rule, each with the joins that give its groundings with newest rows of the operand."""
    operands = dict.fromkeys(find_all((rule.expression, *chain(*rule.evidence)), Of))
    return tuple((operand, _join_newest(rule.evidence, operand)) for operand in operands)


@lru_cache(maxsize=4096)
def find_items(part: Static) -> tuple[tuple[Of, tuple[Of | Lookup, ...]], ...]:
    """Return for each way to evaluate a rule its head and what it reads, each after what it shares variables with."""
    ways = []
    for rule in part.rules:
        head = Of(affected_part(part.relation), rule.args)
        for alternative in rule.evidence:
            items = dict.fromkeys((*order_joins((head, *alternative))[1:], *find_all(rule.expression, Of)))
            ways.append((head, tuple(items)))
    return tuple(ways)


@lru_cache(maxsize=256)
def restrict_circle(circle: Fixpoint) -> Fixpoint:
    """Return a circle that is evaluated only for groundings that may have changed."""
    return replace(circle, parts=tuple(map(_restrict, circle.parts)))


def _restrict(part: Static) -> Static:
    def restrict(rule: HoldsForRule) -> HoldsForRule:
        head = Of(affected_part(part.relation), rule.args)
        return replace(rule, evidence=tuple(order_joins((head, *each)) for each in rule.evidence))

    return replace(part, rules=tuple(map(restrict, part.rules)))


def order_joins(evidence: Evidence) -> Evidence:
    """Return evidence with each part after one that it shares a variable with."""
    waiting, chosen, bound = list(evidence), list[Of | Lookup](), set[str]()
    while waiting:
        following = next((item for item in waiting if bound.intersection(names_in(item.args))), waiting[0])
        waiting.remove(following)
        chosen.append(following)
        bound.update(names_in(following.args))
    return tuple(chosen)
