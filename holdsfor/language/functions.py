"""Functions that rules call, wherever they stand: those that a user registers, and those that are built in.

A built-in function has its types here, and its form for columns in `engine/bodies/built_in.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from holdsfor.functions import Kind, Registered, Types


@dataclass(frozen=True, slots=True)
class Callee:
    """A function that a rule calls. registered: the user's own; None: the built-in one of that name."""

    name: str
    types: Types
    registered: Registered | None = None

    @property
    def gives_names(self) -> bool:
        """Whether its values are never numbers."""
        return self.types.gives in ("str", "bool")


def _types(*takes: Kind, gives: Kind, optional: int = 0, further: bool = False) -> Types:
    return Types(takes, gives, len(takes) - optional, further)


_TWO_PLACES = _types("float", "float", "float", "float", gives="float")
_TEST_OF_TEXT = _types("str", "str", gives="bool")
_NUMBER_OF_TIME = _types("int", "str", gives="int", optional=1)
#: Name -> types. Places are latitudes and longitudes in degrees; those of a time get it in seconds since 1970.
BUILT_IN: dict[str, Types] = {
    "distance_km": _TWO_PLACES,
    "distance_m": _TWO_PLACES,
    "distance_nm": _TWO_PLACES,
    "bearing": _TWO_PLACES,
    "angle_difference": _types("float", "float", gives="float"),
    "text_length": _types("str", gives="int"),
    "upper": _types("str", gives="str"),
    "lower": _types("str", gives="str"),
    "starts_with": _TEST_OF_TEXT,
    "ends_with": _TEST_OF_TEXT,
    "contains": _TEST_OF_TEXT,
    "concat": _types("str", "str", gives="str", further=True),
    "substring": _types("str", "int", "int", gives="str"),
    "hour": _NUMBER_OF_TIME,
    "minute": _NUMBER_OF_TIME,
    "weekday": _NUMBER_OF_TIME,
    "date": _types("int", "str", gives="str", optional=1),
}
#: Those whose first argument is a time, and the second a zone.
OF_TIMES = frozenset({"hour", "minute", "weekday", "date"})


def find_function(name: str, arity: int, registered: Mapping[str, Registered]) -> Callee | None:
    """Return the function that a term calls; None if it is no call. A user's own hides a built-in one."""
    if name in registered:
        return Callee(name, registered[name].types, registered[name])
    types = BUILT_IN.get(name)
    return None if types is None or types.of_arguments(arity) is None else Callee(name, types)


def kinds_of(callee: Callee, count: int) -> tuple[Kind | None, ...]:
    """Return the types of so many arguments of a function that takes them."""
    return callee.types.of_arguments(count) or (None,) * count
