"""What a checked event description is: rules made of literals, background knowledge, declarations, kinds and strata."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, NamedTuple, get_args
from typing import Literal as OneOf

from holdsfor.duration import TickUnit
from holdsfor.language.nodes import Node, all_terms, find_all
from holdsfor.language.patterns import PatternRule
from holdsfor.language.terms import Place, Term, Var

if TYPE_CHECKING:
    from holdsfor.language.diagnostics import Source
    from holdsfor.language.facts import FactTable


Entity = OneOf["event", "fluent"]
EdgeKind = OneOf["start", "end", "startI", "endI"]
EDGES: tuple[EdgeKind, ...] = get_args(EdgeKind)
Change = EdgeKind | OneOf["deadline"]


class Signature(NamedTuple):
    """A name with its number of arguments (the value of a fluent is not counted)."""

    name: str
    arity: int

    def __str__(self) -> str:
        return f"{self.name}/{self.arity}"

    @property
    def signature(self) -> Signature:
        return self

    def stand_in(self, word: str) -> Signature:
        """Of a dynamic domain: a fluent that says who is in it. Only checking makes such fluents."""
        return Signature(f"{self.name} {word}", self.arity)

    def domain_behind(self, unreported: Collection[Unreported]) -> Signature | None:
        """The dynamic domain that a fluent stands for, if it is such a fluent. unreported: what results leave out."""
        name, _, word = self.name.rpartition(" ")
        is_stand_in = word in STAND_INS and (self, None) in unreported
        return Signature(name, self.arity) if is_stand_in else None


Unreported = tuple[Signature, Term | None]
"""What results leave out: a definition, or one value of a fluent."""

#: `d seen` begins when a member of d turns up; `d ever` holds all of the history for whoever turns up in it.
SEEN, EVER = STAND_INS = ("seen", "ever")
#: `a as input` has the rows of a definition that also comes as input.
AS_INPUT = "as input"


class FluentValue(NamedTuple):
    """One value of a fluent that has a definition of its own."""

    name: str
    arity: int
    value: Term

    def __str__(self) -> str:
        return f"{self.name}/{self.arity}={self.value}"

    @property
    def signature(self) -> Signature:
        return Signature(self.name, self.arity)


Defined = Signature | FluentValue
"""What is defined at once: an event, a fluent or the simple values of one, or one statically determined value."""


# ---------------------------------------------------------------- literals of a body


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


# ---------------------------------------------------------------- clauses


@dataclass(frozen=True, slots=True)
class Rule(Node):
    """One rule that defines an event or a fluent-value.

    subject: the event, or the fluent without its value. at: the time variable, or for holdsFor the interval variable.
    A holdsFor rule whose body gives no interval (`holdsFor(f(_)=true, [])`) is dropped while reading: it adds nothing.
    """

    kind: OneOf["initiatedAt", "terminatedAt", "happensAt", "holdsFor"]
    subject: Term
    value: Term | None
    at: Var
    body: tuple[Literal, ...]
    place: Place = field(compare=False)

    TERMS = ("subject", "value", "at")
    CHILDREN = ("body",)


@dataclass(frozen=True, slots=True)
class Initially(Node):
    """initially(fluent=value) :- body: holds from the start of the history on."""

    fluent: Term
    value: Term
    body: tuple[Literal, ...]
    place: Place = field(compare=False)

    TERMS = ("fluent", "value")
    CHILDREN = ("body",)


@dataclass(frozen=True, slots=True)
class Deadline(Node):
    """fi(fluent=source, fluent=target, duration) :- body. extensible: p(fluent=source) is there, too."""

    fluent: Term
    source: Term
    target: Term
    duration: Term
    body: tuple[Literal, ...]
    extensible: bool
    place: Place = field(compare=False)

    TERMS = ("fluent", "source", "target", "duration")
    CHILDREN = ("body",)


@dataclass(frozen=True, slots=True)
class Clause(Node):
    """Background knowledge: a fact (no body) or a rule."""

    head: Term
    body: tuple[Literal, ...]
    place: Place = field(compare=False)

    TERMS = ("head",)
    CHILDREN = ("body",)


@dataclass(frozen=True, slots=True)
class Grounding(Node):
    """grounding(entity) :- body; value is None for an event."""

    entity: Term
    value: Term | None
    body: tuple[Literal, ...]
    place: Place = field(compare=False)

    TERMS = ("entity", "value")
    CHILDREN = ("body",)


# ---------------------------------------------------------------- the whole


@dataclass(frozen=True, slots=True)
class Input:
    """An event or durative fluent that comes from the stream. `read` is false if no rule uses it (declared only).

    numbers: the argument positions (from 0) that rules calculate or compare with; a row with something else there is
    rejected. may_last: of an event, whether a pattern or `occurs` reads it, so that a row may have a start and an end.
    """

    signature: Signature
    kind: OneOf["event", "interval", "point"]
    read: bool
    numbers: frozenset[int]
    may_last: bool = False
    is_defined: bool = False  # rules define it, too

    @property
    def stored_as(self) -> Signature:
        """The signature of its rows in the engine, apart from what rules conclude."""
        return self.signature.stand_in(AS_INPUT) if self.is_defined else self.signature


@dataclass(frozen=True, slots=True, repr=False, weakref_slot=True)
class EventDescription:
    """Everything the rule files say, checked. Rules keep the order of the files; order never changes the meaning."""

    rules: tuple[Rule, ...]
    background: tuple[Clause, ...]
    groundings: tuple[Grounding, ...]
    dynamic_domains: frozenset[Signature]
    inputs: tuple[Input, ...]  # what only comes as input, and definitions that are declared as input
    events: frozenset[Signature]  # defined by happensAt rules
    simple: frozenset[Signature]  # defined by initiatedAt/terminatedAt rules
    static: frozenset[Signature]  # defined by holdsFor rules
    strata: tuple[tuple[Defined, ...], ...]  # events, fluents and values, each after all that it depends on
    cycles: tuple[
        tuple[Signature, ...], ...
    ] = ()  # simple fluents that depend on each other, each group in one stratum
    initially: tuple[Initially, ...] = ()
    deadlines: tuple[Deadline, ...] = ()
    patterns: tuple[PatternRule, ...] = ()  # their heads are among the events
    recursive: tuple[tuple[Signature, ...], ...] = ()  # pattern events that depend on each other, each in one stratum
    tables: tuple[FactTable, ...] = ()  # background facts in great numbers
    bounds: Mapping[Signature, int] = field(default_factory=dict)  # how far the rules of a definition may look
    also_input: tuple[Input, ...] = ()  # definitions that may come as input without a declaration
    unreported: frozenset[Unreported] = frozenset()  # what results leave out
    tick_units: Mapping[TickUnit, Place] = field(default_factory=dict, compare=False)  # of durations in rules
    warnings: tuple[object, ...] = ()
    sources: Mapping[str, Source] = field(default_factory=dict, compare=False, repr=False)  # to show lines of them

    def with_input(self, stored: Container[str] | None = None) -> EventDescription:
        """Count the definitions whose rows come among the inputs; None: all that may come."""
        chosen = tuple(one for one in self.also_input if stored is None or one.stored_as.name in stored)
        return replace(self, inputs=(*self.inputs, *chosen), also_input=()) if chosen else self

    def __repr__(self) -> str:
        defined = ", ".join(sorted(map(str, {*self.events, *self.simple, *self.static})))
        rules = len(self.rules) + len(self.patterns)
        define = f"{rules:,} rules that define" if rules != 1 else "1 rule that defines"
        return f"<EventDescription: {define} {defined or 'nothing'}>"

    def _repr_html_(self) -> str:
        from holdsfor.view.notebook import description_html

        return description_html(self)
