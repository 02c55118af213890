"""Warnings: aggregates over events that are fewer than the rows they come from, as equal ones are one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from holdsfor.language.description import Signature
from holdsfor.language.draft import Draft
from holdsfor.language.literals import Aggregate, Body, Call, EventLiteral, Is, Literal, all_variables
from holdsfor.language.nodes import find_all
from holdsfor.language.patterns import EventPattern, RunningAggregate
from holdsfor.language.terms import Compound, Place, Term, Var, name_and_args, renamed, variables
from holdsfor.language.written import written

_COUNTING = ("count", "sum", "avg")
#: The rules of each event: their heads and conditions.
_Rules: TypeAlias = Mapping[Signature, list[tuple[Term, Body]]]


def counted(draft: Draft) -> None:
    """Warn where an aggregate counts an event whose head leaves out arguments of what it is made from."""
    rules = _rules_of_events(draft)
    for event, place in _counts(draft):
        dropping = next(_dropping(Signature.of(event), rules, set()), None)
        if dropping is not None:
            _warn(draft, dropping[0], dropping[1], dropping[2], place)


def _rules_of_events(draft: Draft) -> _Rules:
    rules: dict[Signature, list[tuple[Term, Body]]] = defaultdict(list)
    for rule in draft.rules:
        if rule.kind == "happensAt":
            rules[rule.signature].append((rule.subject, rule.body))
    for pattern in draft.patterns:
        rules[pattern.signature].append((pattern.head, pattern.body))
    return rules


def _counts(draft: Draft) -> Iterator[tuple[Term, Place]]:
    """The events that aggregates count, and where they do."""
    for rule in draft.patterns:
        for pattern in find_all(rule.pattern, RunningAggregate):
            measures = [measure for measure in pattern.measures if measure.function in _COUNTING]
            events = [each.event for each in find_all(pattern.pattern, EventPattern)]
            yield from ((event, measure.place) for measure in measures[:1] for event in events)
    for body in draft.bodies:
        for literal in find_all(body, Aggregate):
            if literal.function in _COUNTING and literal.literals:
                yield from ((event, literal.place) for event in _events(literal.literals))


def _events(body: Iterable[Literal]) -> Iterator[Term]:
    """The events of a body that it is about: not those that it denies or counts."""
    return (literal.event for literal in body if isinstance(literal, EventLiteral))


def _dropping(owner: Signature, rules: _Rules, seen: set[Signature]) -> Iterator[tuple[Term, Term, list[Var]]]:
    """The heads of an event, and of those it is made from, with an event in their bodies and what they leave out."""
    if owner in seen:
        return
    seen.add(owner)
    for head, body in rules.get(owner, ()):
        head_variables = _kept(head, body)
        for event in _events(body):
            dropped = [each for each in dict.fromkeys(variables(event)) if each not in head_variables]
            if dropped:
                yield head, event, dropped
            yield from _dropping(Signature.of(event), rules, seen)


def _kept(head: Term, body: Body) -> set[Var]:
    """The variables of a head, those that it is calculated from, and those whose names begin with an underscore."""
    names = set(variables(head))
    for literal in body:
        if isinstance(literal, Is | Call):
            own = all_variables([literal])
            names |= own if own & names else set()
    return names | {each for each in all_variables(body) if each.name.startswith("_") and not each.anonymous}


def _warn(draft: Draft, head: Term, event: Term, dropped: list[Var], place: Place) -> None:
    names: dict[Term, Term] = {each: Var(f"Any{each.name.strip('_')}") for each in dropped if each.anonymous}
    named = renamed(event, names)
    name, args = name_and_args(head)
    more = (names.get(each, each) for each in dropped)
    message = (
        f"{written(head)} leaves out arguments of {written(event)}: those that differ only there count once at a time"
    )
    hint = (
        f"to count each, write {written(Compound(name, (*args, *more)))} made from {written(named)}; "
        "if they are one, begin the names of what is left out with _"
    )
    draft.warning("counted", message, place, hint)
