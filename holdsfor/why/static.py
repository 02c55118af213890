"""Reasons of statically determined fluents: the operands of interval expressions, over the points that are asked about.

A union is explained piece by piece, each by an operand that holds there; an intersection by all operands; a difference
by its first operand and the absence of the others. What depends on how long an interval lasts, or on when it begins and
ends, is explained over all of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from holdsfor.engine.bodies.chain import run
from holdsfor.engine.bodies.lookups import lookup
from holdsfor.engine.data.rows import Rows
from holdsfor.engine.definitions.algebra import Frame
from holdsfor.engine.definitions.algebra_compiling import AlgebraCompiler
from holdsfor.engine.definitions.allen import Within, related
from holdsfor.engine.definitions.static import having
from holdsfor.language.nodes import find_all
from holdsfor.language.terms import NOWHERE
from holdsfor.plan.definitions import Static
from holdsfor.plan.operators import Combine, Expression, HoldsForRule, Lasting, Lookup, Of, Relate
from holdsfor.why.bodies import (
    Several,
    Solution,
    Steps,
    agreeing,
    bind_head,
    explain_body,
    explain_lookup,
    grounding_text,
    term_text,
)
from holdsfor.why.derivation import Derivation
from holdsfor.why.influence import bindings_of
from holdsfor.why.replay import Key, Replay

if TYPE_CHECKING:
    from holdsfor.why.walk import Walk

T = TypeVar("T")
Spans = list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Instance:
    """A rule with one row of values for its variables, and what gave them: one of several lists, or nothing."""

    rule: HoldsForRule
    row: Rows
    alternatives: list[tuple[Of | Lookup, ...]]


def explain_static(fact: Derivation, definition: Static, key: Key, low: int, high: int, walk: Walk) -> Steps:
    """Explain the points low..high-1 of an interval by the rules that give them."""
    groundings = [each for rule in definition.rules for each in _groundings(rule, key, walk.replay)]
    spans = [(each, spans_of(each.rule.expression, each.row, walk.replay)) for each in groundings]
    pieces: list[Derivation] = []
    for begin, end, each in cover(spans, low, high):
        causes = yield from explain_expression(each.rule.expression, each.row, begin, end, walk)
        grounds = yield from _explain_grounds(each, causes, walk)
        solution = Solution(each.rule.conditions, each.row, each.rule.names)
        if each.rule.place is NOWHERE and len(causes) == 1:  # what rules conclude, or rows of the input
            pieces.append(replace(causes[0], since=fact.since, until=fact.until))
            continue
        bindings = solution.bindings(walk.replay)
        pieces.append(replace(fact, rule=each.rule.place, bindings=bindings, causes=(*grounds, *causes)))
    return pieces[0] if len(pieces) == 1 else replace(fact, causes=tuple(pieces) or (walk.lost(fact.what),))


def cover(candidates: Iterable[tuple[T, Spans]], low: int, high: int) -> Iterator[tuple[int, int, T]]:
    """Iterate over pieces of low..high-1, each with a candidate that holds there, as long as possible."""
    candidates = list(candidates)
    while low < high:
        ends = [(end, n) for n, (_, spans) in enumerate(candidates) for start, end in spans if start <= low < end]
        if not ends:
            return
        end, n = max(ends, key=lambda one: (one[0], -one[1]))
        yield low, min(end, high), candidates[n][0]
        low = end


def _groundings(rule: HoldsForRule, key: Key, replay: Replay) -> list[Instance]:
    """Return the values of a rule's variables for which its head is about the grounding."""
    world, groundings = replay.world, dict[Key, Instance]()
    rows = bind_head(rule.args, key, replay)
    for alternative in rule.evidence or ((),):
        joined = rows
        for item in alternative:
            joined = lookup(item, joined, world) if isinstance(item, Lookup) else having(item, joined, world)
        joined = agreeing(run(rule.conditions, world, joined, stops=True), rule.args, key, replay)
        for place in range(joined.size):
            row = joined.take(np.array([place]))
            values = tuple(int(row.codes(name)[0]) for name in rule.variables)
            groundings.setdefault(values, Instance(rule, row, [])).alternatives.append(alternative)
    return list(groundings.values())


def spans_of(expression: Expression, row: Rows, replay: Replay) -> Spans:
    """Return where an expression holds for one row of values."""
    axis = replay.world.axis
    compiler = AlgebraCompiler(axis, replay.world.dictionary, None, row.names, False, {})
    starts, ends = compiler.compile(expression)(Frame(replay.world, row))
    return list(zip((starts & axis.mask).tolist(), (ends & axis.mask).tolist(), strict=True))


def _explain_grounds(one: Instance, causes: Iterable[Derivation], walk: Walk) -> Several:
    """Explain what gave the variables of a rule their values, where no operand says it, and its conditions."""
    conditions = yield from explain_body(Solution(one.rule.conditions, one.row, one.rule.names), walk)
    explained = {node.what for cause in (*causes, *conditions) for node in cause.nodes()}
    missing = ([item for item in items if _text(item, one.row, walk) not in explained] for items in one.alternatives)
    grounds: list[Derivation] = []
    for item in min(missing, key=len):
        if isinstance(item, Lookup):
            grounds.append(explain_lookup(item, one.row, walk.replay))
        else:
            grounds += yield from _explain_evidence(item, one.row, walk)
    return (*grounds, *conditions)


def _text(item: Of | Lookup, row: Rows, walk: Walk) -> str:
    if isinstance(item, Lookup):
        return explain_lookup(item, row, walk.replay).what
    return grounding_text(item.relation, item.args, row, walk.replay)


