"""Turn a checked description into a plan of operators, before any data is seen.

`compiler` makes the plan that says what the rules say. `passes` make it cheaper. `distribution` decides which data
must be together. A plan consists of frozen dataclasses without behaviour; equal rules are equal values, so sharing is
a dictionary lookup. Places and the author's names of variables are no part of equality.

A chain of operators turns rows into rows, and ends in a `Conclude`:

    At            occurrences of an event, starts or ends of a fluent; the first one scans, later ones join
    Holding       rows at whose time the fluent holds; binds what is new
    Lookup        rows joined with background facts
    Where, Let    rows compared; a value calculated
    TimesOf       rows of a pattern with the times of their occurrence as values
    Match         rows whose term has this form; binds what is new inside
    Without       rows for which the inner chain gives nothing
    Tally         rows with the number of answers of the inner chain, or their sum, least or greatest

A definition also comes as input where rows of its name have come, or may come: then it is the union of these rows and
of what rules conclude. How large the work is that rules ask for is counted before it is done (`holdsfor.budget`).
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
