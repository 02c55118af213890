"""Reasons of a rule: one solution of its body, and each condition with the values that it had."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

import numpy as np

from holdsfor.engine.bodies.calculate import calculate
from holdsfor.engine.bodies.chain import run
from holdsfor.language.arithmetic import FUNCTIONS
from holdsfor.language.nodes import find_all
from holdsfor.language.terms import Compound, Float, Int, Place, Term, Var
from holdsfor.plan.operators import At, Chain, Holding, Let, Lookup, Match, Operator, Tally, TimesOf, Where, Without
from holdsfor.why.constructs.background import as_calls, explain_lookup
from holdsfor.why.derivation import Derivation, Kind
from holdsfor.why.influence import MORE, Effect
from holdsfor.why.solutions import Solution, each_row

if TYPE_CHECKING:
    from holdsfor.why.walk import Walk

Steps = Generator["Steps", Derivation, Derivation]
"""A derivation that is being made: it gives what it needs first, and is sent what came of that."""
Several = Generator[Steps, Derivation, tuple[Derivation, ...]]
"""The same of several derivations."""


def explain_body(chain: Chain, solution: Solution, walk: Walk, rule: Place | None = None) -> Several:
    """Explain each condition of a solution; together what is asked for by a clause that the rule calls."""
    causes = []
    ops = tuple(op for op in chain if not (isinstance(op, Let) and op.same and not solution.as_written(op)))
    for op in ops:  # without what a plan puts in for itself: that two times of an occurrence are one
        causes.append((yield from EXPLAINED_BY[type(op)](op, solution, walk)))
    return tuple(as_calls(ops, causes, solution, rule))


def _looked_up(op: Lookup, solution: Solution, walk: Walk) -> Steps:
    """Explain a background fact."""
    yield from ()
    return explain_lookup(op, solution)


def condition(kind: Kind, op: Operator, solution: Solution, /, **details: Any) -> Derivation:
    """Return a condition by its values, with what the rule says."""
    values, written = op.claim(solution.writer), solution.as_written(op)
    notes = (written,) if written not in ("", values) else ()
    named = {"written": written} if written else {}
    return Derivation(kind, values, notes=notes).having(**details, **named)


def _compared(op: Where, solution: Solution, walk: Walk) -> Steps:
    """Explain a comparison by both of its values."""
    yield from ()
    left, right = value_of(op.left, solution), value_of(op.right, solution)
    node = condition("comparison", op, solution, left=left, op=op.op, right=right)
    return with_functions(node, (op.left, op.right), solution)


def _calculated(op: Let, solution: Solution, walk: Walk) -> Steps:
    """Explain a calculation by its value and those that it is made of."""
    yield from ()
    value, expression = solution.value(op.variable), solution.writer.term(op.expression)
    node = condition("calculation", op, solution, op="=" if op.same else "is", value=value, expression=expression)
    if op.function is not None:
        return node.having(function=op.function.name)
    return with_functions(node, (op.expression,), solution)


def _matched(op: Match, solution: Solution, walk: Walk) -> Steps:
    """Explain that a term has a form, with what its parts are."""
    yield from ()
    left, right = solution.writer.term(op.term), solution.writer.arg(op.form)
    return condition("comparison", op, solution, left=left, op="=", right=right)


def with_functions(node: Derivation, terms: tuple[Term, ...], solution: Solution) -> Derivation:
    """Return a condition with a note for each function that is called in it: its arguments, and its value."""
    calls = [
        part
        for term in terms
        for part in find_all(term, Compound)
        if part.functor[0].isalpha() and _is_calculated(part)
    ]
    notes = tuple(f"{solution.writer.term(call)} = {value_of(call, solution)}" for call in calls)
    return Derivation(node.kind, node.what, notes=(*node.notes, *notes), details=node.details)


def _is_calculated(term: Term) -> bool:
    """Whether a term is arithmetic, with nothing but variables and numbers in it."""
    if not isinstance(term, Compound) or (term.functor, len(term.args)) not in FUNCTIONS:
        return False
    return all(isinstance(arg, Var | Int | Float) or _is_calculated(arg) for arg in term.args)


def value_of(term: Term, solution: Solution) -> str:
    """Write the value of a side of a comparison: worked out, if it is a calculation."""
    if _is_calculated(term):
        rows, column = calculate(term, solution.row, solution.replay.world)
        if rows.size:
            return solution.with_row(rows.bind({"value": column})).value("value")
    return solution.value(term.name) if isinstance(term, Var) else solution.writer.term(term)


def _timed(op: TimesOf, solution: Solution, walk: Walk) -> Steps:
    """Explain the times of an occurrence, which are its own."""
    yield from ()
    return condition("comparison", op, solution)


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
            kind: Kind = "begins" if begins else "ends"
            name = walk.replay.name(fact)
            node = Derivation(kind, f"{name} {kind}", at=walk.replay.time(point), causes=(cause,), considered=rows)
            return node.having(fact=name, edge=op.what)
    return walk.lost(op.claim(solution.writer))


def _absent(op: Without, solution: Solution, walk: Walk) -> Steps:
    """Explain a negation by what it says; what could make it false goes with it."""
    yield from ()
    rows = walk.influence.rows_against(op.chain, solution.row)
    looked_for = [inner.claim(solution.writer) for inner in op.chain]
    return Derivation("absent", op.claim(solution.writer), considered=rows).having(looked_for=looked_for)


def _counted(op: Tally, solution: Solution, walk: Walk) -> Steps:
    """Explain an aggregate by all solutions that counted."""
    solutions = run(op.chain, walk.replay.world, solution.row)
    causes = []
    for row in each_row(solutions):
        causes.append((yield from _one_counted(op, solution, solution.with_row(row), walk)))
    rows = walk.influence.rows_against(op.chain, solution.row)
    node = Derivation("aggregate", op.claim(solution.writer), causes=tuple(causes), considered=rows)
    return node.having(function=op.function, value=solution.value(op.variable))


def _one_counted(op: Tally, solution: Solution, counted: Solution, walk: Walk) -> Steps:
    """Explain a solution of an aggregate, with the values of its own variables."""
    causes = yield from explain_body(op.chain, counted, walk)
    bindings = tuple(each for each in counted.bindings() if each not in solution.bindings())
    text = ", ".join(f"{name}={value}" for name, value in bindings)
    value = {} if op.function == "count" else {"value": value_of(op.term, counted)}
    node = Derivation("solution", f"counted: {text}" if text else "counted", bindings=bindings, causes=causes)
    return node.having(**value)


EXPLAINED_BY: dict[type[Operator], Callable[[Any, Solution, Walk], Steps]] = {
    At: _at,
    Holding: _holding,
    Lookup: _looked_up,
    Where: _compared,
    Let: _calculated,
    Match: _matched,
    Without: _absent,
    Tally: _counted,
    TimesOf: _timed,
}
"""How each kind of condition is explained."""
