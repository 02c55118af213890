"""Reasons of a rule: one solution of its body, and each condition with the values that it had."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

import numpy as np

from holdsfor.engine.bodies.chain import run
from holdsfor.plan.operators import At, Chain, Holding, Lookup, Operator, Tally, Without
from holdsfor.why.derivation import Derivation
from holdsfor.why.influence import MORE, Effect
from holdsfor.why.solutions import Solution, each_row

if TYPE_CHECKING:
    from holdsfor.why.walk import Walk

Steps = Generator["Steps", Derivation, Derivation]
"""A derivation that is being made: it gives what it needs first, and is sent what came of that."""
Several = Generator[Steps, Derivation, tuple[Derivation, ...]]
"""The same of several derivations."""


def explain_body(chain: Chain, solution: Solution, walk: Walk) -> Several:
    """Explain each condition of a solution."""
    causes = []
    for op in chain:
        causes.append((yield from EXPLAINED_BY.get(type(op), _calculated)(op, solution, walk)))
    return tuple(causes)


def explain_lookup(op: Lookup, solution: Solution, walk: Walk) -> Steps:
    """Explain a background fact: it is one."""
    yield from ()
    text = op.claim(solution.writer)
    return Derivation("fact", text, rule=walk.replay.fact_places.get(text))


def _calculated(op: Operator, solution: Solution, walk: Walk) -> Steps:
    """Explain a comparison or a calculation by its values."""
    yield from ()
    values, rule = op.claim(solution.writer), solution.as_written(op)
    return Derivation("condition", values, notes=(rule,) if rule not in ("", values) else ())


def _holding(op: Holding, solution: Solution, walk: Walk) -> Steps:
    """Explain what holds at a time."""
    point = solution.point(op.time)
    for fact in walk.replay.find(op.relation, op.args, solution.row, point, point + 1):
        return (yield walk.explain(fact, point, point + 1))
    return walk.lost(op.claim(solution.writer))


def _at(op: At, solution: Solution, walk: Walk) -> Steps:
    """Explain what happens at a time: an event, or that an interval begins or ends."""
    if op.what == "occurrence":
        point = solution.point(op.time)
        for fact in walk.replay.find(op.relation, op.args, solution.row, point, point + 1):
            if op.start is None or fact.start == solution.point(op.start):
                return (yield walk.explain(fact, fact.start, fact.end))
        return walk.lost(op.claim(solution.writer))
    return (yield _edge(op, solution, walk))


def _edge(op: At, solution: Solution, walk: Walk) -> Steps:
    """Explain when an interval began or ended."""
    axis, point = walk.replay.world.axis, solution.point(op.time)
    begins, is_exact = op.what in ("start", "startI"), op.what in ("startI", "endI")
    for fact in walk.replay.find(op.relation, op.args, solution.row, point - 1, point + axis.tick + 1):
        edge = np.array([fact.start if begins else fact.end])
        if (edge if is_exact else axis.preceding(edge))[0] == point:
            low = fact.start if begins else fact.end - 1
            cause = yield walk.explain(fact, low, low + 1)
            rows = walk.influence.rows_for([Effect(fact.relation, fact.key, MORE)])
            what = f"{walk.replay.name(fact)} {'begins' if begins else 'ends'}"
            return Derivation("condition", what, at=walk.replay.time(point), causes=(cause,), considered=rows)
    return walk.lost(op.claim(solution.writer))


def _absent(op: Without, solution: Solution, walk: Walk) -> Steps:
    """Explain a negation by what it says; what could make it false goes with it."""
    yield from ()
    rows = walk.influence.rows_against(op.chain, solution.row)
    return Derivation("absent", op.claim(solution.writer), considered=rows)


def _counted(op: Tally, solution: Solution, walk: Walk) -> Steps:
    """Explain an aggregate by all solutions that counted."""
    solutions = run(op.chain, walk.replay.world, solution.row)
    causes: list[Derivation] = []
    for row in each_row(solutions):
        causes += yield from explain_body(op.chain, solution.with_row(row), walk)
    return Derivation(
        "condition",
        op.claim(solution.writer),
        notes=(f"{solutions.size} solutions",),
        causes=tuple(causes),
        considered=walk.influence.rows_against(op.chain, solution.row),
    )


EXPLAINED_BY: dict[type[Operator], Callable[[Any, Solution, Walk], Steps]] = {
    At: _at,
    Holding: _holding,
    Lookup: explain_lookup,
    Without: _absent,
    Tally: _counted,
}
"""How each kind of condition is explained; the others are calculations."""
