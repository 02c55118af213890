"""Conclusions: the rows of a rule become points on the axis of its head."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from holdsfor.engine.bodies.rulebook import Rulebook, find_rule, run_rule
from holdsfor.engine.bodies.structure import take_apart, term_codes
from holdsfor.engine.data.axis import EMPTY, Ints
from holdsfor.engine.data.rows import Rows
from holdsfor.engine.data.world import World
from holdsfor.kernels.rows.joining import expand, points_of_keys
from holdsfor.kernels.rows.moving import compress, merge_sorted, take, time_span
from holdsfor.plan.operators import Arg, Conclude, Relation
from holdsfor.plan.structures import Forms, width


@dataclass(frozen=True, slots=True)
class Open:
    """Points of a head with wildcards: packed on the bound columns only, sorted.

    forms: how the arguments of the head are cut, where a wildcard is inside one; positions: after cutting.
    """

    forms: Forms | None
    positions: tuple[int, ...]
    packed: Ints

    def cuts_last(self) -> bool:
        """Whether the wildcard is inside the last argument."""
        return self.forms is not None and self.forms[-1] is not None

    def binds_last(self, arity: int) -> bool:
        columns = arity if self.forms is None else sum(map(width, self.forms))
        return not self.cuts_last() and columns - 1 in self.positions

    def without_last(self, positions: tuple[int, ...], packed: Ints) -> Open:
        """Return the same arguments without the last, with these points."""
        return Open(None if self.forms is None else self.forms[:-1], positions, packed)


def concluded(rules: Iterable[Conclude], world: World, rulebook: Rulebook) -> tuple[list[Ints], list[Open]]:
    """The points of the rules of one relation: those with all columns bound, and those with wildcards."""
    full: list[Ints] = []
    wild: list[Open] = []
    for rule in rules:
        prepared = find_rule(rule, rulebook)
        packed = EMPTY
        if not prepared.is_void(world) and (rows := run_rule(rule, prepared, world)).size:
            packed = head_points(rows, prepared.args, rule.time, world)
        if prepared.is_full:
            full.append(packed)
        else:
            wild.append(Open(prepared.forms, prepared.positions, packed))
    return full, wild


def head_points(rows: Rows, args: tuple[Arg, ...], time: str, world: World) -> Ints:
    """Return the sorted points of the head's columns at the time, as far as conclusions are drawn for it."""
    low, high = world.cut.earliest + 1, world.now_on_axis
    packed, in_order = _pack_head(rows, args, time, world)
    if len(packed) and not rows.lies_within(time, low, high):
        first, last = time_span(packed, world.axis.mask)
        if first < low or last > high:
            times = packed & world.axis.mask
            packed = compress(packed, (times >= low) & (times <= high))
    return packed if in_order else np.sort(packed)


def choose_current(rows: Rows, time: str, world: World) -> Rows:
    """Choose rows for whose time conclusions are drawn: after the earliest cut, and up to now."""
    low, high = world.cut.earliest + 1, world.now_on_axis
    if not rows.size or rows.lies_within(time, low, high):
        return rows
    times = rows.times(time) - world.axis.origin
    return rows.filter((times >= low) & (times <= high))


def _pack_head(rows: Rows, args: tuple[Arg, ...], time: str, world: World) -> tuple[Ints, bool]:
    """The points of the head's columns at the time, and whether they are sorted."""
    names = _find_names(args)
    if names is not None:
        return rows.pack(names, time)
    codes = [head_codes(rows, arg, world) for arg in args]
    return world.axis.pack(codes, rows.times(time)), False


@lru_cache(maxsize=4096)  # of the rules alone, and asked at each evaluation
def _find_names(args: tuple[Arg, ...]) -> tuple[str, ...] | None:
    """The variables that the arguments are, if all of them are variables."""
    names = tuple(arg for arg in args if isinstance(arg, str))
    return names if len(names) == len(args) else None


def head_codes(rows: Rows, arg: Arg, world: World) -> Ints:
    return term_codes(arg, rows, world.dictionary)


def key_columns(keys: Ints, arity: int, forms: Forms | None, world: World) -> tuple[Ints, list[Ints]]:
    """The keys whose arguments have these forms, and their columns by parts."""
    columns = [world.axis.code(keys, p, arity) for p in range(arity)]
    if forms is None:
        return keys, columns
    kept, parts = take_apart(columns, forms, world.dictionary)
    return keys[kept], parts


def joined(lists: Iterable[Ints]) -> Ints:
    """One list after the other."""
    waiting = [points for points in lists if len(points)]
    return EMPTY if not waiting else waiting[0] if len(waiting) == 1 else np.concatenate(waiting)


def merged(lists: Iterable[Ints]) -> Ints:
    """One sorted list out of several, the shortest first."""
    waiting = [points for points in lists if points.size]
    if len(waiting) < 2:
        return waiting[0] if waiting else EMPTY
    waiting.sort(key=len)
    while len(waiting) > 1:
        one, other, *rest = waiting
        waiting = sorted([merge_sorted(one, other), *rest], key=len)
    return waiting[0]


def merged_since(lists: Iterable[Ints], relation: Relation, world: World) -> Ints:
    """Merge sorted lists, and keep what is after the cut of its key."""
    shorter = sorted((points for points in lists if points.size), key=len)
    if not shorter:
        return EMPTY
    longest = shorter.pop()
    return world.cut.merge_later(relation, longest, merged(shorter), relation.arity)


def spread_over(open_points: Open, keys: Ints, arity: int, world: World) -> Ints:
    """The points for every key that agrees in the bound columns; sorted, as keys are."""
    points, positions, axis = open_points.packed, open_points.positions, world.axis
    if len(points) == 0 or len(keys) == 0:
        return EMPTY
    if open_points.forms is None and positions == tuple(range(len(positions))) and not axis.is_wide(arity):
        low, high = points_of_keys(keys, points, (arity - len(positions)) * axis.code_bits, axis.time_bits)
    else:
        keys, columns = key_columns(keys, arity, open_points.forms, world)
        part = axis.key([columns[p] for p in positions]) if positions else np.zeros(len(keys), np.int64)
        known = points >> axis.time_bits
        low, high = np.searchsorted(known, part, "left"), np.searchsorted(known, part, "right")
    i, j = expand(low, high)
    return (take(keys, i) << axis.time_bits) | (take(points, j) & axis.mask)


def spread_since(open_points: Open, keys: Ints, relation: Relation, world: World) -> Ints:
    """Spread points over keys as `spread_over` does, after the cut of each key."""
    return world.choose_later(relation, spread_over(open_points, keys, relation.arity, world))
