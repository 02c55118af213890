"""Definitions that need each other: fine where time orders them, an error that shows the circle where it does not."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TypeGuard

from holdsfor.language.description import Defined, FluentValue, Rule, Signature
from holdsfor.language.diagnostics import Refusal
from holdsfor.language.draft import Draft
from holdsfor.language.literals import Body, Call, Closed, Edge, Holds, Literal, Mention, fixed_distances
from holdsfor.language.nodes import find_all
from holdsfor.language.passes.order.combinations import one_at_a_time
from holdsfor.language.passes.order.strata import Dependency, Part, components, shortest_way
from holdsfor.language.terms import Place, Term, shifted
from holdsfor.language.written import written

_ONLY = "only simple fluents that ask for each other with holdsAt can do so: "


def circles(draft: Draft) -> None:
    """Holding at T is decided by what was initiated and terminated before T: only such circles have an answer."""
    for group in draft.order.circles:
        try:
            _take_negations_apart(group)
        except Refusal as refusal:
            draft.error(refusal.code, refusal.message, refusal.place, refusal.hint)
            continue
        rounds = _rounds_of_edges(group)
        for step in group:
            reason = _reason(draft, step, rounds)
            if reason:
                report_steps(draft, group, step, *reason)
                break


def _reason(draft: Draft, step: Dependency, rounds: dict[Part, int]) -> tuple[str, str] | None:
    """Why time does not order this step, and what to write; None if it does."""
    name = step.head[1]
    if step.head[0] == "event" and any(rule.signature == name for rule in draft.patterns):
        hint = "let the pattern be made of input events, or let the others ask for what it is made of"
        return f"a pattern must be complete before what reads it: {name} cannot be part of a circle with fluents", hint
    if step.head[0] == "event":
        hint = f"where the circle reads {name}, write the conditions of its rules instead"
        return f"{_ONLY}the event {name} must be complete before what reads it", hint
    if isinstance(name, FluentValue) or (name in draft.definitions.static and name not in draft.definitions.simple):
        hint = f"define {name} by initiatedAt and terminatedAt rules, or leave it out of the others"
        return f"{_ONLY}{name} is made of whole lists of intervals, which must be complete before", hint
    if step.need[0] == "event":
        return None  # the step from the event is the one to report
    if _is_at_once(step.literal) and rounds[step.head] == rounds[step.need]:
        edge, fluent = step.literal.edge, step.need[1]
        does = "terminate" if edge == "end" else "initiate"
        hint = f"write the conditions of the rules that {does} {fluent} instead"
        reason = f"the {edge} of {fluent} would decide about itself at one and the same point"
        return f"time does not order this circle: {reason}", hint
    if isinstance(step.literal, Holds | Edge) and step.rule and not _at_or_before(step.rule, step.literal.time):
        time, at = written(step.literal.time), written(step.rule.at)
        hint = f"ask at {at} itself, or at an earlier time: T1 is {at}-1"
        return f"time does not order this circle: {time} is not known to be {at} or earlier", hint
    return None


def _take_negations_apart(group: list[Dependency]) -> None:
    """Planning does so; what comes to too many cases is refused here."""
    circle = {step.head[1].signature for step in group}
    for rule in {id(step.rule): step.rule for step in group if step.rule}.values():
        one_at_a_time(rule.body, rule.head_variables, circle)


def _is_at_once(literal: Mention | None) -> TypeGuard[Edge]:
    """Whether it happens at the point that decides it: startI and endI come a tick later."""
    return isinstance(literal, Edge) and literal.edge in ("start", "end", "deadline")


def _rounds_of_edges(group: list[Dependency]) -> dict[Part, int]:
    """Definitions that starts and ends alone lead round, by a number for each way round.

    What starts at T is decided at T, so they would wait for themselves.
    """
    needs: dict[Part, list[Part]] = {}
    for step in group:
        if _is_at_once(step.literal):
            needs.setdefault(step.head, []).append(step.need)
            needs.setdefault(step.need, [])
    return {node: number for number, members in enumerate(components(needs)) for node in members}


def report_steps(draft: Draft, group: list[Dependency], first: Dependency, reason: str, hint: str) -> None:
    """Report a circle by a shortest way round that begins with a step."""
    steps: dict[Part, dict[Part, Place]] = {}
    for step in (first, *group):
        steps.setdefault(step.head, {}).setdefault(step.need, step.place)
    way = [first.need] if first.need == first.head else shortest_way(steps, first.need, first.head)
    shown = [(need[1], steps[head][need]) for head, need in pairwise([first.head, *way])]
    report_circle(draft, first.head[1], shown, reason, hint)


def report_circle(draft: Draft, owner: Defined, way: list[tuple[Defined, Place]], reason: str, hint: str) -> None:
    """Report that a definition needs itself. way: what each needs, and where; the first place is the one to mend."""
    shown = "".join(f" <- {need} ({place.file}:{place.line})" for need, place in way)
    draft.error("cycle", f"{owner} depends on itself: {owner}{shown}; {reason}", way[0][1], hint)


# ---------------------------------------------------------------- times


def _at_or_before(rule: Rule, time: Term) -> bool:
    """Is a time of a condition surely not after that of the head?"""
    offsets = fixed_distances(find_all(rule.body, Literal), {rule.at: 0})
    base, distance = shifted(time)
    return base is not None and base in offsets and offsets[base] + distance <= 0


def recursion(draft: Draft) -> None:
    """Finds the groups that call each other. A call inside a negation or findall must be of an earlier group."""
    needs: dict[Signature, dict[Signature, Place]] = {
        clause.signature: {} for clause in draft.background if clause.body
    }
    closed: dict[tuple[Signature, Signature], Place] = {}
    for clause in draft.background:
        owner = clause.signature
        for call in find_all(clause.body, Call):
            if call.signature in needs:
                needs[owner].setdefault(call.signature, call.place)
        for call in _closed_calls(clause.body):
            closed.setdefault((owner, call.signature), call.place)
    for group in components(needs):
        if len(group) == 1 and group[0] not in needs[group[0]]:
            continue
        draft.order.recursive.update(group)
        for (owner, called), place in closed.items():
            if owner in group and called in group:
                _report_recursion(draft, called, " <- ".join(map(str, shortest_way(needs, called, called))), place)
                break


def _report_recursion(draft: Draft, called: Signature, way: str, place: Place) -> None:
    message = f"{called} calls itself inside a negation or findall: {way}; it has no answer that comes first"
    hint = f"define what is asked there without {called}, or write the cases as facts"
    draft.error("cycle", message, place, hint)


def _closed_calls(body: Body) -> Iterator[Call]:
    """The calls inside negations and findalls."""
    for literal in body:
        for conjunction in literal.bodies:
            if isinstance(literal, Closed):
                yield from find_all(conjunction, Call)
            else:
                yield from _closed_calls(conjunction)
