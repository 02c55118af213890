"""The parts of rules in Python: variables, calculations, and conditions that operators put together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from types import EllipsisType
from typing import Any, NoReturn, TypeAlias

from holdsfor.authoring.places import here, refuse
from holdsfor.language.arithmetic import FUNCTIONS
from holdsfor.language.terms import Place

#: How long: ticks, "10 min", or a timedelta.
Length: TypeAlias = "int | str | timedelta | Operand"


class Operand:
    """Something with a value: arithmetic and comparisons make further parts of it."""

    __slots__ = ()

    def __add__(self, other: Argument) -> Calculation:
        return Calculation("+", (self, other), here())

    def __radd__(self, other: Argument) -> Calculation:
        return Calculation("+", (other, self), here())

    def __sub__(self, other: Argument) -> Calculation:
        return Calculation("-", (self, other), here())

    def __rsub__(self, other: Argument) -> Calculation:
        return Calculation("-", (other, self), here())

    def __mul__(self, other: Argument) -> Calculation:
        return Calculation("*", (self, other), here())

    def __rmul__(self, other: Argument) -> Calculation:
        return Calculation("*", (other, self), here())

    def __truediv__(self, other: Argument) -> Calculation:
        return Calculation("/", (self, other), here())

    def __rtruediv__(self, other: Argument) -> Calculation:
        return Calculation("/", (other, self), here())

    def __floordiv__(self, other: Argument) -> Calculation:
        return Calculation("floor", (self / other,), here())

    def __rfloordiv__(self, other: Argument) -> Calculation:
        return Calculation("floor", (other / self,), here())

    def __mod__(self, other: Argument) -> Calculation:
        return Calculation("mod", (self, other), here())

    def __rmod__(self, other: Argument) -> Calculation:
        return Calculation("mod", (other, self), here())

    def __pow__(self, other: Argument) -> Calculation:
        return Calculation("**", (self, other), here())

    def __rpow__(self, other: Argument) -> Calculation:
        return Calculation("**", (other, self), here())

    def __neg__(self) -> Calculation:
        return Calculation("-", (self,), here())

    def __abs__(self) -> Calculation:
        return Calculation("abs", (self,), here())

    def __round__(self) -> Calculation:
        return Calculation("round", (self,), here())

    def __floor__(self) -> Calculation:
        return Calculation("floor", (self,), here())

    def __ceil__(self) -> Calculation:
        return Calculation("ceiling", (self,), here())

    def __lt__(self, other: Argument) -> Condition:
        return compare("<", self, other)

    def __le__(self, other: Argument) -> Condition:
        return compare("=<", self, other)

    def __gt__(self, other: Argument) -> Condition:
        return compare(">", self, other)

    def __ge__(self, other: Argument) -> Condition:
        return compare(">=", self, other)

    def __eq__(self, other: Argument) -> Condition:  # type: ignore[override]
        if isinstance(self, NumberOfSolutions) and isinstance(other, Variable):
            return other.is_(self)
        if isinstance(self, Variable) and isinstance(other, NumberOfSolutions):
            return self.is_(other)
        return compare("=:=" if is_calculated(self) or is_calculated(other) else "=", self, other)

    def __ne__(self, other: Argument) -> Condition:  # type: ignore[override]
        return compare("=\\=" if is_calculated(self) or is_calculated(other) else "\\=", self, other)

    def __hash__(self) -> int:
        return object.__hash__(self)

    def __bool__(self) -> NoReturn:
        _refuse_truth("this")

    def is_(self, value: Argument) -> Condition:
        """Give a variable the value of a calculation: `D.is_(K * 2)`, in rule text `D is K * 2`."""
        return Condition("is", (self, value), here())


@dataclass(frozen=True, slots=True, eq=False)
class Variable(Operand):
    """A variable of rules: `hf.variables("V K")` makes them, and `hf.now` is the time at which a rule asks.

    Operators: `+ - * / // % **`, `abs`, `round` calculate; `< <= > >= == !=` compare, in parentheses beside `&`.
    """

    name: str

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True, eq=False)
class Calculation(Operand):
    """A functor with its arguments: `K * 2`, `hf.term("sqrt", K)`, or a term inside a term, `hf.term("pos", X, Y)`."""

    functor: str
    args: tuple[Argument, ...]
    place: Place = field(repr=False)
    function: Any = field(default=None, repr=False)  # that it calls, which is no arithmetic


@dataclass(frozen=True, slots=True, eq=False)
class NumberOfSolutions(Operand):
    """A number about all solutions of conditions: `hf.count(X, slow(X))`."""

    function: str
    template: Argument
    conditions: Condition
    place: Place = field(repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class Condition:
    """A condition at a time, a time that lasts, or a pattern: made of others by `&`, `|`, `~`, `>>` and by methods.

    Operators: `a & b` both, `a | b` one of them, `~a` not, `a - b` while a lasts without b, `a >> b` a before b (in
    patterns), `valve(M) == "open"` the value of a fluent.

    operator: how the parts are put together: event, fluent, predicate, a comparison, &, |, ~, >>, or a word.
    """

    operator: str
    parts: tuple[Any, ...]
    place: Place = field(repr=False)

    def __and__(self, other: Condition) -> Condition:
        """Both: at one time, or while both last, or in either order."""
        return Condition("&", (self, _condition(other, "&")), here())

    def __or__(self, other: Condition) -> Condition:
        """One of the two."""
        return Condition("|", (self, _condition(other, "|")), here())

    def __invert__(self) -> Condition:
        """Negate: not at that time; or whenever this does not last."""
        return Condition("~", (self,), here())

    def __sub__(self, other: Condition) -> Condition:
        """While this lasts and the other does not (relative_complement_all)."""
        return self.minus(other)

    def __rshift__(self, other: Condition) -> Condition:
        """Match this, and after it the other (SEQ)."""
        return Condition(">>", (self, _condition(other, ">>")), here())

    def __rand__(self, other: object) -> NoReturn:
        _condition(other, "&")
        raise AssertionError

    __ror__ = __rand__

    def __eq__(self, value: Argument) -> Condition:  # type: ignore[override]
        """Give a fluent the value that is meant: `valve(M) == "open"`."""
        if self.operator != "fluent" or self.parts[1] is not None:
            hint = "only a fluent has a value: valve(M) == 'open'; `&`, `|` and `~` put conditions together"
            refuse("value", "a condition is compared with something", here(), hint)
        return Condition("fluent", (self.parts[0], value, self.parts[2]), here())

    def __hash__(self) -> int:
        return object.__hash__(self)

    def __bool__(self) -> NoReturn:
        _refuse_truth("a condition")

    def at(self, time: Argument) -> Condition:
        """Ask at another time: `slow(V).at(T - 60)`."""
        return Condition("at", (self, time), here())

    def ago(self, length: Length) -> Condition:
        """Ask so long before: `slow(V).ago("10 min")`."""
        return Condition("at", (self, Calculation("-", (now, length), here())), here())

    def later(self, length: Length) -> Condition:
        """Ask so long after."""
        return Condition("at", (self, Calculation("+", (now, length), here())), here())

    def between(self, start: Argument, end: Argument) -> Condition:
        """Ask for the first and the last time of an event (occurs), or of a part of a pattern (`(P)@[S,E]`)."""
        return Condition("between", (self, start, end), here())

    # ------------------------------------------------------------ intervals

    def longer_than(self, length: Length) -> Condition:
        """Keep the intervals that last longer."""
        return Condition("longer_than", (self, length), here())

    def at_least(self, length: Length) -> Condition:
        """Keep the intervals that last as long, or longer."""
        return Condition("at_least", (self, length), here())

    def shorter_than(self, length: Length) -> Condition:
        """Keep the intervals that last less long."""
        return Condition("shorter_than", (self, length), here())

    def at_most(self, length: Length) -> Condition:
        """Keep the intervals that last as long, or less long."""
        return Condition("at_most", (self, length), here())

    def allen(self, relation: str, other: Condition, keep: str = "source") -> Condition:
        """Compare intervals by one of Allen's relations. keep: source, target, union, intersection, ..."""
        return Condition("allen", (relation, self, _condition(other, relation), keep), here())

    def minus(self, *subtrahends: Condition) -> Condition:
        """While this lasts and none of the others does."""
        return Condition("-", (self, *(_condition(each, "minus") for each in subtrahends)), here())

    # ------------------------------------------------------------ patterns

    def par(self, other: Condition) -> Condition:
        """Match both, overlapping."""
        return self.joined("par", other)

    def equals(self, other: Condition) -> Condition:
        """Match both from the same time to the same time."""
        return self.joined("equals", other)

    def meets(self, other: Condition) -> Condition:
        """Match this, and the other from the time at which this ends."""
        return self.joined("meets", other)

    def during(self, other: Condition) -> Condition:
        """Match this inside the other."""
        return self.joined("during", other)

    def starts(self, other: Condition) -> Condition:
        """Match both from the same time on, this for less long."""
        return self.joined("starts", other)

    def finishes(self, other: Condition) -> Condition:
        """Match both until the same time, this for less long."""
        return self.joined("finishes", other)

    def joined(self, word: str, other: Condition) -> Condition:
        """Join two patterns by the word that rule text has for it: `a.joined("cnot", b)`."""
        return Condition("join", (word, self, _condition(other, word)), here())

    def without(self, absent: Condition, for_: Length | None = None) -> Condition:
        """Match `a >> b` without the other in between; with for_, an event that it does not follow for so long."""
        absent = _condition(absent, "without")
        if for_ is not None:
            return Condition("not", (absent, self, for_), here())
        if self.operator != ">>":
            hint = "write (first >> last).without(absent), or event.without(absent, for_='5 min')"
            refuse("pattern", "nothing says between which two events it is absent", here(), hint)
        return Condition("not", (absent, *self.parts), here())

    def within(self, length: Length) -> Condition:
        """Match no more than so long, from the start to the end."""
        return Condition("within", (self, length), here())

    def where(self, *conditions: Condition) -> Condition:
        """Keep the matches for which conditions on values are true."""
        return Condition("where", (self, *(_condition(each, "where") for each in conditions)), here())

    def over(self, last: Length, **measures: NumberOfSolutions) -> Condition:
        """Measure the last matches: so many, or those of so long. `sale(S, P).over("10 s", Sum=hf.total(P))`."""
        return Condition("over", (self, last, tuple(measures.items())), here())


