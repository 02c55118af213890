"""The functions of arithmetic, on Python's numbers."""

from __future__ import annotations

import math
from collections.abc import Callable

Number = int | float
MOST_BITS = 64


class Overflow(ArithmeticError):
    """The value is an integer of more than 64 bits."""


def _are_whole(*numbers: Number) -> bool:
    """Whether all are integers, not floats that have a whole value."""
    return all(isinstance(number, int) for number in numbers)


def _divide(a: Number, b: Number) -> Number:
    return a // b if _are_whole(a, b) and a % b == 0 else a / b


def _truncated(a: Number, b: Number) -> int:
    if _are_whole(a, b):
        return int(abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1)
    return math.trunc(a / b)


def _remainder(a: Number, b: Number) -> Number:
    return a - b * _truncated(a, b) if _are_whole(a, b) else math.fmod(a, b)


def _power(a: Number, b: Number) -> Number:
    if _are_whole(a, b) and b >= 0:
        if abs(a) > 1 and b * (int(a).bit_length() - 1) > MOST_BITS:  # before memory is taken for it
            raise Overflow
        return int(a**b)
    power = float(a) ** float(b)
    return power if isinstance(power, float) else math.nan  # the root of a negative number


def _sign(a: Number) -> Number:
    return (a > 0) - (a < 0) if _are_whole(a) else math.copysign(float(a != 0), a)


def _rounded(a: Number) -> int:
    return int(a) if _are_whole(a) else int(math.copysign(math.floor(abs(a) + 0.5), a))


def _integer(a: Number) -> int:
    return int(a) if _are_whole(a) else math.floor(a + 0.5)


#: Name and number of arguments -> the function. Its form for arrays is in `holdsfor/engine/bodies/expression.py`.
FUNCTIONS: dict[tuple[str, int], Callable[..., Number]] = {
    ("+", 2): lambda a, b: a + b,
    ("-", 2): lambda a, b: a - b,
    ("*", 2): lambda a, b: a * b,
    ("/", 2): _divide,
    ("//", 2): _truncated,
    ("mod", 2): lambda a, b: a % b,
    ("rem", 2): _remainder,
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
