"""Arguments that rules take for the same thing: a variable stands in both places."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from holdsfor.language.description import EventDescription
from holdsfor.language.passes.numbers import Slot, body_slots, head_slots, slots
from holdsfor.language.pattern_walk import as_body
from holdsfor.language.terms import Var


def joined_arguments(description: EventDescription) -> list[list[Slot]]:
    """Groups of arguments that a variable leads from one to the other, through rules and what they define."""
    parents: dict[Slot, Slot] = {}

    def find(slot: Slot) -> Slot:
        while parents.setdefault(slot, slot) != slot:
            slot = parents[slot]
        return slot

    for places in _places(description):
        by_variable: dict[Var, list[Slot]] = defaultdict(list)
        for slot, variable in places:
            by_variable[variable].append(slot)
        for first, *others in by_variable.values():
            for other in others:
                parents[find(other)] = find(first)
    groups: dict[Slot, list[Slot]] = defaultdict(list)
    for slot in parents:
        groups[find(slot)].append(slot)
    return [group for group in groups.values() if len(group) > 1]


def _places(description: EventDescription) -> Iterator[Iterable[tuple[Slot, Var]]]:
    """Of each clause, where its variables stand."""
    for rule in description.rules:
        yield [*head_slots(rule.subject, rule.value), *body_slots(rule.body)]
    for pattern in description.patterns:
        yield [*slots("event", pattern.head), *body_slots(as_body(pattern))]
    for clause in description.background:
        if clause.body:
            yield [*slots("predicate", clause.head), *body_slots(clause.body)]
