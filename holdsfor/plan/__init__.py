"""From a checked description to a plan of operators."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdsfor.once import OncePerObject
from holdsfor.plan.whole_plan import Plan

if TYPE_CHECKING:
    from holdsfor.language.description import EventDescription

__all__ = ["Plan", "plan", "plan_once"]


def plan(description: EventDescription) -> Plan:
    """The plan that the engine runs."""
    from holdsfor.plan.optimise import plan as make_plan  # when one is made: evaluating it needs no compiler

    return make_plan(description)


#: The same, made once for each description.
plan_once: OncePerObject[EventDescription, Plan] = OncePerObject(plan)
