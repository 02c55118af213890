"""Patterns of events that take time, as a plan has them: a tree of joins whose leaves are relations.

Each part gives occurrences: a start, an end, and values for its variables. within: only those with end - start =< that;
a limit around a pattern has been put into all parts of it that it limits. conditions: alternatives, each a chain; what
passes one of them stays, before a policy chooses.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from typing import Literal as OneOf

from holdsfor.functions import Registered
from holdsfor.language.patterns import JoinKind, Policy
from holdsfor.language.terms import Term

if TYPE_CHECKING:
    from holdsfor.plan.operators import Arg, Chain, Relation


Preference = tuple[OneOf["longest", "shortest", "greatest", "least"], str]
"""Which of several candidates that ended at the same time is taken; with a variable, where it is by its value."""


@dataclass(frozen=True, slots=True)
class Choosing:
    """How the pairs of a join are chosen, where not all of them are made."""

    policy: Policy = "unrestricted"
    prefers: tuple[Preference, ...] = ()


ALL = Choosing()


@dataclass(frozen=True, slots=True)
class Scan:
    """The occurrences of an event, or the intervals of a fluent that have ended."""

    relation: Relation
    args: tuple[Arg, ...]
    within: int | None = None


@dataclass(frozen=True, slots=True)
class Moment:
    """A point in time, whatever happens then."""

    time: int


@dataclass(frozen=True, slots=True)
class Pairs:
    """Occurrences of both that stand so to each other and agree in the variables they share."""

    kind: JoinKind
    left: Pattern
    right: Pattern
    within: int | None = None
    conditions: tuple[Chain, ...] = ((),)
    choosing: Choosing = ALL


@dataclass(frozen=True, slots=True)
class Absent:
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


@dataclass(frozen=True, slots=True)
class Selected:
    """The occurrences of a pattern that pass one of the alternatives, which may give more variables values."""

    pattern: Pattern
    conditions: tuple[Chain, ...]


@dataclass(frozen=True, slots=True)
class OneOfSeveral:
    """The occurrences of all alternatives; variables: those that all of them give values."""

    alternatives: tuple[Pattern, ...]
    variables: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Measured:
    """variable: the function of the terms over the window; count has no term. registered: a user's function."""

    variable: str
    function: str
    terms: tuple[Term, ...]
    registered: Registered | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Sliding:
    """Measures over the last so many occurrences of a group, or those that ended in the last so many time units."""

    pattern: Pattern
    group: tuple[str, ...]
    measures: tuple[Measured, ...]
    events: int | None
    duration: int | None
    within: int | None = None


Pattern = Scan | Moment | Pairs | Absent | Selected | OneOfSeveral | Sliding


def operands(pattern: Pattern) -> tuple[Pattern, ...]:
    """What a pattern is made of: as it is written, but of an absence first what is around it."""
    match pattern:
        case Absent():
            return *around(pattern), *pattern.what, *pattern.outside
        case Pairs():
            return pattern.left, pattern.right
        case Selected() | Sliding():
            return (pattern.pattern,)
        case OneOfSeveral():
            return pattern.alternatives
        case _:
            return ()


def around(pattern: Absent) -> tuple[Pattern, ...]:
    """The patterns that an absence lies between."""
    return (pattern.first,) if isinstance(pattern.last, int) else (pattern.first, pattern.last)


def with_operands(pattern: Pattern, changed: tuple[Pattern, ...]) -> Pattern:
    """The pattern made of other operands, in the order in which `operands` gives them."""
    match pattern:
        case Pairs():
            return replace(pattern, left=changed[0], right=changed[1])
        case Absent():
            first, *last = changed[: len(around(pattern))]
            what = changed[len(around(pattern)) :][: len(pattern.what)]
            outside = changed[len(changed) - len(pattern.outside) :]
            until = last[0] if last else pattern.last
            return replace(pattern, first=first, last=until, what=what, outside=outside)
        case Selected() | Sliding():
            return replace(pattern, pattern=changed[0])
        case OneOfSeveral():
            return replace(pattern, alternatives=changed)
        case _:
            return pattern


def sequence_parts(pattern: Pattern) -> tuple[Pattern, ...]:
    """a, b and c of (a SEQ b) SEQ c, where it is the same as a SEQ (b SEQ c).

    It is, if no policy chooses among the pairs of a and b, no condition is about them alone, and what limits them is no
    less than what limits the whole.
    """
    if not isinstance(pattern, Pairs) or pattern.kind != "seq" or pattern.choosing.policy != "unrestricted":
        return (pattern,)
    inner, within = pattern.left, pattern.within
    if not isinstance(inner, Pairs) or inner.kind != "seq" or inner.conditions != ((),):
        return pattern.left, pattern.right
    if inner.within is not None and (within is None or inner.within < within):
        return pattern.left, pattern.right
    return *sequence_parts(inner), pattern.right


def positive_operands(pattern: Pattern) -> tuple[Pattern, ...]:
    """The same without what must be absent."""
    return around(pattern) if isinstance(pattern, Absent) else operands(pattern)


def subpatterns(pattern: Pattern) -> Iterator[Pattern]:
    """The pattern and all that it is made of."""
    yield pattern
    for operand in operands(pattern):
        yield from subpatterns(operand)


def needs_events(pattern: Pattern) -> bool:
    """Whether it occurs only where something happens: a point in time does anyway."""
    match pattern:
        case Scan():
            return True
        case OneOfSeveral():
            return all(map(needs_events, pattern.alternatives))
        case _:
            return any(map(needs_events, positive_operands(pattern)))


def scans(pattern: Pattern) -> Iterator[Scan]:
    return (part for part in subpatterns(pattern) if isinstance(part, Scan))


def conditions_of(pattern: Pattern) -> Iterator[Chain]:
    """The chains inside a pattern."""
    for part in subpatterns(pattern):
        if isinstance(part, Pairs | Absent | Selected):
            yield from part.conditions
