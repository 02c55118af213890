"""Statically determined fluents that need each other: fine where more of one only ever gives more of the others.

So a circle may go through unions, intersections and what others are taken away from: its intervals are then the least
that satisfy the rules. What is taken away, complemented, measured or related must be complete before.
"""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.language.description import Rule
from holdsfor.language.draft import Draft
from holdsfor.language.literals import Algebra, Duration, HoldsFor, Literal
from holdsfor.language.nodes import find_all
from holdsfor.language.passes.order.circles import report_steps
from holdsfor.language.passes.order.strata import Dependency

_ONLY = "intervals that depend on themselves may be united and intersected"


def interval_circles(draft: Draft) -> None:
    for group in draft.order.interval_circles:
        for step in group:
            reason = _reason(step)
            if reason is not None:
                report_steps(draft, group, step, f"{_ONLY}, but {reason}", _hint(step))
                break


def _hint(step: Dependency) -> str:
    head, need = step.head[1], step.need[1]
    if head == need:
        return f"ask here for something that does not depend on {head}"
    return f"ask here for something that does not depend on {head}, or define {need} without it"


def _reason(step: Dependency) -> str | None:
    """Return why a step needs all intervals of what it asks for before there are any of its own; None if not."""
    assert step.rule is not None
    assert isinstance(step.literal, HoldsFor), "a rule about intervals has no other conditions on fluents"
    does = next((does for does, name in _uses(step.rule) if name == step.literal.interval.name and does), None)
    return None if does is None else f"those of {step.need[1]} {does}"


_Use = tuple[str | None, str]
"""Say, for a list that must be complete before, what is done to it and by which name."""


def _uses(rule: Rule) -> Iterator[_Use]:
    """Iterate over the lists of intervals that the result is made of."""
    made: dict[str, list[Literal]] = {}
    for literal in find_all(rule.body, Literal):
        if literal.intervals:
            made.setdefault(literal.intervals[-1].name, []).append(literal)
    waiting: list[_Use] = [(None, rule.at.name)]
    seen = set(waiting)
    while waiting:
        done, name = waiting.pop()
        yield done, name
        operands = (operand for literal in made.get(name, ()) for operand in _operands(literal))
        fresh = {(done or does, operand) for does, operand in operands} - seen
        seen |= fresh
        waiting += fresh


def _operands(literal: Literal) -> Iterator[_Use]:
    for place, operand in enumerate(literal.intervals[:-1]):
        if not isinstance(literal, Algebra):
            yield "are measured" if isinstance(literal, Duration) else "are related to others", operand.name
        elif literal.op == "complement":
            yield "are complemented", operand.name
        else:
            yield "are taken away from others" if literal.op == "difference" and place else None, operand.name
