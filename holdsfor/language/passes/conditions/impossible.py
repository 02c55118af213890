"""Conditions that can never be true together: `X >= 5, X < 3`."""

from __future__ import annotations

from dataclasses import dataclass
from operator import eq, ge, gt, le, lt, ne

from holdsfor.language.draft import Draft
from holdsfor.language.literals import Body, Compare, Is, Literal, Or
from holdsfor.language.terms import Atom, Float, Int, Var
from holdsfor.language.written import written

_TESTS = {"<": lt, "=<": le, ">": gt, ">=": ge, "\\=": ne, "\\==": ne, "=\\=": ne, "=": eq, "==": eq, "=:=": eq}
_FLIPPED = {"<": ">", ">": "<", "=<": ">=", ">=": "=<"}
_LOWER, _UPPER = (">", ">="), ("<", "=<")


@dataclass(frozen=True, slots=True)
class _Bound:
    """A comparison of a variable with a constant, and how it is written."""

    op: str
    constant: float | str
    text: str

    def admits(self, value: float | str) -> bool:
        if isinstance(value, str) != isinstance(self.constant, str):
            return _TESTS[self.op] is not eq
        return bool(_TESTS[self.op](value, self.constant))

    def excludes(self, other: _Bound) -> bool:
        """Whether no value passes both."""
        if _TESTS[self.op] is eq:
            return not other.admits(self.constant)
        if _TESTS[other.op] is eq:
            return not self.admits(other.constant)
        opposite = (self.op in _LOWER and other.op in _UPPER) or (self.op in _UPPER and other.op in _LOWER)
        if not opposite or isinstance(self.constant, str) or isinstance(other.constant, str):
            return False
        if self.constant == other.constant:
            return not (self.admits(other.constant) and other.admits(self.constant))
        return not self.admits(other.constant)

    def kind(self) -> str:
        """Tests of one kind say the same or more than each other; of tests for a difference, each says its own."""
        return f"{self.op}{self.constant}" if _TESTS[self.op] is ne else self.op[0]


def impossible(draft: Draft) -> None:
    """Warn of comparisons of a variable with constants that exclude each other."""
    for body in draft.bodies:
        _check(draft, body, {})


def _check(draft: Draft, body: Body, outer: dict[Var, dict[str, _Bound]]) -> None:
    """outer: the strictest tests beside this conjunction, of each variable and kind."""
    tests = {variable: dict(bounds) for variable, bounds in outer.items()}
    for literal in body:
        variable, bound = _bound(literal)
        if variable is None or bound is None:
            continue
        bounds = tests.setdefault(variable, {})
        other = next((each for each in bounds.values() if each.excludes(bound)), None)
        if other is not None:
            hint = "correct one of them, or write a rule for each case"
            draft.warning("never", f"`{bound.text}` is never true beside `{other.text}`", literal.place, hint)
        elif bound.kind() not in bounds or bounds[bound.kind()].admits(bound.constant):
            bounds[bound.kind()] = bound
    for literal in body:
        for conjunction in literal.bodies:
            _check(draft, conjunction, tests if isinstance(literal, Or) else {})


def _bound(literal: Literal) -> tuple[Var | None, _Bound | None]:
    match literal:
        case Compare(op=op, left=Var() as variable, right=constant):
            text = f"{written(variable)} {op} {written(constant)}"
        case Compare(op=op, left=constant, right=Var() as variable):
            text = f"{written(constant)} {op} {written(variable)}"
            op = _FLIPPED.get(op, op)
        case Is(target=Var() as variable, expression=constant):
            op, text = "=:=", f"{written(variable)} is {written(constant)}"
        case _:
            return None, None
    if op not in _TESTS or not isinstance(constant, Int | Float | Atom):
        return None, None
    return variable, _Bound(op, constant.name if isinstance(constant, Atom) else constant.value, text)
