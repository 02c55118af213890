"""Expressions of intervals compiled to functions: once for a rule and a dictionary, whose codes they name."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from math import ceil, floor, isfinite, isnan

import numpy as np

from holdsfor.engine.bodies.argument_layout import shape
from holdsfor.engine.bodies.expression import value
from holdsfor.engine.data.axis import Axis
from holdsfor.engine.data.dictionary import Dictionary
from holdsfor.engine.data.rows import Rows
from holdsfor.engine.definitions.algebra import (
    FOREVER,
    NOTHING,
    WorkOut,
    choose_between,
    choose_lasting,
    combine,
    leave,
    leave_near,
    name_rows,
    read,
    read_for_rows,
    relate,
    share,
)
from holdsfor.engine.definitions.validity import find_validity
from holdsfor.language.terms import is_ground
from holdsfor.plan.operators import WHOLE_HISTORY, Arg, Combine, Expression, Lasting, Of, Relate, Valid
from holdsfor.plan.structures import flat, forms_of
from holdsfor.plan.whole_plan import Grounds, SharedExpression


@dataclass(frozen=True, slots=True)
class AlgebraCompiler:
    """bound: the variables that rows have; None: every part is on the rule's own columns.

    are_keys_asked: whether the groundings are, on its own columns. shared: what is evaluated once, by itself.
    """

    axis: Axis
    dictionary: Dictionary
    grounds: Grounds | None
    bound: frozenset[str] | None
    are_keys_asked: bool
    shared: Mapping[SharedExpression, SharedExpression]

    def compile_rule(self, expression: Expression, args: tuple[Arg, ...]) -> WorkOut:
        """Compile a rule's expression. args: of the head, by which rows are named in the end."""
        compiled = self.compile(expression)
        return compiled if self.bound is None else name_rows(compiled, args)

    def compile(self, expression: Expression) -> WorkOut:
        compiled = self._compile(expression)
        key = self._find_key(expression)
        return compiled if key is None else share(key, compiled)

    def _find_key(self, expression: Expression) -> Hashable:
        """Return the key of a shared expression, None for others."""
        if self.bound is None and isinstance(expression, Of):  # relations know what was asked of them
            return None
        part = self.shared.get(SharedExpression(self.grounds, expression))
        return (part, "on own columns") if part is not None and self.are_keys_asked else part

    def _compile(self, expression: Expression) -> WorkOut:
        match expression:
            case Of():
                return self._compile_relation(expression)
            case Relate():
                return relate(expression, self.compile(expression.source), self.compile(expression.target))
            case Lasting() if not is_ground(expression.bound):
                return choose_lasting(expression, self.compile(expression.part))
            case Lasting():
                return choose_between(self.compile(expression.part), *self._find_durations(expression))
            case Combine(op="complement"):
                parts = list(map(self.compile, expression.parts))
                return leave(parts) if expression.within is None else leave_near(parts, expression.within)
            case Valid():
                return lambda frame: find_validity(expression, frame.world)
            case Combine(parts=()):
                return lambda frame: NOTHING
            case Combine(op="union") if WHOLE_HISTORY in expression.parts:
                return self.compile(WHOLE_HISTORY)
            case Combine(op=op):
                return combine(op, list(map(self.compile, expression.parts)))

    def _compile_relation(self, part: Of) -> WorkOut:
        wanted = shape(flat(part.args), self.bound or frozenset(), self.dictionary)
        is_own = self.bound is None
        positions = tuple(position for position, _ in wanted.new) if is_own else wanted.positions
        assert is_own or not wanted.new, part
        intervals = read(part.relation, forms_of(part.args), wanted.picks, positions, len(flat(part.args)))
        return intervals if is_own else read_for_rows(intervals, wanted.names)

    def _find_durations(self, expression: Lasting) -> tuple[int, int]:
        bound: float = np.asarray(value(expression.bound, Rows(self.axis, 0, {}))).tolist()
        return find_durations(expression.op, bound, expression.within)


def find_durations(op: str, bound: float, within: int | None) -> tuple[int, int]:
    """The least and the greatest whole number that compares so with the bound."""
    if isnan(bound) or (within is not None and bound > within):
        return 1, 0
    if not isfinite(bound) or abs(bound) > FOREVER:
        bound = FOREVER if bound > 0 else -FOREVER
    match op:
        case ">":
            return floor(bound) + 1, FOREVER
        case ">=":
            return ceil(bound), FOREVER
        case "<":
            return -FOREVER, ceil(bound) - 1
        case _:
            return -FOREVER, floor(bound)
