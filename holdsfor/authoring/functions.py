"""Python functions in rules: `dist = hf.function(dist)` is called on variables, as it is in rule text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from holdsfor.authoring.parts import Argument, Calculation, Condition, NumberOfSolutions
from holdsfor.authoring.places import here, refuse
from holdsfor.functions import Function, Registered, Types
from holdsfor.language.draft import arguments
from holdsfor.language.functions import BUILT_IN


@dataclass(frozen=True, slots=True)
class RuleFunction:
    """A function that rules call: `dist(A, B) < 10`. call: the Python function; None: it is known by its name."""

    name: str
    types: Types
    call: Function | None = field(default=None, repr=False)

    def __call__(self, *args: Argument) -> Calculation:
        self._check(args)
        return Calculation(self.name, args, here(), self)

    def _check(self, args: tuple[Argument, ...]) -> None:
        if self.types.of_arguments(len(args)) is None:
            some = arguments(*range(self.types.least, max(len(self.types.takes), self.types.least) + 1))
            some = f"at least {arguments(self.types.least)}" if self.types.further else some
            refuse("arity", f"the function {self.name} takes {some}", here(), f"give it {some}")


@dataclass(frozen=True, slots=True)
class RuleCondition(RuleFunction):
    """A function that gives True or False, and is a condition: `is_tanker(V) & slow(V)`."""

    def __call__(self, *args: Argument) -> Condition:  # type: ignore[override]
        self._check(args)
        return Condition("raw", (Calculation(self.name, args, here(), self),), here())


def function(called: Function | str, name: str = "") -> RuleFunction:
    """Let rules call a Python function for a value: `dist = hf.function(dist)`, then `dist(A, B) < 10`.

    Of a built-in function, or one that is registered elsewhere, the name is enough: `hour = hf.function("hour")`.
    name: by which rule text calls it; else its own name.
    """
    return RuleFunction(*_found(called, name, "function"))


def condition(called: Function | str, name: str = "") -> RuleCondition:
    """Let rules call a Python function that gives True or False as a condition: `is_tanker(V) & slow(V)`."""
    made = RuleCondition(*_found(called, name, "condition"))
    if made.types.gives not in (None, "bool"):
        hint = f"make it by hf.function, and compare its value: {made.name}(...) < 5"
        refuse("type", f"{made.name} gives {made.types.gives}, not True or False", here(), hint)
    return made


def _found(called: Function | str, name: str, maker: str) -> tuple[str, Types, Function | None]:
    if isinstance(called, str):
        return called, BUILT_IN.get(called, Types((), None, 0, further=True)), None
    if not callable(called):
        refuse("type", f"{type(called).__name__} is not a function", here(), "give a function, or the name of one")
    name = name or getattr(called, "__name__", "")
    if not name.isidentifier() or not name[0].islower():
        hint = f'give it one: hf.{maker}(call, "{"index" if maker == "function" else "is_high"}")'
        refuse("name", f"{name or type(called).__name__!r} is no name that rules can write", here(), hint)
    return name, Registered(called).types, called


def find_functions(part: Any) -> Iterator[RuleFunction]:
    """Iterate over the functions that a part of a statement calls."""
    match part:
        case Calculation(args=parts, function=called):
            if isinstance(called, RuleFunction):
                yield called
            yield from find_functions(parts)
        case Condition(parts=parts):
            yield from find_functions(parts)
        case NumberOfSolutions(template=template, conditions=conditions):
            yield from find_functions((template, conditions))
        case list() | tuple():
            for each in part:
                yield from find_functions(each)
