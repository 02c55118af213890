"""Refusals of the plan as diagnostics: of all rules at once, as the checks before it report them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps

from holdsfor.language.description import EventDescription
from holdsfor.language.diagnostics import DescriptionError, Diagnostic, Refusal
from holdsfor.plan.whole_plan import Plan

MOST = 20  # refusals that are told at once
Planning = Callable[[EventDescription], Plan]


def reporting(planning: Planning) -> Planning:
    """Turn a Refusal into a DescriptionError, together with those of the rules after it."""

    @wraps(planning)
    def reported(description: EventDescription) -> Plan:
        try:
            return planning(description)
        except Refusal as refusal:
            diagnostics = [each for each in description.warnings if isinstance(each, Diagnostic)]
            diagnostics += _all(planning, description, refusal, MOST)
            raise DescriptionError(sorted(diagnostics, key=_order(description))) from None

    return reported


def _order(description: EventDescription) -> Callable[[Diagnostic], tuple[int, int, int]]:
    """Return the key that sorts diagnostics as they stand in the text."""
    files = list(description.texts.sources)
    numbers = {file: number for number, file in enumerate(files)}
    return lambda each: (numbers.get(each.place.file, -1), each.place.line, each.place.column)


def _all(planning: Planning, description: EventDescription, refusal: Refusal, most: int) -> list[Diagnostic]:
    """Leaves out one refused rule after the other, until there is a plan for the rest, or enough is told."""
    diagnostics = [refusal.diagnostic(description.texts.sources)]
    if refusal.code == "too-large" or most == 1:  # to find the next would take as long again
        return diagnostics
    rules = tuple(rule for rule in description.rules if not rule.place.covers(refusal.place))
    if len(rules) == len(description.rules):  # in background knowledge, which any rule may call
        return diagnostics
    rest = replace(description, rules=rules)
    try:
        planning(rest)
    except Refusal as another:
        diagnostics += _all(planning, rest, another, most - 1)
    return diagnostics
