"""The conditions of bodies, and what they have in common. A new one needs a class here, a reading and a printing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, NamedTuple, get_args
from typing import Literal as OneOf

from holdsfor.language.functions import Callee, kinds_of
from holdsfor.language.nodes import Node, all_terms, find_all, map_terms, walk
from holdsfor.language.terms import Atom, Float, Int, Place, Signature, Term, Var, shifted, substitute, unify, variables
from holdsfor.language.vocabulary import ARITHMETIC_COMPARISONS

Entity = OneOf["event", "fluent"]
Named = tuple[Entity, Signature]
"""Whether it is an event or a fluent, and its name with its arity."""
EdgeKind = OneOf["start", "end", "startI", "endI"]
EDGES: tuple[EdgeKind, ...] = get_args(EdgeKind)
Change = EdgeKind | OneOf["deadline"]
AlgebraOp = OneOf["union", "intersection", "difference", "complement"]
Body = tuple["Literal", ...]


class Literal(Node):
    """A condition of a body."""

    __slots__ = ()
    place: Place
    NEEDS: ClassVar[tuple[str, ...]] = ()  # the terms that must have a value before
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
        return {*variables(self.terms), *self.intervals}

    @property
    def needs(self) -> set[Var]:
        """Return the variables that must have a value before it can be evaluated."""
        return set(variables([*(getattr(self, name) for name in self.NEEDS), *self.intervals[:-1]]))

    @property
    def gives(self) -> set[Var]:
        """Return the variables that may have a value after it."""
        return all_variables(self)

    @property
    def bodies(self) -> tuple[Body, ...]:
        """Return the conjunctions inside it."""
        return ()

    def with_bodies(self, change: Callable[[Body], Body]) -> Literal:
        """Return it with the conjunctions inside it changed."""
        return self

    @property
    def equation(self) -> tuple[Term, Term] | None:
        """Return the two sides that have the same value after it, if it says so."""
        return None

    @property
    def numbers(self) -> tuple[Term, ...]:
        """Return the terms whose variables must be numbers."""
        return ()

    def looking_at_most(self, ticks: int) -> Literal:
        """Return it so that it looks no further than so many ticks, where its intervals could be further away."""
        return self


class Closed(Literal):
    """A condition whose own variables nothing outside sees: a negation, or an aggregate."""

    __slots__ = ()
    literals: Body

    def shared(self, outside: Set[Var]) -> set[Var]:
        """Return its variables that are not its own, since they stand outside, too."""
        return {variable for variable in all_variables(self.literals) if variable in outside}  # with its place here

    @property
    def bodies(self) -> tuple[Body, ...]:
        return (self.literals,)

    def with_bodies(self, change: Callable[[Body], Body]) -> Literal:
        return replace(self, literals=change(self.literals))  # type: ignore[type-var]


class About(Literal):
    """A condition about an event, a fluent or a predicate."""

    __slots__ = ()
    ENTITY: ClassVar[OneOf["event", "fluent", "predicate"]]
    value: Term | None

    @property
    def subject(self) -> Term:
        """Return the event, the fluent without its value, or the goal."""
        return self.terms[0]

    @property
    def signature(self) -> Signature:
        """Return the name and arity of its subject."""
        return Signature.of(self.subject)


class Mention(About):
    """A condition on an event or a fluent."""

    __slots__ = ()
    ENTITY: ClassVar[Entity]

    @property
    def named(self) -> Named:
        """Return what it is about."""
        return self.ENTITY, self.signature


class AtPoint(Literal):
    """A condition that gives its times a value, where they are variables."""

    __slots__ = ()

    @property
    def needs(self) -> set[Var]:
        return set(variables(time for time in self.times if not isinstance(time, Var)))


class EventLiteral(Mention, AtPoint):
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
class Edge(FluentLiteral, AtPoint):
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
    NEEDS = ("time",)


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

    op: AlgebraOp
    operands: tuple[Var, ...]
    result: Var
    place: Place = field(compare=False)
    within: int | None = None  # of a complement: only points at most so far from an interval of an operand

    INTERVALS = ("operands", "result")

    def looking_at_most(self, ticks: int) -> Literal:
        return replace(self, within=ticks) if self.op == "complement" else self


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

    def looking_at_most(self, ticks: int) -> Literal:
        return replace(self, within=ticks)


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
    NEEDS = ("bound",)
    INTERVALS = ("interval", "result")

    def looking_at_most(self, ticks: int) -> Literal:
        return self if isinstance(self.bound, Int | Float) else replace(self, within=ticks)


@dataclass(frozen=True, slots=True)
class Compare(Literal):
    """left op right: arithmetic (< > =< >= =:= =\\=), identity (== \\==), unification (= \\=), order (@< @> @=< @>=)"""

    op: str
    left: Term
    right: Term
    place: Place = field(compare=False)

    TERMS = ("left", "right")
    NEEDS = TERMS

    @property
    def equation(self) -> tuple[Term, Term] | None:
        return (self.left, self.right) if self.op in ("=", "==", "=:=") else None

    @property
    def numbers(self) -> tuple[Term, ...]:
        return self.terms if self.op in ARITHMETIC_COMPARISONS else ()


@dataclass(frozen=True, slots=True)
class Is(Literal):
    """target is expression"""

    target: Term
    expression: Term
    place: Place = field(compare=False)

    TERMS = ("target", "expression")
    NEEDS = ("expression",)

    @property
    def equation(self) -> tuple[Term, Term] | None:
        return self.target, self.expression

    @property
    def numbers(self) -> tuple[Term, ...]:
        return self.terms


@dataclass(frozen=True, slots=True)
class Apply(Literal):
    """target is function(...): the value of a user's function, or of a built-in one that is no arithmetic."""

    target: Term
    call: Term
    function: Callee = field(compare=False, repr=False)
    place: Place = field(compare=False)

    TERMS = ("target", "call")
    NEEDS = ("call",)

    @property
    def numbers(self) -> tuple[Term, ...]:
        kinds = kinds_of(self.function, len(self.call.args))
        return tuple(arg for arg, kind in zip(self.call.args, kinds, strict=True) if kind in ("int", "float"))


