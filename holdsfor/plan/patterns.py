"""Patterns of events that take time, as a plan has them: a tree of joins whose leaves are relations.

Each part gives occurrences: a start, an end, and values for its variables. within: only those with end - start =< that;
a limit around a pattern has been put into all parts of it that it limits. conditions: alternatives, each a chain; what
passes one of them stays, before a policy chooses.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast
from typing import Literal as OneOf

from holdsfor.functions import Registered
from holdsfor.language.nodes import find_all
from holdsfor.language.patterns import EVERY, JoinKind, Policy
from holdsfor.language.terms import Term
from holdsfor.plan.nodes import Dependency, NewNames, PlanNode, RelationNode, dependencies_of, names_bound_in

if TYPE_CHECKING:
    from holdsfor.plan.operators import Arg, Chain, Relation
    from holdsfor.plan.printing.rule import Writer


Preference = tuple[OneOf["longest", "shortest", "greatest", "least"], str]
"""The order in which candidates that ended at the same time are taken; with a variable: by its value."""


@dataclass(frozen=True, slots=True)
class Choosing(PlanNode):
    """How the pairs of a join are chosen, where not all of them are made."""

    policy: Policy = "unrestricted"
    prefers: tuple[Preference, ...] = ()

    def renamed(self, names: NewNames) -> Choosing:
        return replace(self, prefers=tuple((how, names[name] if name else "") for how, name in self.prefers))


ALL = Choosing()


class PatternNode(PlanNode):
    """A part of a pattern. within: the most that its occurrences last."""

    __slots__ = ()
    within: int | None

    @property
    def operands(self) -> tuple[Pattern, ...]:
        """Return the patterns that it is made of, of an absence those around it first."""
        return tuple(cast(Pattern, child) for child in self.children if isinstance(child, PatternNode))

    @property
    def positive_operands(self) -> tuple[Pattern, ...]:
        """Return the patterns that it is made of, without those that must be absent."""
        return self.operands

    @property
    def policy(self) -> Policy:
        """How it chooses among the pairs that it makes of occurrences."""
        return "unrestricted"

    @property
    def chooses(self) -> bool:
        """Whether what occurs depends also on what else does: on what a policy takes, or a window counts."""
        return self.policy != "unrestricted"

    def tested(self) -> tuple[Pattern, tuple[Chain, ...]] | None:
        """Return the pattern whose occurrences it tests, with the alternatives that they may pass."""
        return None

    def needs_events(self) -> bool:
        """Whether it occurs only where something happens: a point in time does anyway."""
        return any(operand.needs_events() for operand in self.positive_operands)

    def least_parts(self) -> int:
        """Return how many events, points in time and deadlines an occurrence is made of at least."""
        return sum(operand.least_parts() for operand in self.positive_operands)

    def width(self) -> int | None:
        """Return how long an occurrence lasts at most; None: any time."""
        return self.within

    def distances_back(self) -> Iterator[int | None]:
        """Iterate over how far before its end the occurrences lie that it is made of; None: any distance.

        All of them lie within its span, so a limit on that limits all.
        """
        yield self.width()

    def _distances_of_operands(self, further: int = 0) -> Iterator[int | None]:
        return (sum_of(further, distance) for operand in self.operands for distance in operand.distances_back())


@dataclass(frozen=True, slots=True)
class Scan(PatternNode, RelationNode):
    """The occurrences of an event, or the intervals of a fluent that have ended."""

    relation: Relation
    args: tuple[Arg, ...]
    within: int | None = None

    VARIABLES = BINDS = ("args",)

    def dependencies(self) -> Iterator[Dependency]:
        yield self, 1 if self.relation.kind == "event" else 0  # a longer interval is another one

    def needs_events(self) -> bool:
        return True

    def least_parts(self) -> int:
        return 1

    def distances_back(self) -> Iterator[int | None]:
        yield 0

    def text(self, writer: Writer) -> str:
        return f"{writer.grounding(self)}{writer.within(self)}"


@dataclass(frozen=True, slots=True)
class Moment(PatternNode):
    """A point in time, whatever happens then."""

    time: int

    def least_parts(self) -> int:
        return 1

    def width(self) -> int | None:
        return 0

    def distances_back(self) -> Iterator[int | None]:
        return iter(())

    def text(self, writer: Writer) -> str:
        return str(self.time)


@dataclass(frozen=True, slots=True)
class Pairs(PatternNode):
    """Occurrences of both that stand so to each other and agree in the variables they share."""

    kind: JoinKind
    left: Pattern
    right: Pattern
    within: int | None = None
    conditions: tuple[Chain, ...] = ((),)
    choosing: Choosing = ALL

    CHILDREN = BINDS = ("left", "right", "conditions")
    VARIABLES = (*CHILDREN, "choosing")

    @property
    def policy(self) -> Policy:
        return self.choosing.policy

    def width(self) -> int | None:
        if self.within is not None:
            return self.within
        left, right = self.left.width(), self.right.width()
        if self.kind == "equals":
            return min((width for width in (left, right) if width is not None), default=None)
        if self.kind in ("during", "starts", "finishes"):
            return right
        return sum_of(left, right) if self.kind in ("meets", "par") else None

    def distances_back(self) -> Iterator[int | None]:
        if self.within is None and self.kind in ("equals", "finishes"):
            return self._distances_of_operands()
        return iter([self.width()])

    def text(self, writer: Writer) -> str:
        return f"({self.left.text(writer)} {self.kind} {self.right.text(writer)}{writer.limits(self)})"


@dataclass(frozen=True, slots=True)
class Absent(PatternNode):
    """`first` and later `last`, and nothing of any of `what` wholly between them.

    last: so long after `first` if it is a number; then nothing of `what` may begin after `first` and end by then.
    outside: events of the rule that give values to variables of `what` that first and last do not have.
    """

    what: tuple[Pattern, ...]
    first: Pattern
    last: Pattern | int
    within: int | None = None
    conditions: tuple[Chain, ...] = ((),)
    choosing: Choosing = ALL
    outside: tuple[Pattern, ...] = ()

    CHILDREN = ("first", "last", "what", "outside", "conditions")
    VARIABLES = (*CHILDREN, "choosing")
    BINDS = ("first", "last", "conditions")

    @property
    def policy(self) -> Policy:
        return self.choosing.policy

    @property
    def positive_operands(self) -> tuple[Pattern, ...]:
        return self.operands[: len(self.operands) - len(self.what) - len(self.outside)]

    def least_parts(self) -> int:
        return PatternNode.least_parts(self) + (self.duration is not None)

    @property
    def duration(self) -> int | None:
        """Return how long after `first` it is over; None if that is when `last` is."""
        return self.last if isinstance(self.last, int) else None

    def dependencies(self) -> Iterator[Dependency]:
        for child in self.children:
            yield from dependencies_of([child], -1 if child in self.what else 1)

    def binds(self) -> Iterator[str]:
        absent = set(names_bound_in(self.what))
        yield from PatternNode.binds(self)
        yield from (name for name in names_bound_in(self.outside) if name in absent)

    def width(self) -> int | None:
        if self.within is not None:
            return self.within
        return None if self.duration is None else sum_of(self.first.width(), self.duration)

    def distances_back(self) -> Iterator[int | None]:
        return iter([self.width()]) if self.duration is None else self._distances_of_operands(self.duration)

    def text(self, writer: Writer) -> str:
        last = self.last if isinstance(self.last, int) else self.last.text(writer)
        between = f"{self.first.text(writer)} and {last}"
        return f"(no {writer.absent(self)} between {between}{writer.limits(self)})"


@dataclass(frozen=True, slots=True)
class Selected(PatternNode):
    """The occurrences of a pattern that pass one of the alternatives, which may give more variables values."""

    pattern: Pattern
    conditions: tuple[Chain, ...]

    CHILDREN = VARIABLES = BINDS = ("pattern", "conditions")

    def tested(self) -> tuple[Pattern, tuple[Chain, ...]] | None:
        return self.pattern, self.conditions

    def width(self) -> int | None:
        return self.pattern.width()

    def distances_back(self) -> Iterator[int | None]:
        return self._distances_of_operands()

    def text(self, writer: Writer) -> str:
        return f"({self.pattern.text(writer)}{writer.passing(self.conditions)})"


@dataclass(frozen=True, slots=True)
class OneOfSeveral(PatternNode):
    """The occurrences of all alternatives; variables: those that all of them give values."""

    alternatives: tuple[Pattern, ...]
    variables: tuple[str, ...]

    CHILDREN = ("alternatives",)
    VARIABLES = ("alternatives", "variables")
    BINDS = ("variables",)

    def needs_events(self) -> bool:
        return all(one.needs_events() for one in self.alternatives)

    def least_parts(self) -> int:
        return min(one.least_parts() for one in self.alternatives)

    def width(self) -> int | None:
        widths = [one.width() for one in self.alternatives]
        return None if None in widths else max((width for width in widths if width is not None), default=0)

    def distances_back(self) -> Iterator[int | None]:
        return self._distances_of_operands()

    def text(self, writer: Writer) -> str:
        return f"({' or '.join(one.text(writer) for one in self.alternatives)})"


@dataclass(frozen=True, slots=True)
class Measured(PlanNode):
    """A function over a window of occurrences. variable: its value. arguments: of each occurrence; count has none.

    registered: a function of a user.
    """

    variable: str
    function: str
    arguments: tuple[Term, ...]
    registered: Registered | None = field(default=None, compare=False, repr=False)

    TERMS = ("arguments",)
    VARIABLES = ("arguments", "variable")
    BINDS = ("variable",)

    def text(self, writer: Writer) -> str:
        of = f" of {', '.join(map(writer.term, self.arguments))}" if self.arguments else ""
        return f"{writer.name(self.variable)} the {self.function}{of}"


@dataclass(frozen=True, slots=True)
class Sliding(PatternNode):
    """Measures over the last so many occurrences of a group, or those that ended in the last so many time units."""

    pattern: Pattern
    group: tuple[str, ...]
    measures: tuple[Measured, ...]
    events: int | None
    duration: int | None
    within: int | None = None
    is_partial: bool = False  # over fewer events, too

    CHILDREN = ("pattern", "measures")
    VARIABLES = ("pattern", "group", "measures")
    BINDS = ("group", "measures")

    @property
    def chooses(self) -> bool:
        return True

    @property
    def span(self) -> str:
        """Say what it looks at."""
        if self.duration is not None:
            return f"the last {self.duration} time units"
        if self.events == EVERY:
            return "all events"
        return f"the last {'up to ' if self.is_partial else ''}{self.events} events"

    def width(self) -> int | None:
        if self.within is not None or self.duration is None:
            return self.within
        return sum_of(self.duration, self.pattern.width())

    def distances_back(self) -> Iterator[int | None]:
        return iter([self.width()]) if self.duration is None else self._distances_of_operands(self.duration)

    def text(self, writer: Writer) -> str:
        measures = ", ".join(measure.text(writer) for measure in self.measures)
        groups = f" for each {','.join(map(writer.name, self.group))}" if self.group else ""
        return f"({measures} over {self.span} of {self.pattern.text(writer)}{groups}{writer.within(self)})"


Pattern = Scan | Moment | Pairs | Absent | Selected | OneOfSeveral | Sliding


def sequence_parts(pattern: Pattern) -> tuple[Pattern, ...]:
    """Return a, b and c of (a SEQ b) SEQ c, where it is the same as a SEQ (b SEQ c).

    It is, if no policy chooses among the pairs of a and b, no condition is about them alone, and what limits them is no
    less than what limits the whole.
    """
    if not isinstance(pattern, Pairs) or pattern.kind != "seq" or pattern.policy != "unrestricted":
        return (pattern,)
    inner, within = pattern.left, pattern.within
    if not isinstance(inner, Pairs) or inner.kind != "seq" or inner.conditions != ((),):
        return pattern.left, pattern.right
    if inner.within is not None and (within is None or inner.within < within):
        return pattern.left, pattern.right
    return *sequence_parts(inner), pattern.right


def subpatterns(pattern: Pattern) -> Iterator[Pattern]:
    """Iterate over the pattern and all that it is made of."""
    return cast(Iterator[Pattern], find_all(pattern, PatternNode))


def scans(pattern: Pattern) -> Iterator[Scan]:
    """Iterate over the relations that a pattern reads."""
    return find_all(pattern, Scan)


def sum_of(one: int | None, other: int | None) -> int | None:
    """Add two distances, of which None is any."""
    return None if one is None or other is None else one + other
