"""Sharing: equal sub-plans get a name, and the engine works out what has a name once.

Shared are beginnings of rules that several rules have; expressions of intervals, within a rule and between rules; and
the groundings of rules that have the same evidence and conditions. Union and intersection do not depend on the order of
their operands, so an expression that differs from an earlier one only in that takes its form.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache, partial

from holdsfor.language.nodes import all_terms, find_all, walk
from holdsfor.language.terms import is_ground
from holdsfor.plan.definitions import Definition, Fixpoint
from holdsfor.plan.nodes import PlanNode
from holdsfor.plan.operators import Chain, Combine, Expression, HoldsForRule, IntervalNode, Of, Relation, Valid
from holdsfor.plan.passes.chains import beginnings
from holdsfor.plan.structures import in_order_of
from holdsfor.plan.walk import complements, interval_rules
from holdsfor.plan.whole_plan import Grounds, Plan, Shared, SharedExpression


def share(plan: Plan) -> Plan:
    same: dict[Expression, Expression] = {}
    definitions = tuple(definition.rebuild(partial(_alike, same)) for definition in plan.definitions)
    candidates: list[tuple[Chain | SharedExpression, int]] = [*beginnings(definitions).shared(), *_parts(definitions)]
    scans = [one for one in candidates if _is_scan(one[0])]
    others = [one for one in candidates if not _is_scan(one[0])]
    named = [Shared(f"s{number}", *one) for number, one in enumerate(others, 1)]
    return replace(plan, definitions=definitions, shared=(*(Shared("", *one) for one in scans), *named))


def _is_scan(part: Chain | SharedExpression) -> bool:
    return isinstance(part, tuple) and len(part) == 1


# ---------------------------------------------------------------- expressions


def _parts(definitions: Iterable[Definition]) -> Iterator[tuple[SharedExpression, int]]:
    counts: Counter[SharedExpression] = Counter()
    for definition in definitions:
        if isinstance(definition, Fixpoint):
            continue  # what its rules have in common changes from round to round
        for rule in interval_rules(definition):
            grounds = grounds_of(rule, definition.defines[0])
            if grounds is not None:
                counts[SharedExpression(grounds, None)] += 1
            _count(rule.expression, grounds, counts)
    repeated = [(part, uses) for part, uses in counts.items() if uses > 1]
    yield from sorted(repeated, key=lambda item: _size(item[0].expression))


def _count(expression: Expression, grounds: Grounds | None, uses: Counter[SharedExpression]) -> None:
    """An expression that was there before is not looked into again: it will not be evaluated again."""
    if isinstance(expression, Of) and grounds is None:
        return  # a relation as it is
    part = SharedExpression(grounds, expression)
    uses[part] += 1
    if uses[part] == 1:
        for operand in expression.operands:
            _count(operand, grounds, uses)


def _size(expression: Expression | None) -> int:
    return sum(1 for _ in walk(expression or ()))


@lru_cache(maxsize=4096)  # asked at each evaluation
def grounds_of(rule: HoldsForRule, relation: Relation) -> Grounds | None:
    """Return what the groundings of a rule depend on; None if it needs none."""
    if aligned(rule):
        return None
    return Grounds(rule.variables, rule.evidence, rule.conditions, None if rule.evidence else relation)


def aligned(rule: HoldsForRule) -> bool:
    """Whether all parts and the head are on the same columns, so that no grounding needs to be looked at."""
    return is_on_own_columns(rule) and not complements(rule.expression)


@lru_cache(maxsize=4096)
def is_on_own_columns(rule: HoldsForRule) -> bool:
    """Whether all parts of a rule have the columns of its head, and no condition is tested for each grounding."""
    return (
        not rule.conditions
        and rule.args == rule.variables
        and (isinstance(rule.expression, Valid) or _are_in_order(rule))
        and all(map(is_ground, all_terms(rule.expression)))
    )


def _are_in_order(rule: HoldsForRule) -> bool:
    return all(in_order_of(part, rule.variables) for part in find_all(rule.expression, Of))


# ---------------------------------------------------------------- one form for equal expressions


def _alike(same: dict[Expression, Expression], node: PlanNode) -> PlanNode:
    """Return a rule, or an expression, with the first expressions that were equal but for the order of operands."""
    made = node.rebuild(partial(_alike, same)) if isinstance(node, HoldsForRule | IntervalNode) else node
    if not isinstance(made, Combine):
        return made
    fixed = 1 if made.op == "difference" else 0
    ordered = (*made.parts[:fixed], *sorted(made.parts[fixed:], key=repr))
    return same.setdefault(replace(made, parts=ordered), made)
