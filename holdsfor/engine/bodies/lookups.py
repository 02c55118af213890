"""Background facts in chains: they bind variables, or test rows."""

from __future__ import annotations

import numpy as np

from holdsfor.engine.bodies.argument_layout import Arguments, read_literal
from holdsfor.engine.bodies.structure import read_by_forms
from holdsfor.engine.data.axis import Ints
from holdsfor.engine.data.column import Column, Mask, Selection
from holdsfor.engine.data.facts import Facts
from holdsfor.engine.data.rows import Rows
from holdsfor.engine.data.world import World
from holdsfor.kernels.rows.joining import expand
from holdsfor.plan.nodes import names_in
from holdsfor.plan.operators import Lookup


def lookup(op: Lookup, rows: Rows, world: World) -> Rows:
    if rows.names.issuperset(names_in(op.args)):
        return rows.filter(is_fact(op, rows, world))
    facts, wanted, bound = _facts(op, rows, world)
    if not wanted.positions:
        picked = facts.picked(wanted.picks)
        if len(picked) == 1:  # such as a threshold: the same for all rows
            return rows.bind(_fact_columns(facts.columns, np.repeat(picked, rows.size), wanted))
        index, place = expand(np.zeros(rows.size, np.int64), np.full(rows.size, len(picked), np.int64))
        return rows.take(index).bind(_fact_columns(facts.columns, picked[place], wanted))
    some, fact = facts.find(world.axis, wanted.picks, wanted.positions, bound)
    rows = rows if some is None else rows.take(some)
    return rows.bind(_fact_columns(facts.columns, fact, wanted))


def _facts(op: Lookup, rows: Rows, world: World) -> tuple[Facts, Arguments, list[Ints]]:
    """Return the facts that a condition may be about, how it reads them, and the terms that rows have for it."""
    forms, _, wanted = read_literal(op, rows.names, world.dictionary)
    facts, bound = world.facts_of(op.facts), [rows.codes(name) for name in wanted.names]
    if forms is None:
        facts = facts.about(wanted.picks, wanted.positions, bound, world)
    return read_by_forms(facts, forms), wanted, bound


def is_fact(op: Lookup, rows: Rows, world: World) -> Mask:
    """For which rows there is such a fact, all variables being bound."""
    facts, wanted, bound = _facts(op, rows, world)
    if wanted.positions:
        return facts.contains(rows.axis, wanted.picks, wanted.positions, bound)
    return np.full(rows.size, len(facts.picked(wanted.picks)) > 0)


def _fact_columns(columns: list[Column], fact: Ints, wanted: Arguments) -> dict[str, Column]:
    chosen = Selection(index=fact)
    return {name: columns[p].select(chosen) for p, name in wanted.new}
