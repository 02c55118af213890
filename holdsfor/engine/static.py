"""Statically determined fluents: interval algebra over the groundings that have evidence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from holdsfor.engine.allen import Within, related
from holdsfor.engine.axis import Ints
from holdsfor.engine.chain import lookup, run
from holdsfor.engine.column import Column, Mask
from holdsfor.engine.conclude import head_codes, key_columns, merged
from holdsfor.engine.domain import Allowed, whole_keys
from holdsfor.engine.expression import value
from holdsfor.engine.limits import OnBehalfOf
from holdsfor.engine.literals import shape
from holdsfor.engine.points import EMPTY
from holdsfor.engine.rows import Rows
from holdsfor.engine.structure import read_by_parts
from holdsfor.engine.world import World
from holdsfor.kernels import compress, expand, intersect2, lift, minus2, normalise, sort_packed, union2, unique_sorted
from holdsfor.language.terms import is_ground
from holdsfor.plan.definitions import Static
from holdsfor.plan.operators import (
    WHOLE_HISTORY,
    Combine,
    Expression,
    HoldsForRule,
    Lasting,
    Lookup,
    Of,
    Relate,
    Relation,
)
from holdsfor.plan.passes.share import grounds_of, is_on_own_columns
from holdsfor.plan.structures import flat, forms_of, in_order_of
from holdsfor.plan.whole_plan import Grounds, SharedExpression

Pair = tuple[Ints, Ints]
NOTHING: Pair = (EMPTY, EMPTY)


@dataclass(frozen=True, slots=True)
class Frame:
    """The axis that an expression is evaluated on: the rule's own columns, or one key per grounding row."""

    world: World
    rows: Rows | None  # None: every part is on the rule's own columns
    grounds: Grounds | None
    shared: frozenset[SharedExpression]
    keys: Ints | None = None  # on the rule's own columns: the groundings, where they are asked for


def evaluate_static(
    definition: Static, world: World, clauses: tuple[Allowed, ...], shared: frozenset[SharedExpression] = frozenset()
) -> None:
    """shared: parts of expressions that several rules have, or one rule more than once."""
    relation = definition.relation
    pieces = [evaluate_rule(rule, relation, world, clauses, shared) for rule in definition.rules]
    s, e = NOTHING if not pieces else pieces[0]
    for more in pieces[1:]:
        s, e = union2(s, e, *more)
    world.put_intervals(relation, s, e)


def evaluate_rule(
    rule: HoldsForRule,
    relation: Relation,
    world: World,
    clauses: tuple[Allowed, ...],
    shared: frozenset[SharedExpression],
) -> Pair:
    grounds = grounds_of(rule, relation)
    if grounds is None:
        return _algebra(rule.expression, Frame(world, None, None, shared))
    if is_on_own_columns(rule) and (keys := _evident_keys(rule, world)) is not None:
        return _algebra(rule.expression, Frame(world, None, grounds, shared, keys))
    part = SharedExpression(grounds, None)
    rows = world.shared.get(part)
    if not isinstance(rows, Rows):
        with OnBehalfOf(rule):
            rows = run(rule.conditions, world, _groundings(rule, world, clauses))
        if part in shared:
            world.shared[part] = rows
    s, e = _algebra(rule.expression, Frame(world, rows, grounds, shared))
    return _to_head(rule, rows, s, e, world)


# ---------------------------------------------------------------- groundings


def _groundings(rule: HoldsForRule, world: World, clauses: tuple[Allowed, ...]) -> Rows:
    """The distinct bindings of the rule's variables for which there is evidence, in the order of the variables."""
    keys = _evident_keys(rule, world)
    if keys is not None:
        arity = len(rule.variables)
        codes = {name: world.axis.code(keys, p, arity) for p, name in enumerate(rule.variables)}
        return Rows(world.axis, len(keys), {name: Column(world.dictionary, code) for name, code in codes.items()})
    if rule.evidence:
        bindings = [_joined(alternative, world) for alternative in rule.evidence]
    else:
        bindings = [_declared(rule, world, clauses)]
    columns = [np.concatenate([rows.codes(name) for rows in bindings]) for name in rule.variables]
    if not columns:
        return Rows(world.axis, int(any(rows.size for rows in bindings)), {})
    order = np.lexsort(columns[::-1])
    columns = [column[order] for column in columns]
    fresh = np.zeros(len(order), np.bool_)
    fresh[:1] = True
    for column in columns:
        fresh[1:] |= column[1:] != column[:-1]
    named = {
        name: Column(world.dictionary, compress(column, fresh))
        for name, column in zip(rule.variables, columns, strict=True)
    }
    return Rows(world.axis, int(fresh.sum()), named)


