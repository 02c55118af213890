"""Turn the values of rules in Python into terms."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count
from types import EllipsisType
from typing import Any

from holdsfor.authoring.parts import Argument, Calculation, Condition, NumberOfSolutions, Operand, Variable, now
from holdsfor.authoring.places import refuse
from holdsfor.authoring.statements import RuleStatement
from holdsfor.duration import SECONDS, TickUnit
from holdsfor.language.parsing.durations import count_ticks, wrong_duration
from holdsfor.language.terms import Atom, Compound, Float, Int, Items, Place, Term, Var

_TRUE = Atom("true")
WRITE_LENGTH = f"write ticks, or numbers with the units {', '.join(SECONDS)}: '10 min', '1 h 30 min'"
_DURATION = re.compile(r"(?:\d+(?:\.\d+)?\s*(?:us|ms|s|min|h|d|ticks?)\s*)+|\d+")


@dataclass(slots=True)
class TermLowering(ABC):
    """One clause while it is made: its conditions so far, and the variables that it needs."""

    statement: RuleStatement
    unit: TickUnit
    now: Var = field(init=False)
    goals: list[Term] = field(default_factory=list)
    anonymous: Iterator[int] = field(default_factory=lambda: count(1))
    used: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.used = {each.name for each in _variables((self.statement.head, self.statement.body))}
        self.now = self.fresh("T", self.statement.place)

    def fresh(self, name: str, place: Place) -> Var:
        """Return a variable that the clause does not have yet: the name, or the name with a number."""
        free = next(each for each in _numbered(name) if each not in self.used)
        self.used.add(free)
        return Var(free, place)

    # ------------------------------------------------------------ terms

    def term(self, value: Argument, place: Place) -> Term:
        """Return the term of a value."""
        match value:
            case Variable():
                return self.now if value is now else Var(value.name, place)
            case Calculation(functor=functor, args=args, place=at):
                return self._calculation(functor, args, at)
            case NumberOfSolutions():
                result = self.fresh("N", value.place)
                self.collect(value, result)
                return result
            case Condition(operator="event" | "predicate"):
                return self.term(value.parts[0], value.place)
            case Condition(operator="fluent"):
                subject, its_value, _ = value.parts
                return self.term(subject, value.place) if its_value is None else self.pair(value)
            case bool():
                return Atom(str(value).lower(), place)
            case int():
                return Int(value, place)
            case float():
                return Float(value, place)
            case str():
                return Atom(value, place)
            case timedelta():
                return Int(self.ticks(value, place), place)
            case EllipsisType():
                return Var(self.fresh(f"_{next(self.anonymous)}", place).name, place, anonymous=True)
            case list() | tuple():
                return Items(tuple(self.term(each, place) for each in value), place)
        refuse(
            "type", f"{type(value).__name__} cannot be a value in rules", place, "write text, a number or a variable"
        )

    def _calculation(self, functor: str, args: Sequence[Argument], place: Place) -> Term:
        is_sum = functor in ("+", "-") and len(args) == 2
        terms = (self.length(arg, place) if is_sum and isinstance(arg, str) else self.term(arg, place) for arg in args)
        inner = tuple(terms)
        if functor == "-" and len(inner) == 1 and isinstance(inner[0], Int | Float):
            return type(inner[0])(-inner[0].value, place)  # type: ignore[arg-type]
        return Compound(functor, inner, place) if inner else Atom(functor, place)

    def length(self, value: Argument, place: Place) -> Term:
        """Return the term of a duration: `"10 min"` is a number of ticks."""
        return Int(self.ticks(value, place), place) if isinstance(value, str) else self.term(value, place)

    def ticks(self, value: str | timedelta, place: Place) -> int:
        text = f"{value / timedelta(microseconds=1):.0f} us" if isinstance(value, timedelta) else value
        ticks = count_ticks(text, self.unit) if _DURATION.fullmatch(text.strip()) else None
        if ticks is None:
            refuse("duration", *_wrong_length(text, self.unit, place))
        return ticks

    def pair(self, fluent: Condition) -> Term:
        """Return `f(X)=v`; without a value it is true."""
        if fluent.operator != "fluent":
            hint = "make it by hf.fluent or hf.given, and call it: slow(V)"
            refuse("kind", f"{describe(fluent)} stands where a fluent belongs", fluent.place, hint)
        subject, value, _ = fluent.parts
        value_term = _TRUE if value is None else self.term(value, fluent.place)
        return Compound("=", (self.term(subject, fluent.place), value_term), fluent.place)

    @abstractmethod
    def collect(self, solutions: NumberOfSolutions, result: Term) -> None:
        """Add the conditions that collect solutions, and calculate their number."""


def join_goals(operator: str, goals: Sequence[Term], place: Place) -> Term:
    """Join conditions from the right, as the parser does."""
    if not goals:
        return Atom("true", place)
    whole = goals[-1]
    for goal in reversed(goals[:-1]):
        whole = Compound(operator, (goal, whole), place)
    return whole


def _wrong_length(text: str, unit: TickUnit, place: Place) -> tuple[str, Place, str]:
    if not _DURATION.fullmatch(text.strip()):
        return f"{text!r} is not a duration", place, WRITE_LENGTH
    message, _ = wrong_duration(text, unit)
    return message, place, f"give the unit of the events' times to hf.rules: tick_unit='ms', or whole {unit}"


def describe(condition: Condition) -> str:
    """Name a condition in a message."""
    words = {
        "compare": "a comparison",
        "event": "an event",
        "fluent": "a fluent",
        "predicate": "a predicate",
        ">>": "a sequence",
        "over": "an aggregate",
    }
    return words.get(condition.operator, f"`{condition.operator}`")


def _numbered(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}{number}" for number in count(1))


def _variables(part: Any) -> Iterator[Variable]:
    """Iterate over the variables of a statement, and of all inside it."""
    match part:
        case Variable():
            yield part
        case Calculation(args=args):
            yield from _variables(args)
        case NumberOfSolutions(template=template, conditions=conditions):
            yield from _variables((template, conditions))
        case Condition(operator="over", parts=(inner, last, measures)):
            yield from _variables((inner, last, [measure for _, measure in measures]))
            yield from (Variable(name) for name, _ in measures)
        case Condition(parts=parts):
            yield from _variables(parts)
        case list() | tuple():
            for each in part:
                yield from _variables(each)
        case Operand():
            raise TypeError(part)
