"""Output events: the occurrences that rules conclude."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from holdsfor.engine.bodies.heads import choose_current, head_codes
from holdsfor.engine.bodies.rulebook import Rulebook, find_rule, rows_of
from holdsfor.engine.data.axis import Ints
from holdsfor.engine.data.column import Column, Selection
from holdsfor.engine.data.points import Points
from holdsfor.engine.data.rows import Rows
from holdsfor.engine.data.world import World
from holdsfor.kernels.rows.sorting import sort_packed
from holdsfor.plan.definitions import Derived
from holdsfor.plan.operators import Arg, Conclude, Relation

Found = list[tuple[Conclude, Rows]]


def evaluate_derived(definition: Derived, world: World, rulebook: Rulebook) -> None:
    world.relations[definition.relation] = conclude_events(definition.relation, definition.rules, world, rulebook)


def conclude_events(relation: Relation, rules: Iterable[Conclude], world: World, rulebook: Rulebook) -> Points:
    """Return the events that the rules conclude, sorted by the first argument that is a term, and time."""
    concluded = [
        (rule, choose_current(rows_of(rule, find_rule(rule, rulebook), world), rule.time, world)) for rule in rules
    ]
    concluded = [(rule, rows) for rule, rows in concluded if rows.size]
    if not concluded:
        return world.points_of(relation).none()
    time = np.concatenate([rows.times(rule.time) for rule, rows in concluded])
    columns = [_column([(rows, rule.args[p]) for rule, rows in concluded], world) for p in range(relation.arity)]
    key = tuple(p for p in range(relation.arity) if not columns[p].is_number)[:1]
    packed = world.axis.pack([columns[p].codes() for p in key], time)
    packed, order = sort_packed(packed, world.axis.time_bits)
    chosen = Selection(index=order)
    payload = {p: column.select(chosen) for p, column in enumerate(columns)}
    begun = _begun(concluded, world)
    begun = None if begun is None else begun[order]
    points = Points(world.axis, world.dictionary, relation.arity, key, packed, payload, begun)
    return world.cut.choose_later(relation, points)


def _begun(concluded: Found, world: World) -> Ints | None:
    """When each began, on the axis; None if none of them takes time."""
    if all(rule.start is None for rule, _ in concluded):
        return None
    starts = [rows.times(rule.time if rule.start is None else rule.start) for rule, rows in concluded]
    return np.concatenate(starts) - world.axis.origin


def _column(parts: list[tuple[Rows, Arg]], world: World) -> Column:
    """One column out of several rules: of numbers if all of them give numbers of one kind, else of terms."""
    columns = [rows.column(arg) if isinstance(arg, str) else None for rows, arg in parts]
    numbers = [column.numbers() for column in columns if column is not None and column.is_number]
    if len(numbers) == len(parts) and len({array.dtype for array in numbers}) == 1:
        return Column(world.dictionary, numbers=np.concatenate(numbers))
    return Column(world.dictionary, np.concatenate([head_codes(rows, arg, world) for rows, arg in parts]))
