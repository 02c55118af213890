"""Functions that rules call, wherever they stand: those that a user registers, and those that are built in.

A built-in function has its types here, and what it gives for single values; `engine/bodies/functions.py` has its form
for columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from holdsfor.functions import Kind, Registered, Types


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """A function that is built in: its types, and its value for single arguments."""

    types: Types
    call: Callable[..., Any]


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


BUILT_IN: dict[str, BuiltIn] = {}


def find_function(name: str, arity: int, registered: Mapping[str, Registered]) -> Callee | None:
    """Return the function that a term calls; None if it is no call. A user's own hides a built-in one."""
    if name in registered:
        return Callee(name, registered[name].types, registered[name])
    built_in = BUILT_IN.get(name)
    if built_in is None or built_in.types.of_arguments(arity) is None:
        return None
    return Callee(name, built_in.types)


def kinds_of(callee: Callee, count: int) -> tuple[Kind | None, ...]:
    """Return the types of so many arguments of a function that takes them."""
    return callee.types.of_arguments(count) or (None,) * count
