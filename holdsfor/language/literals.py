"""The conditions of bodies, and what they have in common. A new one needs a class here, a reading and a printing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar, get_args
from typing import Literal as OneOf

from holdsfor.language.nodes import Node, all_terms, find_all
from holdsfor.language.terms import Place, Term, Var, variables

Entity = OneOf["event", "fluent"]
EdgeKind = OneOf["start", "end", "startI", "endI"]
EDGES: tuple[EdgeKind, ...] = get_args(EdgeKind)
Change = EdgeKind | OneOf["deadline"]


class Literal(Node):
    """A condition of a body."""

    __slots__ = ()
    place: Place
    TIMES: ClassVar[tuple[str, ...]] = ()  # the terms that are times
    INTERVALS: ClassVar[tuple[str, ...]] = ()  # lists of intervals; the last one is what it makes

    @property
    def times(self) -> tuple[Term, ...]:
        return tuple(getattr(self, name) for name in self.TIMES)

    @property
    def intervals(self) -> tuple[Var, ...]:
        """Return the lists of intervals that it is made of, and as the last the one that it makes; none at points."""
        return tuple(var for name in self.INTERVALS for var in _variables_in(getattr(self, name)))

    @property
    def own_variables(self) -> set[Var]:
        """Return the variables of this literal, without those of literals inside it."""
        return {variable for term in self.terms for variable in variables(term)} | set(self.intervals)

    @property
    def bodies(self) -> tuple[tuple[Literal, ...], ...]:
        """Return the conjunctions inside it."""
        return ()


class Mention(Literal):
    """A condition on an event or a fluent."""

    __slots__ = ()
    ENTITY: ClassVar[Entity]
    value: Term | None

    @property
    def subject(self) -> Term:
        """Return the event, or the fluent without its value."""
        return self.terms[0]


class EventLiteral(Mention):
    """A condition on an event."""

    __slots__ = ()
    ENTITY = "event"
    value = None
    event: Term


class FluentLiteral(Mention):
    """A condition on a fluent with its value."""

    __slots__ = ()
    ENTITY = "fluent"
    fluent: Term
    value: Term


@dataclass(frozen=True, slots=True)
class Happens(EventLiteral):
    """happensAt(event, time)"""

    event: Term
    time: Term
    place: Place = field(compare=False)

    TERMS = ("event", "time")
    TIMES = ("time",)


@dataclass(frozen=True, slots=True)
class Edge(FluentLiteral):
    """happensAt(start(fluent=value), time), and the same with end, startI, endI.

    startI and endI are at the first point of an interval and at the first point after it; start and end a tick before.
    deadline: where a deadline initiates fluent=value, whether that takes effect or not.
    """

    edge: Change
    fluent: Term
    value: Term
    time: Term
    place: Place = field(compare=False)

    TERMS = ("fluent", "value", "time")
    TIMES = ("time",)


@dataclass(frozen=True, slots=True)
class Holds(FluentLiteral):
    """holdsAt(fluent=value, time)"""

    fluent: Term
    value: Term
    time: Term
    place: Place = field(compare=False)

    TERMS = ("fluent", "value", "time")
    TIMES = ("time",)


@dataclass(frozen=True, slots=True)
class HoldsFor(FluentLiteral):
    """holdsFor(fluent=value, interval)"""

    fluent: Term
    value: Term
    interval: Var
    place: Place = field(compare=False)

    TERMS = ("fluent", "value")
    INTERVALS = ("interval",)


@dataclass(frozen=True, slots=True)
class Algebra(Literal):
    """union_all([..], result), intersect_all([..], result), relative_complement_all(base, [..], result).

    For a difference the base is the first operand. An operand that the rule writes as `[]` is left out, except that
    a base or a member of an intersection written `[]` makes the result empty: `operands` is then ().
    """

    op: OneOf["union", "intersection", "difference", "complement"]
    operands: tuple[Var, ...]
    result: Var
    place: Place = field(compare=False)
    within: int | None = None  # of a complement: only points at most so far from an interval of an operand

    INTERVALS = ("operands", "result")


@dataclass(frozen=True, slots=True)
class Allen(Literal):
    """allen(relation, source, target, mode, result), or relation(source, target, mode, result).

    mode: 'source' (lhs), 'target' (rhs), 'union', 'intersection', 'relative_complement', 'relative_complement_inverse'.
    """

    relation: OneOf["before", "meets", "starts", "finishes", "during", "overlaps", "equal"]
    source: Var
    target: Var
    mode: str
    result: Var
    place: Place = field(compare=False)
    within: int | None = None  # only pairs that take no longer, from the first start to the last end

    INTERVALS = ("source", "target", "result")


@dataclass(frozen=True, slots=True)
class Duration(Literal):
    """intDurGreater(interval, bound, result): the intervals longer than bound."""

    op: OneOf[">", ">=", "<", "=<"]
    interval: Var
    bound: Term
    result: Var
    place: Place = field(compare=False)
    within: int | None = None  # none if the bound is more than that

    TERMS = ("bound",)
    INTERVALS = ("interval", "result")


@dataclass(frozen=True, slots=True)
class Compare(Literal):
    """left op right: arithmetic (< > =< >= =:= =\\=), identity (== \\==), unification (= \\=), order (@< @> @=< @>=)"""

    op: str
    left: Term
    right: Term
    place: Place = field(compare=False)

    TERMS = ("left", "right")


@dataclass(frozen=True, slots=True)
class Is(Literal):
    """target is expression"""

    target: Term
    expression: Term
    place: Place = field(compare=False)

    TERMS = ("target", "expression")


@dataclass(frozen=True, slots=True)
class Call(Literal):
    """A background predicate."""

    goal: Term
    place: Place = field(compare=False)

    TERMS = ("goal",)


@dataclass(frozen=True, slots=True)
class Not(Literal):
    """\\+ of a conjunction; variables that occur only inside are read as "for any value"."""

    literals: tuple[Literal, ...]
    place: Place = field(compare=False)

    CHILDREN = ("literals",)

    @property
    def bodies(self) -> tuple[tuple[Literal, ...], ...]:
        return (self.literals,)


@dataclass(frozen=True, slots=True)
class Or(Literal):
    """(A ; B): one of several conjunctions; a variable that all of them bind is bound."""

    alternatives: tuple[tuple[Literal, ...], ...]
    place: Place = field(compare=False)

    CHILDREN = ("alternatives",)

    @property
    def bodies(self) -> tuple[tuple[Literal, ...], ...]:
        return self.alternatives


@dataclass(frozen=True, slots=True)
class Aggregate(Literal):
    """findall(template, goals, L) together with length(L, result), or sum_list / min_list / max_list of L.

    Variables that occur only in template and goals are its own. sum of none is 0; min and max of none fail.
    """

    function: OneOf["count", "sum", "min", "max"]
    template: Term
    literals: tuple[Literal, ...]
    result: Term
    place: Place = field(compare=False)

    TERMS = ("template", "result")
    CHILDREN = ("literals",)

    @property
    def bodies(self) -> tuple[tuple[Literal, ...], ...]:
        return (self.literals,)


@dataclass(frozen=True, slots=True)
class Occurs(EventLiteral):
    """occurs(event, start, end): the event happened from start to end; one that takes no time has start = end."""

    event: Term
    start: Term
    end: Term
    place: Place = field(compare=False)

    TERMS = ("event", "start", "end")
    TIMES = ("start", "end")


def all_variables(nodes: Node | Iterable[Node]) -> set[Var]:
    """Return the variables of nodes and of all inside them, those for lists of intervals, too."""
    names = {variable for term in all_terms(nodes) for variable in find_all(term, Var)}
    return names.union(*(literal.intervals for literal in find_all(nodes, Literal)))


def _variables_in(value: Var | tuple[Var, ...]) -> tuple[Var, ...]:
    return value if isinstance(value, tuple) else (value,)


class Statement(Node):
    """A clause with a head and conditions: subject is the event, the fluent without its value, or the predicate."""

    __slots__ = ()
    ENTITY: ClassVar[OneOf["event", "fluent", "predicate"]]
    place: Place
