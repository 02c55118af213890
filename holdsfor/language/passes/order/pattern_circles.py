"""Pattern events that need each other: fine where an occurrence is made of earlier or of shorter ones.

A circle may have its own absence between two events, which is shorter than what spans both: then all that it is made of
must be shorter, too. It may not have its own absence until a deadline, an aggregate over itself, or a policy that
chooses among occurrences that are still being found.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from itertools import pairwise

from holdsfor.language.description import Defined, Signature
from holdsfor.language.draft import Draft
from holdsfor.language.nodes import find_all
from holdsfor.language.passes.order.circles import report_circle
from holdsfor.language.passes.order.strata import shortest_way
from holdsfor.language.patterns import (
    Absence,
    Either,
    EventPattern,
    Filter,
    Limit,
    Pattern,
    PatternRule,
    RunningAggregate,
)
from holdsfor.language.terms import Place


def pattern_circles(draft: Draft) -> None:
    for group in draft.order.pattern_circles:
        members = set(group)
        rules = [rule for rule in draft.patterns if rule.signature in members]
        _check_circle(draft, rules, members)


def _check_circle(draft: Draft, rules: list[PatternRule], members: Set[Signature]) -> None:
    negates = any(any(leaves_among(part.what, members)) for rule in rules for part in find_all(rule.pattern, Absence))
    for rule in rules:
        others = _chosen_leaves(rule, members) if _chooses(rule) else _long_leaves(rule, members, negates)
        for leaf, reason, hint in (*_closed_leaves(rule, members), *others):
            report_circle(draft, rule.signature, _way_round(rules, rule, leaf), reason, hint)
            return


def _chooses(rule: PatternRule) -> bool:
    """Whether a policy has pairs to choose from."""
    is_paired = any(len(part.together) > 1 for part in find_all(rule.pattern, Pattern))
    return rule.policy != "unrestricted" and is_paired


def _closed_leaves(rule: PatternRule, members: Set[Signature]) -> Iterator[tuple[EventPattern, str, str]]:
    """The events of the circle that must be complete before."""
    for pattern in find_all(rule.pattern, Pattern):
        if isinstance(pattern, Absence) and isinstance(pattern.last, int):
            for leaf in leaves_among(pattern.what, members):
                reason = "NOT until a deadline cannot ask for what it takes part in"
                yield leaf, reason, "write the event that ends it, NOT(a).[b, c], or negate an event outside the circle"
        elif isinstance(pattern, RunningAggregate):
            for leaf in leaves_among(pattern.pattern, members):
                yield leaf, "an aggregate needs all events before", "aggregate over events outside the circle"


def _chosen_leaves(rule: PatternRule, members: Set[Signature]) -> Iterator[tuple[EventPattern, str, str]]:
    """Under a policy, the events of the circle that may end together with what they are part of."""
    earlier = {id(leaf) for leaf in _earlier_leaves(rule.pattern)}
    if rule.policy == "recent":
        earlier |= {id(leaf) for leaf in _choosing_leaves(rule.pattern)}
    for leaf in leaves_among(rule.pattern, members):
        if id(leaf) not in earlier:
            reason = f"the policy {rule.policy} would choose from what ends together with what it makes"
            yield leaf, reason, "write it on the left of SEQ, or put :- policy(unrestricted). before the rule"


def _long_leaves(rule: PatternRule, members: Set[Signature], negates: bool) -> Iterator[tuple[EventPattern, str, str]]:
    """In a circle with its own absence, the events of the circle that may last as long as what they are part of."""
    shorter = {id(leaf) for leaf in _shorter_leaves(rule.pattern)}
    for leaf in leaves_among(rule.pattern, members) if negates else ():
        if id(leaf) not in shorter:
            hint = "write it in SEQ with another event, or negate an event outside the circle"
            yield leaf, "where NOT asks for what it takes part in, all that it is made of must be shorter", hint


def _earlier_leaves(pattern: Pattern) -> Iterator[EventPattern]:
    """Iterate over the events that have ended before the pattern ends."""
    if pattern.sequence:
        earlier, last = pattern.sequence
        yield from (*find_all(earlier, EventPattern), *_earlier_leaves(last))
    elif isinstance(pattern, Absence):
        yield from find_all(pattern.first, EventPattern)
    else:
        for part in pattern.parts:
            yield from _earlier_leaves(part)


def _choosing_leaves(pattern: Pattern) -> Iterator[EventPattern]:
    """Iterate over the events at the end of a sequence: each chooses by itself, from what ended before it began."""
    if not pattern.sequence:
        for part in pattern.parts if isinstance(pattern, Either | Filter | Limit) else ():
            yield from _choosing_leaves(part)
        return
    last = pattern.sequence[1]
    while isinstance(last, Filter | Limit):
        last = last.pattern
    yield from (last,) if isinstance(last, EventPattern) else _choosing_leaves(last)


def _shorter_leaves(pattern: Pattern) -> Iterator[EventPattern]:
    """Iterate over the events that do not last as long as the pattern."""
    if pattern.sequence:
        yield from find_all(pattern, EventPattern)
    else:
        for part in pattern.parts:
            yield from _shorter_leaves(part)


def leaves_among(pattern: Pattern, members: Set[Signature]) -> Iterator[EventPattern]:
    return (leaf for leaf in find_all(pattern, EventPattern) if Signature.of(leaf.event) in members)


def _way_round(rules: list[PatternRule], first: PatternRule, leaf: EventPattern) -> list[tuple[Defined, Place]]:
    """Return a shortest way round that begins with an event that a rule needs: what each needs, and where."""
    owner, need = first.signature, Signature.of(leaf.event)
    members = {rule.signature for rule in rules}
    needs: dict[Signature, dict[Signature, Place]] = {each: {} for each in members}
    needs[owner][need] = leaf.place
    for rule in (first, *rules):
        for part in leaves_among(rule.pattern, members):
            needs[rule.signature].setdefault(Signature.of(part.event), part.place)
    way = [need] if need == owner else shortest_way(needs, need, owner)
    return [(after, needs[before][after]) for before, after in pairwise([owner, *way])]
