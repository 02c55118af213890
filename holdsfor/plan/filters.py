"""Filters before joins: a comparison comes as soon as its variables have values, so that fewer rows are joined.

A calculation drops no rows: it comes right before the first operator that needs its value, or last if only the head
does. Rules of a group are left alone, as in `cheapest`.
"""

from __future__ import annotations

from collections.abc import Set

from holdsfor.plan.chains import Uses, Waiting, each_chain
from holdsfor.plan.operators import Chain, Let, Plan


def filters(plan: Plan) -> Plan:
    return each_chain(plan, _filtered)


def _filtered(chain: Chain, given: Set[str], uses: Uses) -> Chain:
    waiting = Waiting(chain, given, uses)
    _filter(waiting, chain)
    while waiting.joins:
        waiting.place(waiting.joins[0])
        _filter(waiting, chain)
    for number in waiting.others:
        waiting.place(number)
    return waiting.placed()


def _filter(waiting: Waiting, chain: Chain) -> None:
    for number in waiting.others:
        if not isinstance(chain[number], Let) and waiting.ready(number):
            waiting.place(number)
