"""A warning: a fluent that rules begin and nothing ends. Often the rule that ends it was forgotten."""

from __future__ import annotations

from collections import defaultdict

from holdsfor.language.description import Rule, Signature
from holdsfor.language.draft import Draft, group_values
from holdsfor.language.terms import NOWHERE, Term, is_ground, name_and_args
from holdsfor.language.written import written


def unending(draft: Draft) -> None:
    """Nothing is said beside errors: a clause with a mistake may be the one that ends it."""
    if any(each.severity == "error" for each in draft.close()):
        return
    initiations: dict[Signature, list[Rule]] = defaultdict(list)
    for rule in draft.rules:
        if rule.kind == "initiatedAt" and rule.subject.place != NOWHERE:  # not one that was made for a dynamic domain
            initiations[rule.signature].append(rule)
    ended = {rule.signature for rule in draft.rules if rule.kind == "terminatedAt"}
    ended |= {deadline.signature for deadline in draft.deadlines}
    values = group_values(draft.simple_values)
    for owner, rules in initiations.items():
        if owner not in ended and not _has_several(values[owner]):
            _warn(draft, rules[0])


def _has_several(values: list[Term]) -> bool:
    return len(set(values)) > 1 or not all(map(is_ground, values))


def _warn(draft: Draft, rule: Rule) -> None:
    name = name_and_args(rule.subject)[0]
    fluent = f"{written(rule.subject)}={written(rule.value)}" if rule.value is not None else name
    message = f"nothing ends {name}: once {fluent} holds, it holds for ever"
    hint = f"add a rule terminatedAt({fluent}, T) :- ... or a deadline, fi(...); if it is meant so, leave it"
    draft.warning("unending", message, rule.subject.place, hint)
