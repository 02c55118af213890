"""How long a tick is: what the durations of the rules reckon with, and what a run says, must agree."""

from __future__ import annotations

from holdsfor.duration import TickUnit, check_unit
from holdsfor.language.description import EventDescription
from holdsfor.language.diagnostics import DescriptionError, Diagnostic


def agree_on_tick_unit(description: EventDescription, requested: TickUnit | None) -> TickUnit:
    """As given; otherwise as the rules say; otherwise a second."""
    if requested is not None:
        check_unit(requested)
    unit: TickUnit = requested if requested is not None else next(iter(description.tick_units), "s")
    others = [other for other in description.tick_units if other != unit]
    if others:
        source = "the run" if requested else "another rule"
        raise DescriptionError([_disagreement(description, others[0], unit, source)])
    return unit


def _disagreement(description: EventDescription, other: TickUnit, unit: TickUnit, source: str) -> Diagnostic:
    place = description.tick_units[other]
    message = f"this duration is reckoned in ticks of 1 {other}, and {source} has ticks of 1 {unit}"
    hint = f"write `:- tick({unit}).` before this rule, or run with tick_unit='{other}' (--tick-unit {other})"
    text = description.sources[place.file].line(place.line) if place.file in description.sources else ""
    return Diagnostic("duration", "error", message, place, hint, line=text)
