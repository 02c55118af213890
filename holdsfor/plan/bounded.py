"""Bounds of definitions: those given from outside of the rules (`holdsfor.bounded`, `--bound`), and which lack one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from holdsfor.errors import HoldsforError
from holdsfor.language.description import EventDescription, Signature
from holdsfor.language.passes.preparation.bounds import bound_definitions
from holdsfor.language.terms import NOWHERE
from holdsfor.plan import plan
from holdsfor.plan.reach import Unbounded, unbounded
from holdsfor.plan.whole_plan import Plan


def bounded(description: EventDescription, bounds: int | Mapping[str, int]) -> EventDescription:
    """Return a description with bounds, in ticks: by `name/arity`, or one number for each definition that needs one.

    It means the same as `bound(name/arity, ticks)` in the rules.
    """
    if isinstance(bounds, int):
        needed = {one.relation.definition for one in unbounded(plan(description).definitions)}
        return bound_definitions(description, dict.fromkeys(sorted(needed - description.bounds.keys()), bounds))
    return bound_definitions(description, {_signature(name): ticks for name, ticks in bounds.items()})


def _signature(text: str) -> Signature:
    name, slash, arity = text.rpartition("/")
    if not slash or not arity.isdecimal():
        raise HoldsforError(f"a bound is given for {text!r}: name a definition by name and arity, such as loitering/1.")
    return Signature(name, int(arity))


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
