"""What a plan is made of: frozen operators without behaviour. The engine gives them meaning, `show` prints them.

Variables are plain names (`v0`, `v1`, ... in order of first use, so that equal beginnings of rules are equal values);
constants are ground terms; `None` is an argument whose value does not matter.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal as OneOf

from holdsfor.language.description import Signature
from holdsfor.language.literals import EdgeKind
from holdsfor.language.terms import NOWHERE, Place, Term
from holdsfor.plan.patterns import Pattern


@dataclass(frozen=True, slots=True)
class Structure:
    """A term with variables inside: `close_ballot(C,M)`. Matched by structure; in a head put together."""

    functor: str
    args: tuple[Arg, ...]


Leaf = str | Term | None
"""A variable's name, a constant, or None: any value."""

Arg = Leaf | Structure
"""The same, or a term with variables inside."""

Names = tuple[tuple[str, str], ...]
"""Variables of a rule, with the names that its author gave them."""


@dataclass(frozen=True, slots=True)
class Relation:
    """A set of groundings over time: an event, a fluent with one value, or a fluent whose value is its last column."""

    name: str
    arity: int  # columns, including the value where it is one
    value: Term | None  # the constant value of a fluent
    kind: OneOf["event", "fluent", "valued"]
    part_of: Signature | None = None  # something of that definition that only rules ask for

    def __str__(self) -> str:
        return f"{self.name}/{self.arity}" + (f"={self.value}" if self.value is not None else "")

    @property
    def is_part(self) -> bool:
        """Whether only rules ask for it, so that no result has it."""
        return self.part_of is not None

    @property
    def signature(self) -> Signature:
        return Signature(self.name, self.arity - (self.kind == "valued"))

    @property
    def definition(self) -> Signature:
        """What its author calls it."""
        return self.part_of or self.signature


# ---------------------------------------------------------------- chains: the body of a rule


@dataclass(frozen=True, slots=True)
class At:
    """Occurrences of an event, or the starts or ends of a fluent's intervals, at a time.

    The first of a chain scans; a later one joins on the variables it shares, and on the time if that is bound.
    """

    what: OneOf["occurrence"] | EdgeKind
    relation: Relation
    args: tuple[Arg, ...]
    time: str
    start: str | None = None  # the variable that is given when an occurrence that takes time began


@dataclass(frozen=True, slots=True)
class Occurring:
    """Occurrences of a pattern; gives its variables values, and two more: when each began and when it was over."""

    pattern: Pattern
    start: str
    time: str


@dataclass(frozen=True, slots=True)
class Holding:
    """Where the fluent holds at the time; binds the variables that are new."""

    relation: Relation
    args: tuple[Arg, ...]
    time: str


@dataclass(frozen=True, slots=True)
class Lookup:
    """Background facts with these arguments; binds the variables that are new."""

    facts: Signature
    args: tuple[Arg, ...]


@dataclass(frozen=True, slots=True)
class Where:
    """Keeps the rows for which the comparison is true; both sides are bound."""

    op: str
    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class Let:
    """Binds a variable to the value of an expression, or (`same`) to another term as it is."""

    variable: str
    expression: Term
    same: bool = False


@dataclass(frozen=True, slots=True)
class Match:
    """Keeps the rows whose term, which is bound, has the form of the structure; binds the variables that are new."""

    term: Term
    form: Structure


@dataclass(frozen=True, slots=True)
class Without:
    """Keeps the rows for which the chain gives nothing."""

    chain: tuple[Op, ...]


@dataclass(frozen=True, slots=True)
class Tally:
    """Binds the variable to the number of solutions of a chain, or to a term's sum, least or greatest value in them."""

    function: OneOf["count", "sum", "min", "max"]
    chain: tuple[Op, ...]
    term: Term
    variable: str


Op = At | Occurring | Holding | Lookup | Where | Let | Match | Without | Tally
Chain = tuple[Op, ...]


@dataclass(frozen=True, slots=True)
class Conclude:
    """A rule: for every row of the chain the head, at the time. None in args: every grounding alive, or the domain.

    start: of an event that takes time, when it began; the time is when it was over.
    """

    chain: Chain
    args: tuple[Arg, ...]
    time: str
    place: Place = field(default=NOWHERE, compare=False, repr=False)  # of its head, for messages
    names: Names = field(default=(), compare=False, repr=False)
    start: str | None = None


# ---------------------------------------------------------------- interval expressions


@dataclass(frozen=True, slots=True)
class Of:
    relation: Relation
    args: tuple[Arg, ...]


@dataclass(frozen=True, slots=True)
class Combine:
    """Union, intersection, difference (the first part without the others), or complement.

    within: of a complement, only points at most so far from a part; None: all points of the history.
    """

    op: OneOf["union", "intersection", "difference", "complement"]
    parts: tuple[Expression, ...]
    within: int | None = None
    place: Place = field(default=NOWHERE, compare=False, repr=False)


WHOLE_HISTORY = Combine("complement", ())


@dataclass(frozen=True, slots=True)
class Lasting:
    """The intervals whose duration compares so with the bound; an open one has lasted until the query time.

    within: no interval if the bound is more than that.
    """

    op: OneOf[">", ">=", "<", "=<"]
    part: Expression
    bound: Term
    within: int | None = None
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Relate:
    """Allen's relations: the intervals of source and target that take part in a pair, combined as the mode says.

    within: only pairs that take no longer, from the first start to the last end.
    """

    relation: str
    source: Expression
    target: Expression
    mode: str
    within: int | None = None
    place: Place = field(default=NOWHERE, compare=False, repr=False)


Expression = Of | Combine | Lasting | Relate


@dataclass(frozen=True, slots=True)
class HoldsForRule:
    """One holdsFor rule.

    evidence: what gives the groundings of its variables: alternatives united, each a join of what has held at some time
    and of facts; none: the declared domain of the head. conditions: what a grounding must satisfy.
    """

    args: tuple[Arg, ...]
    variables: tuple[str, ...]
    evidence: tuple[tuple[Of | Lookup, ...], ...]
    conditions: Chain
    expression: Expression
    place: Place = field(default=NOWHERE, compare=False, repr=False)
    names: Names = field(default=(), compare=False, repr=False)
