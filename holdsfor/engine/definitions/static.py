"""Statically determined fluents: interval algebra over the groundings that have evidence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce

import numpy as np

from holdsfor.engine.bodies.argument_layout import shape
from holdsfor.engine.bodies.chain import run
from holdsfor.engine.bodies.heads import key_columns, merged
from holdsfor.engine.bodies.lookups import lookup
from holdsfor.engine.bodies.structure import read_by_parts
from holdsfor.engine.data.axis import EMPTY, Axis, Ints
from holdsfor.engine.data.column import Column
from holdsfor.engine.data.limits import OnBehalfOf
from holdsfor.engine.data.rows import Rows
from holdsfor.engine.data.world import World
from holdsfor.engine.definitions.algebra import NOTHING, Frame, Pair, WorkOut
from holdsfor.engine.definitions.algebra_compiling import AlgebraCompiler
from holdsfor.engine.definitions.domain import Allowed, whole_keys
from holdsfor.kernels.intervals.algebra import normalise, union2
from holdsfor.kernels.rows.joining import expand
from holdsfor.kernels.rows.moving import compress, unique_sorted
from holdsfor.kernels.rows.sorting import sort_packed
from holdsfor.plan.definitions import Static
from holdsfor.plan.operators import HoldsForRule, Lookup, Of, Relation
from holdsfor.plan.passes.share import grounds_of, is_on_own_columns
from holdsfor.plan.structures import flat, forms_of, in_order_of
from holdsfor.plan.whole_plan import Grounds, SharedExpression

PURPOSE = "to combine"


@dataclass(frozen=True, slots=True)
class EvidentRelation:
    """A relation that has the variables of a rule, in their order, at these positions, and constants elsewhere."""

    relation: Relation
    constants: tuple[tuple[int, int], ...]
    positions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PreparedStatic:
    """A rule made ready for a dictionary and an axis.

    grounds: what its groundings depend on; None: it needs none. evidence: where each alternative of what gives them is
    one relation; None: they are not. is_own: whether it is evaluated on its own columns. groundings: what the rows that
    it is evaluated for are known by, if rules share them. is_one_to_one: whether each row is one head, in its order.
    """

    rule: HoldsForRule
    axis: Axis
    shared: frozenset[SharedExpression]
    grounds: Grounds | None
    evidence: tuple[EvidentRelation, ...] | None
    is_own: bool
    groundings: SharedExpression | None
    is_one_to_one: bool
    work_out: WorkOut


def evaluate_static(
    definition: Static, world: World, clauses: tuple[Allowed, ...], shared: frozenset[SharedExpression] = frozenset()
) -> None:
    """shared: parts of expressions that several rules have, or one rule more than once."""
    world.put_intervals(
        definition.relation, *unite_rules(definition.rules, definition.relation, world, clauses, shared)
    )


def unite_rules(
    rules: Iterable[HoldsForRule],
    relation: Relation,
    world: World,
    clauses: tuple[Allowed, ...],
    shared: frozenset[SharedExpression] = frozenset(),
) -> Pair:
    """Return the union of the intervals that rules give."""
    pieces = (evaluate_rule(rule, relation, world, clauses, shared) for rule in rules)
    return reduce(lambda one, other: union2(*one, *other), pieces, NOTHING)


def evaluate_rule(
    rule: HoldsForRule,
    relation: Relation,
    world: World,
    clauses: tuple[Allowed, ...],
    shared: frozenset[SharedExpression],
) -> Pair:
    prepared = find_prepared(rule, relation, world, shared)
    if prepared.grounds is None:
        return prepared.work_out(Frame(world, None))
    if prepared.is_own:
        assert prepared.evidence is not None
        return prepared.work_out(Frame(world, None, _evident_keys(prepared.evidence, world)))

    def find_rows() -> Rows:
        return run(rule.conditions, world, _groundings(prepared, world, clauses), stops=True)

    with OnBehalfOf(rule):
        key = prepared.groundings
        rows = find_rows() if key is None else world.shared.find(key, find_rows)
    if not rows.size:
        return NOTHING
    s, e = prepared.work_out(Frame(world, rows))
    if prepared.is_one_to_one:
        return s, e
    s, order = sort_packed(s, world.axis.time_bits)  # several rows may mean the same head
    return normalise(s, e[order])


def find_prepared(
    rule: HoldsForRule, relation: Relation, world: World, shared: frozenset[SharedExpression]
) -> PreparedStatic:
    """It is kept with the dictionary, whose codes it names."""
    key, readings = (PURPOSE, id(rule)), world.dictionary.readings
    prepared = readings.get(key)
    if (
        not isinstance(prepared, PreparedStatic)
        or prepared.rule is not rule
        or prepared.axis is not world.axis
        or prepared.shared is not shared
    ):
        prepared = readings[key] = _prepare(rule, relation, world, shared)
    return prepared


def _prepare(
    rule: HoldsForRule, relation: Relation, world: World, shared: frozenset[SharedExpression]
) -> PreparedStatic:
    grounds, parts = grounds_of(rule, relation), {part: part for part in shared}
    evidence = _find_evidence(rule, world)
    is_own = is_on_own_columns(rule) and (grounds is None or evidence is not None)
    bound = None if is_own else frozenset([*rule.variables, *(name for op in rule.conditions for name in op.binds())])
    are_keys_asked = is_own and grounds is not None
    compiler = AlgebraCompiler(world.axis, world.dictionary, grounds, bound, are_keys_asked, parts)
    is_one_to_one = rule.args == rule.variables and bound == frozenset(rule.variables)
    return PreparedStatic(
        rule,
        world.axis,
        shared,
        grounds,
        evidence,
        is_own,
        parts.get(SharedExpression(grounds, None)),
        is_one_to_one and not world.axis.is_wide(len(rule.args)),
        compiler.compile_rule(rule.expression, rule.args),
    )


# ---------------------------------------------------------------- groundings


def _groundings(prepared: PreparedStatic, world: World, clauses: tuple[Allowed, ...]) -> Rows:
    """The distinct bindings of the rule's variables for which there is evidence, in the order of the variables."""
    if prepared.evidence is None:
        return _find_groundings(prepared.rule, world, clauses)
    variables = prepared.rule.variables
    view, evidence = (variables, prepared.evidence), prepared.evidence  # rules with different conditions often share it
    return world.shared.find(view, lambda: _find_evident(variables, evidence, world))


