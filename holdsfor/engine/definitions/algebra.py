"""Operators of interval expressions, as functions of the frame that they are evaluated on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce

import numpy as np

from holdsfor.engine.bodies.expression import value
from holdsfor.engine.bodies.heads import head_codes
from holdsfor.engine.bodies.structure import read_by_forms
from holdsfor.engine.data.axis import EMPTY, INT64, Ints
from holdsfor.engine.data.column import Mask
from holdsfor.engine.data.intervals import Intervals
from holdsfor.engine.data.points import Picks
from holdsfor.engine.data.rows import Rows
from holdsfor.engine.data.world import World
from holdsfor.engine.definitions.allen import Within, related
from holdsfor.kernels.intervals.algebra import (
    intersect2,
    intervals_of_rows,
    keep_lasting,
    minus2,
    normalise,
    rename_rows,
    union2,
)
from holdsfor.kernels.rows.moving import compress
from holdsfor.plan.operators import Arg, Lasting, Relate, Relation
from holdsfor.plan.structures import Forms

Pair = tuple[Ints, Ints]
NOTHING: Pair = (EMPTY, EMPTY)
FOREVER = 1 << 62
KERNELS = {"union": union2, "intersection": intersect2, "difference": minus2}
COMPARISONS = {">": np.greater, ">=": np.greater_equal, "<": np.less, "=<": np.less_equal}


@dataclass(frozen=True, slots=True)
class Frame:
    """The axis that an expression is evaluated on: the rule's own columns, or one key per grounding row."""

    world: World
    rows: Rows | None  # None: every part is on the rule's own columns
    keys: Ints | None = None  # on the rule's own columns: the groundings, where they are asked for


WorkOut = Callable[[Frame], Pair]


def as_column(values: Ints) -> Ints:
    """Return values as kernels take them: contiguous and writeable integers."""
    return values if values.dtype == INT64 and values.flags.carray else np.array(values, np.int64)


def as_columns(intervals: Intervals | Pair) -> Pair:
    s, e = (intervals.s, intervals.e) if isinstance(intervals, Intervals) else intervals
    return as_column(s), as_column(e)


# ---------------------------------------------------------------- leaves


def read(relation: Relation, forms: Forms | None, picks: Picks, positions: tuple[int, ...], arity: int) -> WorkOut:
    """Read the intervals of a relation on the axis of these columns. arity: of the columns after cutting."""
    is_whole = forms is None and picks == Picks((), ()) and positions == tuple(range(arity))

    def find(frame: Frame) -> Pair:
        intervals = frame.world.relations.get(relation)
        if not isinstance(intervals, Intervals):
            return NOTHING
        return as_columns(intervals if is_whole else read_by_forms(intervals, forms).project(picks, positions))

    return find


def read_for_rows(part: WorkOut, names: tuple[str, ...]) -> WorkOut:
    """Read for each row the intervals of the key that its columns make."""

    def find(frame: Frame) -> Pair:
        assert frame.rows is not None
        rows = frame.rows
        keys, world = _keys_of(rows, [rows.codes(name) for name in names]), frame.world
        all_keys = len(world.dictionary) if len(names) == 1 else FOREVER  # too many for a table
        return intervals_of_rows(*part(frame), keys, all_keys, world.axis.time_bits)

    return find


def _keys_of(rows: Rows, codes: list[Ints]) -> Ints:
    """Return the key of each row; without arguments all rows are about one thing."""
    return as_column(rows.axis.key(codes)) if codes else np.zeros(rows.size, np.int64)


def share(key: object, make: WorkOut) -> WorkOut:
    """Evaluate once what several rules ask for, or one more than once."""

    def find(frame: Frame) -> Pair:
        return frame.world.shared.find(key, lambda: make(frame))

    return find


# ---------------------------------------------------------------- operators


def combine(op: str, parts: list[WorkOut]) -> WorkOut:
    """Evaluate the union, the intersection, or the first without the others."""
    kernel = KERNELS[op]

    def find(frame: Frame) -> Pair:
        operands = [part(frame) for part in parts]
        if op == "union":  # the shortest first
            operands.sort(key=lambda operand: len(operand[0]))
        return reduce(lambda one, other: kernel(*one, *other), operands)

    return find


