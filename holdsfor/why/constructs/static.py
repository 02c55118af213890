"""Reasons of statically determined fluents: the operands of interval expressions, over the points that are asked about.

A union is explained piece by piece, each by an operand that holds there; an intersection by all operands; a difference
by its first operand and the absence of the others. What depends on how long an interval lasts, or on when it begins and
ends, is explained over all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from holdsfor.engine.bodies.chain import run
from holdsfor.engine.bodies.lookups import lookup
from holdsfor.engine.definitions.algebra import Frame
from holdsfor.engine.definitions.algebra_compiling import AlgebraCompiler
from holdsfor.engine.definitions.allen import Within, related
from holdsfor.engine.definitions.static import having
from holdsfor.language.nodes import find_all
from holdsfor.language.terms import NOWHERE
from holdsfor.plan.operators import Combine, Expression, HoldsForRule, Lasting, Lookup, Of, Relate, Relation, Valid
from holdsfor.why.constructs.background import explain_lookup
from holdsfor.why.constructs.bodies import Several, Steps, explain_body
from holdsfor.why.constructs.rounds import find_rounds
from holdsfor.why.derivation import Derivation
from holdsfor.why.replay import Key, Replay, TimedFact
from holdsfor.why.solutions import Solution, agreeing, bind_head, each_row

if TYPE_CHECKING:
    from holdsfor.why.walk import Walk

T = TypeVar("T")
Spans = list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Instance:
    """A rule with values for its variables, and what gave them: one of several lists, or nothing."""

    rule: HoldsForRule
    solution: Solution
    alternatives: list[tuple[Of | Lookup, ...]]


def explain_static(node: Derivation, fact: TimedFact, low: int, high: int, walk: Walk) -> Steps:
    """Explain the points low..high-1 of an interval by the rules that give them."""
    relation, rules = fact.relation, list(walk.replay.rules_of(fact.relation))
    pieces: list[Derivation] = []
    node = node.having(asked=[walk.replay.time(low), walk.replay.time(high)])
    for begin, end, each in _find_causes(relation, fact.key, low, high, rules, walk):
        causes = yield from explain_expression(each.rule.expression, each.solution, begin, end, walk)
        is_fact = isinstance(each.rule.expression, Valid)
        grounds = () if is_fact else (yield from _explain_grounds(each, causes, walk))
        if each.rule.place is NOWHERE and len(causes) == 1:  # what rules conclude, or rows of the input
            pieces.append(causes[0])
        else:
            bindings, points = each.solution.bindings(), [walk.replay.time(begin), walk.replay.time(end)]
            piece = replace(node, rule=each.rule.place, bindings=bindings, causes=(*grounds, *causes))
            pieces.append(piece.having(by="intervals", asked=points))
    if len(pieces) == 1 and (pieces[0].since, pieces[0].until) == (node.since, node.until):
        return pieces[0]
    return replace(node, causes=tuple(pieces) or (walk.lost(node.what),)).having(by="pieces")


def _find_causes(
    relation: Relation, key: Key, low: int, high: int, rules: Iterable[HoldsForRule], walk: Walk
) -> Iterator[tuple[int, int, Instance]]:
    """Iterate over pieces of low..high-1, each with a rule that gives it by what is known without it."""
    for begin, end, before in find_rounds(relation, key, low, high, walk.replay):
        instances = [each for rule in rules for each in find_instances(rule, key, before)]
        spans = [(each, spans_of(each.rule.expression, each.solution)) for each in instances]
        yield from cover(spans, begin, end)


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


def find_instances(rule: HoldsForRule, key: Key, replay: Replay) -> list[Instance]:
    """Return the values of a rule's variables for which its head is about the grounding."""
    world, instances = replay.world, dict[Key, Instance]()
    rows = bind_head(rule, key, replay)
    for alternative in rule.evidence or ((),):
        joined = rows
        for item in alternative:
            joined = lookup(item, joined, world) if isinstance(item, Lookup) else having(item, joined, world)
        joined = agreeing(run(rule.conditions, world, joined, stops=True), rule.args, key, replay)
        for row in each_row(joined):
            values = tuple(int(row.codes(name)[0]) for name in rule.variables)
            instance = Instance(rule, Solution(replay, row, rule.names), [])
            instances.setdefault(values, instance).alternatives.append(alternative)
    return list(instances.values())


