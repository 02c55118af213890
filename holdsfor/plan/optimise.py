"""The optimiser: passes that make a plan cheaper and never change its answers, each a module with one function."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from holdsfor.language.description import EventDescription
from holdsfor.plan.compiler.compile import compile_rules, completed
from holdsfor.plan.distribution.split import split
from holdsfor.plan.identity import identify
from holdsfor.plan.passes.boolean import boolean
from holdsfor.plan.passes.cheapest import cheapest
from holdsfor.plan.passes.products import check_products
from holdsfor.plan.passes.share import share
from holdsfor.plan.refusals import reporting
from holdsfor.plan.whole_plan import Plan

PASSES: tuple[tuple[str, Callable[[Plan], Plan]], ...] = (
    ("Boolean combinations as interval algebra", boolean),
    ("cheapest joins first, comparisons before them", cheapest),
    ("sharing of equal sub-plans", share),
    ("rules evaluated where their conditions meet", split),
)


@reporting
def plan(description: EventDescription) -> Plan:
    """The plan that the engine runs."""
    made = compile_rules(description)
    identity, pieces = identify(made)
    for _, run in PASSES:
        made = run(made)
    check_products(made)
    return replace(completed(made), identity=identity, pieces=pieces)


def steps(made: Plan) -> Iterator[tuple[str, Plan]]:
    """The plan after each pass, with what the pass does."""
    for name, run in PASSES:
        made = completed(run(made))
        yield name, made