def _evident_keys(rule: HoldsForRule, world: World) -> Ints | None:
    """The keys of its variables, sorted, where each alternative is one part with all of them in their order."""
    if not rule.variables:
        return None
    keys: list[Ints] = []
    for alternative in rule.evidence:
        part = alternative[0]
        if len(alternative) > 1 or isinstance(part, Lookup) or not in_order_of(part, rule.variables):
            return None
        if world.axis.is_wide(len(part.args)) or forms_of(part.args) is not None:
            return None
        keys.append(_keys_of(part, world))
    return None if not keys else keys[0] if len(keys) == 1 else unique_sorted(merged(keys))


def _keys_of(part: Of, world: World) -> Ints:
    """The keys of its variables for which the part has held at some time."""
    axis, arity = world.axis, part.relation.arity
    keys = world.intervals_of(part.relation).groundings()
    wanted = shape(flat(part.args), frozenset(), world.dictionary)
    if not wanted.picks.constants:
        return keys
    for position, code in wanted.picks.constants:
        keys = compress(keys, axis.code(keys, position, arity) == code)
    return axis.key([axis.code(keys, position, arity) for position, _ in wanted.new])


def _joined(alternative: tuple[Of | Lookup, ...], world: World) -> Rows:
    rows = Rows(world.axis, 1, {})
    for item in alternative:
        rows = lookup(item, rows, world) if isinstance(item, Lookup) else _having(item, rows, world)
    return rows


def _having(part: Of, rows: Rows, world: World) -> Rows:
    """Joined with the groundings that the part has had."""
    intervals, args = read_by_parts(world.intervals_of(part.relation), part.args)
    axis = world.axis
    wanted = shape(args, rows.names, world.dictionary)
    keys = intervals.groundings()
    codes = {p: axis.code(keys, p, intervals.arity) for p in range(intervals.arity)}
    mask = np.ones(len(keys), np.bool_)
    for position, code in wanted.picks.constants:
        mask &= codes[position] == code
    for position, other in wanted.picks.equal:
        mask &= codes[position] == codes[other]
    kept = np.flatnonzero(mask)
    if wanted.positions:
        right = axis.key([codes[p][kept] for p in wanted.positions])
        order = np.argsort(right, kind="stable")
        right, kept = right[order], kept[order]
        left = axis.key([rows.codes(name) for name in wanted.names])
        i, j = expand(np.searchsorted(right, left, "left"), np.searchsorted(right, left, "right"))
    else:
        i, j = expand(np.zeros(rows.size, np.int64), np.full(rows.size, len(kept), np.int64))
    chosen = kept[j]
    return rows.take(i).bind({name: Column(world.dictionary, codes[p][chosen]) for p, name in wanted.new})


def _declared(rule: HoldsForRule, world: World, clauses: tuple[Allowed, ...]) -> Rows:
    """The groundings that the declaration of the head enumerates."""
    keys = whole_keys(clauses, len(rule.args))
    keys = EMPTY if keys is None else keys
    keys, parts = key_columns(keys, len(rule.args), forms_of(rule.args), world)
    columns = {
        arg: Column(world.dictionary, codes)
        for arg, codes in zip(flat(rule.args), parts, strict=True)
        if isinstance(arg, str)
    }
    return Rows(world.axis, len(keys), columns)


# ---------------------------------------------------------------- algebra


def _algebra(expression: Expression, frame: Frame) -> Pair:
    if frame.rows is None and isinstance(expression, Of):  # relations know what was asked of them
        return _of(expression, frame)
    part = SharedExpression(frame.grounds, expression)
    if part not in frame.shared:
        return _worked_out(expression, frame)
    key = part if frame.keys is None else (part, "on own columns")
    known = frame.world.shared.get(key)
    if not isinstance(known, tuple):
        known = frame.world.shared[key] = _worked_out(expression, frame)
    return known


def _worked_out(expression: Expression, frame: Frame) -> Pair:
    match expression:
        case Of():
            return _of(expression, frame)
        case Lasting():
            return _lasting(expression, frame)
        case Relate():
            source, target = _algebra(expression.source, frame), _algebra(expression.target, frame)
            within = _within(expression, frame.world)
            return related(expression.relation, source, target, expression.mode, frame.world.axis, within)
        case Combine():
            if expression.op == "complement":
                return _complement(expression, frame) if expression.within is None else _near(expression, frame)
            if not expression.parts:
                return NOTHING
            if expression.op == "union" and WHOLE_HISTORY in expression.parts:
                return _algebra(WHOLE_HISTORY, frame)
            if expression.op == "union":
                return _unite([_algebra(part, frame) for part in expression.parts])
            s, e = _algebra(expression.parts[0], frame)
            kernel = intersect2 if expression.op == "intersection" else minus2
            for part in expression.parts[1:]:
                s, e = kernel(s, e, *_algebra(part, frame))
            return s, e


