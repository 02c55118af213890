"""Patterns of events that take time: `head <- a(X) SEQ b(X).`, as a rule file says them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from typing import Literal as OneOf

from holdsfor.functions import Registered
from holdsfor.language.nodes import Node
from holdsfor.language.terms import Compound, Place, Term, Var
from holdsfor.language.vocabulary import FUNCTIONS

if TYPE_CHECKING:
    from holdsfor.language.description import Literal

JoinKind = OneOf["seq", "and", "par", "equals", "meets", "during", "starts", "finishes"]
Policy = OneOf["unrestricted", "recent", "chronological"]
Preference = OneOf["longest", "shortest"] | tuple[OneOf["greatest", "least"], Var]


class Pattern(Node):
    """What a rule looks for in the stream."""

    __slots__ = ()
    place: Place

    @property
    def parts(self) -> tuple[Pattern, ...]:
        """Return the patterns directly inside, from left to right."""
        return tuple(child for child in self.children if isinstance(child, Pattern))


@dataclass(frozen=True, slots=True)
class EventPattern(Pattern):
    """An event: each of its occurrences."""

    event: Term
    place: Place = field(compare=False)

    TERMS = ("event",)


@dataclass(frozen=True, slots=True)
class Stretch(Pattern):
    """A fluent with its value: each maximal interval [s, e) that has ended, as the occurrence [s, e-1]."""

    fluent: Term
    value: Term
    place: Place = field(compare=False)

    TERMS = ("fluent", "value")


@dataclass(frozen=True, slots=True)
class Instant(Pattern):
    """A point in time, whatever happens then."""

    time: int
    place: Place = field(compare=False)


@dataclass(frozen=True, slots=True)
class Join(Pattern):
    """left SEQ right, and so on: pairs of occurrences that stand so to each other."""

    kind: JoinKind
    left: Pattern
    right: Pattern
    place: Place = field(compare=False)

    CHILDREN = ("left", "right")


@dataclass(frozen=True, slots=True)
class Either(Pattern):
    """left OR right: the occurrences of both."""

    alternatives: tuple[Pattern, ...]
    place: Place = field(compare=False)

    CHILDREN = ("alternatives",)


@dataclass(frozen=True, slots=True)
class Absence(Pattern):
    """NOT(what).[first, last]: first, and later last, with no `what` wholly between them.

    last may be a duration: NOT(b).[a, 5 min] is an `a` with no `b` that ends within so long after it; its occurrence
    lasts until then. Variables that occur only in `what` are read as "for any value"; those that the rest of the rule
    gives a value keep it. outside: the events that give it, where first and last do not; the compiler finds them.
    """

    what: Pattern
    first: Pattern
    last: Pattern | int
    place: Place = field(compare=False)
    outside: tuple[Pattern, ...] = ()

    CHILDREN = ("what", "first", "last")


@dataclass(frozen=True, slots=True)
class Filter(Pattern):
    """pattern WHERE conditions: comparisons, calculations and background knowledge, which may bind variables."""

    pattern: Pattern
    conditions: tuple[Literal, ...]
    place: Place = field(compare=False)

    CHILDREN = ("pattern", "conditions")


@dataclass(frozen=True, slots=True)
class Limit(Pattern):
    """(pattern).duration: occurrences with end - start =< duration."""

    pattern: Pattern
    duration: int
    place: Place = field(compare=False)

    CHILDREN = ("pattern",)


@dataclass(frozen=True, slots=True)
class Measure(Node):
    """variable = function(term); count has no term. function: count, sum, avg, min, max, or the name of a registered
    function, which may have several terms; `registered` is that function."""

    variable: Var
    function: str
    arguments: tuple[Term, ...]
    place: Place = field(compare=False)
    registered: Registered | None = field(default=None, compare=False, repr=False)

    TERMS = ("variable", "arguments")


@dataclass(frozen=True, slots=True)
class RunningAggregate(Pattern):
    """pattern AGGREGATE V = sum(X), N = count OVER LAST 10, or OVER LAST 5 min: over the last so many occurrences, or
    over those that end in the last so many time units, of each group.

    A group is made by the variables of the pattern that occur also outside of it and outside of the measures. One
    occurrence a group and end: from the first start among those it is made of, to that end; over so many events, only
    once there are so many.
    """

    pattern: Pattern
    measures: tuple[Measure, ...]
    events: int | None
    duration: int | None
    place: Place = field(compare=False)

    CHILDREN = ("pattern", "measures")


@dataclass(frozen=True, slots=True)
class PatternRule(Node):
    """head <- pattern. Arithmetic in the head is worked out.

    policy: which pairs a join makes: all; recent: for each right operand the latest left one (which stays);
    chronological: the oldest left one that has not been used. prefers: where several candidates have the same time,
    the `longest` or `shortest`, or the one with the greatest or least value of a variable.
    """

    head: Term
    pattern: Pattern
    policy: Policy
    prefers: tuple[Preference, ...]
    label: str
    place: Place = field(compare=False)

    TERMS = ("head",)
    CHILDREN = ("pattern",)


def is_calculated(argument: Term) -> bool:
    """Whether an argument of a head is worked out: `it(K+1)`, `agg(max(V,X))`."""
    return isinstance(argument, Compound) and (argument.functor, len(argument.args)) in FUNCTIONS
