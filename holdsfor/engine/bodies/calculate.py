"""Comparisons and the values of expressions, exact for every row: in arrays where these are, else one row at a time.

An integer that is worked out has at most 64 bits. One that would have more makes its condition fail and is counted.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from holdsfor.engine.bodies.expression import value, whole
from holdsfor.engine.bodies.magnitude import compared_rows, kind, large_rows
from holdsfor.engine.bodies.structure import term_codes
from holdsfor.engine.data.axis import Ints
from holdsfor.engine.data.column import Column
from holdsfor.engine.data.dictionary import Dictionary, Numbers
from holdsfor.engine.data.rows import Rows
from holdsfor.engine.data.world import OVERFLOWS, World
from holdsfor.kernels.rows.moving import look_up_answers
from holdsfor.language.arithmetic import FUNCTIONS, Number, Overflow
from holdsfor.language.terms import Atom, Compound, Float, Int, Term, Var, is_ground, substitute, variables

Mask = npt.NDArray[np.bool_]
UNKNOWN, YES, NO = 0, 1, 2


class Answers:
    """A table by code. It is left alone where answers are refused once: then each row is asked for itself."""

    __slots__ = ("_refused", "_table")

    def __init__(self) -> None:
        self._table = np.zeros(0, np.int8)
        self._refused = False

    def of(self, codes: Ints, terms: int, answer: Callable[[Ints], Mask | None]) -> Mask | None:
        """For each code. terms: in the dictionary. answer: for different codes; None: it refuses."""
        if self._refused:
            return None
        if len(self._table) < terms:
            self._table = np.concatenate([self._table, np.zeros(terms - len(self._table), np.int8)])
        mask, unknown = look_up_answers(self._table, codes, YES, UNKNOWN)
        if unknown:
            wanted = np.zeros(terms, np.bool_)
            wanted[codes] = True
            fresh = np.flatnonzero(wanted & (self._table[:terms] == UNKNOWN))
            answers = answer(fresh)
            if answers is None:
                self._refused = True
                return None
            self._table[fresh] = np.where(answers, YES, NO)
            mask, _ = look_up_answers(self._table, codes, YES, UNKNOWN)
        return mask


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


ORDERED: dict[str, tuple[Callable[[Numbers, Numbers], Mask], Callable[[Number, Number], bool]]] = {
    "<": (np.less, operator.lt),
    ">": (np.greater, operator.gt),
    "=<": (np.less_equal, operator.le),
    ">=": (np.greater_equal, operator.ge),
    "=:=": (np.equal, operator.eq),
    "=\\=": (np.not_equal, operator.ne),
}
TERM_ORDER = {"@<": np.less, "@>": np.greater, "@=<": np.less_equal, "@>=": np.greater_equal}


def compare(op: str, left: Term, right: Term, rows: Rows, world: World) -> Mask:
    """The rows for which a comparison is true."""
    if op in ORDERED or op == "is":
        by_term = _compare_by_term(op, left, right, rows, world)
        return by_term if by_term is not None else _compare_numbers(op, left, right, rows, world)
    one, other = _codes(left, rows, world.dictionary), _codes(right, rows, world.dictionary)
    if op in ("=", "=="):
        return _broadcast(one == other, rows)
    if op in ("\\=", "\\=="):
        return _broadcast(one != other, rows)
    ranks = world.dictionary.ranks
    return _broadcast(TERM_ORDER[op](ranks[one], ranks[other]), rows)


def _compare_numbers(op: str, left: Term, right: Term, rows: Rows, world: World) -> Mask:
    holds = _broadcast(_compare_arrays(op, left, right, rows), rows)
    large = compared_rows(left, right, rows)
    for side in (left, right):
        if isinstance(side, Compound):  # what is not worked out is compared as it is
            large = _either(large, large_rows(side, rows))
    if large is not None:
        holds = holds & ~large
        holds[large] = _compare_exactly(op, left, right, rows.filter(large), world)
    return holds


def _compare_by_term(op: str, left: Term, right: Term, rows: Rows, world: World) -> Mask | None:
    """A calculation with one term of each row, such as `0 is Agent mod 10`, done once for each different term.

    None where that saves nothing, or where numbers are too large for arrays: overflows are counted by row.
    """
    name, shown = _calculated_term(left, right)
    if not name or not rows.size or not rows.column(name).is_coded:
        return None
    codes, view = rows.codes(name), ("compared", op, shown)
    tuning = world.dictionary.tuning
    answers = world.shared.get(view)
    if not isinstance(answers, Answers):
        if len(world.dictionary) > max(tuning.compared_terms * rows.size, tuning.few_compared_terms):
            return None
        answers = world.shared[view] = Answers()

    def answer(fresh: Ints) -> Mask | None:
        terms = Rows(world.axis, len(fresh), {name: Column(world.dictionary, fresh)})
        if any(isinstance(side, Compound) and large_rows(side, terms) is not None for side in (left, right)):
            return None
        return _compare_numbers(op, left, right, terms, world)

    return answers.of(codes, len(world.dictionary), answer)


@lru_cache(maxsize=4096)  # of the rules alone, and asked at each evaluation
def _calculated_term(left: Term, right: Term) -> tuple[str, str]:
    """The only variable of a comparison in which something is calculated, and the comparison whatever its name."""
    names = {variable.name for side in (left, right) for variable in variables(side)}
    if len(names) != 1 or not (isinstance(left, Compound) or isinstance(right, Compound)):
        return "", ""
    name = names.pop()
    unnamed = [substitute(side, {name: Var("X")}) for side in (left, right)]
    return name, " ".join(map(str, unnamed))


def calculate(expression: Term, rows: Rows, world: World) -> tuple[Rows, Column]:
    """The rows for which an expression has a value, and its values."""
    large = large_rows(expression, rows)
    if large is None:
        rows, numbers = _with_value(expression, rows)
        return rows, Column(world.dictionary, numbers=numbers, whole=_mixed(expression, rows, numbers))
    exact = evaluate_rows(expression, rows.filter(large), world)
    easy = rows.filter(~large)
    kept = np.empty(rows.size, np.bool_)
    kept[large] = [number is not None for number in exact]
    kept[~large] = ~np.isnan(np.broadcast_to(value(expression, easy), (easy.size,)))
    easy, numbers = _with_value(expression, easy)
    codes = np.empty(rows.size, np.int64)  # a term is exact, whatever its size and that of others
    codes[kept & ~large] = Column(world.dictionary, None, numbers, _mixed(expression, easy, numbers)).codes()
    codes[kept & large] = world.dictionary.codes(repr(number) for number in exact if number is not None)
    return rows.filter(kept), Column(world.dictionary, codes[kept])


def evaluate_rows(expression: Term, rows: Rows, world: World) -> list[Number | None]:
    """The values of an expression, one row at a time; what overflows has none, and is counted."""
    names = sorted({variable.name for variable in variables(expression)})
    columns = [rows.column(name).exact() for name in names]
    results: list[Number | None] = []
    for values in zip(*columns, strict=True) if names else [()] * rows.size:
        try:
            results.append(evaluate(expression, dict(zip(names, values, strict=True))))
        except Overflow:
            world.counts[OVERFLOWS] += 1
            results.append(None)
    return results


def _compare_arrays(op: str, left: Term, right: Term, rows: Rows) -> Mask:
    a, b = value(left, rows), value(right, rows)
    if op == "is":
        if a.dtype.kind == "i" and b.dtype.kind == "i":
            return np.equal(a, b)
        equal: Mask = (a == b) & np.equal(whole(left, rows, a), whole(right, rows, b))
        return equal
    holds = ORDERED[op][0](a, b)
    if op == "=\\=":  # the only comparison that is true of what has no value
        holds = holds & ~np.isnan(a) & ~np.isnan(b)
    return holds


def _compare_exactly(op: str, left: Term, right: Term, rows: Rows, world: World) -> list[bool]:
    pairs = zip(evaluate_rows(left, rows, world), evaluate_rows(right, rows, world), strict=True)
    if op == "is":
        return [a is not None and a == b and isinstance(a, int) == isinstance(b, int) for a, b in pairs]
    test = ORDERED[op][1]
    return [a is not None and b is not None and test(a, b) for a, b in pairs]


def _with_value(expression: Term, rows: Rows) -> tuple[Rows, Numbers]:
    numbers = np.broadcast_to(value(expression, rows), (rows.size,))
    if numbers.dtype.kind == "f" and np.isnan(numbers).any():  # no value: division by zero, or not a number
        rows = rows.filter(~np.isnan(numbers))
        numbers = np.broadcast_to(value(expression, rows), (rows.size,))  # integers where no gap made them floats
    return rows, numbers


def _mixed(expression: Term, rows: Rows, numbers: Numbers) -> Mask | None:
    """Mark the values that are integers; None if all are of one kind."""
    if numbers.dtype.kind == "i" or kind(expression, rows) == "f":
        return None
    integers = np.broadcast_to(whole(expression, rows, numbers), numbers.shape)
    return np.array(integers) if integers.any() else None


def _either(one: Mask | None, other: Mask | None) -> Mask | None:
    return other if one is None else one if other is None else one | other


def _codes(term: Term, rows: Rows, dictionary: Dictionary) -> Ints:
    if isinstance(term, Var):
        return rows.codes(term.name)
    if not is_ground(term):
        return term_codes(term, rows, dictionary)
    return np.array(dictionary.code_of(term), np.int64)


def _broadcast(mask: Mask, rows: Rows) -> Mask:
    return mask if mask.ndim else np.full(rows.size, bool(mask))