def _find_evident(variables: tuple[str, ...], evidence: tuple[EvidentRelation, ...], world: World) -> Rows:
    keys, arity = _evident_keys(evidence, world), len(variables)
    codes = {name: world.axis.code(keys, p, arity) for p, name in enumerate(variables)}
    return Rows(world.axis, len(keys), {name: Column(world.dictionary, code) for name, code in codes.items()})


def _find_groundings(rule: HoldsForRule, world: World, clauses: tuple[Allowed, ...]) -> Rows:
    """By joins, or by what is declared."""
    if rule.evidence:
        bindings = [join_evidence(alternative, world) for alternative in rule.evidence]
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


def _find_evidence(rule: HoldsForRule, world: World) -> tuple[EvidentRelation, ...] | None:
    """Find the relations that show the groundings, if each alternative is one part with all variables in order."""
    evidence: list[EvidentRelation] = []
    for alternative in rule.evidence if rule.variables else ():
        part = alternative[0]
        if len(alternative) > 1 or isinstance(part, Lookup) or not in_order_of(part, rule.variables):
            return None
        if world.axis.is_wide(len(part.args)) or forms_of(part.args) is not None:
            return None
        wanted = shape(flat(part.args), frozenset(), world.dictionary)
        evidence.append(EvidentRelation(part.relation, wanted.picks.constants, tuple(p for p, _ in wanted.new)))
    return tuple(evidence) if evidence else None


def _evident_keys(evidence: tuple[EvidentRelation, ...], world: World) -> Ints:
    """The keys of the variables, sorted, for which one of them has held at some time."""
    keys = [_keys_of(one, world) for one in evidence]
    return keys[0] if len(keys) == 1 else unique_sorted(merged(keys))


def _keys_of(evidence: EvidentRelation, world: World) -> Ints:
    axis, arity = world.axis, evidence.relation.arity
    keys = world.intervals_of(evidence.relation).groundings()
    if not evidence.constants:
        return keys
    for position, code in evidence.constants:
        keys = compress(keys, axis.code(keys, position, arity) == code)
    return axis.key([axis.code(keys, position, arity) for position in evidence.positions])


def join_evidence(alternative: tuple[Of | Lookup, ...], world: World) -> Rows:
    rows = Rows(world.axis, 1, {})
    for item in alternative:
        rows = lookup(item, rows, world) if isinstance(item, Lookup) else having(item, rows, world)
    return rows


def having(part: Of, rows: Rows, world: World) -> Rows:
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
