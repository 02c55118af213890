"""Durations as people write them: ticks, a number with a unit, or a timedelta."""

from __future__ import annotations

import operator
import re
from datetime import timedelta
from decimal import Decimal
from typing import Literal as OneOf
from typing import TypeAlias

from holdsfor.errors import HoldsforError

#: 90, "90" and, where a tick is a second, "1.5min" are the same.
Duration: TypeAlias = int | str | timedelta
TickUnit = OneOf["s", "ms", "us"]
#: How many ticks there are in a second, by the name of the unit.
PER_SECOND: dict[str, int] = {"s": 1, "ms": 1000, "us": 1_000_000}

WORDS = {"millisecond": "ms", "second": "s", "minute": "min", "hour": "h", "day": "d"}
SECONDS = {
    "us": Decimal("0.000001"),
    "ms": Decimal("0.001"),
    "s": Decimal(1),
    "min": Decimal(60),
    "h": Decimal(3600),
    "d": Decimal(86400),
}


def ticks(text: str, unit: str = "s") -> int:
    """`90` is 90 ticks; `1.5h` is 5400 ticks of a second, or 5,400,000 of a millisecond."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-z]*)", text.strip())
    if match is None or (match[2] and match[2] not in SECONDS):
        raise HoldsforError(
            f"{text!r} is not a duration. Write ticks (90) or a number with a unit: {', '.join(SECONDS)} (30min)."
        )
    number = Decimal(match[1])
    exact = number * SECONDS[match[2]] * PER_SECOND[check_unit(unit)] if match[2] else number
    if exact != int(exact):
        raise HoldsforError(
            f"{text!r} is not a whole number of ticks. A tick is 1 {unit} here (--tick-unit, or tick_unit in Python)."
        )
    return int(exact)


def ticks_of(name: str, amount: object, unit: str = "s") -> int:
    """An amount of time that a user gives in Python; name: of the parameter, for messages."""
    if isinstance(amount, timedelta):
        amount = f"{amount // timedelta(microseconds=1)}us"
    if isinstance(amount, str):
        return ticks(amount, unit)
    try:
        if type(amount).__name__ in ("bool", "bool_"):  # Python's and NumPy's, which count as numbers
            raise TypeError
        return operator.index(amount)  # type: ignore[arg-type]
    except TypeError:
        raise HoldsforError(
            f"the {name} must be a whole number of ticks, such as 3600, or a duration, such as '1h', not {amount!r}"
        ) from None


def seconds_between(text: str) -> float:
    """How often something is done: `5s`, `0.5s`, or in words as Spark has them (`5 seconds`)."""
    match = re.fullmatch(r"([\d.]+)\s*([a-z]+)", text.strip())
    unit = match[2].removesuffix("s") if match else ""
    if match and unit in WORDS:
        text = f"{match[1]}{WORDS[unit]}"
    if text.strip().isdigit():
        raise HoldsforError(f"{text!r} has no unit. Write how often as 5s or 500ms.")
    return ticks(text, "us") / PER_SECOND["us"]


def check_unit(unit: str, name: str = "tick_unit") -> str:
    if unit not in PER_SECOND:
        raise HoldsforError(f"unknown {name} {unit!r}: give the unit of time of the events, 's', 'ms' or 'us'.")
    return unit
