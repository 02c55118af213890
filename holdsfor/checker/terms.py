"""Terms: reading, unifying and calculating them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from holdsfor.io.readers.ground import NotATerm, TermCursor
from holdsfor.language.diagnostics import Source
from holdsfor.language.parsing.syntax import RawClause, parse
from holdsfor.language.terms import Atom, Compound, Float, Int, Items, Term, Var, inside

Values = Mapping[str, Term]
NO_VALUES: Values = {}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b=None: -a if b is None else a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b if isinstance(a, float) or isinstance(b, float) or a % b else a // b,
    "//": lambda a, b: math.trunc(a / b),
    "mod": lambda a, b: a % b,
    "rem": math.fmod,
    "**": pow,
    "^": pow,
    "min": min,
    "max": max,
    "abs": abs,
    "sign": lambda a: (a > 0) - (a < 0),
    "round": lambda a: math.floor(abs(a) + 0.5) * (1 if a >= 0 else -1),
    "truncate": math.trunc,
    "integer": lambda a: math.floor(abs(a) + 0.5) * (1 if a >= 0 else -1),
    "floor": math.floor,
    "ceiling": math.ceil,
    "float": float,
    **{
        name: getattr(math, name)
        for name in ("sqrt", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan", "atan2")
    },
}
NUMBERS: dict[str, Callable[[Any, Any], bool]] = {
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "=<": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
    "=:=": lambda a, b: a == b,
    "=\\=": lambda a, b: a != b,
}
ORDERS = {"@<": "<", "@>": ">", "@=<": "=<", "@>=": ">="}
EQUALITIES = ("=", "==", "\\=", "\\==")


def read(text: str) -> Term:
    """Read a term without variables; of a fluent with its value `=` is the functor."""
    cursor = TermCursor(text)
    try:
        term = cursor.term()
        if cursor.accept("="):
            term = Compound("=", (term, cursor.term()))
        if not cursor.rest():
            return term
    except NotATerm:
        pass
    return expression(text)


def expression(value: object) -> Term:
    """Read a number, or an expression as rules write it."""
    if isinstance(value, int | float):
        return number(value)
    clauses = parse(Source("", f"x({value})."), in_order=True).raw
    if len(clauses) != 1 or not isinstance(clauses[0], RawClause):
        raise ValueError(f"{value!r} is no term")
    return clauses[0].head.args[0]


def bind(term: Term, values: Values) -> Term:
    """Return a term with the values of its variables."""
    while isinstance(term, Var):
        if term.name not in values:
            return term
        term = values[term.name]
    if isinstance(term, Compound):
        return Compound(term.functor, tuple(bind(arg, values) for arg in term.args))
    return Items(tuple(bind(item, values) for item in term.items)) if isinstance(term, Items) else term


def unify(one: Term, other: Term, values: Values) -> Values | None:
    """Return the values with which two terms are equal; None if there are none. Equal numbers are equal terms."""
    one, other = bind(one, values), bind(other, values)
    if isinstance(one, Var) or isinstance(other, Var):
        variable, term = (one, other) if isinstance(one, Var) else (other, one)
        return values if one == other else {**values, variable.name: term}  # type: ignore[union-attr]
    if isinstance(one, Compound | Items):
        if type(one) is not type(other) or one.functor != other.functor or len(inside(one)) != len(inside(other)):
            return None
        unified: Values | None = values
        for left, right in zip(inside(one), inside(other), strict=True):
            unified = None if unified is None else unify(left, right, unified)
        return unified
    numbers = isinstance(one, Int | Float) and isinstance(other, Int | Float) and one.value == other.value
    return values if numbers or one == other else None


def calculate(term: Term) -> Any:
    """Calculate an expression; None if it has no value."""
    if isinstance(term, Int | Float):
        return term.value
    arguments = [calculate(arg) for arg in term.args]
    if not arguments or None in arguments or term.functor not in FUNCTIONS:
        return None
    try:
        return FUNCTIONS[term.functor](*arguments)
    except (ArithmeticError, ValueError, TypeError):
        return None


def number(value: float) -> Term:
    """Return a number as a term."""
    return Int(value) if isinstance(value, int) else Float(value)


def compare(op: str, one: Term, other: Term) -> bool:
    """Whether a comparison of terms without variables is true."""
    if op in NUMBERS:
        left, right = calculate(one), calculate(other)
        return left is not None and right is not None and NUMBERS[op](left, right)
    if op in EQUALITIES:
        return (unify(one, other, NO_VALUES) is not None) == (op in ("=", "=="))
    return NUMBERS[ORDERS[op]](_order(one), _order(other))


def _order(term: Term) -> tuple[Any, ...]:
    """Return what terms are sorted by: numbers, atoms, then compound ones by their number of arguments."""
    if isinstance(term, Int | Float):
        return (0, term.value, isinstance(term, Int))
    if isinstance(term, Compound):
        return (2, len(term.args), term.functor, tuple(map(_order, term.args)))
    return (1, term.name if isinstance(term, Atom | Var) else str(term))
