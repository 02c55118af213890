"""Arithmetic on one row, with Python's integers, for the few rows whose numbers are too large for arrays.

The functions mean what those of `holdsfor.engine.bodies.expression` mean.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from holdsfor.language.terms import Atom, Compound, Float, Int, Term, Var

Number = int | float
MOST_BITS = 64
LEAST_INTEGER, MOST_INTEGER = -(1 << 63), (1 << 63) - 1


class Overflow(ArithmeticError):
    """The value is an integer of more than 64 bits."""


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


def _divide(a: Number, b: Number) -> Number:
    return a // b if isinstance(a, int) and isinstance(b, int) and a % b == 0 else a / b


def _truncated(a: Number, b: Number) -> int:
    if isinstance(a, int) and isinstance(b, int):
        return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return math.trunc(a / b)


def _remainder(a: Number, b: Number) -> Number:
    return a - b * _truncated(a, b) if isinstance(a, int) and isinstance(b, int) else math.fmod(a, b)


def _power(a: Number, b: Number) -> Number:
    if isinstance(a, int) and isinstance(b, int) and b >= 0:
        if abs(a) > 1 and b * (abs(a).bit_length() - 1) > MOST_BITS:  # before memory is taken for it
            raise Overflow
        return int(a**b)
    power = float(a) ** float(b)
    return power if isinstance(power, float) else math.nan  # the root of a negative number


def _sign(a: Number) -> Number:
    return (a > 0) - (a < 0) if isinstance(a, int) else math.copysign(float(a != 0), a)


def _rounded(a: Number) -> int:
    return a if isinstance(a, int) else int(math.copysign(math.floor(abs(a) + 0.5), a))


def _integer(a: Number) -> int:
    return a if isinstance(a, int) else math.floor(a + 0.5)


FUNCTIONS: dict[tuple[str, int], Callable[..., Number]] = {
    ("+", 2): lambda a, b: a + b,
    ("-", 2): lambda a, b: a - b,
    ("*", 2): lambda a, b: a * b,
    ("/", 2): _divide,
    ("//", 2): _truncated,
    ("mod", 2): lambda a, b: a % b,
    ("rem", 2): _remainder,
    ("div", 2): lambda a, b: a // b,
    ("**", 2): _power,
    ("^", 2): _power,
    ("min", 2): min,
    ("max", 2): max,
    ("atan2", 2): math.atan2,
    ("atan", 2): math.atan2,
    ("-", 1): lambda a: -a,
    ("+", 1): lambda a: a,
    ("abs", 1): abs,
    ("sign", 1): _sign,
    ("sqrt", 1): math.sqrt,
    ("sin", 1): math.sin,
    ("cos", 1): math.cos,
    ("tan", 1): math.tan,
    ("asin", 1): math.asin,
    ("acos", 1): math.acos,
    ("atan", 1): math.atan,
    ("exp", 1): math.exp,
    ("log", 1): math.log,
    ("log2", 1): math.log2,
    ("float", 1): float,
    ("floor", 1): math.floor,
    ("ceiling", 1): math.ceil,
    ("truncate", 1): math.trunc,
    ("integer", 1): _integer,
    ("round", 1): _rounded,
}