def _unite(waiting: list[Pair]) -> Pair:
    """The shortest lists first."""
    while len(waiting) > 1:
        one, other, *rest = sorted(waiting, key=lambda pair: len(pair[0]))
        waiting = [union2(*one, *other), *rest]
    return waiting[0]


def _complement(expression: Combine, frame: Frame) -> Pair:
    """For every grounding all of the history that the parts leave, or what of it is still looked at.

    What holds at the first point does so without anything having happened: it began before, and has no start.
    """
    axis = frame.world.axis
    start = frame.world.start - axis.origin
    before, first = (max(int(axis.following(np.array([point]))[0]), 0) for point in (start - 1, start))
    base = _frame_keys(frame) << axis.time_bits
    s, e = base | first, base | axis.mask
    for part in expression.parts:
        s, e = minus2(s, e, *_algebra(part, frame))
    return np.where((s & axis.mask) == first, s - first + before, s), e


def _frame_keys(frame: Frame) -> Ints:
    if frame.keys is not None:
        return frame.keys
    assert frame.rows is not None
    return np.arange(frame.rows.size)


def _near(expression: Combine, frame: Frame) -> Pair:
    """The complement within a bound: around the parts, and in none of them. What ends later than now is open."""
    axis, world = frame.world.axis, frame.world
    assert expression.within is not None
    start, now = world.start - axis.origin, world.now - axis.origin
    before, first = (max(int(axis.following(np.array([point]))[0]), 0) for point in (start - 1, start))
    s, e = NOTHING
    for part in expression.parts:
        s, e = union2(s, e, *_algebra(part, frame))
    later = (e & axis.mask) + expression.within
    wide_s = (s & ~axis.mask) | np.maximum((s & axis.mask) - expression.within, first)
    wide_e = (e & ~axis.mask) | np.where(later > now, axis.mask, later)
    around_s, around_e = minus2(*normalise(wide_s, wide_e), s, e)
    after = int(axis.following(np.array([now]))[0]) + 1  # what is near a later point nobody knows yet
    known = (around_s & axis.mask) <= after
    around_s, around_e = compress(around_s, known), compress(around_e, known)
    return np.where((around_s & axis.mask) == first, around_s - first + before, around_s), around_e


def _within(expression: Relate, world: World) -> Within | None:
    if expression.within is None:
        return None
    origin = world.axis.origin
    return Within(expression.within, world.start + 1 - origin, world.now - origin)


def _of(part: Of, frame: Frame) -> Pair:
    world, rows = frame.world, frame.rows
    intervals, args = read_by_parts(world.intervals_of(part.relation), part.args)
    if rows is None:
        own = shape(args, frozenset(), world.dictionary)
        return intervals.project(own.picks, tuple(position for position, _ in own.new))
    wanted = shape(args, rows.names, world.dictionary)
    assert not wanted.new, part
    if wanted.positions:
        key = world.axis.key([rows.codes(name) for name in wanted.names])
    else:
        key = np.zeros(rows.size, np.int64)
    s, e, low, high = intervals.ranges(wanted.picks, wanted.positions, key)
    return lift(s, e, low, high, world.axis.time_bits)


def _lasting(expression: Lasting, frame: Frame) -> Pair:
    world = frame.world
    s, e = _algebra(expression.part, frame)
    mask, now = world.axis.mask, world.now - world.axis.origin
    first = world.start + 1 - world.axis.origin  # of the history
    end = e & mask
    lasted = np.where(end == mask, now, end) - np.maximum(s & mask, first)
    if frame.rows is not None and not is_ground(expression.bound):
        bound = value(expression.bound, frame.rows)[s >> world.axis.time_bits]
    else:
        bound = value(expression.bound, Rows(world.axis, 0, {}))
    tests = {">": np.greater, ">=": np.greater_equal, "<": np.less, "=<": np.less_equal}
    kept: Mask = tests[expression.op](lasted, bound)
    if expression.within is not None:
        kept &= np.less_equal(bound, expression.within)
    return compress(s, kept), compress(e, kept)


def _to_head(rule: HoldsForRule, rows: Rows, s: Ints, e: Ints, world: World) -> Pair:
    """From grounding rows to the columns of the head, united where several rows mean the same head."""
    axis = world.axis
    row, mask, bits = s >> axis.time_bits, axis.mask, axis.time_bits
    if not rule.args:
        base = np.zeros(len(s), np.int64)
    else:
        base = axis.key([head_codes(rows, arg, world) for arg in rule.args])[row] << bits
    s, e = base | (s & mask), base | (e & mask)
    one_to_one = rule.args == rule.variables and rows.names == frozenset(rule.variables)
    if one_to_one and not axis.is_wide(len(rule.args)):  # one row a head, in its order
        return s, e
    s, order = sort_packed(s, axis.time_bits)
    return normalise(s, e[order])
