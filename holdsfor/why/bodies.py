"""Reasons of a rule: one solution of its body, and each condition with the values that it had."""

from __future__ import annotations

from collections.abc import Container, Generator, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from holdsfor.engine.bodies.chain import run
from holdsfor.engine.bodies.structure import term_codes
from holdsfor.engine.data.column import Column
from holdsfor.engine.data.rows import Rows
from holdsfor.engine.patterns.joins import occurring
from holdsfor.language.terms import Compound, Float, Term, Var
from holdsfor.language.written import written
from holdsfor.plan.definitions import Declared
from holdsfor.plan.nodes import names_in
from holdsfor.plan.operators import (
    Arg,
    At,
    Chain,
    Conclude,
    Holding,
    Let,
    Lookup,
    Match,
    Names,
    Occurring,
    Op,
    Relation,
    Structure,
    Tally,
    Where,
    Without,
)
from holdsfor.plan.structures import is_open
from holdsfor.why.derivation import Derivation
from holdsfor.why.influence import bindings_of
from holdsfor.why.replay import PartialKey, Replay, base_name

if TYPE_CHECKING:
    from holdsfor.why.walk import Walk

Steps = Generator["Steps", Derivation, Derivation]
"""A derivation that is being made: it gives what it needs first, and is sent what came of that."""
Several = Generator[Steps, Derivation, tuple[Derivation, ...]]
"""The same of several derivations."""

SHOWN_SOLUTIONS = 5


@dataclass(frozen=True, slots=True)
class Solution:
    """One solution of a body: its operators, the values of its variables, and the names that its author gave them."""

    chain: Chain
    row: Rows
    names: Names

    def bindings(self, replay: Replay) -> tuple[tuple[str, str], ...]:
        """Return the values of variables by the names that the author of the rule gave them."""
        row = self.row
        shown = ((variable, name) for variable, name in self.names if variable in row.names and not name[0].islower())
        return tuple((name, value_of(variable, row, replay)) for variable, name in shown)


def value_of(variable: str, row: Rows, replay: Replay) -> str:
    """Write the value of a variable, without making a term of a number."""
    column = row.column(variable)
    if not column.is_number:
        return replay.text(int(column.codes()[0]))
    number = column.numbers().tolist()[0]
    return str(number) if isinstance(number, int) else str(Float(number))


def term_text(term: Term, row: Rows, replay: Replay) -> str:
    """Write a term with the values of its variables."""
    return written(_filled(term, row, replay))


def _filled(term: Term, row: Rows, replay: Replay) -> Term:
    if isinstance(term, Var):
        return Var(value_of(term.name, row, replay)) if term.name in row.names else term
    if isinstance(term, Compound):
        return Compound(term.functor, tuple(_filled(arg, row, replay) for arg in term.args))
    return term


def arg_text(arg: Arg, row: Rows, replay: Replay) -> str:
    """Write an argument with the values of its variables; `_` where any value will do."""
    if isinstance(arg, Structure):
        return f"{arg.functor}({','.join(arg_text(part, row, replay) for part in arg.args)})"
    if isinstance(arg, str):
        return value_of(arg, row, replay) if arg in row.names else "_"
    return "_" if arg is None else str(arg)


# ---------------------------------------------------------------- solutions


def solve(rule: Conclude | Declared, key: PartialKey, replay: Replay) -> Rows:
    """Return the solutions of a rule's body for which its head is about the grounding."""
    about = (id(rule), key)
    rows = replay.solutions.get(about)
    if rows is None:
        rows = replay.solutions[about] = agreeing(_solve(rule, key, replay), rule.args, key, replay)
    return rows


def _solve(rule: Conclude | Declared, key: PartialKey, replay: Replay) -> Rows:
    if rule.chain and isinstance(rule.chain[0], Occurring):
        return run(rule.chain[1:], replay.world, occurring(rule.chain[0], replay.world))
    assigned = {op.variable for op in rule.chain if isinstance(op, Let | Tally)}
    rows = bind_head(rule.args, key, replay, assigned)
    if isinstance(rule, Declared) and rule.start:
        first = replay.time(replay.world.first_points[1])
        rows = rows.bind({rule.start: Column(replay.world.dictionary, numbers=np.array([first]))})
    return run(rule.chain, replay.world, rows)


