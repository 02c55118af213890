"""How large the numbers of an expression get: which rows cannot be worked out exactly in arrays.

Arrays of integers are exact up to 63 bits, those of floats up to 53. From the least and the most of each column follows
how far an expression can get; almost always that is not far, and nothing more is done. Otherwise the rows that get
there are found, with floats, which are good enough for that.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from holdsfor.engine.bodies.expression import ALWAYS_WHOLE, BINARY, KEEPS_WHOLE, MAY_KEEP_WHOLE, UNARY
from holdsfor.engine.data.dictionary import Numbers, constant
from holdsfor.engine.data.rows import Rows
from holdsfor.language.terms import Compound, Float, Int, Term, Var

Mask = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Bounds = tuple[float, float]

#: Up to here floats tell integers apart.
EXACT = float(2**53)
#: What rough figures must stay below so that integers certainly stay within 63 bits.
SAFE = float(2**62)
ANYTHING: Bounds = (-math.inf, math.inf)
DIVISIONS = {"//", "mod", "rem"}
WAVES = {"sin", "cos", "sign"}


def large_rows(expression: Term, rows: Rows) -> Mask | None:
    """The rows for which some part of the expression is too large to be exact; None if there is no such row."""
    if not rows.size or _is_safe(expression, rows):
        return None
    mask = np.zeros(rows.size, np.bool_)
    with np.errstate(all="ignore"):
        _rough(expression, rows, mask)
    return mask if mask.any() else None


def compared_rows(left: Term, right: Term, rows: Rows) -> Mask | None:
    """The rows for which the two sides of a comparison are large and arrays may take them for equal; None if none."""
    if not rows.size or _is_small(left) or _is_small(right) or kind(left, rows) + kind(right, rows) in ("ii", "ff"):
        return None
    if any(_most(bounds(side, rows)) < EXACT for side in (left, right)):
        return None
    mask = (_magnitude(left, rows) >= EXACT) & (_magnitude(right, rows) >= EXACT)
    return mask if mask.any() else None


def _is_small(term: Term) -> bool:
    """Whether it is a number that any array holds, as most are that rules name."""
    return isinstance(term, Int | Float) and abs(term.value) < EXACT


def kind(expression: Term, rows: Rows) -> str:
    """Return the kind of an expression's array: "i" integers, "f" floats, "m" floats that may mean integers."""
    if _is_small(expression):
        return "i" if isinstance(expression, Int) else "f"
    if isinstance(expression, Var):
        column = rows.column(expression.name)
        return "i" if column.numbers().dtype.kind == "i" else "f" if column.is_number else "m"
    known = constant(expression)
    if known is not None:
        return "i" if known.dtype.kind == "i" else "m" if isinstance(expression, Int) else "f"
    assert isinstance(expression, Compound)
    return _kind_of(expression.functor, {kind(arg, rows) for arg in expression.args})


def _kind_of(function: str, kinds: set[str]) -> str:
    """kinds: of its arguments."""
    if function in ALWAYS_WHOLE:
        return "i" if kinds == {"i"} else "m"
    if function in ("min", "max", "+"):
        return kinds.pop() if len(kinds) == 1 else "f" if function == "+" and "f" in kinds else "m"
    if "f" in kinds or function not in KEEPS_WHOLE | MAY_KEEP_WHOLE:
        return "f"
    return "i" if kinds == {"i"} and function in KEEPS_WHOLE else "m"


def bounds(expression: Term, rows: Rows) -> Bounds:
    """Between what the values of an expression lie; more than that where it is hard to tell."""
    if isinstance(expression, Var):
        return rows.column(expression.name).bounds()
    if isinstance(expression, Int | Float) and abs(expression.value) < EXACT:
        return expression.value, expression.value
    known = constant(expression)
    if known is not None:
        return float(known), float(known)
    assert isinstance(expression, Compound)
    low, high = _reach(expression.functor, [bounds(arg, rows) for arg in expression.args])
    return ANYTHING if math.isnan(low) or math.isnan(high) else (low, high)


def _is_safe(expression: Term, rows: Rows) -> bool:
    return _judge(expression, rows)[1]


