"""Tables of facts that nothing connects: every row of one with every row of the others, known before any data."""

from __future__ import annotations

from collections.abc import Mapping

from holdsfor.budget import MOST_ROWS
from holdsfor.language.description import Signature
from holdsfor.language.diagnostics import Refusal
from holdsfor.language.nodes import find_all
from holdsfor.language.terms import NOWHERE
from holdsfor.plan.nodes import names_in
from holdsfor.plan.operators import Chain, Let, Lookup, RuleNode
from holdsfor.plan.whole_plan import Plan


def check_products(plan: Plan) -> None:
    """Refuses rules that ask for more rows than a join may give, whatever the events are."""
    worked_out = {signature for closure in plan.closures for signature, _ in closure.rules}
    sizes = {signature: len(table) for signature, table in plan.facts if signature not in worked_out}
    for rule in find_all([*plan.domains, *plan.closures, *plan.definitions], RuleNode):
        rows = _product(rule.body, sizes)
        if rows > MOST_ROWS and rule.place != NOWHERE:
            message = f"the facts that this asks for make {rows:,} combinations, and {MOST_ROWS:,} are allowed"
            hint = "add a condition that says which of them belong together"
            raise Refusal("too-large", message, rule.place, hint)


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
        bound.update(op.binds())
    return largest


def _asks_for_all(op: Lookup, bound: set[str]) -> bool:
    """Whether every row of the table is an answer."""
    names = list(names_in(op.args))
    free = len(set(names)) == len(names) and bound.isdisjoint(names)
    return bool(names) and free and all(arg is None or isinstance(arg, str) for arg in op.args)
