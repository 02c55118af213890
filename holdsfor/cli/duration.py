"""Durations as people write them: ticks, or a number with a unit."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Literal as OneOf

from holdsfor.errors import HoldsforError

TickUnit = OneOf["s", "ms"]

SECONDS = {"ms": Decimal("0.001"), "s": Decimal(1), "min": Decimal(60), "h": Decimal(3600), "d": Decimal(86400)}


def ticks(text: str, unit: TickUnit) -> int:
    """`90` is 90 ticks; `1.5h` is 5400 ticks of a second, or 5,400,000 of a millisecond."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-z]*)", text.strip())
    if match is None or (match[2] and match[2] not in SECONDS):
        raise HoldsforError(
            f"{text!r} is not a duration. Write ticks (90) or a number with a unit: {', '.join(SECONDS)} (30min)."
        )
    number = Decimal(match[1])
    exact = number * SECONDS[match[2]] / SECONDS[unit] if match[2] else number
    if exact != int(exact):
        raise HoldsforError(f"{text!r} is not a whole number of ticks. Ticks are {unit} here (see --tick-unit).")
    return int(exact)