def _judge(expression: Term, rows: Rows) -> tuple[str, bool]:
    """The kind of an expression, and whether no part of it can get too large."""
    if not isinstance(expression, Compound):
        own = kind(expression, rows)
        return own, own == "i" or _stays_below(expression, own, rows)
    judged = [_judge(arg, rows) for arg in expression.args]
    own = _kind_of(expression.functor, {each for each, _ in judged})
    if not all(is_safe for _, is_safe in judged):
        return own, False
    if own == "i" and _is_remainder(expression):
        return own, True
    if own == "m" and any(_most(bounds(arg, rows)) >= EXACT for arg in _made_floats(expression)):
        return own, False
    return own, _stays_below(expression, own, rows)


def _stays_below(expression: Term, own: str, rows: Rows) -> bool:
    return own == "f" or _most(bounds(expression, rows)) < _limit(expression, own, rows)


def _is_remainder(expression: Compound) -> bool:
    """Whether it is the remainder of a division by a number that is not 0: no larger than that."""
    return expression.functor in ("mod", "rem") and _is_small(expression.args[1]) and expression.args[1] != Int(0)


def _made_floats(expression: Compound) -> tuple[Term, ...]:
    """Return the arguments that a function turns into floats even where its value is an integer."""
    return expression.args if expression.functor in MAY_KEEP_WHOLE else ()


def _limit(expression: Term, own: str, rows: Rows) -> float:
    if isinstance(expression, Compound) and expression.functor in DIVISIONS:
        low, high = bounds(expression.args[1], rows)
        if low <= 0 <= high:  # a division by zero makes floats of them all
            return EXACT
    return SAFE if own == "i" else EXACT


def _most(between: Bounds) -> float:
    return max(abs(between[0]), abs(between[1]))


def _reach(function: str, parts: list[Bounds]) -> Bounds:
    if len(parts) == 1:
        return _reach_of_one(function, parts[0])
    (a_low, a_high), (b_low, b_high) = parts
    match function:
        case "+":
            return a_low + b_low, a_high + b_high
        case "-":
            return a_low - b_high, a_high - b_low
        case "*":
            corners = [x * y for x in parts[0] for y in parts[1]]
            return ANYTHING if any(map(math.isnan, corners)) else (min(corners), max(corners))
        case "**" | "^":
            return _around(_power(max(_most(parts[0]), 1.0), b_high))
        case "min" | "max" | "mod" | "rem":
            return _around(max(map(_most, parts)))
        case _ if -1 < b_low <= b_high < 1 or b_low < 0 < b_high:  # by how little it is divided cannot be told
            return ANYTHING
        case _:
            return _around(_most(parts[0]) / min(max(abs(b_low), 1e-300), max(abs(b_high), 1e-300)))


def _reach_of_one(function: str, part: Bounds) -> Bounds:
    if function == "-":
        return -part[1], -part[0]
    if function in WAVES:
        return -1.0, 1.0
    if function in KEEPS_WHOLE | ALWAYS_WHOLE | {"float", "sqrt"}:
        return _around(max(_most(part), 1.0))
    return ANYTHING


def _around(most: float) -> Bounds:
    return -most, most


def _power(most: float, exponent: float) -> float:
    try:
        return float(most ** max(exponent, 1.0))
    except OverflowError:
        return math.inf


def _magnitude(expression: Term, rows: Rows) -> Floats:
    with np.errstate(all="ignore"):
        return np.abs(np.broadcast_to(_rough(expression, rows, np.zeros(rows.size, np.bool_)), (rows.size,)))


def _rough(expression: Term, rows: Rows, large: Mask) -> Floats:
    """The expression in floats; marks the rows in which a part of it is large."""
    numbers: Numbers | None
    if isinstance(expression, Compound):
        args = [_rough(arg, rows, large) for arg in expression.args]
        numbers = BINARY[expression.functor](*args) if len(args) == 2 else UNARY[expression.functor](*args)
        if _made_floats(expression) and kind(expression, rows) == "m":
            large |= np.logical_or.reduce([np.broadcast_to(np.abs(arg) >= EXACT, large.shape) for arg in args])
    elif isinstance(expression, Var):
        numbers = rows.column(expression.name).numbers()
    else:
        numbers = constant(expression)
    values: Floats = np.asarray(numbers, np.float64)
    own = kind(expression, rows)
    if own != "f":
        large |= np.abs(values) >= _limit(expression, own, rows)
    return values