def bind_head(args: tuple[Arg, ...], key: PartialKey, replay: Replay, but: Container[str] = ()) -> Rows:
    """Return one row with the variables that a head has, or none if the head is not about the grounding.

    but: variables that the body works out.
    """
    axis, heads = replay.world.axis, [f"head {position}" for position in range(len(args))]
    parts = [
        (arg, code, head)
        for arg, code, head in zip(args, key, heads, strict=True)
        if code is not None and not any(name in but for name in names_in(arg))
    ]
    columns = {arg: replay.column(code) for arg, code, _ in parts if isinstance(arg, str)}
    columns |= {head: replay.column(code) for arg, code, head in parts if isinstance(arg, Structure)}
    chain = tuple(Match(Var(head), arg) for arg, _, head in parts if isinstance(arg, Structure))
    return run(chain, replay.world, Rows(axis, 1, columns))


def agreeing(rows: Rows, args: tuple[Arg, ...], key: PartialKey, replay: Replay) -> Rows:
    """Return the rows for which the arguments are the grounding."""
    for arg, code in zip(args, key, strict=True):
        if rows.size and code is not None and not is_open(arg):
            rows = rows.filter(term_codes(arg, rows, replay.world.dictionary) == code)
    return rows


def at_times(rows: Rows, time: str, low: int, high: int, replay: Replay) -> Rows:
    """Return the rows whose time is in low..high, relative to the origin."""
    if not rows.size:
        return rows
    times = rows.timely(time)
    if not times.size:
        return times
    points = times.times(time) - replay.world.axis.origin
    return times.filter((points >= low) & (points <= high))


# ---------------------------------------------------------------- conditions


def explain_body(body: Solution, walk: Walk) -> Several:
    """Explain each condition of a solution."""
    causes = []
    for op in body.chain:
        causes.append((yield _explain(op, body, walk)))
    return tuple(causes)


def _explain(op: Op, body: Solution, walk: Walk) -> Steps:
    match op:
        case At(what="occurrence"):
            return (yield _happened(op, body.row, walk))
        case At():
            return (yield _edge(op, body.row, walk))
        case Holding():
            return (yield _holding(op, body.row, walk))
        case Without():
            return _absent(op, body, walk)
        case Tally():
            return (yield _counted(op, body, walk))
        case Lookup():
            return explain_lookup(op, body.row, walk.replay)
        case Occurring():
            raise AssertionError("a pattern begins a rule, and is explained there")
    return _calculated(op, body, walk.replay)


def explain_lookup(op: Lookup, row: Rows, replay: Replay) -> Derivation:
    """Explain a background fact: it is one."""
    return Derivation("fact", call_text(op.facts.name, op.args, row, replay))


def call_text(name: str, args: Iterable[Arg], row: Rows, replay: Replay) -> str:
    """Write a name with its arguments."""
    texts = [arg_text(arg, row, replay) for arg in args]
    return f"{name}({','.join(texts)})" if texts else name


def grounding_text(relation: Relation, args: tuple[Arg, ...], row: Rows, replay: Replay) -> str:
    """Write an event, or a fluent with its value, with the values that the row has."""
    name = base_name(relation)
    if relation.kind == "valued":
        return f"{call_text(name, args[:-1], row, replay)}={arg_text(args[-1], row, replay)}"
    call = call_text(name, args, row, replay)
    return call if relation.value is None else f"{call}={relation.value}"


def _calculated(op: Where | Let | Match, body: Solution, replay: Replay) -> Derivation:
    """Explain a comparison or a calculation by its values."""
    names = {variable: Var(name) for variable, name in body.names}
    match op:
        case Where():
            rule, values = Compound(op.op, (op.left, op.right)), Compound(op.op, (op.left, op.right))
        case Let():
            sign = "=" if op.same else "is"
            rule = values = Compound(sign, (Var(op.variable), op.expression))
        case Match():
            args = f"{term_text(op.term, body.row, replay)} = {arg_text(op.form, body.row, replay)}"
            return Derivation("condition", args)
    return Derivation("condition", term_text(values, body.row, replay), notes=_as_written(rule, names))


