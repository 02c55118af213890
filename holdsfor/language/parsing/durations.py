"""Durations in rule text: `5 min`, `1 h 30 min`, `300 ticks`."""

from __future__ import annotations

import re

from holdsfor.duration import SECONDS, ticks
from holdsfor.errors import HoldsforError

HINT = f"write ticks (30), or numbers with units: {', '.join(SECONDS)} (1 h 30 min)"
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]*)")
_TICKS = ("tick", "ticks")


def count_ticks(text: str, unit: str) -> int | None:
    """How many ticks of one unit a duration takes; None if that is no whole number."""
    try:
        return sum(ticks(number if word in _TICKS else number + word, unit) for number, word in _PART.findall(text))
    except HoldsforError:
        return None


def needs_unit(text: str) -> bool:
    """Whether the length of a tick matters for it."""
    return any(word and word not in _TICKS for _, word in _PART.findall(text))