def spans_of(expression: Expression, solution: Solution) -> Spans:
    """Return where an expression holds for one row of values."""
    world = solution.replay.world
    compiler = AlgebraCompiler(world.axis, world.dictionary, None, solution.row.names, False, {})
    starts, ends = compiler.compile(expression)(Frame(world, solution.row))
    return list(zip((starts & world.axis.mask).tolist(), (ends & world.axis.mask).tolist(), strict=True))


def _explain_grounds(one: Instance, causes: Iterable[Derivation], walk: Walk) -> Several:
    """Explain what gave the variables of a rule their values, where no operand says it, and its conditions."""
    writer = one.solution.writer
    conditions = yield from explain_body(one.rule.conditions, one.solution, walk, one.rule.place)
    explained = {node.what for cause in (*causes, *conditions) for node in cause.nodes()}
    missing = ([item for item in items if item.claim(writer) not in explained] for items in one.alternatives)
    grounds: list[Derivation] = []
    for item in min(missing, key=len):
        if isinstance(item, Lookup):
            grounds.append(explain_lookup(item, one.solution))
        else:
            grounds += yield from _explain_evidence(item, one.solution, walk)
    return (*grounds, *conditions)


def _explain_evidence(part: Of, solution: Solution, walk: Walk) -> Several:
    """Explain that a fluent has held at some time."""
    for fact in solution.replay.find(part.relation, part.args, solution.row, *walk.replay.always):
        return ((yield walk.explain(walk.whole(fact), fact.start, fact.start + 1)),)
    return (walk.lost(part.text(solution.writer)),)


# ---------------------------------------------------------------- expressions


def explain_expression(expression: Expression, solution: Solution, low: int, high: int, walk: Walk) -> Several:
    """Explain why an expression holds at all points low..high-1."""
    return (yield from EXPLAINED_BY[type(expression)](expression, solution, low, high, walk))


def _operand(part: Of, solution: Solution, low: int, high: int, walk: Walk) -> Several:
    """Explain a fluent, or one grounding after the other where several do."""
    held = solution.replay.find(part.relation, part.args, solution.row, low, high)
    causes = []
    for begin, end, fact in cover([(fact, [(fact.start, fact.end)]) for fact in held], low, high):
        causes.append((yield walk.explain(walk.whole(fact), begin, end)))
    return tuple(causes)


def _combination(expression: Combine, solution: Solution, low: int, high: int, walk: Walk) -> Several:
    causes: list[Derivation] = []
    if expression.op == "union":
        spans = [(part, spans_of(part, solution)) for part in expression.parts]
        for begin, end, part in cover(spans, low, high):
            causes += yield from explain_expression(part, solution, begin, end, walk)
        return tuple(causes)
    if expression.op == "complement":
        causes += yield from _nearness(expression, solution, low, walk)
    positive = {"intersection": len(expression.parts), "difference": 1, "complement": 0}[expression.op]
    for part in expression.parts[:positive]:
        causes += yield from explain_expression(part, solution, low, high, walk)
    during = [walk.replay.time(low), walk.replay.time(high)]
    return (*causes, *(_without(part, solution, during, walk) for part in expression.parts[positive:]))


def _without(part: Expression, solution: Solution, during: list[int], walk: Walk) -> Derivation:
    """Explain that an operand does not hold: what could make it hold goes with that."""
    names = list(dict.fromkeys(one.text(solution.writer) for one in find_all(part, Of)))
    text = f"not what is made of {', '.join(names)}" if part.operands else f"not {names[0]}"
    node = Derivation("absent", text, considered=walk.influence.rows_against([part], solution.row))
    return node.having(looked_for=names, during=during)


