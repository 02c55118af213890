"""When facts that change are valid: a definition of rows that come as input.

The rows of a fact keep when they began as their value, as do those that end or replace facts: of rows of one fact that
overlap, those are ended that began before.
"""

from __future__ import annotations

from dataclasses import replace

from holdsfor.language.description import Input
from holdsfor.language.terms import Atom
from holdsfor.plan.definitions import Static
from holdsfor.plan.operators import Combine, HoldsForRule, Lookup, Of, Relation, Valid
from holdsfor.plan.whole_plan import Plan

TRUE = Atom("true")


def begun_rows(declared: Input) -> Relation:
    """Return the relation of rows whose value is when they began."""
    name, arity = declared.stored_as
    return Relation(name, arity + 1, None, "valued")


def define_validity(plan: Plan, inputs: tuple[Input, ...]) -> Plan:
    """Add a definition for each fact that rules ask for; it comes before them."""
    tables = dict(plan.facts)
    made = tuple(_valid(one, one.signature in tables) for one in inputs if one.key is not None and one.read)
    return replace(plan, definitions=(*made, *plan.definitions)) if made else plan


def _valid(declared: Input, has_facts: bool) -> Static:
    """has_facts: whether rule files have facts of that name, which are valid from the start of the history on."""
    name, arity = declared.signature
    columns = tuple(f"v{number}" for number in range(arity))
    keys = tuple(columns[position] for position in declared.key or ())
    ended, *replaced = declared.endings
    rows = Of(begun_rows(declared), (*columns, None))
    endings = (Of(begun_rows(ended), (*columns, None)), *(Of(begun_rows(one), (*keys, None)) for one in replaced))
    rules = [HoldsForRule(columns, columns, ((rows,),), (), Valid((rows, *endings)))]
    if has_facts:
        facts = Lookup(declared.signature, columns)
        rules.append(HoldsForRule(columns, columns, ((facts,),), (facts,), Combine("complement", endings)))
    return Static(Relation(name, arity, TRUE, "fluent"), tuple(rules))
