"""Measure what a test tries: each rule is run condition by condition over the evaluated history."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from holdsfor.engine.bodies.calculate import calculate
from holdsfor.engine.bodies.chain import ROW, step
from holdsfor.engine.data.column import Column
from holdsfor.engine.data.dictionary import with_room
from holdsfor.engine.data.rows import Rows
from holdsfor.engine.data.world import World
from holdsfor.engine.definitions.evaluate import Program, evaluate
from holdsfor.engine.input.window import Windows
from holdsfor.engine.patterns.joins import match_pattern, occurring
from holdsfor.engine.stepping.history import prepare, select_standing
from holdsfor.io.events import Events
from holdsfor.language.nodes import find_all
from holdsfor.language.terms import NOWHERE
from holdsfor.plan.definitions import Declared, Definition, Derived, Due, Fixpoint, Group, Recursion, Simple, Static
from holdsfor.plan.nodes import RelationNode
from holdsfor.plan.operators import (
    Chain,
    Conclude,
    Holding,
    HoldsForRule,
    Let,
    Names,
    Occurring,
    Of,
    Op,
    Relation,
    RuleNode,
    Tally,
    Where,
    Without,
)
from holdsfor.plan.patterns import PatternNode
from holdsfor.plan.printing.rule import Writer
from holdsfor.testing.coverage.records import NEXT, SHARE, Border, ConditionRecord, Coverage, RuleKind, RuleRecord

ORDERED = ("<", ">", "=<", ">=")
#: Each rule of a definition, with what it is for and the relation that it is about.
KindOfRule = tuple[RuleKind, RuleNode, Relation]


def measure(program: Program, events: Events, windows: Windows, coverage: Coverage) -> None:
    """Add what a history tries of the rules. program: of the plan that says what the rules say."""
    blocks = select_standing(events.blocks, windows)
    world = with_room(lambda room: _evaluated(program, prepare(program, blocks, windows, room=room)))
    for kind, rule, relation in (each for one in program.plan.definitions for each in _rules(one)):
        if rule.place is not NOWHERE:
            _measure_rule(rule, relation, coverage.rule(rule.place, kind), world)


def _evaluated(program: Program, world: World) -> World:
    evaluate(program, world)
    return world


def _rules(definition: Definition) -> Iterator[KindOfRule]:
    match definition:
        case Simple():
            yield from _rules_of_fluent(definition)
        case Group():
            for fluent in definition.fluents:
                yield from _rules_of_fluent(fluent)
            yield from (("deadline", due, due.target) for due in definition.deadlines)
        case Derived():
            yield from (("event", rule, definition.relation) for rule in definition.rules)
        case Recursion() | Fixpoint():
            yield from (rule for part in definition.parts for rule in _rules(part))
        case Static():
            yield from (("intervals", rule, definition.relation) for rule in definition.rules)


def _rules_of_fluent(fluent: Simple) -> Iterator[KindOfRule]:
    groups: tuple[tuple[RuleKind, Iterable[Iterable[RuleNode]]], ...] = (
        ("initiation", fluent.initiations),
        ("termination", fluent.terminations),
        ("initially", fluent.initially),
    )
    for kind, by_value in groups:
        for relation, rules in zip(fluent.relations, by_value, strict=False):
            yield from ((kind, rule, relation) for rule in rules)


def _measure_rule(rule: RuleNode, relation: Relation, record: RuleRecord, world: World) -> None:
    match rule:
        case Conclude():
            rows = _run(rule.chain, rule.names, record, world)
            record.fired += rows.size
            if record.kind == "termination" and rows.size:
                record.effective += step(Holding(relation, rule.args, rule.time), rows, world).size
        case Declared():
            record.fired += 0 if rule.start else _run(rule.chain, rule.names, record, world).size
        case HoldsForRule():
            _measure_intervals(rule, relation, record, world)
        case Due():
            ends, starts = world.intervals_of(rule.source).e, world.intervals_of(rule.target).s
            record.fired += int(np.isin(starts, ends).sum())


def _measure_intervals(rule: HoldsForRule, relation: Relation, record: RuleRecord, world: World) -> None:
    """Record which operands of a holdsFor rule ever hold, and whether its fluent does."""
    record.fired += len(world.intervals_of(relation))
    writer = Writer((), written=dict(rule.names))
    for part in find_all(rule.expression, Of):
        condition = _condition(part.claim(writer), False, record)
        condition.true += len(world.intervals_of(part.relation))


def _run(chain: Chain, names: Names, record: RuleRecord, world: World) -> Rows:
    """Run a chain, and record what became of the rows at each condition."""
    writer, rows = Writer((), written=dict(names)), None
    for place, op in enumerate(chain):
        if isinstance(op, Occurring):
            rows = occurring(op, world)
            for pattern, alternatives in filter(None, (node.tested() for node in find_all(op.pattern, PatternNode))):
                for one in alternatives:
                    _run_from(match_pattern(pattern, world), one, writer, record, world)
        elif place == 0 and isinstance(op, RelationNode):
            rows = step(op, None, world)
            _condition(op.claim(writer), False, record).true += rows.size
        else:
            rows = _pass(op, Rows(world.axis, 1, {}) if rows is None else rows, writer, record, world)
    return Rows(world.axis, 1, {}) if rows is None else rows


def _run_from(rows: Rows, chain: Chain, writer: Writer, record: RuleRecord, world: World) -> None:
    for op in chain:
        rows = _pass(op, rows, writer, record, world)


def _pass(op: Op, rows: Rows, writer: Writer, record: RuleRecord, world: World) -> Rows:
    """Return the rows that pass a condition, and record how many did, and how many did not."""
    if isinstance(op, Let | Tally):
        return step(op, rows, world)
    condition = _condition(op.claim(writer), True, record)
    if isinstance(op, Where) and op.op in ORDERED:
        condition.border = condition.border or Border()
        _measure_border(op, rows, condition.border, world)
    if isinstance(op, Where | Without):
        passed = step(op, rows, world)
        true = passed.size
    else:
        numbered = rows.bind({ROW: Column(world.dictionary, numbers=np.arange(rows.size))})
        passed = step(op, numbered, world)
        true = len(np.unique(passed.times(ROW))) if passed.size else 0
    condition.true += true
    condition.false += rows.size - true
    return passed


def _condition(text: str, needs_false: bool, record: RuleRecord) -> ConditionRecord:
    return record.conditions.setdefault(text, ConditionRecord(text, needs_false))


def _measure_border(op: Where, rows: Rows, border: Border, world: World) -> None:
    """Record how near the sides of a comparison come to each other."""
    rows, left = calculate(op.left, rows, world)
    rows, right = calculate(op.right, rows.bind({ROW: left}), world)
    if not rows.size:
        return
    one = np.broadcast_to(rows.column(ROW).numbers(), (rows.size,))
    other = np.broadcast_to(right.numbers(), (rows.size,))
    both_whole = one.dtype.kind == "i" and other.dtype.kind == "i"
    nearness = NEXT if both_whole else SHARE * np.maximum(np.abs(other), 1)
    distance = one - other
    border.at |= bool((distance == 0).any())
    for name, side in (("below", -distance[distance < 0]), ("above", distance[distance > 0])):
        if len(side):
            nearest, before = float(side.min()), getattr(border, name)
            setattr(border, name, nearest if before is None else min(before, nearest))
    border.is_near_below |= bool(((distance < 0) & (-distance <= nearness)).any())
    border.is_near_above |= bool(((distance > 0) & (distance <= nearness)).any())