def _nearness(expression: Combine, solution: Solution, low: int, walk: Walk) -> Several:
    """Explain that a point is near to a part, where a complement has a bound; the part is not far before or after."""
    causes: list[Derivation] = []
    for part in expression.parts if expression.within is not None else ():
        assert expression.within is not None
        rows = walk.influence.rows_around([part], solution.row)
        note = f"within {expression.within} of {walk.replay.time(low)}"
        for begin, end in spans_of(part, solution):
            if begin - expression.within <= low < end + expression.within:
                nodes = yield from explain_expression(part, solution, begin, end, walk)
                at = walk.replay.time(low)
                node = Derivation("near", note, at=at, causes=nodes, considered=rows)
                causes.append(node.having(within=expression.within))
    return tuple(causes)


def _duration(expression: Lasting, solution: Solution, low: int, high: int, walk: Walk) -> Several:
    """Explain that an interval is long enough, or short enough."""
    replay, world = walk.replay, walk.replay.world
    begin, end = next(span for span in spans_of(expression.part, solution) if span[0] <= low < span[1])
    causes = yield from explain_expression(expression.part, solution, begin, end, walk)
    before, first = world.first_points
    lasted = (world.now_on_axis if end >= world.axis.mask else end) - (begin if begin > before else first)
    text = f"lasts {lasted} {expression.op} {solution.writer.term(expression.bound)}"
    rows = walk.influence.rows_against([expression.part], solution.row)
    since, until = replay.time(begin), replay.end(end)
    node = Derivation("lasts", text, since=since, until=until, causes=causes, considered=rows)
    return (node.having(duration=lasted, op=expression.op, bound=solution.writer.term(expression.bound)),)


def _relation(expression: Relate, solution: Solution, low: int, high: int, walk: Walk) -> Several:
    """Explain that intervals stand so to each other, by all pairs that do."""
    pairs = list[Derivation]()
    targets = spans_of(expression.target, solution)
    for source in spans_of(expression.source, solution):
        for target in targets:
            if _are_related(expression, source, target, walk.replay):
                one = yield from explain_expression(expression.source, solution, *source, walk)
                other = yield from explain_expression(expression.target, solution, *target, walk)
                spans = [[walk.replay.time(begin), walk.replay.end(end)] for begin, end in (source, target)]
                texts = [f"[{begin},{'inf' if end is None else end})" for begin, end in spans]
                pair = Derivation("pair", f"{texts[0]} {expression.relation} {texts[1]}", causes=(*one, *other))
                pairs.append(pair.having(spans=spans, source=len(one)))
    rows = walk.influence.rows_around([expression], solution.row)
    text, at = f"{expression.relation} ({expression.mode})", walk.replay.time(low)
    node = Derivation("related", text, at=at, causes=tuple(pairs), considered=rows)
    return (node.having(relation=expression.relation, mode=expression.mode),)


def _validity(expression: Valid, solution: Solution, low: int, high: int, walk: Walk) -> Several:
    """Explain that a fact is valid, by its rows: of several the last one, which nothing has ended since."""
    rows, *endings = expression.parts
    held = sorted(walk.replay.find(rows.relation, rows.args, solution.row, low, high), key=lambda row: -row.start)
    causes, during = list[Derivation](), [walk.replay.time(low), walk.replay.time(high)]
    while row := next((row for row in held if row.start <= low < min(row.end, high)), None):
        later = (other.start for other in held if low < other.start)
        end = min([row.end, high, *later])
        causes.append((yield walk.explain(row, low, end)))
        low = end
    return (*causes, *(_without(part, solution, during, walk) for part in endings))


def _are_related(expression: Relate, source: tuple[int, int], target: tuple[int, int], replay: Replay) -> bool:
    world, within = replay.world, None
    if expression.within is not None:
        within = Within(expression.within, *world.first_points, world.now_on_axis)
    one, other = ((np.array([start]), np.array([end])) for start, end in (source, target))
    return bool(len(related(expression.relation, one, other, "source", world.axis, within)[0]))


EXPLAINED_BY: dict[type[Expression], Callable[[Any, Solution, int, int, Walk], Several]] = {
    Of: _operand,
    Combine: _combination,
    Lasting: _duration,
    Relate: _relation,
    Valid: _validity,
}
"""How each kind of expression is explained."""
