"""Filters before joins: a comparison comes as soon as its variables have values, so that fewer rows are joined.

A calculation drops no rows: it comes right before the first operator that needs its value, or last if only the head
does. One thing is cheaper than a selection of rows: to look up facts that give each row at most one. Where another
comparison waits for such facts, the two stay side by side behind them, and are one selection (measured on the maritime
rules: 71.5 against 73.8 ms). Rules that ask for the state of their group are left alone, as in
`cheapest`.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from functools import cache, partial

from holdsfor.language.description import Signature
from holdsfor.plan.nodes import names_in
from holdsfor.plan.operators import Chain, Let, Lookup
from holdsfor.plan.passes.chains import Placing, Prefixes, each_chain
from holdsfor.plan.structures import is_open
from holdsfor.plan.whole_plan import Plan

Single = Callable[[Lookup, Set[str]], bool]


def filters(plan: Plan) -> Plan:
    return each_chain(plan, partial(_filtered, single=_single(plan)))


def _filtered(chain: Chain, bound: Set[str], prefixes: Prefixes, single: Single) -> Chain:
    waiting = Placing(chain, bound, prefixes)
    _filter(waiting, chain, single)
    while waiting.joins:
        waiting.place(waiting.joins[0])
        _filter(waiting, chain, single)
    for number in list(waiting.others):
        waiting.place(number)
    return waiting.placed()


def _filter(waiting: Placing, chain: Chain, single: Single) -> None:
    if _one_more_look(waiting, chain, single):
        return
    for number in list(waiting.others):
        if not isinstance(chain[number], Let) and waiting.ready(number):
            waiting.place(number)


def _one_more_look(waiting: Placing, chain: Chain, single: Single) -> bool:
    """Whether the next join is a look-up of at most one fact a row that another comparison waits for."""
    following = chain[waiting.joins[0]] if waiting.joins else None
    bound = waiting.reachable()
    if not isinstance(following, Lookup) or not single(following, bound):
        return False
    after = bound | set(following.binds())
    needed = [set(chain[n].needs(after)) for n in waiting.others if not isinstance(chain[n], Let)]
    return any(names <= after and not names <= bound for names in needed)


def _single(plan: Plan) -> Single:
    closed = {signature for closure in plan.closures for signature, _ in closure.rules}
    facts = {name: table for name, table in plan.facts if name not in closed}

    @cache  # many rules look up the same facts
    def are_distinct(name: Signature, positions: tuple[int, ...]) -> bool:
        return name in facts and facts[name].is_distinct(positions)

    def single(op: Lookup, bound: Set[str]) -> bool:
        positions = [p for p, arg in enumerate(op.args) if not is_open(arg) and bound >= set(names_in((arg,)))]
        return are_distinct(op.facts, tuple(positions))

    return single