def choose_between(part: WorkOut, least: int, most: int) -> WorkOut:
    """Choose the intervals that last from `least` to `most` ticks."""

    def find(frame: Frame) -> Pair:
        world, axis = frame.world, frame.world.axis
        return keep_lasting(*part(frame), least, most, *world.first_points, world.now_on_axis, axis.time_bits)

    return find


def name_rows(part: WorkOut, args: tuple[Arg, ...]) -> WorkOut:
    """Give each row's intervals the key of a rule's head."""

    def find(frame: Frame) -> Pair:
        assert frame.rows is not None
        rows, world = frame.rows, frame.world
        keys = _keys_of(rows, [head_codes(rows, arg, world) for arg in args])
        s, e = part(frame)
        return rename_rows(s, keys, world.axis.time_bits), rename_rows(e, keys, world.axis.time_bits)

    return find


def relate(expression: Relate, source: WorkOut, target: WorkOut) -> WorkOut:
    def find(frame: Frame) -> Pair:
        world, within = frame.world, None
        if expression.within is not None:
            within = Within(expression.within, *world.first_points, world.now_on_axis)
        return related(expression.relation, source(frame), target(frame), expression.mode, world.axis, within)

    return find


def choose_lasting(expression: Lasting, part: WorkOut) -> WorkOut:
    """Choose by a bound of its own for each row."""

    def find(frame: Frame) -> Pair:
        assert frame.rows is not None
        world, (s, e) = frame.world, part(frame)
        mask, now = world.axis.mask, world.now_on_axis
        start, first = world.first_points
        begin, end = s & mask, e & mask
        lasted = np.where(end == mask, now, end) - np.where(begin > start, begin, first)
        bound = value(expression.bound, frame.rows)[s >> world.axis.time_bits]
        kept: Mask = COMPARISONS[expression.op](lasted, bound)
        if expression.within is not None:
            kept &= np.less_equal(bound, expression.within)
        return compress(s, kept), compress(e, kept)

    return find


def leave(parts: list[WorkOut]) -> WorkOut:
    """For every grounding all of the history that the parts leave, or what of it is still looked at.

    What holds at the first point does so without anything having happened: it began before, and has no start.
    """

    def find(frame: Frame) -> Pair:
        axis = frame.world.axis
        before, first = _first_points(frame.world)
        base = _frame_keys(frame) << axis.time_bits
        s, e = base | first, base | axis.mask
        for part in parts:
            s, e = minus2(s, e, *part(frame))
        return np.where((s & axis.mask) == first, s - first + before, s), e

    return find


def leave_near(parts: list[WorkOut], distance: int) -> WorkOut:
    """Return the complement within a distance of the parts; what would end later than now is open."""

    def find(frame: Frame) -> Pair:
        axis, world = frame.world.axis, frame.world
        now = world.now_on_axis
        before, first = _first_points(world)
        s, e = NOTHING
        for part in parts:
            s, e = union2(s, e, *part(frame))
        later = (e & axis.mask) + distance
        wide_s = (s & ~axis.mask) | np.maximum((s & axis.mask) - distance, first)
        wide_e = (e & ~axis.mask) | np.where(later > now, axis.mask, later)
        around_s, around_e = minus2(*normalise(wide_s, wide_e), s, e)
        after = int(axis.following(np.array([now]))[0]) + 1  # what is near a later point nobody knows yet
        known = (around_s & axis.mask) <= after
        around_s, around_e = compress(around_s, known), compress(around_e, known)
        return np.where((around_s & axis.mask) == first, around_s - first + before, around_s), around_e

    return find


def _first_points(world: World) -> tuple[int, int]:
    """Return the ticks between which the history begins, or the origin of the axis where that is later."""
    before, first = world.first_points
    return max(before, 0), max(first, 0)


def _frame_keys(frame: Frame) -> Ints:
    if frame.keys is not None:
        return frame.keys
    assert frame.rows is not None
    return np.arange(frame.rows.size)
