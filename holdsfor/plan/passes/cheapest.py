"""Cheapest first: the joins of a rule in the order in which they leave the fewest rows to work on.

Nothing is known of the data yet, so a join costs by its kind alone. The scan that a rule begins with stays: whoever
wrote it knows which event is the rare one. After it come, each time the cheapest that can come, and of equal ones the
first that was written:

    test      all variables are bound: rows only go (an event, then a fact, a term's form, a fluent, a negation)
    fact      facts by a bound argument
    event     occurrences at a bound time, by a bound argument
    fluent    what holds at a bound time, by a bound argument
    tally     a count or sum over a chain of its own
    moment    occurrences or fluents at a bound time, whatever their arguments
    meeting   occurrences at any time, by a bound argument
    anything  nothing is bound: every row with every row

Comparisons and calculations stay behind the joins they were written after, except that a calculation comes before what
needs its value; `filters` moves comparisons forward. Rules that ask for the state of their group are left alone: it is
asked for part of their conditions.
"""

from __future__ import annotations

from collections.abc import Set

from holdsfor.plan.nodes import names_in
from holdsfor.plan.operators import At, Chain, Holding, Lookup, Match, Op, Tally, Without
from holdsfor.plan.passes.chains import Placing, Prefixes, each_chain
from holdsfor.plan.whole_plan import Plan

TEST, FACT, EVENT, FLUENT, TALLY, MOMENT, MEETING, ANYTHING = range(8)
KINDS = (At, Lookup, Match, Holding, Without, Tally)


def cheapest(plan: Plan) -> Plan:
    return each_chain(plan, _ordered)


def _ordered(chain: Chain, outer: Set[str], prefixes: Prefixes) -> Chain:
    waiting = Placing(chain, outer, prefixes)
    _follow(waiting)
    while waiting.joins:
        bound = waiting.reachable()
        ready = [number for number in waiting.joins if waiting.ready(number)]
        waiting.place(min(ready, key=lambda number: (cost(chain[number], bound), number)))
        _follow(waiting)
    return waiting.placed()


def _follow(waiting: Placing) -> None:
    """Comparisons and calculations that stood before all joins that are left."""
    for number in list(waiting.others):
        if not waiting.joins or waiting.joins[0] > number:
            waiting.place(number)


def cost(op: Op, bound: Set[str]) -> tuple[int, int]:
    """Return what a join costs where these variables are bound, and its kind among tests."""
    kind = next(number for number, each in enumerate(KINDS) if isinstance(op, each))
    return _cost(op, bound), kind


def _cost(op: Op, bound: Set[str]) -> int:
    if isinstance(op, Without | Match):
        return TEST
    if isinstance(op, Tally):
        return TALLY
    assert isinstance(op, At | Holding | Lookup)
    names = list(names_in(op.args))
    by_argument = any(name in bound for name in names)
    by_time = isinstance(op, Lookup) or op.time in bound
    if by_time and all(name in bound for name in names):
        return TEST
    if isinstance(op, Lookup):
        return FACT if by_argument else ANYTHING
    if by_time and by_argument:
        return EVENT if isinstance(op, At) else FLUENT
    return MOMENT if by_time else MEETING if by_argument else ANYTHING
