"""What a plan is made of: frozen operators without behaviour. The engine gives them meaning, `show` prints them.

Variables are plain names (`v0`, `v1`, ... in order of first use, so that equal beginnings of rules are equal values);
constants are ground terms; `None` is an argument whose value does not matter.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal as OneOf

from holdsfor.hash_once import HashedOnce, hash_once
from holdsfor.language.description import EdgeKind, Input, Signature
from holdsfor.language.diagnostics import Diagnostic
from holdsfor.language.facts import FactTable
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


@hash_once
@dataclass(frozen=True, slots=True)
class Relation(HashedOnce):
    """A set of groundings over time: an event, a fluent with one value, or a fluent whose value is its last column."""

    name: str
    arity: int  # columns, including the value where it is one
    value: Term | None  # the constant value of a fluent
    kind: OneOf["event", "fluent", "valued"]
    part_of: Signature | None = None  # something of that definition that only rules ask for

    def __str__(self) -> str:
        return f"{self.name}/{self.arity}" + (f"={self.value}" if self.value is not None else "")

    @property
    def is_reported(self) -> bool:
        """Whether results may have it."""
        return self.part_of is None

    @property
    def signature(self) -> Signature:
        return Signature(self.name, self.arity - (self.kind == "valued"))

    @property
    def definition(self) -> Signature:
        """What its author calls it."""
        return self.part_of or self.signature


@lru_cache(maxsize=4096)
def make_relation(
    name: str,
    arity: int,
    value: Term | None,
    kind: OneOf["event", "fluent", "valued"],
    part_of: Signature | None = None,
) -> Relation:
    """The same object for the same relation, most of the time: dictionaries compare keys that are not the same one."""
    return Relation(name, arity, value, kind, part_of)


# ---------------------------------------------------------------- chains: the body of a rule


@hash_once
@dataclass(frozen=True, slots=True)
class At(HashedOnce):
    """Occurrences of an event, or the starts or ends of a fluent's intervals, at a time.

    The first of a chain scans; a later one joins on the variables it shares, and on the time if that is bound.
    """

    what: OneOf["occurrence"] | EdgeKind
    relation: Relation
    args: tuple[Arg, ...]
    time: str
    start: str | None = None  # the variable that is given when an occurrence that takes time began


@hash_once
@dataclass(frozen=True, slots=True)
class Occurring(HashedOnce):
    """Occurrences of a pattern; gives its variables values, and two more: when each began and when it was over."""

    pattern: Pattern
    start: str
    time: str


@hash_once
@dataclass(frozen=True, slots=True)
class Holding(HashedOnce):
    """Where the fluent holds at the time; binds the variables that are new."""

    relation: Relation
    args: tuple[Arg, ...]
    time: str


@hash_once
@dataclass(frozen=True, slots=True)
class Lookup(HashedOnce):
    """Background facts with these arguments; binds the variables that are new."""

    facts: Signature
    args: tuple[Arg, ...]


@hash_once
@dataclass(frozen=True, slots=True)
class Where(HashedOnce):
    """Keeps the rows for which the comparison is true; both sides are bound."""

    op: str
    left: Term
    right: Term


@hash_once
@dataclass(frozen=True, slots=True)
class Let(HashedOnce):
    """Binds a variable to the value of an expression, or (`same`) to another term as it is."""

    variable: str
    expression: Term
    same: bool = False


@hash_once
@dataclass(frozen=True, slots=True)
class Match(HashedOnce):
    """Keeps the rows whose term, which is bound, has the form of the structure; binds the variables that are new."""

    term: Term
    form: Structure


@hash_once
@dataclass(frozen=True, slots=True)
class Without(HashedOnce):
    """Keeps the rows for which the chain gives nothing."""

    chain: tuple[Op, ...]


@hash_once
@dataclass(frozen=True, slots=True)
class Tally(HashedOnce):
    """Binds the variable to the number of solutions of a chain, or to a term's sum, least or greatest value in them."""

    function: OneOf["count", "sum", "min", "max"]
    chain: tuple[Op, ...]
    term: Term
    variable: str


Op = At | Occurring | Holding | Lookup | Where | Let | Match | Without | Tally
Chain = tuple[Op, ...]


@hash_once
@dataclass(frozen=True, slots=True)
class Conclude(HashedOnce):
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


@hash_once
@dataclass(frozen=True, slots=True)
class Of(HashedOnce):
    relation: Relation
    args: tuple[Arg, ...]


