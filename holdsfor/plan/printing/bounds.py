"""Definitions without a bound, told to people: which, why, and what bounds them."""

from __future__ import annotations

from collections.abc import Iterable

from holdsfor.language.description import Signature
from holdsfor.language.terms import NOWHERE
from holdsfor.plan.operators import Plan
from holdsfor.plan.reach import Unbounded, unbounded


def find_unbounded(made: Plan) -> dict[Signature, Unbounded]:
    """By name: the values of a fluent are one definition to its author."""
    found: dict[Signature, Unbounded] = {}
    for one in unbounded(made.definitions):
        found.setdefault(one.relation.definition, one)
    return found


def show_unbounded(made: Plan) -> Iterable[str]:
    for signature, one in find_unbounded(made).items():
        where = "" if one.place is NOWHERE else f" ({one.place.file}:{one.place.line})"
        yield f"{signature}{where}: {one.because}. {how_to_bound(signature, one)}"


def how_to_bound(signature: Signature, one: Unbounded) -> str:
    instead = f", or {one.instead}" if one.instead else ""
    return f"To bound it, write bound({signature}, TICKS) in the rules or --bound {signature}=4h{instead}."
