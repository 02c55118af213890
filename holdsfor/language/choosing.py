"""Choose what a run leaves to its rules: the definitions that results have (`only=`), and the length of a tick.

Rules, mapping and whoever starts a run must agree on the tick; who says nothing follows the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from difflib import get_close_matches
from typing import cast

from holdsfor.duration import PER_SECOND, TickUnit, check_unit
from holdsfor.errors import HoldsforError
from holdsfor.language.description import EventDescription, Signature
from holdsfor.language.diagnostics import DescriptionError, Diagnostic, error_at


def choose_results(description: EventDescription, only: str | Iterable[str] | None) -> EventDescription:
    """Keep all but the named definitions out of results. only: `near`, or `near/2`; None: all are kept.

    A name counts also where the rules say `internal`.
    """
    if only is None:
        return description
    names = [only] if isinstance(only, str) else list(only)
    if not names:
        raise HoldsforError("only names no definition: leave it out to have them all.")
    defined = sorted(
        each for each in description.defined.all if each.domain_behind(description.defined.unreported) is None
    )
    chosen = {owner for name in names for owner in _find(name, defined)}
    others = {(owner, None) for owner in defined if owner not in chosen}
    unreported = description.defined.unreported - {(owner, None) for owner in chosen} | others
    return replace(description, defined=replace(description.defined, unreported=unreported))


def _find(name: str, owners: list[Signature]) -> Iterator[Signature]:
    matches = [owner for owner in owners if name in (owner.name, str(owner))]
    if not matches:
        names = sorted({owner.name for owner in owners})
        close = get_close_matches(name.partition("/")[0], names, 1, 0.6)
        arities = " or ".join(str(owner) for owner in owners if owner.name in close)
        hint = f"Did you mean {arities}?" if arities else f"Rules define {', '.join(names) or 'nothing'}."
        raise HoldsforError(f"only: no rule defines {name!r}. {hint}")
    yield from matches


def agree_on_tick_unit(
    description: EventDescription, requested: TickUnit | None, of_dates: str | None = None
) -> TickUnit:
    """The unit that is requested; otherwise that of a mapping, otherwise that of the rules, otherwise a second.

    of_dates: the unit in which a mapping counts dates, if it gives one.
    """
    if requested is not None:
        check_unit(requested)
    mapped = None if of_dates not in PER_SECOND else cast(TickUnit, of_dates)
    if requested is not None and mapped is not None and requested != mapped:
        raise HoldsforError(
            f"tick_unit is {requested!r}, and the mapping counts dates in ticks of 1 {mapped}. "
            f'Leave out tick_unit (--tick-unit), or write tick_unit = "{requested}" in the mapping.'
        )
    by_rules: TickUnit = next(iter(description.texts.tick_units), "s")
    unit = requested or mapped or by_rules
    others = [other for other in description.texts.tick_units if other != unit]
    if others:
        raise DescriptionError([_disagreement(description, others[0], unit, requested, mapped)])
    return unit


def _disagreement(
    description: EventDescription, other: TickUnit, unit: TickUnit, requested: TickUnit | None, mapped: TickUnit | None
) -> Diagnostic:
    place = description.texts.tick_units[other]
    who = "the mapping" if mapped else "the run" if requested else "another rule"
    message = f"this duration is reckoned in ticks of 1 {other}, and {who} has ticks of 1 {unit}"
    hint = f"write `:- tick({unit}).` before this rule"
    if mapped:
        hint += f', or tick_unit = "{other}" in the mapping'
    elif requested:
        hint += f", or run with tick_unit='{other}' (--tick-unit {other})"
    return error_at(description.texts.sources, "duration", message, place, hint)
