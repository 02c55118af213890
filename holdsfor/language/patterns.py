"""Patterns of events that take time: `head <- a(X) SEQ b(X).`, as a rule file says them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal as OneOf

from holdsfor.functions import Registered
from holdsfor.language.literals import Aggregate, Body, Holds, Is, Literal, Not, Occurs, Or, Statement, all_variables
from holdsfor.language.nodes import Node
from holdsfor.language.terms import Place, Term, Var, name_and_args, variables
from holdsfor.language.vocabulary import FUNCTIONS
from holdsfor.language.vocabulary import Policy as Policy

_TIME = Var("~time")
JoinKind = OneOf["seq", "and", "par", "equals", "meets", "during", "starts", "finishes"]
Preference = OneOf["longest", "shortest"] | tuple[OneOf["greatest", "least"], Var]


class Pattern(Node):
    """A pattern that a rule looks for in the stream."""

    __slots__ = ()
    place: Place

    @property
    def parts(self) -> tuple[Pattern, ...]:
        """Return the patterns directly inside, from left to right."""
        return tuple(child for child in self.children if isinstance(child, Pattern))

    @property
    def together(self) -> tuple[Pattern, ...]:
        """Return the patterns directly inside that occur together: not what must be absent, nor alternatives."""
        return self.parts

    @property
    def event_variables(self) -> frozenset[Var]:
        """Return the variables that its events and fluents give a value, whichever alternatives of OR happen."""
        return frozenset[Var]().union(*(part.event_variables for part in self.together))

    @property
    def as_literals(self) -> Body:
        """Return the events, fluents, tests and calculations that it asks for, without the order in time."""
        return tuple(literal for part in self.parts for literal in part.as_literals)

    @property
    def sequence(self) -> tuple[tuple[Pattern, ...], Pattern] | None:
        """Return the patterns that end before the last one of a sequence, and that one; None if it is none."""
        return None

    @property
    def own_variables(self) -> set[Var]:
        """Return the variables of this pattern, without those of patterns inside it."""
        return {*variables(self.terms)} | all_variables(
            child for child in self.children if not isinstance(child, Pattern)
        )


@dataclass(frozen=True, slots=True)
class EventPattern(Pattern):
    """An event: each of its occurrences."""

    event: Term
    place: Place = field(compare=False)

    TERMS = ("event",)

    @property
    def event_variables(self) -> frozenset[Var]:
        return frozenset(self.own_variables)

    @property
    def as_literals(self) -> Body:
        return (Occurs(self.event, _TIME, _TIME, self.place),)


@dataclass(frozen=True, slots=True)
class Stretch(Pattern):
    """A fluent with its value: each maximal interval [s, e) that has ended, as the occurrence [s, e-1]."""

    fluent: Term
    value: Term
    place: Place = field(compare=False)

    TERMS = ("fluent", "value")

    @property
    def event_variables(self) -> frozenset[Var]:
        return frozenset(self.own_variables)

    @property
    def as_literals(self) -> Body:
        return (Holds(self.fluent, self.value, _TIME, self.place),)


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

    @property
    def sequence(self) -> tuple[tuple[Pattern, ...], Pattern] | None:
        return ((self.left,), self.right) if self.kind == "seq" else None


@dataclass(frozen=True, slots=True)
class Either(Pattern):
    """left OR right: the occurrences of both."""

    alternatives: tuple[Pattern, ...]
    place: Place = field(compare=False)

    CHILDREN = ("alternatives",)

    @property
    def together(self) -> tuple[Pattern, ...]:
        return ()

    @property
    def event_variables(self) -> frozenset[Var]:
        return frozenset.intersection(*(case.event_variables for case in self.alternatives))

    @property
    def as_literals(self) -> Body:
        return (Or(tuple(case.as_literals for case in self.alternatives), self.place),)


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

    @property
    def together(self) -> tuple[Pattern, ...]:
        return self.parts[1:]

    @property
    def as_literals(self) -> Body:
        present = tuple(literal for part in self.together for literal in part.as_literals)
        return (*present, Not(self.what.as_literals, self.what.place))

    @property
    def sequence(self) -> tuple[tuple[Pattern, ...], Pattern] | None:
        return None if isinstance(self.last, int) else ((self.what, self.first), self.last)


@dataclass(frozen=True, slots=True)
class Filter(Pattern):
    """pattern WHERE conditions: comparisons, calculations and background knowledge, which may bind variables."""

    pattern: Pattern
    conditions: Body
    place: Place = field(compare=False)

    CHILDREN = ("pattern", "conditions")

    @property
    def as_literals(self) -> Body:
        return (*self.pattern.as_literals, *self.conditions)


@dataclass(frozen=True, slots=True)
class Timed(Pattern):
    """(pattern)@[start, end]: each occurrence, with its first and its last point as values of these variables."""

    pattern: Pattern
    start: Var
    end: Var
    place: Place = field(compare=False)

    CHILDREN = ("pattern",)
    TERMS = ("start", "end")


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


#: More events than any group has.
EVERY = 1 << 40


@dataclass(frozen=True, slots=True)
class RunningAggregate(Pattern):
    """pattern AGGREGATE V = sum(X), N = count OVER LAST 10, or OVER LAST 5 min: over the last so many occurrences, or
    over those that end in the last so many time units, of each group.

    A group is made by the variables of the pattern that occur also outside of it and outside of the measures. One
    occurrence a group and end: from the first start among those it is made of, to that end; over so many events, only
    once there are so many. is_partial: OVER UP TO 10, also before there are so many; OVER ALL, over `EVERY` one.
    """

    pattern: Pattern
    measures: tuple[Measure, ...]
    events: int | None
    duration: int | None
    place: Place = field(compare=False)
    is_partial: bool = False

    CHILDREN = ("pattern", "measures")

    @property
    def as_literals(self) -> Body:
        measured = (literal for measure in self.measures for literal in _measured(measure))
        return (*self.pattern.as_literals, *measured)


@dataclass(frozen=True, slots=True)
class PatternRule(Statement):
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

    @property
    def body(self) -> Body:
        """Return the events, fluents, tests and calculations that the rule asks for, without the order in time."""
        calculated: list[Term] = [arg for arg in name_and_args(self.head)[1] if is_calculated(arg)]
        return (*self.pattern.as_literals, *(Is(Var(f"~{i}"), arg, arg.place) for i, arg in enumerate(calculated)))


def change_conditions(rule: PatternRule, rewrite: Callable[[Pattern, Body], tuple[Pattern, Body]]) -> PatternRule:
    """Return a rule with other conditions behind WHERE, and other patterns before it."""

    def changed(node: Node) -> Node:
        rebuilt = node.rebuild(changed) if isinstance(node, Pattern) else node
        if not isinstance(rebuilt, Filter):
            return rebuilt
        pattern, conditions = rewrite(rebuilt.pattern, rebuilt.conditions)
        return replace(rebuilt, pattern=pattern, conditions=conditions)

    return rule.rebuild(changed)


def is_calculated(argument: Term) -> bool:
    """Whether an argument of a head is worked out: `it(K+1)`, `agg(max(V,X))`."""
    return (argument.functor, len(argument.args)) in FUNCTIONS


def _measured(measure: Measure) -> Iterator[Literal]:
    if not measure.arguments:
        yield Aggregate("count", measure.variable, (), measure.variable, measure.place)
    for term in measure.arguments:  # whatever the function, it is of numbers
        yield Aggregate("sum", term, (), measure.variable, measure.place)
