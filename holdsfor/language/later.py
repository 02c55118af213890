"""Conditions that a later version will have: each is named once, so that a user knows what to wait for."""

from __future__ import annotations

from holdsfor.language.terms import Compound, Term
from holdsfor.language.vocabulary import ALLEN, LISTS

#: construct -> what is said about it, what to write until then
_LATER: dict[str, tuple[str, str]] = {
    "disjunction": ("disjunction (`;`) comes in a later version", "write one rule for each case"),
    "if-then-else": ("if-then-else (`->`) comes in a later version", "write one rule for each case"),
    "findall": ("findall and functions of its lists come in a later version", ""),
    "complement_all": (
        "complement_all comes in a later version",
        "take away from intervals that the rule has: relative_complement_all(I1, [I2], I)",
    ),
    "allen": ("Allen relations between intervals come in a later version", ""),
    "initiatedAt in a body": ("initiatedAt as a condition comes in a later version", "write its conditions instead"),
    "terminatedAt in a body": ("terminatedAt as a condition comes in a later version", "write its conditions instead"),
}


def later_condition(name: str, args: tuple[Term, ...], intervals: bool) -> tuple[str, str, str] | None:
    """Construct, message and hint, if the condition is one of a later version."""
    construct = _construct(name, args, intervals)
    return (construct, *_LATER[construct]) if construct else None


def _construct(name: str, args: tuple[Term, ...], intervals: bool) -> str | None:
    if name in (";", "->") and len(args) == 2:
        first = args[0]
        chooses = name == "->" or (isinstance(first, Compound) and first.functor == "->")
        return "if-then-else" if chooses else "disjunction"
    if name == "findall" or name in LISTS:
        return "findall"
    if name == "complement_all":
        return name
    if name == "allen" or (name in ALLEN and len(args) == 4 and intervals):
        return "allen"
    if name in ("initiatedAt", "terminatedAt"):
        return f"{name} in a body"
    return None
