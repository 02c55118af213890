"""Comparisons whose outcome is known before any data."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from holdsfor.language.terms import Atom, Compound, Float, Int, Term, Var
from holdsfor.plan.operators import Where

NUMBERS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    ">": operator.gt,
    "=<": operator.le,
    ">=": operator.ge,
    "=:=": operator.eq,
    "=\\=": operator.ne,
}
#: Never true of one and the same value, also where it is no number.
DIFFER = {"<", ">", "=\\=", "\\=", "\\==", "@<", "@>"}
EXACT = 2**53  # up to here integers and floats compare alike


def truth(test: Where) -> bool | None:
    """Whether the comparison is always true, or never; None if that depends on the data."""
    left, right = test.left, test.right
    if isinstance(left, Var) and left == right:
        return False if test.op in DIFFER else True if test.op in ("=", "==") else None
    one, other = number(left), number(right)
    if one is not None and other is not None and test.op in NUMBERS:
        return NUMBERS[test.op](one, other)
    if test.op in ("=", "==", "\\=", "\\==") and _named(left) and _named(right):
        return (left == right) == (test.op in ("=", "=="))
    return None


def number(term: Term) -> float | None:
    return term.value if isinstance(term, Int | Float) and abs(term.value) <= EXACT else None


def _named(term: Term) -> bool:
    """A constant that is what it looks like: 0.0 and -0.0 may be one."""
    return isinstance(term, Atom | Int) or (isinstance(term, Compound) and all(map(_named, term.args)))


@dataclass(slots=True)
class _Range:
    """The range of a variable: its bounds, and whether they are in it."""

    low: float = float("-inf")
    high: float = float("inf")
    low_in: bool = True
    high_in: bool = True

    def above(self, bound: float, included: bool) -> None:
        if (bound, not included) > (self.low, not self.low_in):
            self.low, self.low_in = bound, included

    def below(self, bound: float, included: bool) -> None:
        if (-bound, not included) > (-self.high, not self.high_in):
            self.high, self.high_in = bound, included

    def is_empty(self) -> bool:
        return self.low > self.high or (self.low == self.high and not (self.low_in and self.high_in))


MIRRORED = {"<": ">", ">": "<", "=<": ">=", ">=": "=<", "=:=": "=:="}


def contradict(tests: Iterable[Where]) -> bool:
    """Whether comparisons of a variable with numbers leave no value for it."""
    ranges: dict[str, _Range] = {}
    for test in tests:
        op, variable, bound = test.op, test.left, number(test.right)
        if bound is None and op in MIRRORED:
            op, variable, bound = MIRRORED[op], test.right, number(test.left)
        if not isinstance(variable, Var) or bound is None:
            continue
        limits = ranges.setdefault(variable.name, _Range())
        if op in (">", ">=", "=:="):
            limits.above(bound, op != ">")
        if op in ("<", "=<", "=:="):
            limits.below(bound, op != "<")
    return any(limits.is_empty() for limits in ranges.values())
