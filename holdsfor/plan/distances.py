"""Distances between the times of a chain: fixed by `T2 is T+60`, limited by comparisons such as `T - T2 < 60`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from holdsfor.language.terms import Compound, Int, Term, Var
from holdsfor.plan.operators import Chain, Let, Where


class Span(NamedTuple):
    """How much earlier and later than the time of its conclusion a condition may look; None: without limit."""

    first: int | None
    last: int | None


ANYWHEN = Span(None, None)


class Distance(NamedTuple):
    """later - earlier =< most"""

    later: str
    earlier: str
    most: int


def distances(chain: Chain, anchors: Mapping[str, int]) -> dict[str, int]:
    """How far each time variable of a chain is from those known, where that is always the same."""
    spans = limit_times(chain, {name: Span(value, value) for name, value in anchors.items()})
    return {name: s.first for name, s in spans.items() if s.first is not None and s.first == s.last}


def limit_times(chain: Chain, anchors: Mapping[str, Span]) -> dict[str, Span]:
    """Limit where the times of a chain may lie, from where others do."""
    limits = [limit for op in chain for limit in _limits(op)]
    spans = dict(anchors)
    for _ in range(len(limits) + 1):  # the longest way from one time to another has so many steps
        before = dict(spans)
        for later, earlier, most in limits:
            a, b = spans.get(later, ANYWHEN), spans.get(earlier, ANYWHEN)
            spans[later] = Span(a.first, least(a.last, None if b.last is None else b.last + most))
            spans[earlier] = Span(_greatest(b.first, None if a.first is None else a.first - most), b.last)
        if spans == before:
            break
    return {name: span for name, span in spans.items() if span != ANYWHEN}


def least(one: int | None, other: int | None) -> int | None:
    """Return the smaller of two limits, of which None is none."""
    return other if one is None else one if other is None else min(one, other)


def _greatest(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else max(one, other)


# ---------------------------------------------------------------- what operators say


def _limits(op: object) -> Iterator[Distance]:
    match op:
        case Let():
            yield from _compared("=:=", Var(op.variable), op.expression)
        case Where(left=Compound(functor="abs", args=(inside,))) if op.op in ("<", "=<"):
            yield from _compared(op.op, inside, op.right)
            yield from _compared(op.op, Compound("-", (Int(0), inside)), op.right)
        case Where():
            yield from _compared(op.op, op.left, op.right)


def _compared(op: str, left: Term, right: Term) -> Iterator[Distance]:
    """Read a comparison as a distance of two times; nothing if it is about something else."""
    terms = _sum(Compound("-", (left, right)))
    if terms is None:
        return
    constant = terms.pop("", 0)
    factors = {name: factor for name, factor in terms.items() if factor}
    if sorted(factors.values()) != [-1, 1]:
        return
    (plus,) = (name for name, factor in factors.items() if factor == 1)
    (minus,) = (name for name, factor in factors.items() if factor == -1)
    if op in ("<", "=<", "=:=", "==", "="):  # plus - minus + constant < 0
        yield Distance(plus, minus, -constant - (op == "<"))
    if op in (">", ">=", "=:=", "==", "="):
        yield Distance(minus, plus, constant - (op == ">"))


def _sum(term: Term) -> dict[str, int] | None:
    """The factors of the variables in a sum, and by the name "" what is added to them; None if it is no such sum."""
    match term:
        case Var(name=name):
            return {name: 1}
        case Int(value=value):
            return {"": value}
        case Compound(functor="+" | "-" as sign, args=(left, right)):
            one, other = _sum(left), _sum(right)
            if one is None or other is None:
                return None
            factor = 1 if sign == "+" else -1
            return {name: one.get(name, 0) + factor * other.get(name, 0) for name in (one | other)}
    return None