Argument: TypeAlias = Operand | Condition | str | int | float | bool | EllipsisType | timedelta | Sequence[Any]

#: The time of a rule: that of the events in its conditions.
now = Variable("now~")


def variables(*names: str) -> tuple[Variable, ...]:
    """Make variables: `V, K = hf.variables("V K")`, or `hf.variables("V", "K")`; of one, `V, = hf.variables("V")`."""
    several = [name for each in names for name in each.replace(",", " ").split()]
    for name in several:
        if not name.isidentifier() or not (name[0].isupper() or name[0] == "_"):
            hint = "names of variables begin with an upper-case letter"
            refuse("variable", f"{name!r} cannot name a variable", here(), hint)
    return tuple(map(Variable, several))


def term(functor: str, *args: Argument) -> Calculation:
    """Make a term: a function of arithmetic (`hf.term("sqrt", X)`), or a term inside a term."""
    return Calculation(functor, args, here())


def goal(spelled: Calculation | str) -> Condition:
    """Ask a condition in the words of rule text, for what has no other form here."""
    return Condition("raw", (spelled,), here())


def moment(time: int) -> Condition:
    """Match a point in time, in a pattern."""
    return Condition("moment", (time,), here())


def compare(operator: str, left: Argument, right: Argument) -> Condition:
    """Compare by an operator of rule text: `hf.compare("\\\\==", X, Y)`."""
    return Condition("compare", (operator, left, right), here())


