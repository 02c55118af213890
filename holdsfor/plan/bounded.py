"""Bounds that are given from outside of the rules: `holdsfor.bounded`, `--bound`."""

from __future__ import annotations

from collections.abc import Mapping

from holdsfor.errors import HoldsforError
from holdsfor.language.description import EventDescription, Signature
from holdsfor.language.passes.preparation.bounds import bound_definitions
from holdsfor.plan import plan
from holdsfor.plan.reach import unbounded


def bounded(description: EventDescription, bounds: int | Mapping[str, int]) -> EventDescription:
    """The description with bounds, in ticks: by `name/arity`, or one for every definition that has none and needs one.

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
