"""Durations in rule text: `5 min`, `1 h 30 min`, `300 ticks`; and what to write in place of a date."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from holdsfor.duration import SECONDS, name_unit, ticks
from holdsfor.errors import HoldsforError

HINT = f"write ticks (30), or numbers with units: {', '.join(SECONDS)} (1 h 30 min)"
_FINER = {"s": ("ms", "us"), "ms": ("us",)}
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]*)")
_TICKS = ("tick", "ticks")


def count_ticks(text: str, unit: str) -> int | None:
    """How many ticks of one unit a duration takes; None if that is no whole number."""
    try:
        return sum(ticks(number if word in _TICKS else number + word, unit) for number, word in _PART.findall(text))
    except HoldsforError:
        return None


def wrong_duration(text: str, unit: str) -> tuple[str, str]:
    """Say why a duration cannot be counted in ticks of a unit, and what to write."""
    if text.startswith("-"):
        return f"`{text}` is less than nothing", f"write how long, without a sign: {text[1:].strip()}"
    words = {name_unit(word) for _, word in _PART.findall(text)}
    finer = next((each for each in reversed(_FINER.get(unit, ())) if each in words), None)
    hint = f"write ticks (30), or numbers with units that make whole ones: {', '.join(SECONDS)} (1 h 30 min)"
    if finer:
        hint = f"where the times of the events are in {finer}, write `:- tick({finer}).` before it; else whole seconds"
        if unit != "s":
            hint = hint.replace("whole seconds", f"a whole number of {unit}")
    return f"`{text}` is not a whole number of ticks of 1 {unit}", hint


def needs_unit(text: str) -> bool:
    """Whether the length of a tick matters for it."""
    return any(word and word not in _TICKS for _, word in _PART.findall(text))


def date_hint(moment: datetime) -> str:
    """Say what to write in place of a date. Without a zone it is in UTC."""
    seconds = round((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
    return f"times in rules are ticks: in seconds since 1970 it is {seconds}; or give the run a start or an end"