def _as_written(term: Term, names: dict[str, Var]) -> tuple[str, ...]:
    """Return the condition as the rule has it, if all of its variables have names there."""
    from holdsfor.language.terms import variables
    from holdsfor.plan.compiler.bodies.rewrite import substitute

    if not all(variable.name in names for variable in variables(term)):
        return ()
    return (written(substitute(term, names)),)


def _happened(op: At, row: Rows, walk: Walk) -> Steps:
    point = int(row.times(op.time)[0]) - walk.replay.world.axis.origin
    for one in walk.replay.occurrences(op.relation, op.args, row, point):
        if op.start is None or one.start == int(row.times(op.start)[0]) - walk.replay.world.axis.origin:
            return (yield walk.happens(op.relation, one))
    return walk.lost(str(op.relation))


def _edge(op: At, row: Rows, walk: Walk) -> Steps:
    """Explain when an interval began or ended."""
    axis = walk.replay.world.axis
    point = int(row.times(op.time)[0]) - axis.origin
    begins, is_exact = op.what in ("start", "startI"), op.what in ("startI", "endI")
    for one in walk.replay.intervals(op.relation, op.args, row, point - 1, point + axis.tick + 1):
        edge = np.array([one.start if begins else one.end])
        if (edge if is_exact else axis.preceding(edge))[0] == point:
            return (yield walk.edge(op.relation, one, begins, point))
    return walk.lost(str(op.relation))


def _holding(op: Holding, row: Rows, walk: Walk) -> Steps:
    point = int(row.times(op.time)[0]) - walk.replay.world.axis.origin
    for one in walk.replay.intervals(op.relation, op.args, row, point, point + 1):
        return (yield walk.holds(op.relation, one.key, point, point + 1))
    return walk.lost(str(op.relation))


def _absent(op: Without, body: Solution, walk: Walk) -> Derivation:
    """Explain a negation by what it says; what could make it false goes with it."""
    text = ", ".join(_condition_text(inner, body.row, walk.replay) for inner in op.chain)
    rows = walk.influence.rows_for(walk.influence.of_chain(op.chain, "more", bindings_of(body.row)))
    return Derivation("absent", f"not {text}" if len(op.chain) == 1 else f"not ({text})", considered=rows)


def _condition_text(op: Op, row: Rows, replay: Replay) -> str:
    """Write a condition with the values that the row has."""
    match op:
        case At() | Holding():
            at = value_of(op.time, row, replay) if op.time in row.names else "any time"
            edge = "" if isinstance(op, Holding) or op.what == "occurrence" else f"{op.what} of "
            return f"{edge}{grounding_text(op.relation, op.args, row, replay)} at {at}"
        case Lookup():
            return call_text(op.facts.name, op.args, row, replay)
        case Where():
            return term_text(Compound(op.op, (op.left, op.right)), row, replay)
        case Let():
            return term_text(Compound("=" if op.same else "is", (Var(op.variable), op.expression)), row, replay)
        case Match():
            return f"{term_text(op.term, row, replay)} = {arg_text(op.form, row, replay)}"
        case Without():
            return f"not ({', '.join(_condition_text(inner, row, replay) for inner in op.chain)})"
        case Tally():
            return f"the {op.function} of ({', '.join(_condition_text(inner, row, replay) for inner in op.chain)})"
    return "a pattern"


def _counted(op: Tally, body: Solution, walk: Walk) -> Steps:
    """Explain an aggregate by all solutions that counted."""
    solutions = run(op.chain, walk.replay.world, body.row)
    causes: list[Derivation] = []
    for place in range(solutions.size):
        row = solutions.take(np.array([place]))
        causes += yield from explain_body(Solution(op.chain, row, body.names), walk)
    value = value_of(op.variable, body.row, walk.replay)
    return Derivation(
        "condition",
        f"the {op.function} is {value}",
        notes=(f"{solutions.size} solutions",),
        causes=tuple(causes),
        considered=walk.influence.rows_for(walk.influence.of_chain(op.chain, "more", bindings_of(body.row))),
    )