@dataclass(frozen=True, slots=True)
class Call(About):
    """A background predicate."""

    goal: Term
    place: Place = field(compare=False)

    TERMS = ("goal",)
    NEEDS = ("goal",)
    ENTITY = "predicate"
    value = None


@dataclass(frozen=True, slots=True)
class Not(Closed):
    """\\+ of a conjunction; variables that occur only inside are read as "for any value"."""

    literals: Body
    place: Place = field(compare=False)

    CHILDREN = ("literals",)

    @property
    def gives(self) -> set[Var]:
        return set()


@dataclass(frozen=True, slots=True)
class Or(Literal):
    """(A ; B): one of several conjunctions; a variable that all of them bind is bound."""

    alternatives: tuple[Body, ...]
    place: Place = field(compare=False)

    CHILDREN = ("alternatives",)

    @property
    def bodies(self) -> tuple[Body, ...]:
        return self.alternatives

    def with_bodies(self, change: Callable[[Body], Body]) -> Literal:
        return replace(self, alternatives=tuple(map(change, self.alternatives)))


@dataclass(frozen=True, slots=True)
class Aggregate(Closed):
    """findall(template, goals, L) together with length(L, result), or sum_list / min_list / max_list of L.

    Variables that occur only in template and goals are its own. sum of none is 0; min and max of none fail.
    """

    function: OneOf["count", "sum", "min", "max"]
    template: Term
    literals: Body
    result: Term
    place: Place = field(compare=False)

    TERMS = ("template", "result")
    NEEDS = ("template",)
    CHILDREN = ("literals",)

    def shared(self, outside: Set[Var]) -> set[Var]:
        return {*variables(self.template), *all_variables(self.literals)} & (outside | self.gives)

    @property
    def gives(self) -> set[Var]:
        return set(variables(self.result))

    @property
    def numbers(self) -> tuple[Term, ...]:
        return () if self.function == "count" else self.terms


@dataclass(frozen=True, slots=True)
class Occurs(EventLiteral):
    """occurs(event, start, end): the event happened from start to end; one that takes no time has start = end."""

    event: Term
    start: Term
    end: Term
    place: Place = field(compare=False)

    TERMS = ("event", "start", "end")
    TIMES = ("start", "end")


def find_calls(nodes: Node | Iterable[Node]) -> Iterator[Call]:
    """Iterate over the conditions on background predicates, also inside of others."""
    return find_all(nodes, Call)


def called(goal: Term, place: Place) -> Call:
    """Return the condition that a background predicate is true."""
    return Call(goal, place)