@hash_once
@dataclass(frozen=True, slots=True)
class Combine(HashedOnce):
    """Union, intersection, difference (the first part without the others), or complement.

    within: of a complement, only points at most so far from a part; None: all points of the history.
    """

    op: OneOf["union", "intersection", "difference", "complement"]
    parts: tuple[Expression, ...]
    within: int | None = None
    place: Place = field(default=NOWHERE, compare=False, repr=False)


WHOLE_HISTORY = Combine("complement", ())


@hash_once
@dataclass(frozen=True, slots=True)
class Lasting(HashedOnce):
    """The intervals whose duration compares so with the bound; an open one has lasted until the query time.

    within: no interval if the bound is more than that.
    """

    op: OneOf[">", ">=", "<", "=<"]
    part: Expression
    bound: Term
    within: int | None = None
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@hash_once
@dataclass(frozen=True, slots=True)
class Relate(HashedOnce):
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


@hash_once
@dataclass(frozen=True, slots=True)
class HoldsForRule(HashedOnce):
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


# ---------------------------------------------------------------- definitions


@dataclass(frozen=True, slots=True)
class Simple:
    """A fluent with inertia: one relation per constant value, or one relation with the value as its last column.

    initiations and terminations are aligned with relations.
    """

    signature: Signature
    relations: tuple[Relation, ...]
    initiations: tuple[tuple[Conclude, ...], ...]
    terminations: tuple[tuple[Conclude, ...], ...]
    initially: tuple[tuple[Declared, ...], ...] = ()


@hash_once
@dataclass(frozen=True, slots=True)
class Due(HashedOnce):
    """A deadline: so long after its initiation the source turns into the target; extensible: after the latest.

    args: the arguments, without the value; conditions: what a grounding must satisfy, and what gives the duration.
    """

    source: Relation
    target: Relation
    args: tuple[Arg, ...]
    conditions: Chain
    after: Term
    extensible: bool
    values: tuple[Term, Term] | None = None  # of source and target, where the value is a column of the relation


@dataclass(frozen=True, slots=True)
class Group:
    """Simple fluents that depend on each other or have deadlines: evaluated together, in the order of time.

    reached: values that deadlines lead to, each with the event that it is reached, where rules ask for that.
    """

    fluents: tuple[Simple, ...]
    deadlines: tuple[Due, ...]
    reached: tuple[tuple[Relation, Relation], ...] = ()


@dataclass(frozen=True, slots=True)
class Static:
    """A statically determined fluent-value: the union of its rules.

    proved: the simple fluent that the rules are equal to if the history begins at a multiple of the clock tick.
    """

    relation: Relation
    rules: tuple[HoldsForRule, ...]
    proved: Simple | None = None


@dataclass(frozen=True, slots=True)
class Derived:
    """An output event."""

    relation: Relation
    rules: tuple[Conclude, ...]


@dataclass(frozen=True, slots=True)
class Recursion:
    """Output events whose patterns are about each other: evaluated again and again until nothing new comes of it."""

    events: tuple[Derived, ...]


Definition = Simple | Group | Static | Derived | Recursion


@hash_once
@dataclass(frozen=True, slots=True)
class Declared(HashedOnce):
    """One grounding declaration. None in args: not restricted there.

    If it enumerates, the chain binds the arguments; where a dynamicDomain feeds it the data do, and the chain is what
    remains to be tested.
    """

    chain: Chain
    args: tuple[Arg, ...]
    enumerates: bool
    place: Place = field(default=NOWHERE, compare=False, repr=False)
    names: Names = field(default=(), compare=False, repr=False)
    start: str = ""  # the variable that is the first point of the history, if a condition asks what holds there


@dataclass(frozen=True, slots=True)
class Domain:
    """The declared groundings of a relation: the union of its declarations."""

    relation: Relation
    rules: tuple[Declared, ...]


@dataclass(frozen=True, slots=True)
class Closure:
    """Background predicates that call themselves: worked out before any data, from their facts and rules."""

    rules: tuple[tuple[Signature, Declared], ...]
    endless: Diagnostic | None = field(default=None, compare=False, repr=False)  # what to say if there is no end to it


@dataclass(frozen=True, slots=True)
class InputSource:
    """An input as the engine wants it. A fluent has a relation per value that rules mention, or one for all values."""

    input: Input
    relations: tuple[Relation, ...]
    identities: frozenset[int]  # argument positions needed as terms, not only as numbers
    key: tuple[int, ...] = ()  # of events: the arguments by which rules want them sorted; (): the first identity


