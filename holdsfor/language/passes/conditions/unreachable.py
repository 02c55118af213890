"""Warnings: conditions that never come true, rules written twice, and fluents that nothing ends."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from holdsfor.language.description import Initially, Rule, Signature
from holdsfor.language.draft import Draft, did_you_mean, group_values
from holdsfor.language.literals import FluentLiteral
from holdsfor.language.nodes import find_all
from holdsfor.language.patterns import PatternRule
from holdsfor.language.terms import NOWHERE, Place, Term, is_ground, name_and_args, overlap
from holdsfor.language.written import written


def unreachable(draft: Draft) -> None:
    values = group_values(draft.given_values)
    for fluent, _ in draft.ended_values:
        values.setdefault(Signature.of(fluent), [])
    conditions = [(Signature.of(fluent), value, fluent.place) for fluent, value in draft.ended_values]
    bodies = [rule.body for rule in draft.rules_in_time]
    conditions += [
        (each.signature, each.value, each.place) for body in bodies for each in find_all(body, FluentLiteral)
    ]
    for owner, value, place in conditions:
        if owner in values and owner.name not in draft.texts.damaged:
            _check(draft, owner, value, values, place)
    seen: dict[Rule | PatternRule, Place] = {}
    for each in draft.rules_in_time:
        first = seen.setdefault(each, each.place)
        if first is not each.place:
            message = f"this rule is already written in line {first.line}"
            draft.warning("duplicate", message, each.place, "remove one of them")


def _check(
    draft: Draft, owner: Signature, value: Term, all_values: Mapping[Signature, list[Term]], place: Place
) -> None:
    """Warn of a fluent that never holds, and of a value that it never has."""
    values = all_values[owner]
    if not values:
        initiated = [fluent.name for fluent, terms in all_values.items() if terms]
        hint = did_you_mean(owner.name, initiated) or f"add an initiatedAt rule for {owner.name}"
        draft.warning("never", f"{owner} never holds: rules end it, and none begins it", place, hint)
    elif not any(overlap(value, each) for each in values):
        texts = sorted(map(written, set(values)))
        hint = did_you_mean(written(value), texts) or f"its values are {', '.join(texts)}"
        at = place if value.place is NOWHERE else value.place
        draft.warning("never", f"{owner} never has the value {written(value)}", at, hint)


def unending(draft: Draft) -> None:
    """Nothing is said beside errors: a clause with a mistake may be the one that ends it."""
    if any(each.severity == "error" for each in draft.close()):
        return
    initiations: dict[Signature, list[Rule]] = defaultdict(list)
    for rule in draft.rules:
        is_written = rule.subject.place != NOWHERE and "~" not in rule.signature.name  # not made for something else
        if rule.kind == "initiatedAt" and is_written:
            initiations[rule.signature].append(rule)
    ended = {rule.signature for rule in draft.rules if rule.kind == "terminatedAt"}
    ended |= {deadline.signature for deadline in draft.deadlines}
    values = group_values(draft.simple_values)
    for owner, rules in initiations.items():
        if owner not in ended and not _has_several(values[owner]):
            _warn_unending(draft, rules[0])


def _has_several(values: list[Term]) -> bool:
    return len(set(values)) > 1 or not all(map(is_ground, values))


def _warn_unending(draft: Draft, rule: Rule) -> None:
    name = name_and_args(rule.subject)[0]
    fluent = f"{written(rule.subject)}={written(rule.value)}" if rule.value is not None else name
    message = f"nothing ends {name}: once {fluent} holds, it holds for ever"
    hint = f"add a rule terminatedAt({fluent}, T) :- ... or a deadline, fi(...); if it is meant so, leave it"
    draft.warning("unending", message, rule.subject.place, hint)


def two_beginnings(draft: Draft) -> None:
    """Warn of two initial values of a fluent."""
    facts = [each for each in draft.initially if not each.body]
    for first, second in _perhaps_alike(facts):
        if first.value != second.value and overlap(first.fluent, second.fluent):
            owner = first.signature
            message = f"{owner} has two initial values, {written(first.value)} and {written(second.value)}"
            draft.warning("initially", message, second.place, "keep one of them: a fluent has one value at a time")


def _perhaps_alike(facts: list[Initially]) -> Iterator[tuple[Initially, Initially]]:
    """Pairs, in the order of the text, that may be about one fluent: with equal arguments, or with variables in one."""
    ground: dict[Term, list[Initially]] = {}
    others: list[Initially] = []
    for fact in facts:
        if is_ground(fact.fluent):
            mine = ground.setdefault(fact.fluent, [])
            yield from ((first, fact) for first in (*mine, *others))
            mine.append(fact)
        else:
            yield from ((first, fact) for first in (*(each for same in ground.values() for each in same), *others))
            others.append(fact)
