"""Rules united: holdsFor rules that say the same of different groundings become one, with all of their evidence.

Whatever is united with the whole history is the whole history, and for whom it is so, evidence says. So the rules that
tell who has ever been in a dynamic domain, one for each input about its members, are one rule.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from holdsfor.plan.operators import Combine, Expression, HoldsForRule, Plan, Static

WHOLE_HISTORY = Combine("complement", ())


def unite(plan: Plan) -> Plan:
    definitions = (
        replace(definition, rules=_united(definition.rules)) if isinstance(definition, Static) else definition
        for definition in plan.definitions
    )
    return replace(plan, definitions=tuple(definitions))


def _united(rules: Iterable[HoldsForRule]) -> tuple[HoldsForRule, ...]:
    united: dict[HoldsForRule, HoldsForRule] = {}
    for rule in rules:
        if rule.evidence:
            rule = replace(rule, expression=_simplified(rule.expression))
            same = replace(rule, evidence=())
        else:
            same = rule  # for the declared domain of its head
        known = united.get(same)
        if known is not None:
            rule = replace(known, evidence=tuple(dict.fromkeys((*known.evidence, *rule.evidence))))
        united[same] = rule
    return tuple(united.values())


def _simplified(expression: Expression) -> Expression:
    if isinstance(expression, Combine) and expression.op == "union" and WHOLE_HISTORY in expression.parts:
        return WHOLE_HISTORY
    return expression
