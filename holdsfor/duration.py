"""Durations as people write them: ticks, a number with a unit, or a timedelta."""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Literal as OneOf
from typing import TypeAlias, TypedDict, Unpack

from holdsfor.errors import HoldsforError

#: 90, "90" and, where a tick is a second, "1.5min" are the same.
Duration: TypeAlias = int | str | timedelta
#: A point in time: ticks, or a date with or without a time, as ISO 8601 text too. Without a zone it is UTC.
TimePoint: TypeAlias = int | str | date | timedelta
TickUnit = OneOf["s", "ms", "us"]
#: How many ticks there are in a second, by the name of the unit.
PER_SECOND: dict[str, int] = {"s": 1, "ms": 1000, "us": 1_000_000}

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TICKS = re.compile(r"\s*-?\d+\s*")
SECONDS = {
    "us": Decimal("0.000001"),
    "ms": Decimal("0.001"),
    "s": Decimal(1),
    "min": Decimal(60),
    "h": Decimal(3600),
    "d": Decimal(86400),
}
#: Units in words, without the s of several.
_UNITS = {"millisec": "ms", "millisecond": "ms", "sec": "s", "second": "s", "min": "min", "minute": "min"}
_UNITS |= {"h": "h", "hr": "h", "hour": "h", "day": "d"}


class TimeOptions(TypedDict, total=False):
    """Times of a run over a history, on any host: ticks, or durations such as '4h'.

    window, step: of query times; without them one sees the whole history. start, end: the history begins after its
    start; without them they are those of the events. sample_every: the time between two readings of a fluent that is
    given by readings. tick_unit: how long a tick is ('s', 'ms' or 'us'); without it, as the rules say
    (`:- tick(ms).`), or a second.
    """

    window: Duration | None
    step: Duration | None
    start: TimePoint | None
    end: TimePoint | None
    sample_every: Duration
    tick_unit: TickUnit | None


@dataclass(frozen=True, slots=True)
class GivenTimes:
    """Times as a user gives them, see `TimeOptions`."""

    window: Duration | None = None
    step: Duration | None = None
    start: TimePoint | None = None
    end: TimePoint | None = None
    sample_every: Duration = 1
    tick_unit: TickUnit | None = None

    @property
    def amounts(self) -> tuple[object, ...]:
        return self.window, self.step, self.sample_every, self.start, self.end


def gather_times(tick: Duration | None = None, **times: Unpack[TimeOptions]) -> GivenTimes:
    """Gather times as a user gives them. tick: how DESIGN.md spells sample_every."""
    options = GivenTimes(**times)
    return options if tick is None else replace(options, sample_every=tick)


def ticks(text: str, unit: str = "s") -> int:
    """`90` is 90 ticks; `1.5h` is 5400 ticks of a second, or 5,400,000 of a millisecond."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-z]*)", text.strip())
    word = name_unit(match[2]) if match else ""
    if match is None or (word and word not in SECONDS):
        raise HoldsforError(
            f"{text!r} is not a duration. Write ticks (90) or a number with a unit: {', '.join(SECONDS)} (30min)."
        )
    number = Decimal(match[1])
    exact = number * SECONDS[word] * PER_SECOND[check_unit(unit)] if word else number
    if exact != int(exact):
        raise HoldsforError(
            f"{text!r} is not a whole number of ticks. A tick is 1 {unit} here (--tick-unit, or tick_unit in Python)."
        )
    return int(exact)


def name_unit(word: str) -> str:
    """Return the short name of a unit of time: h for hours; another word as it is."""
    return word if word in SECONDS else _UNITS.get(word.removesuffix("s"), word)


def has_unit(amount: object) -> bool:
    """Whether an amount of time is more than a number of ticks, so that the length of a tick matters."""
    return isinstance(amount, timedelta) or (isinstance(amount, str) and _TICKS.fullmatch(amount) is None)


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


def ticks_at(name: str, moment: object, unit: str = "s") -> int:
    """A point in time that a user gives; name: of the parameter, for messages."""
    stamp = _stamp(moment)
    if stamp is None:
        return int(moment) if isinstance(moment, str) and _TICKS.fullmatch(moment) else _after_zero(name, moment, unit)
    since = (stamp if stamp.tzinfo else stamp.replace(tzinfo=UTC)) - _EPOCH
    count, rest = divmod(since * PER_SECOND[check_unit(unit)], timedelta(seconds=1))
    if rest:
        raise HoldsforError(f"the {name} {moment} is not a whole number of ticks. A tick is 1 {unit} here.")
    return count


def _after_zero(name: str, moment: object, unit: str) -> int:
    """So long after tick 0."""
    try:
        return ticks_of(name, moment, unit)
    except HoldsforError:
        raise HoldsforError(
            f"the {name} {moment!r} is not a time. Write 2026-03-01T08:00 where times are dates, or else ticks (3600)."
        ) from None


def _stamp(moment: object) -> datetime | None:
    """A date and a time; None if it is neither these nor their text."""
    if type(moment).__name__ == "datetime64":  # NumPy's
        moment = str(moment)
    if isinstance(moment, str):
        try:
            return datetime.fromisoformat(moment.strip()) if "-" in moment.strip()[1:] else None
        except ValueError:
            return None
    if isinstance(moment, datetime):
        return moment
    return datetime(moment.year, moment.month, moment.day) if isinstance(moment, date) else None


def seconds_between(text: str) -> float:
    """How often something is done: `5s`, `0.5s`, or in words as Spark has them (`5 seconds`)."""
    if text.strip().isdigit():
        raise HoldsforError(f"{text!r} has no unit. Write how often as 5s or 500ms.")
    return ticks(text, "us") / PER_SECOND["us"]


def check_unit(unit: str) -> str:
    if unit not in PER_SECOND:
        raise HoldsforError(f"unknown tick_unit {unit!r}: give the unit of time of the events, 's', 'ms' or 'us'.")
    return unit