def _explain_evidence(part: Of, row: Rows, walk: Walk) -> Several:
    """Explain that a fluent has held at some time."""
    for one in walk.replay.intervals(part.relation, part.args, row, -1, walk.replay.world.axis.mask + 1):
        return ((yield walk.holds(part.relation, one.key, one.start, one.start + 1)),)
    return (walk.lost(str(part.relation)),)


# ---------------------------------------------------------------- expressions


def explain_expression(expression: Expression, row: Rows, low: int, high: int, walk: Walk) -> Several:
    """Explain why an expression holds at all points low..high-1."""
    match expression:
        case Of():
            return (yield from _explain_operand(expression, row, low, high, walk))
        case Combine(op="union"):
            spans = [(part, spans_of(part, row, walk.replay)) for part in expression.parts]
            causes: list[Derivation] = []
            for begin, end, part in cover(spans, low, high):
                causes += yield from explain_expression(part, row, begin, end, walk)
            return tuple(causes)
        case Combine(op="intersection"):
            causes = []
            for part in expression.parts:
                causes += yield from explain_expression(part, row, low, high, walk)
            return tuple(causes)
        case Combine(op="difference"):
            first = yield from explain_expression(expression.parts[0], row, low, high, walk)
            return (*first, *(_without(part, row, walk) for part in expression.parts[1:]))
        case Combine():
            near = yield from _explain_nearness(expression, row, low, walk)
            return (*near, *(_without(part, row, walk) for part in expression.parts))
        case Lasting():
            return ((yield _explain_duration(expression, row, low, walk)),)
        case Relate():
            return ((yield _explain_relation(expression, row, low, walk)),)


def _explain_operand(part: Of, row: Rows, low: int, high: int, walk: Walk) -> Several:
    """Explain a fluent, or one grounding after the other where several do."""
    held = walk.replay.intervals(part.relation, part.args, row, low, high)
    causes = []
    for begin, end, one in cover([(one, [(one.start, one.end)]) for one in held], low, high):
        causes.append((yield walk.holds(part.relation, one.key, begin, end)))
    return tuple(causes)


def _without(part: Expression, row: Rows, walk: Walk) -> Derivation:
    """Explain that an operand does not hold: what could make it hold goes with that."""
    names = [grounding_text(one.relation, one.args, row, walk.replay) for one in find_all(part, Of)]
    rows = walk.influence.rows_for(walk.influence.of_expression(part, "more", bindings_of(row)))
    text = names[0] if isinstance(part, Of) else f"what is made of {', '.join(names)}"
    return Derivation("absent", f"not {text}", considered=rows)


def _explain_nearness(expression: Combine, row: Rows, low: int, walk: Walk) -> Several:
    """Explain that a point is near to a part, where a complement has a bound; the part is not far before or after."""
    if expression.within is None:
        return ()
    causes: list[Derivation] = []
    for part in expression.parts:
        rows = walk.influence.rows_for(walk.influence.both(part, bindings_of(row)))
        note = f"within {expression.within} of {low + walk.replay.world.axis.origin}"
        for begin, end in spans_of(part, row, walk.replay):
            if begin - expression.within <= low < end + expression.within:
                nodes = yield from explain_expression(part, row, begin, end, walk)
                causes += (
                    replace(node, notes=(*node.notes, note), considered=(*node.considered, *rows)) for node in nodes
                )
    return tuple(causes)


def _explain_duration(expression: Lasting, row: Rows, low: int, walk: Walk) -> Steps:
    """Explain that an interval is long enough, or short enough."""
    world, replay = walk.replay.world, walk.replay
    begin, end = next(span for span in spans_of(expression.part, row, replay) if span[0] <= low < span[1])
    causes = yield from explain_expression(expression.part, row, begin, end, walk)
    before, first = world.first_points
    lasted = (world.now_on_axis if end >= world.axis.mask else end) - (begin if begin > before else first)
    text = f"lasts {lasted} {expression.op} {term_text(expression.bound, row, replay)}"
    rows = walk.influence.rows_for(walk.influence.of_expression(expression.part, "more", bindings_of(row)))
    since, until = replay.time(begin), replay.end(end)
    return Derivation("condition", text, since=since, until=until, causes=causes, considered=rows)


def _explain_relation(expression: Relate, row: Rows, low: int, walk: Walk) -> Steps:
    """Explain that intervals stand so to each other, by all pairs that do."""
    world, causes = walk.replay.world, list[Derivation]()
    targets = spans_of(expression.target, row, walk.replay)
    for source in spans_of(expression.source, row, walk.replay):
        for target in targets:
            if _are_related(expression, source, target, walk.replay):
                causes += yield from explain_expression(expression.source, row, *source, walk)
                causes += yield from explain_expression(expression.target, row, *target, walk)
    rows = walk.influence.rows_for(walk.influence.both(expression, bindings_of(row)))
    text, at = f"{expression.relation} ({expression.mode})", low + world.axis.origin
    return Derivation("condition", text, at=at, causes=tuple(dict.fromkeys(causes)), considered=rows)


def _are_related(expression: Relate, source: tuple[int, int], target: tuple[int, int], replay: Replay) -> bool:
    world, within = replay.world, None
    if expression.within is not None:
        within = Within(expression.within, *world.first_points, world.now_on_axis)
    one, other = ((np.array([start]), np.array([end])) for start, end in (source, target))
    return bool(len(related(expression.relation, one, other, "source", world.axis, within)[0]))
