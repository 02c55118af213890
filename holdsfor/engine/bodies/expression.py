"""Arithmetic over columns, with Prolog's meaning, as far as arrays are exact: see `calculate`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from holdsfor.engine.data.dictionary import Numbers, constant
from holdsfor.engine.data.rows import Rows
from holdsfor.errors import HoldsforError
from holdsfor.language.terms import Compound, Int, Term, Var

Mask = npt.NDArray[np.bool_]


def _no_zero(b: Numbers) -> Numbers:
    """A division by zero has no value, and what has no value makes a condition fail."""
    return np.where(b == 0, np.nan, b) if np.any(b == 0) else b


def _divide(a: Numbers, b: Numbers) -> Numbers:
    """Two integers that divide exactly give an integer, as in Prolog."""
    quotient = np.true_divide(a, _no_zero(b))
    if a.dtype.kind == "i" and b.dtype.kind == "i" and np.all(np.isfinite(quotient)) and np.all(quotient % 1 == 0):
        return quotient.astype(np.int64)
    return quotient


def _truncated(a: Numbers, b: Numbers) -> Numbers:
    divisor = _no_zero(b)
    if divisor is not b:
        return np.trunc(np.true_divide(a, divisor))
    quotient = np.floor_divide(a, b)
    towards_zero: Numbers = np.add(quotient, (quotient < 0) & (quotient * b != a))
    return towards_zero


def _whole(function: Callable[[Numbers], Numbers]) -> Callable[[Numbers], Numbers]:
    return lambda a: a if a.dtype.kind == "i" else _integers(function(a))


def _integers(a: Numbers) -> Numbers:
    return a.astype(np.int64) if np.all(np.isfinite(a)) else a


def _power(a: Numbers, b: Numbers) -> Numbers:
    return np.power(a.astype(np.float64), b) if np.any(b < 0) else np.power(a, b)


BINARY: dict[str, Callable[[Numbers, Numbers], Numbers]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": _divide,
    "//": _truncated,
    "mod": lambda a, b: np.mod(a, _no_zero(b)),
    "rem": lambda a, b: np.fmod(a, _no_zero(b)),
    "**": _power,
    "^": _power,
    "min": np.minimum,
    "max": np.maximum,
    "atan2": np.arctan2,
    "atan": np.arctan2,
}
UNARY: dict[str, Callable[[Numbers], Numbers]] = {
    "-": np.negative,
    "+": np.positive,
    "abs": np.abs,
    "sign": np.sign,
    "sqrt": np.sqrt,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "exp": np.exp,
    "log": np.log,
    "log2": np.log2,
    "float": lambda a: a.astype(np.float64),
    "floor": _whole(np.floor),
    "ceiling": _whole(np.ceil),
    "truncate": _whole(np.trunc),
    "integer": _whole(lambda a: np.floor(a + 0.5)),
    "round": _whole(lambda a: np.copysign(np.floor(np.abs(a) + 0.5), a)),
}


def value(expression: Term, rows: Rows) -> Numbers:
    """The value of an arithmetic expression for each row; a constant is an array without axes."""
    if not isinstance(expression, Compound):
        return _value(expression, rows)
    with np.errstate(all="ignore"):  # what has no value, or is too large, is dealt with by whoever asks
        return _value(expression, rows)


def _value(expression: Term, rows: Rows) -> Numbers:
    if isinstance(expression, Var):
        return rows.column(expression.name).numbers()
    known = constant(expression)
    if known is not None:
        return known
    if isinstance(expression, Compound) and len(expression.args) == 2 and expression.functor in BINARY:
        left, right = (_value(arg, rows) for arg in expression.args)
        return BINARY[expression.functor](left, right)
    if isinstance(expression, Compound) and len(expression.args) == 1 and expression.functor in UNARY:
        return UNARY[expression.functor](_value(expression.args[0], rows))
    raise HoldsforError(
        f"{expression.place}: {expression} is not arithmetic; known are + - * / // mod abs min max sqrt ..."
    )


#: Functions of integers whose value is one; of some only where it comes out as one.
KEEPS_WHOLE = {"+", "-", "*", "abs", "sign", "mod", "rem"}
MAY_KEEP_WHOLE = {"/", "**", "^"}
ALWAYS_WHOLE = {"//", "floor", "ceiling", "round", "truncate", "integer"}


def whole(expression: Term, rows: Rows, results: Numbers) -> Mask | bool:
    """Mark the values of the expression that are integers, where integers and floats mix. results: its values."""
    if isinstance(expression, Var):
        return rows.column(expression.name).whole()
    if not isinstance(expression, Compound):
        return isinstance(expression, Int)
    if expression.functor in ALWAYS_WHOLE:
        return True
    if expression.functor not in KEEPS_WHOLE | MAY_KEEP_WHOLE | {"min", "max"}:
        return False
    values = [value(arg, rows) for arg in expression.args]
    parts = [whole(arg, rows, numbers) for arg, numbers in zip(expression.args, values, strict=True)]
    if expression.functor in ("min", "max"):  # the one that is chosen
        return np.where(results == values[0], parts[0], parts[1])
    if expression.functor in MAY_KEEP_WHOLE:
        parts.append(results % 1 == 0)
    return True if all(part is True for part in parts) else np.logical_and.reduce(np.broadcast_arrays(*parts))