def start(fluent: Condition) -> Condition:
    """Ask for the time at which a fluent begins to hold."""
    return Condition("start", (fluent,), here())


def end(fluent: Condition) -> Condition:
    """Ask for the time at which a fluent ceases to hold."""
    return Condition("end", (fluent,), here())


def first_point(fluent: Condition) -> Condition:
    """Ask for the first point of an interval (startI): one tick after `start`, for a fluent that events begin."""
    return Condition("startI", (fluent,), here())


def point_after(fluent: Condition) -> Condition:
    """Ask for the point after the last one of an interval (endI)."""
    return Condition("endI", (fluent,), here())


def initiated(fluent: Condition) -> Condition:
    """Ask for the times at which some rule begins a fluent, whether it holds already or not."""
    return Condition("initiatedAt", (fluent,), here())


def terminated(fluent: Condition) -> Condition:
    """Ask for the times at which some rule ends a fluent."""
    return Condition("terminatedAt", (fluent,), here())


def choose(condition: Condition, then: Condition, otherwise: Condition) -> Condition:
    """Ask for one condition where another is true, and for a third where it is not."""
    return Condition("choose", (condition, then, otherwise), here())


def none_of(*conditions: Condition) -> Condition:
    """While none of several lasts (complement_all)."""
    return Condition("~", tuple(_condition(each, "none_of") for each in conditions), here())


