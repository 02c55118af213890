"""Arithmetic on one row, with Python's integers, for the few rows whose numbers are too large for arrays.

The functions mean what those of `holdsfor.engine.bodies.expression` mean.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from holdsfor.language.arithmetic import FUNCTIONS, Number, Overflow
from holdsfor.language.terms import Atom, Compound, Float, Int, Term, Var

LEAST_INTEGER, MOST_INTEGER = -(1 << 63), (1 << 63) - 1


def evaluate(expression: Term, values: Mapping[str, Number | None]) -> Number | None:
    """The value of an expression; None if it has none. Raises Overflow where a step leaves the 64 bits.

    A number that is given, by a row or in the rule, may be larger: only what is worked out may not.
    """
    if isinstance(expression, Var):
        return values[expression.name]
    if isinstance(expression, Int | Float):
        return expression.value
    if isinstance(expression, Atom):
        return {"inf": math.inf, "infinite": math.inf, "pi": math.pi, "e": math.e}.get(expression.name)
    assert isinstance(expression, Compound)
    args = [evaluate(arg, values) for arg in expression.args]
    known = [arg for arg in args if arg is not None]
    if len(known) < len(args):
        return None
    try:
        number = FUNCTIONS[expression.functor, len(known)](*known)
    except Overflow:
        raise
    except (ArithmeticError, ValueError):
        return None
    if isinstance(number, float):
        return None if math.isnan(number) else number
    if not LEAST_INTEGER <= number <= MOST_INTEGER:
        raise Overflow
    return int(number)
