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

from holdsfor.errors import HoldsforError
from holdsfor.language.description import EventDescription, Rule, Signature
from holdsfor.language.draft import Draft, did_you_mean
from holdsfor.language.literals import (
    Aggregate,
    Algebra,
    Allen,
    Compare,
    Duration,
    Edge,
    Happens,
    Holds,
    Is,
    Literal,
    Not,
    Occurs,
    Or,
)
from holdsfor.language.patterns import Limit, PatternRule
from holdsfor.language.terms import Compound, Float, Int, Term, Var


def bounds(draft: Draft) -> None:
    """Check the definitions that bounds name, and build the bounds into their rules."""
    defined = draft.events | draft.simple | draft.static
    for owner, (_, place) in draft.bounds.items():
        if owner in defined:
            continue
        if any(owner == entity.signature and entity.read for entity in draft.inputs):
            hint = "an input looks at nothing: bound the definitions that read it"
        else:
            hint = did_you_mean(owner.name, [each.name for each in defined]) or "bound(name/arity, ticks)"
        draft.error("bound", f"a bound is given for {owner}, which no rule defines", place, hint)
    ticks = {owner: ticks for owner, (ticks, _) in draft.bounds.items()}
    draft.rules = list(bound_rules(draft.rules, ticks))
    draft.patterns = list(bound_patterns(draft.patterns, ticks))


def bound_definitions(description: EventDescription, bounds: Mapping[Signature, int]) -> EventDescription:
    """The description with bounds for more of its definitions."""
    defined = description.events | description.simple | description.static
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
        ticks = bounds.get(Signature.of(rule.subject))
        if ticks is None:
            yield rule
        elif rule.kind == "holdsFor":
            yield replace(rule, body=tuple(_bound_intervals(literal, ticks) for literal in rule.body))
        else:
            tied = frozenset(_tied_times(rule.body, {rule.at.name}))
            yield replace(rule, body=_bound_times(rule.body, rule.at, tied, ticks))


def bound_patterns(rules: Iterable[PatternRule], bounds: Mapping[Signature, int]) -> Iterator[PatternRule]:
    """A bound of a pattern's event is a window around the whole pattern."""
    for rule in rules:
        ticks = bounds.get(Signature.of(rule.head))
        yield rule if ticks is None else replace(rule, pattern=Limit(rule.pattern, ticks, rule.place))


def _bound_intervals(literal: Literal, ticks: int) -> Literal:
    match literal:
        case Allen() | Algebra(op="complement"):
            return replace(literal, within=ticks)
        case Duration() if not isinstance(literal.bound, Int | Float):
            return replace(literal, within=ticks)
    return literal


# ---------------------------------------------------------------- times


def _bound_times(body: tuple[Literal, ...], at: Var, tied: frozenset[str], ticks: int) -> tuple[Literal, ...]:
    """tied: times that are the rule's own, or at a fixed distance from it, or that have been bound already."""
    bound: list[Literal] = []
    for literal in body:
        match literal:
            case Not() | Aggregate():
                inner = tied | frozenset(_tied_times(literal.literals, set(tied)))
                bound.append(replace(literal, literals=_bound_times(literal.literals, at, inner, ticks)))
            case Or():
                cases = (
                    _bound_times(case, at, tied | frozenset(_tied_times(case, set(tied))), ticks)
                    for case in literal.alternatives
                )
                bound.append(replace(literal, alternatives=tuple(cases)))
            case Happens(time=Var() as time) | Edge(time=Var() as time) | Holds(time=Var() as time):
                bound.append(literal)
                if time.name not in tied:
                    bound.append(_at_most(ticks, time, at, literal))
                    tied |= {time.name}
            case Occurs():
                bound.append(literal)
                for time in (each for each in (literal.start, literal.end) if isinstance(each, Var)):
                    if time.name not in tied:
                        bound.append(_at_most(ticks, time, at, literal))
                        tied |= {time.name}
            case _:
                bound.append(literal)
    return tuple(bound)


def _at_most(ticks: int, time: Var, at: Var, literal: Literal) -> Compare:
    """abs(time - at) =< ticks"""
    place = literal.place
    distance = Compound("abs", (Compound("-", (time, at), place),), place)
    return Compare("=<", distance, Int(ticks, place), place)


def _tied_times(body: Iterable[Literal], times: set[str]) -> set[str]:
    """The variables at a fixed distance from those that are known."""
    links = [link for literal in body if (link := _link(literal))]
    tied = set(times)
    for _ in links:
        for one, other in links:
            if one in tied or other in tied:
                tied |= {one, other}
    return tied


def _link(literal: Literal) -> tuple[str, str] | None:
    """`T2 is T+60` and `T2 = T` tie T2 to T."""
    match literal:
        case Is(target=Var(name=one), expression=expression):
            other = _base(expression)
        case Compare(op="=" | "==" | "=:=", left=Var(name=one), right=right):
            other = _base(right)
        case _:
            return None
    return None if other is None else (one, other)


def _base(expression: Term) -> str | None:
    """T, of T, T+60, 60+T or T-60."""
    match expression:
        case Var(name=name):
            return name
        case Compound(functor="+" | "-", args=(Var(name=name), Int())):
            return name
        case Compound(functor="+", args=(Int(), Var(name=name))):
            return name
    return None