def true_at(fluent: Term, time: Term, place: Place) -> Holds:
    """Return the condition that a fluent is true at a time."""
    return Holds(fluent, Atom("true"), time, place)


def during(fluent: Term, value: Term, interval: Var, place: Place) -> HoldsFor:
    """Return the condition that gives the intervals in which a fluent has a value."""
    return HoldsFor(fluent, value, interval, place)


def one_of(cases: Sequence[Body], place: Place) -> Body:
    """Return the conditions that one of several conjunctions is true."""
    if not cases:
        return (Call(Atom("fail"), place),)
    return cases[0] if len(cases) == 1 else (Or(tuple(cases), place),)


def all_variables(nodes: Node | Iterable[Node]) -> set[Var]:
    """Return the variables of nodes and of all inside them, those for lists of intervals, too."""
    names: set[Var] = set()
    for node in walk(nodes):
        names.update(variables(node.terms))
        if isinstance(node, Literal):
            names.update(node.intervals)
    return names


def names_of(node: Node) -> Iterator[str]:
    """Iterate over the variables of a literal or pattern, repeated as they occur; those of intervals are left out."""
    return (variable.name for variable in variables(all_terms(node)))


def positive_names(body: Iterable[Literal]) -> set[str]:
    """Return the variables that occur outside negations."""
    return {variable.name for literal in body for variable in literal.gives}


def substitute_all(body: Body, binding: Mapping[str, Term]) -> Body:
    """Return the conditions with other terms for some of their variables."""
    return tuple(map_terms(literal, lambda term: substitute(term, binding)) for literal in body)


def instance(
    head: tuple[Term, ...], body: Body, goal: tuple[Term, ...], place: Place, new_variable: Callable[[Var], Var]
) -> Body | None:
    """Return the body of a clause for what is asked, with variables of its own; None if its head is about other terms.

    What a plain substitution cannot express becomes an equality in front.
    """
    unified = unify(goal, head)
    if unified is None:
        return None
    binding, equal = unified
    for variable in sorted({*all_variables(body), *variables(head)}, key=str):
        if variable.name not in binding:
            binding[variable.name] = new_variable(variable)
    tests = tuple(Compare("=", mine, substitute(theirs, binding), place) for mine, theirs in equal)
    return tests + substitute_all(body, binding)


def fixed_distances(literals: Iterable[Literal], times: Mapping[Var, int]) -> dict[Var, int]:
    """Return the variables at a fixed distance from times whose distance is given: `T2 is T+60` and `T2 = T` say so."""
    sides = [(shifted(each.equation[0]), shifted(each.equation[1])) for each in literals if each.equation is not None]
    distances = dict(times)
    for _ in sides:
        for (base, distance), (other, shift) in sides:
            if base is not None and other is not None:
                if base in distances:
                    distances.setdefault(other, distances[base] + distance - shift)
                elif other in distances:
                    distances[base] = distances[other] + shift - distance
    return distances


def variables_beside(body: Iterable[Literal], literal: Literal) -> set[Var]:
    """Return the variables of the other conditions of a body."""
    return all_variables(other for other in body if other is not literal)


def _variables_in(value: Var | tuple[Var, ...]) -> tuple[Var, ...]:
    return value if isinstance(value, tuple) else (value,)


class ClauseSubject(NamedTuple):
    """Name what a clause is for: an event, a fluent with a value, or a predicate."""

    kind: OneOf["event", "fluent", "predicate"]
    term: Term
    value: Term | None


class Statement(Node):
    """A clause with a head, whose terms are its own, and with conditions. Its first term is what it is about."""

    __slots__ = ()
    VALUE: ClassVar[str] = "value"  # the field with the value of a fluent, if there is one
    IS_TIMELESS: ClassVar[bool] = False  # it is about a predicate
    place: Place

    if TYPE_CHECKING:  # a field, or made of others

        @property
        def body(self) -> Body: ...

    @property
    def about(self) -> ClauseSubject:
        """Return what it is for."""
        term, value = getattr(self, self.TERMS[0]), getattr(self, self.VALUE, None)
        return ClauseSubject("predicate" if self.IS_TIMELESS else "event" if value is None else "fluent", term, value)

    @property
    def signature(self) -> Signature:
        """Return the name and arity of what it is about."""
        return Signature.of(getattr(self, self.TERMS[0]))

    @property
    def head_variables(self) -> set[Var]:
        """Return the variables of its head."""
        return set(variables(self.terms))
