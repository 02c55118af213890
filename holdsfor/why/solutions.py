"""Solutions of rules: the values with which a rule is about a grounding, and its conditions written with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from holdsfor.engine.bodies.chain import run
from holdsfor.engine.bodies.structure import term_codes
from holdsfor.engine.data.column import Column
from holdsfor.engine.data.rows import Rows
from holdsfor.engine.patterns.joins import occurring
from holdsfor.language.terms import Float, Term, Var, substitute, variables
from holdsfor.plan.nodes import RelationNode, names_in
from holdsfor.plan.operators import Arg, Chain, Let, Match, Names, Occurring, Operator, RuleNode, Structure, Tally
from holdsfor.plan.printing.rule import Writer
from holdsfor.plan.structures import is_open
from holdsfor.why.replay import PartialKey, Replay, base_name

NO_COLUMNS: Mapping[str, Column] = {}


@dataclass(frozen=True)
class Solution:
    """One row of values for the variables of a rule, and the names that its author gave them."""

    replay: Replay
    row: Rows
    names: Names = ()

    @cached_property
    def writer(self) -> ValueWriter:
        return ValueWriter(self)

    def with_row(self, row: Rows) -> Solution:
        return replace(self, row=row)

    def bindings(self) -> tuple[tuple[str, str], ...]:
        """Return the values of variables by the names that the author of the rule gave them."""
        shown = ((variable, name) for variable, name in self.names if not name[0].islower())
        return tuple((name, self.value(variable)) for variable, name in shown if variable in self.row.names)

    def value(self, variable: str) -> str:
        """Write the value of a variable, without making a term of a number."""
        column = self.row.column(variable)
        if not column.is_number:
            return self.replay.text(int(column.codes()[0]))
        number = column.numbers().tolist()[0]
        return str(number) if isinstance(number, int) else str(Float(number))

    def point(self, variable: str) -> int:
        """Return a time, relative to the origin."""
        return int(self.row.times(variable)[0]) - self.row.axis.origin

    def as_written(self, op: Operator) -> str:
        """Return a condition as the rule has it; nothing if not all of its variables have names there."""
        names = dict(self.names)
        return op.claim(Writer((), written=names)) if names.keys() >= set(op.mentions()) else ""


class ValueWriter(Writer):
    """Writes the parts of a rule with the values of a solution; `_` where any value will do."""

    def __init__(self, solution: Solution) -> None:
        super().__init__(())
        self._solution = solution

    def name(self, variable: str) -> str:
        return self._solution.value(variable) if variable in self._solution.row.names else "_"

    def grounding(self, node: RelationNode) -> str:
        relation = replace(node.relation, name=base_name(node.relation))
        return super().grounding(replace(node, relation=relation))  # type: ignore[type-var]


def written_with(term: Term, solution: Solution) -> str:
    """Write a term as the author of a rule has it, with the values of its variables; `_` where they have none."""
    values = {name: solution.value(variable) for variable, name in solution.names if variable in solution.row.names}
    return str(substitute(term, {each.name: Var(values.get(each.name, "_")) for each in variables(term)}))


def solve(rule: RuleNode, key: PartialKey, replay: Replay, values: Mapping[str, Column] = NO_COLUMNS) -> Rows:
    """Return the solutions of a rule's body for which its head is about the grounding.

    values: of variables that the body does not give.
    """
    about = (id(rule), key)
    if about not in replay.solutions:
        pattern = pattern_of(rule.body)
        if pattern is not None:
            rows = run(rule.body[1:], replay.world, occurring(pattern, replay.world))
        else:
            rows = run(rule.body, replay.world, bind_head(rule, key, replay).bind(dict(values)))
        replay.solutions[about] = agreeing(rows, rule.args, key, replay)
    return replay.solutions[about]


def pattern_of(chain: Chain) -> Occurring | None:
    """Return the pattern that a rule begins with, if it is a pattern rule."""
    return next((op for op in chain[:1] if isinstance(op, Occurring)), None)


def each_row(rows: Rows) -> Iterator[Rows]:
    """Iterate over rows, one by one."""
    return (rows.take(np.array([place])) for place in range(rows.size))


def bind_head(rule: RuleNode, key: PartialKey, replay: Replay) -> Rows:
    """Return a row with the variables of a rule's head, without those that its body works out.

    There is none if a term in the head has another form.
    """
    assigned = {op.variable for op in rule.body if isinstance(op, Let | Tally)}
    columns: dict[str, Column] = {}
    chain: list[Match] = []
    for arg, code in zip(rule.args, key, strict=True):
        if code is None or not assigned.isdisjoint(names_in(arg)):
            continue
        if isinstance(arg, Structure):
            head = f"head {len(chain)}"
            chain.append(Match(Var(head), arg))
            columns[head] = replay.column(code)
        elif isinstance(arg, str):
            columns[arg] = replay.column(code)
    return run(tuple(chain), replay.world, Rows(replay.world.axis, 1, columns))


def agreeing(rows: Rows, args: tuple[Arg, ...], key: PartialKey, replay: Replay) -> Rows:
    """Return the rows for which the arguments that have values are the grounding."""
    for arg, code in zip(args, key, strict=True):
        if rows.size and code is not None and not is_open(arg) and rows.names.issuperset(names_in(arg)):
            rows = rows.filter(term_codes(arg, rows, replay.world.dictionary) == code)
    return rows


def at_times(rows: Rows, time: str, low: int, high: int) -> Rows:
    """Return the rows whose time is in low..high, relative to the origin."""
    times = rows.timely(time) if rows.size else rows
    if not times.size:
        return times
    points = times.times(time) - rows.axis.origin
    return times.filter((points >= low) & (points <= high))


def key_of(node: RelationNode, row: Rows, replay: Replay) -> PartialKey:
    """Return the arguments of a relation that have values in a row."""
    terms = frozenset(name for name in row.names if not row.column(name).is_number)
    dictionary = replay.world.dictionary
    return tuple(
        int(term_codes(arg, row, dictionary)[0]) if not is_open(arg) and terms.issuperset(names_in(arg)) else None
        for arg in node.args
    )
