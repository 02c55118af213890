"""Bounds: how far in time the rules of a definition may look, where nothing else says so.

A bound of D changes what rules mean, the same way in a batch and in a stream:

* a relation of Allen's holds only between intervals that take at most D together, from the first start to the last end;
* a complement has only points that are at most D away from one of the intervals it is the complement of;
* a duration filter whose duration is not written in the rule lets nothing pass if that duration is more than D;
* a condition at a time of its own counts only if that time is at most D away from the time of the rule;
* a pattern takes at most D.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial

from holdsfor.errors import HoldsforError
from holdsfor.language.description import EventDescription, Rule, Signature
from holdsfor.language.draft import Draft, did_you_mean
from holdsfor.language.literals import Body, Compare, Literal, fixed_distances
from holdsfor.language.patterns import Limit, PatternRule
from holdsfor.language.terms import Compound, Int, Var


def bounds(draft: Draft) -> None:
    """Check the definitions that bounds name, and build the bounds into their rules."""
    defined = draft.definitions.all
    for owner, (_, place) in draft.declared.bounds.items():
        if owner in defined:
            continue
        if any(owner == entity.signature and entity.read for entity in draft.definitions.inputs):
            hint = "an input looks at nothing: bound the definitions that read it"
        else:
            hint = did_you_mean(owner.name, [each.name for each in defined]) or "bound(name/arity, ticks)"
        draft.error("bound", f"a bound is given for {owner}, which no rule defines", place, hint)
    ticks = {owner: ticks for owner, (ticks, _) in draft.declared.bounds.items()}
    draft.rules = list(bound_rules(draft.rules, ticks))
    draft.patterns = list(bound_patterns(draft.patterns, ticks))


def bound_definitions(description: EventDescription, bounds: Mapping[Signature, int]) -> EventDescription:
    """The description with bounds for more of its definitions."""
    defined = description.defined.all
    for owner, ticks in bounds.items():
        if owner not in defined:
            names = ", ".join(sorted(map(str, defined)))
            raise HoldsforError(f"a bound is given for {owner}, which no rule defines. Rules define {names}.")
        if owner in description.bounds:
            raise HoldsforError(f"{owner} has a bound of {description.bounds[owner]} in the rules already: keep one.")
        if ticks < 1:
            raise HoldsforError(f"the bound of {owner} must be 1 tick or more, not {ticks}.")
    rules = tuple(bound_rules(description.rules, bounds))
    patterns = tuple(bound_patterns(description.patterns, bounds))
    return replace(description, rules=rules, patterns=patterns, bounds={**description.bounds, **bounds})


def bound_rules(rules: Iterable[Rule], bounds: Mapping[Signature, int]) -> Iterator[Rule]:
    for rule in rules:
        ticks = bounds.get(rule.signature)
        if ticks is None:
            yield rule
        elif rule.kind == "holdsFor":
            yield replace(rule, body=tuple(literal.looking_at_most(ticks) for literal in rule.body))
        else:
            yield replace(rule, body=_bound_times(rule.body, rule.at, frozenset({rule.at}), ticks))


def bound_patterns(rules: Iterable[PatternRule], bounds: Mapping[Signature, int]) -> Iterator[PatternRule]:
    """A bound of a pattern's event is a window around the whole pattern."""
    for rule in rules:
        ticks = bounds.get(rule.signature)
        yield rule if ticks is None else replace(rule, pattern=Limit(rule.pattern, ticks, rule.place))


# ---------------------------------------------------------------- times


def _bound_times(body: Body, at: Var, tied: frozenset[Var], ticks: int) -> Body:
    """tied: times that are the rule's own, or at a fixed distance from it, or that have been bound already."""
    times = set(fixed_distances(body, dict.fromkeys(tied, 0)))
    bound: list[Literal] = []
    for literal in body:
        bound.append(literal.with_bodies(partial(_bound_times, at=at, tied=frozenset(times), ticks=ticks)))
        for time in literal.times:
            if isinstance(time, Var) and time not in times:
                bound.append(_at_most(ticks, time, at, literal))
                times.add(time)
    return tuple(bound)


def _at_most(ticks: int, time: Var, at: Var, literal: Literal) -> Compare:
    """abs(time - at) =< ticks"""
    place = literal.place
    distance = Compound("abs", (Compound("-", (time, at), place),), place)
    return Compare("=<", distance, Int(ticks, place), place)
