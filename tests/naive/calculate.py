"""Substitution, matching, arithmetic and the standard order of terms, one term at a time."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from holdsfor.language.terms import Atom, Compound, Float, Int, Items, Term, Var, is_ground, variables

Bindings = Mapping[str, Term]
Number = int | float
NULL = Atom("NULL")  # in the place of an argument that an event does not have
UNREAD = "?"  # how variables begin that stand nowhere else in their rule


class NotYet(Exception):
    """A literal cannot be evaluated before more of its variables are bound."""


def substitute(term: Term, bindings: Bindings) -> Term:
    if isinstance(term, Var):
        return bindings.get(term.name, term)
    if isinstance(term, Compound):
        return Compound(term.functor, tuple(substitute(arg, bindings) for arg in term.args))
    if isinstance(term, Items):
        return Items(tuple(substitute(item, bindings) for item in term.items))
    return term


def match(pattern: Term, ground: Term, bindings: Bindings) -> Bindings | None:
    """The bindings under which the pattern is the ground term."""
    if isinstance(pattern, Var):
        if ground == NULL and not pattern.name.startswith(UNREAD):
            return None
        bound = bindings.get(pattern.name)
        if bound is None:
            return {**bindings, pattern.name: ground}
        return bindings if bound == ground else None
    if isinstance(pattern, Compound):
        if not isinstance(ground, Compound) or pattern.functor != ground.functor:
            return None
        return match_all(pattern.args, ground.args, bindings)
    if isinstance(pattern, Items):
        return match_all(pattern.items, ground.items, bindings) if isinstance(ground, Items) else None
    return bindings if pattern == ground else None


def match_all(patterns: tuple[Term, ...], grounds: tuple[Term, ...], bindings: Bindings) -> Bindings | None:
    if len(patterns) != len(grounds):
        return None
    current: Bindings | None = bindings
    for pattern, ground in zip(patterns, grounds, strict=True):
        if current is None:
            return None
        current = match(pattern, ground, current)
    return current


def _divide(a: Number, b: Number) -> Number:
    exact = isinstance(a, int) and isinstance(b, int) and a % b == 0
    return a // b if exact else a / b


def _integer_divide(a: Number, b: Number) -> Number:
    return int(a // b) if (a < 0) == (b < 0) else -int(abs(a) // abs(b))


def _round(a: Number) -> int:
    return math.floor(abs(a) + 0.5) * (1 if a >= 0 else -1)


_FUNCTIONS: dict[tuple[str, int], Callable[..., Number]] = {
    ("+", 2): lambda a, b: a + b,
    ("-", 2): lambda a, b: a - b,
    ("*", 2): lambda a, b: a * b,
    ("/", 2): _divide,
    ("//", 2): _integer_divide,
    ("mod", 2): lambda a, b: a % b,
    ("rem", 2): lambda a, b: a - b * _integer_divide(a, b),
    ("**", 2): lambda a, b: a**b,
    ("^", 2): lambda a, b: a**b,
    ("min", 2): min,
    ("max", 2): max,
    ("-", 1): lambda a: -a,
    ("+", 1): lambda a: a,
    ("abs", 1): abs,
    ("sign", 1): lambda a: (a > 0) - (a < 0) if isinstance(a, int) else math.copysign(float(a != 0), a),
    ("floor", 1): math.floor,
    ("ceiling", 1): math.ceil,
    ("truncate", 1): math.trunc,
    ("round", 1): _round,
    ("integer", 1): _round,
    ("float", 1): float,
    ("sqrt", 1): math.sqrt,
    ("sin", 1): math.sin,
    ("cos", 1): math.cos,
    ("tan", 1): math.tan,
    ("asin", 1): math.asin,
    ("acos", 1): math.acos,
    ("atan", 1): math.atan,
    ("atan2", 2): math.atan2,
    ("exp", 1): math.exp,
    ("log", 1): math.log,
}


def evaluate(expression: Term, bindings: Bindings) -> Number | None:
    """The number, or None where there is none: division by zero, overflow, or a term that is no number."""
    expression = substitute(expression, bindings)
    if not is_ground(expression):
        raise NotYet
    try:
        return _number(expression)
    except (ArithmeticError, ValueError, TypeError, KeyError):
        return None


def _number(expression: Term) -> Number:
    if isinstance(expression, Int | Float):
        return expression.value
    if isinstance(expression, Atom):
        return {"pi": math.pi, "e": math.e}[expression.name]
    if isinstance(expression, Compound):
        found = _FUNCTIONS[expression.functor, len(expression.args)](*map(_number, expression.args))
        if isinstance(found, int) and not -(2**63) <= found < 2**63:
            raise OverflowError("an integer that is worked out has at most 64 bits")
        return found
    raise TypeError(expression)


def number_term(value: Number) -> Term:
    return Int(value) if isinstance(value, int) else Float(value)


def invert(expression: Term, value: int, bindings: Bindings) -> Bindings | None:
    """Bindings that make a time expression (T, T+k, k+T, T-k) equal to the value."""
    expression = substitute(expression, bindings)
    if is_ground(expression):
        return bindings if evaluate(expression, bindings) == value else None
    if isinstance(expression, Var):
        return {**bindings, expression.name: Int(value)}
    if isinstance(expression, Compound) and expression.functor in "+-" and len(expression.args) == 2:
        left, right = expression.args
        if is_ground(right):
            offset = evaluate(right, bindings)
            back = value - offset if expression.functor == "+" else value + offset  # type: ignore[operator]
            return invert(left, int(back), bindings)
        if is_ground(left) and expression.functor == "+":
            return invert(right, value - int(evaluate(left, bindings)), bindings)  # type: ignore[arg-type]
    raise NotYet


_ARITHMETIC: dict[str, Callable[[Number, Number], bool]] = {
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "=<": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
    "=:=": lambda a, b: a == b,
    "=\\=": lambda a, b: a != b,
}


def compare(op: str, left: Term, right: Term, bindings: Bindings) -> Bindings | None:
    """The bindings if the comparison is true (unification may add some), otherwise None."""
    if op in _ARITHMETIC:
        a, b = evaluate(left, bindings), evaluate(right, bindings)
        return bindings if a is not None and b is not None and _ARITHMETIC[op](a, b) else None
    left, right = substitute(left, bindings), substitute(right, bindings)
    if op == "=" and (is_ground(left) or is_ground(right)):
        return match(left, right, bindings) if is_ground(right) else match(right, left, bindings)
    if not (is_ground(left) and is_ground(right)):
        raise NotYet
    if op in ("\\=", "\\=="):
        return bindings if left != right else None
    if op == "==":
        return bindings if left == right else None
    order = (standard_order(left) > standard_order(right)) - (standard_order(left) < standard_order(right))
    true = {"@<": order < 0, "@>": order > 0, "@=<": order <= 0, "@>=": order >= 0}[op]
    return bindings if true else None


def standard_order(term: Term) -> tuple[object, ...]:
    """Numbers by value (a float before the equal integer), then atoms, then compounds by arity, name and arguments."""
    if isinstance(term, Float):
        return (1, term.value, 0)
    if isinstance(term, Int):
        return (1, term.value, 1)
    if isinstance(term, Atom):
        return (2, term.name)
    if isinstance(term, Compound):
        return (3, len(term.args), term.functor, tuple(map(standard_order, term.args)))
    raise TypeError(term)


def names(*terms: Term | None) -> set[str]:
    return {variable.name for term in terms if term is not None for variable in variables(term)}
