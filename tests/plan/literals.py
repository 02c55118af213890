"""Literals of rules as text, for the passes that turn rules into rules."""

from __future__ import annotations

from collections.abc import Iterable

from holdsfor.language.literals import (
    Algebra,
    Call,
    Compare,
    Duration,
    Edge,
    Happens,
    Holds,
    HoldsFor,
    Is,
    Literal,
    Not,
)
from holdsfor.language.terms import Compound, Term


def written(literals: Iterable[Literal]) -> str:
    return ", ".join(map(literal, literals)) or "true"


def literal(one: Literal) -> str:
    match one:
        case Happens():
            return f"happensAt({one.event}, {term(one.time)})"
        case Edge():
            return f"happensAt({one.edge}({one.fluent}={one.value}), {term(one.time)})"
        case Holds():
            return f"holdsAt({one.fluent}={one.value}, {term(one.time)})"
        case HoldsFor():
            return f"holdsFor({one.fluent}={one.value}, {one.interval})"
        case Algebra():
            return f"{one.op}({','.join(map(str, one.operands))}, {one.result})"
        case Duration():
            return f"lasting({one.interval}, {one.op} {term(one.bound)}, {one.result})"
        case Compare():
            return f"{term(one.left)} {one.op} {term(one.right)}"
        case Is():
            return f"{term(one.target)} is {term(one.expression)}"
        case Call():
            return str(one.goal)
        case Not():
            return f"\\+ ({written(one.literals)})"


def term(one: Term) -> str:
    """As rules write it: T+60."""
    if isinstance(one, Compound) and len(one.args) == 2 and not one.functor.isalpha():
        return f"{term(one.args[0])}{one.functor}{term(one.args[1])}"
    return str(one)