@dataclass(frozen=True, slots=True)
class Slices:
    """Time cut into slices of this length. What is found in a slice looks back so far beyond its beginning, at most."""

    length: int
    back: int


Way = OneOf["share", "follow", "link", "everywhere", "slice"]


@dataclass(frozen=True, slots=True)
class Route:
    """How the rows of a relation reach the buckets of a stage.

    share: by the arguments at the positions, whatever their order; none: all in one bucket.
    follow: to every bucket that has a tuple with the argument at the one position; the stage before sends them on.
    link: they stay where they are, but their tuples tell the stage before where those that follow have to go.
    everywhere: to all buckets.
    slice: by their times, to every slice that may look at them; slices go to the buckets in turn.
    """

    relation: Relation
    way: Way
    positions: tuple[int, ...] = ()
    slices: Slices | None = None


@dataclass(frozen=True, slots=True)
class Home:
    """Where a stage keeps what it defines: in the bucket that the arguments at the positions choose.

    (): all in one bucket. None: in any bucket, perhaps in several; nothing but an exchange can bring it together.
    slices: in the bucket of the slice in which it happens.
    """

    relation: Relation
    positions: tuple[int, ...] | None
    slices: Slices | None = None


@dataclass(frozen=True, slots=True)
class Stage:
    """Definitions that are evaluated bucket by bucket at the same time, and how their data is brought there."""

    definitions: tuple[int, ...]  # positions in Plan.definitions
    routes: tuple[Route, ...]  # what the stage reads from the input or from earlier stages
    homes: tuple[Home, ...]  # of what it defines
    sends_on: bool = False  # it has rows for the next stage that follow links

    @property
    def is_in_one_bucket(self) -> bool:
        return not self.sends_on and all(home.positions == () for home in self.homes)


# ---------------------------------------------------------------- sub-plans that several places share


@hash_once
@dataclass(frozen=True, slots=True)
class Grounds(HashedOnce):
    """Which groundings an expression is evaluated for; domain: the relation whose declaration lists them."""

    variables: tuple[str, ...]
    evidence: tuple[tuple[Of | Lookup, ...], ...]
    conditions: Chain
    domain: Relation | None


@dataclass(frozen=True, slots=True)
class SharedExpression:
    """An expression over its groundings; without an expression the groundings themselves.

    Without grounds every operand is on the same columns as the head, so that no grounding needs to be looked at.
    """

    grounds: Grounds | None
    expression: Expression | None


@dataclass(frozen=True, slots=True)
class Shared:
    """A beginning of rules or a part of expressions that is worked out once for several uses."""

    name: str  # "" for a scan, which is shown as it is
    part: Chain | SharedExpression
    uses: int


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Plan:
    sources: tuple[InputSource, ...]
    facts: tuple[tuple[Signature, FactTable], ...] = field(repr=False)
    domains: tuple[Domain, ...]
    definitions: tuple[Definition, ...]  # in the order of the strata
    closures: tuple[Closure, ...]  # each after those it calls
    stages: tuple[Stage, ...]
    reach: Reach
    looks: tuple[Look, ...] = ()  # of each definition
    shared: tuple[Shared, ...] = ()  # each after those it is made of
    unreported: frozenset[tuple[Signature, Term]] = frozenset()  # values that only rules see
    identity: str = field(default="", compare=False, repr=False)  # of the rules as compiled, whatever was optimised
    pieces: tuple[tuple[str, str], ...] = field(default=(), compare=False, repr=False)  # the same of each definition

    def __str__(self) -> str:
        from holdsfor.plan.printing.plan import show

        return show(self)

    def _repr_html_(self) -> str:
        from holdsfor.view.notebook import plan_html

        return plan_html(self)


@hash_once
@dataclass(frozen=True, slots=True)
class Reach(HashedOnce):
    """How far conditions look: back and ahead in time units (None: without limit), and ahead in clock ticks besides."""

    back: int | None
    ahead: int | None
    ticks: int = 0


@dataclass(frozen=True, slots=True)
class Look:
    """What a definition looks at, and how far from the time of its own conclusions.

    stirs: how far back something may lie that changes what it concludes when nothing but time passes, and how far
    ahead; None: any distance. For a definition without a bound that may be less than its reach.
    """

    relations: tuple[Relation, ...]
    reach: Reach
    stirs: Reach | None

    @property
    def is_bounded(self) -> bool:
        return self.reach.back is not None and self.reach.ahead is not None
