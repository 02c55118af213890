"""Output events: the occurrences that rules conclude."""

from __future__ import annotations

import numpy as np

from holdsfor.engine.chain import Beginnings
from holdsfor.engine.column import Column, Selection
from holdsfor.engine.conclude import head_codes, rows_of
from holdsfor.engine.relation import Points
from holdsfor.engine.rows import Rows
from holdsfor.engine.world import World
from holdsfor.plan.operators import Arg, Derived


def evaluate_derived(definition: Derived, world: World, beginnings: Beginnings) -> None:
    """Sorted by the first argument and time."""
    relation = definition.relation
    found = [(rule, _in_history(rows_of(rule, world, beginnings), rule.time, world)) for rule in definition.rules]
    found = [(rule, rows) for rule, rows in found if rows.size]
    if not found:
        world.relations[relation] = world.nothing_of(relation)
        return
    time = np.concatenate([rows.times(rule.time) for rule, rows in found])
    columns = [_column([(rows, rule.args[p]) for rule, rows in found], world) for p in range(relation.arity)]
    key = (0,) if relation.arity else ()
    packed = world.axis.pack([columns[p].codes() for p in key], time)
    order = np.argsort(packed, kind="stable")
    chosen = Selection(index=order)
    payload = {p: column.select(chosen) for p, column in enumerate(columns)}
    world.relations[relation] = Points(world.axis, world.dictionary, relation.arity, key, packed[order], payload)


def _in_history(rows: Rows, time: str, world: World) -> Rows:
    times = rows.times(time)
    return rows.filter((times > world.after) & (times <= world.now))


def _column(parts: list[tuple[Rows, Arg]], world: World) -> Column:
    """One column out of several rules: of numbers if all of them give numbers of one kind, else of terms."""
    columns = [rows.column(arg) if isinstance(arg, str) else None for rows, arg in parts]
    numbers = [column.numbers() for column in columns if column is not None and column.is_number]
    if len(numbers) == len(parts) and len({array.dtype for array in numbers}) == 1:
        return Column(world.dictionary, numbers=np.concatenate(numbers))
    return Column(world.dictionary, np.concatenate([head_codes(rows, arg, world) for rows, arg in parts]))
