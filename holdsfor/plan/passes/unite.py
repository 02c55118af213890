"""Rules united: holdsFor rules that give different groundings all of the history become one, with all their evidence.

Whatever is united with the whole history is the whole history, and for whom it is so, evidence says. So the rules that
tell who has ever been in a dynamic domain, one for each input about its members, are one rule.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from holdsfor.plan.definitions import Static
from holdsfor.plan.operators import WHOLE_HISTORY, Combine, HoldsForRule
from holdsfor.plan.whole_plan import Plan


def unite(plan: Plan) -> Plan:
    definitions = (
        replace(definition, rules=_united(definition.rules)) if isinstance(definition, Static) else definition
        for definition in plan.definitions
    )
    return replace(plan, definitions=tuple(definitions))


def _united(rules: Iterable[HoldsForRule]) -> tuple[HoldsForRule, ...]:
    united: dict[object, HoldsForRule] = {}
    for rule in rules:
        same = (rule.args, rule.variables, rule.conditions) if _is_whole_history(rule) else rule
        earlier = united.get(same)
        united[same] = rule if earlier is None else _with_evidence(earlier, rule)
    return tuple(united.values())


def _is_whole_history(rule: HoldsForRule) -> bool:
    """Whether a rule gives all of the history to those of whom there is evidence."""
    expression = rule.expression
    if not isinstance(expression, Combine) or expression.op != "union" or not rule.evidence:
        return False
    return WHOLE_HISTORY in expression.parts


def _with_evidence(one: HoldsForRule, other: HoldsForRule) -> HoldsForRule:
    parts = dict.fromkeys((*one.expression.operands, *other.expression.operands))
    evidence = dict.fromkeys((*one.evidence, *other.evidence))
    return replace(one, evidence=tuple(evidence), expression=Combine("union", tuple(parts)))
