"""Turn a checked description into a plan of operators, before any data is seen.

`compiler` makes the plan that says what the rules say. `passes` make it cheaper. `distribution` decides which data
must be together. A plan consists of frozen dataclasses without behaviour; equal rules are equal values, so sharing is
a dictionary lookup. Places and the author's names of variables are no part of equality.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdsfor.once import OncePerObject
from holdsfor.plan.whole_plan import Plan

if TYPE_CHECKING:
    from holdsfor.language.description import EventDescription

__all__ = ["Plan", "plan"]


def _make_plan(description: EventDescription) -> Plan:
    from holdsfor.plan.optimise import plan as make_plan  # when one is made: evaluating it needs no compiler

    return make_plan(description)


#: The plan that the engine runs, made once for each description: `parse` and `load` have made it already.
plan: OncePerObject[EventDescription, Plan] = OncePerObject(_make_plan)
