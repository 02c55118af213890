"""The value of a function for single terms."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np

from holdsfor.language.literals import Apply
from holdsfor.language.terms import Atom, Float, Int, Term, is_ground
from tests.naive.calculate import NULL, Bindings, NotYet, substitute


def apply(literal: Apply, bindings: Bindings) -> Term | None:
    """The value of a function as a term; None if it has none."""
    args = [substitute(arg, bindings) for arg in literal.call.args]
    if not all(map(is_ground, args)):
        raise NotYet
    types, registered = literal.function.types, literal.function.registered
    kinds = types.of_arguments(len(args)) or ()
    given = [_argument(arg, kind) for arg, kind in zip(args, kinds, strict=True)]
    if None in given:
        return None
    try:
        if registered is None:
            value = BUILT_IN[literal.function.name](*given)
        elif registered.is_vectorised:
            value = registered.call(*(np.array([each]) for each in given))[0]
        else:
            value = registered.call(*given)
    except Exception:  # whatever a function raises
        return None
    return _term(value.item() if isinstance(value, np.generic) else value, types.gives)


def _argument(term: Term, kind: str | None) -> Any:
    """The argument as Python has it; None if it is of another type."""
    if term == NULL:
        return None
    if isinstance(term, Int | Float) and kind != "str":
        if kind == "float":
            return float(term.value)
        return term.value if kind is None or (isinstance(term, Int) and kind == "int") else None
    if kind in ("int", "float"):
        return None
    if kind == "bool":
        return {"true": True, "false": False}.get(str(term))
    return _text(term)


def _text(term: Term) -> str:
    return term.name if isinstance(term, Atom) else str(term)


def _term(value: Any, gives: str | None) -> Term | None:
    if isinstance(value, bool):
        return Atom("true" if value else "false") if gives in (None, "bool") else None
    if isinstance(value, str):
        return Atom(value) if gives in (None, "str") else None
    if not isinstance(value, int | float) or math.isnan(value) or gives in ("str", "bool"):
        return None
    if gives == "float":
        return Float(float(value))
    if gives == "int":
        return Int(int(value)) if value == int(value) else None
    return Int(value) if isinstance(value, int) else Float(value)


# ---------------------------------------------------------------- built-in functions


def _vector(lat: float, lon: float) -> tuple[float, float, float]:
    phi, lam = math.radians(lat), math.radians(lon)
    return math.cos(phi) * math.cos(lam), math.cos(phi) * math.sin(lam), math.sin(phi)


def _kilometres(lat1: float, lon1: float, lat2: float, lon2: float) -> float:
    """By the angle between two vectors."""
    chord = math.dist(_vector(lat1, lon1), _vector(lat2, lon2))
    return 2 * 6371.0088 * math.asin(min(chord / 2, 1.0))


def _bearing(lat1: float, lon1: float, lat2: float, lon2: float) -> float:
    """By the components of the other place to the east and to the north."""
    phi, lam, (x, y, z) = math.radians(lat1), math.radians(lon1), _vector(lat2, lon2)
    east = -math.sin(lam) * x + math.cos(lam) * y
    north = -math.sin(phi) * math.cos(lam) * x - math.sin(phi) * math.sin(lam) * y + math.cos(phi) * z
    return math.degrees(math.atan2(east, north)) % 360


def _between(one: float, other: float) -> float:
    return math.degrees(math.acos(math.cos(math.radians(one - other))))


def _moment(seconds: int, zone: str = "UTC") -> datetime:
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)).astimezone(ZoneInfo(zone))


def _substring(text: str, first: int, length: int) -> str | None:
    return text[first - 1 : first - 1 + length] if first > 0 and length >= 0 else None


BUILT_IN: dict[str, Callable[..., Any]] = {
    "distance_km": _kilometres,
    "distance_m": lambda *places: 1000 * _kilometres(*places),
    "distance_nm": lambda *places: _kilometres(*places) / 1.852,
    "bearing": _bearing,
    "angle_difference": _between,
    "text_length": len,
    "upper": str.upper,
    "lower": str.lower,
    "starts_with": str.startswith,
    "ends_with": str.endswith,
    "contains": str.__contains__,
    "concat": lambda *texts: "".join(texts),
    "substring": _substring,
    "hour": lambda *time: _moment(*time).hour,
    "minute": lambda *time: _moment(*time).minute,
    "weekday": lambda *time: _moment(*time).isoweekday(),
    "date": lambda *time: _moment(*time).date().isoformat(),
}
