"""Definitions without a bound, told to people: which, why, and what bounds them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from holdsfor.language.description import Signature
from holdsfor.language.terms import NOWHERE
from holdsfor.plan.reach import Unbounded, unbounded
from holdsfor.plan.whole_plan import Plan


def find_unbounded(made: Plan) -> dict[Signature, Unbounded]:
    """By name: the values of a fluent are one definition to its author."""
    by_definition: dict[Signature, Unbounded] = {}
    for one in unbounded(made.definitions):
        domain = one.relation.signature.domain_behind(made.unreported)
        if domain is None:
            by_definition.setdefault(one.relation.definition, one)
        else:
            by_definition.setdefault(domain, replace(one, because="a dynamic domain has all who ever turn up"))
    return by_definition


def show_unbounded(made: Plan) -> Iterable[str]:
    return (describe_unbounded(signature, one) for signature, one in find_unbounded(made).items())


def describe_unbounded(signature: Signature, one: Unbounded) -> str:
    where = "" if one.place is NOWHERE else f" ({one.place.file}:{one.place.line})"
    return f"{signature}{where}: {one.because}. {how_to_bound(signature, one)}"


def how_to_bound(signature: Signature, one: Unbounded) -> str:
    if signature != one.relation.definition:  # a dynamic domain
        return f"To bound it, list its members as facts {signature.name}(...) and leave dynamicDomain out."
    instead = f", or {one.instead}" if one.instead else ""
    return f"To bound it, write bound({signature}, TICKS) in the rules or --bound {signature}=4h{instead}."
