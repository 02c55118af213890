"""Warnings: aggregates over events that are fewer than the rows they come from, as equal ones are one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from holdsfor.language.description import Aggregate, Happens, Literal, Occurs, Signature
from holdsfor.language.draft import Draft
from holdsfor.language.passes.names import bodies
from holdsfor.language.passes.strata import signature
from holdsfor.language.pattern_walk import as_body, every_pattern
from holdsfor.language.patterns import EventPattern, RunningAggregate
from holdsfor.language.reading.changes import renamed
from holdsfor.language.terms import Compound, Place, Term, Var, name_and_args, variables
from holdsfor.language.walk import every
from holdsfor.language.written import written

_COUNTING = ("count", "sum", "avg")
#: The rules of each event: their heads and the events that they ask for.
_Rules: TypeAlias = Mapping[Signature, list[tuple[Term, list[Term]]]]


def counted(draft: Draft) -> None:
    """Warn where an aggregate counts an event whose head leaves out arguments of what it is made from."""
    rules = _rules_of_events(draft)
    for event, place in _counts(draft):
        dropping = next(_dropping(signature(event), rules, set()), None)
        if dropping is not None:
            _warn(draft, *dropping, place)


def _rules_of_events(draft: Draft) -> _Rules:
    rules: dict[Signature, list[tuple[Term, list[Term]]]] = defaultdict(list)
    for rule in draft.rules:
        if rule.kind == "happensAt":
            rules[signature(rule.subject)].append((rule.subject, list(_events(rule.body))))
    for pattern in draft.patterns:
        rules[signature(pattern.head)].append((pattern.head, list(_events(as_body(pattern)))))
    return rules


def _counts(draft: Draft) -> Iterator[tuple[Term, Place]]:
    """The events that aggregates count, and where they do."""
    for rule in draft.patterns:
        for pattern in every_pattern(rule.pattern):
            if isinstance(pattern, RunningAggregate):
                measures = [measure for measure in pattern.measures if measure.function in _COUNTING]
                events = [each.event for each in every_pattern(pattern.pattern) if isinstance(each, EventPattern)]
                yield from ((event, measure.place) for measure in measures[:1] for event in events)
    for body in bodies(draft):
        for literal in every(body):
            if isinstance(literal, Aggregate) and literal.function in _COUNTING and literal.literals:
                yield from ((event, literal.place) for event in _events(literal.literals))


def _events(body: Iterable[Literal]) -> Iterator[Term]:
    """The events of a body that it is about: not those that it denies or counts."""
    return (literal.event for literal in body if isinstance(literal, Happens | Occurs))


def _dropping(owner: Signature, rules: _Rules, seen: set[Signature]) -> Iterator[tuple[Term, Term]]:
    """The heads of an event, and of those it is made from, that leave out variables of an event in their bodies."""
    if owner in seen:
        return
    seen.add(owner)
    for head, events in rules.get(owner, ()):
        kept = set(variables(head))
        for event in events:
            if not kept.issuperset(variables(event)):
                yield head, event
            yield from _dropping(signature(event), rules, seen)


def _warn(draft: Draft, head: Term, event: Term, place: Place) -> None:
    named = renamed(event, {each: Var(f"Any{each.name.strip('_')}") for each in variables(event) if each.anonymous})
    name, args = name_and_args(head)
    more = [each for each in dict.fromkeys(variables(named)) if each not in set(variables(head))]
    message = (
        f"{written(head)} leaves out arguments of {written(event)}: those that differ only there count once at a time"
    )
    hint = f"to count each, write {written(Compound(name, (*args, *more)))} made from {written(named)}"
    draft.warning("counted", message, place, hint)
