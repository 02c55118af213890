"""Tables of facts that nothing connects: every row of one with every row of the others, known before any data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from holdsfor.budget import MOST_ROWS
from holdsfor.language.description import Signature
from holdsfor.language.diagnostics import Refusal
from holdsfor.language.terms import NOWHERE
from holdsfor.plan.definitions import Declared, Static
from holdsfor.plan.operators import Chain, Conclude, HoldsForRule, Let, Lookup
from holdsfor.plan.structures import names_in
from holdsfor.plan.variables import binds
from holdsfor.plan.walk import conclusions, simple_of
from holdsfor.plan.whole_plan import Plan


def check_products(plan: Plan) -> None:
    """Refuses rules that ask for more rows than a join may give, whatever the events are."""
    worked_out = {signature for closure in plan.closures for signature, _ in closure.rules}
    sizes = {signature: len(table) for signature, table in plan.facts if signature not in worked_out}
    for rule in _rules(plan):
        rows = _product(rule.conditions if isinstance(rule, HoldsForRule) else rule.chain, sizes)
        if rows > MOST_ROWS and rule.place != NOWHERE:
            message = f"the facts that this asks for make {rows:,} combinations, and {MOST_ROWS:,} are allowed"
            hint = "add a condition that says which of them belong together"
            raise Refusal("too-large", message, rule.place, hint)


def _rules(plan: Plan) -> Iterator[Conclude | Declared | HoldsForRule]:
    for domain in plan.domains:
        yield from domain.rules
    for closure in plan.closures:
        yield from (rule for _, rule in closure.rules)
    for definition in plan.definitions:
        yield from conclusions(definition)
        for fluent in simple_of(definition):
            yield from (rule for rules in fluent.initially for rule in rules)
        if isinstance(definition, Static):
            yield from definition.rules


def _product(chain: Chain, sizes: Mapping[Signature, int]) -> int:
    """The rows that one row becomes at least, where only look-ups follow each other; the largest such number."""
    rows = largest = 1
    bound: set[str] = set()
    for op in chain:
        if isinstance(op, Lookup) and _asks_for_all(op, bound):
            rows *= sizes.get(op.facts, 1)
            largest = max(largest, rows)
        elif not isinstance(op, Let):
            rows = 1  # a condition may leave few of them
        bound.update(binds(op))
    return largest


def _asks_for_all(op: Lookup, bound: set[str]) -> bool:
    """Whether every row of the table is an answer."""
    names = list(names_in(op.args))
    free = len(set(names)) == len(names) and bound.isdisjoint(names)
    return bool(names) and free and all(arg is None or isinstance(arg, str) for arg in op.args)
