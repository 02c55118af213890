"""How long a tick is: rules, mapping and whoever starts a run must agree, and who says nothing follows the others."""

from __future__ import annotations

from typing import cast

from holdsfor.duration import PER_SECOND, TickUnit, check_unit
from holdsfor.errors import HoldsforError
from holdsfor.language.description import EventDescription
from holdsfor.language.diagnostics import DescriptionError, Diagnostic


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
            f'Leave out tick_unit (--tick-unit), or write unit = "{requested}" in the mapping.'
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
        hint += f', or unit = "{other}" in the mapping'
    elif requested:
        hint += f", or run with tick_unit='{other}' (--tick-unit {other})"
    text = description.texts.sources[place.file].line(place.line) if place.file in description.texts.sources else ""
    return Diagnostic("duration", "error", message, place, hint, line=text)