def count(template: Argument = ..., conditions: Condition | None = None) -> NumberOfSolutions:
    """Count solutions: `hf.count(X, slow(X)) >= 3`; in `over`, occurrences: `hf.count()`."""
    return _collected("length", template, conditions)


def total(template: Argument, conditions: Condition | None = None) -> NumberOfSolutions:
    """Sum over solutions: `S.is_(hf.total(K, speed(V, K)))`."""
    return _collected("sum_list", template, conditions)


def least(template: Argument, conditions: Condition | None = None) -> NumberOfSolutions:
    """Find the least among solutions."""
    return _collected("min_list", template, conditions)


def greatest(template: Argument, conditions: Condition | None = None) -> NumberOfSolutions:
    """Find the greatest among solutions."""
    return _collected("max_list", template, conditions)


def measure(function: str, *args: Argument) -> NumberOfSolutions:
    """Measure by a function of your own, in `over`: `Price=hf.measure("vwap", X, V)`."""
    return NumberOfSolutions(function, args, Condition("true", (), here()), here())


def _collected(function: str, template: Argument, conditions: Condition | None) -> NumberOfSolutions:
    if conditions is None:
        conditions = Condition("true", (), here())
    return NumberOfSolutions(function, template, conditions, here())


def is_calculated(value: Argument) -> bool:
    """Whether a part is arithmetic, or a number about solutions."""
    if isinstance(value, Calculation) and value.function is not None:
        return value.function.types.gives in ("int", "float")
    is_arithmetic = isinstance(value, Calculation) and (value.functor, len(value.args)) in FUNCTIONS
    return is_arithmetic or isinstance(value, NumberOfSolutions)


def flat(condition: Condition, operator: str) -> Iterator[Condition]:
    """Iterate over the parts of a chain of one operator, such as `a & b & c`; not over those in parentheses behind."""
    if condition.operator != operator:
        yield condition
        return
    *before, last = condition.parts
    for part in before:
        yield from flat(part, operator)
    yield last


def _condition(value: object, operator: str) -> Condition:
    if isinstance(value, Condition):
        return value
    if isinstance(value, Calculation) and value.function is not None:
        hint = f"compare its value, ({value.functor}(...) < 5); one that gives True or False is made by hf.condition"
        refuse("python", f"{value.functor} gives a value, and `{operator}` joins conditions", here(), hint)
    if isinstance(value, Operand):
        hint = f"`{operator}` binds tighter than a comparison: write parentheses, a(X) {operator} (X < 5)"
        refuse("python", f"`{operator}` joins conditions, not values", here(), hint)
    hint = f"call what was made by hf.event, hf.fluent or hf.predicate: {operator} slow(V)"
    refuse("python", f"{getattr(value, 'name', type(value).__name__)} is not a condition", here(), hint)


def _refuse_truth(subject: str) -> NoReturn:
    hint = "write & for and, | for or, ~ for not, each comparison in parentheses: (0 < D) & (D < 300)"
    refuse("python", f"Python cannot know whether {subject} is true before there are events", here(), hint)
