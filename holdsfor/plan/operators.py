"""Operators, which a plan is made of: frozen nodes that know their parts. The engine gives them meaning.

Variables are plain names (`v0`, `v1`, ... in order of first use, so that equal beginnings of rules are equal values);
constants are ground terms; `None` is an argument whose value does not matter.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, NamedTuple, cast
from typing import Literal as OneOf

from holdsfor.language.description import Signature
from holdsfor.language.functions import Callee
from holdsfor.language.literals import AlgebraOp, EdgeKind
from holdsfor.language.terms import NOWHERE, Float, Int, Place, Term
from holdsfor.plan.nodes import Dependency, PlanNode, RelationNode, dependencies_of
from holdsfor.plan.patterns import Pattern

if TYPE_CHECKING:
    from holdsfor.plan.printing.rule import Writer


@dataclass(frozen=True, slots=True)
class Structure(PlanNode):
    """A term with variables inside: `close_ballot(C,M)`. Matched by structure; in a head put together."""

    functor: str
    args: tuple[Arg, ...]

    VARIABLES = BINDS = ("args",)


Leaf = str | Term | None
"""A variable's name, a constant, or None: any value."""

Arg = Leaf | Structure
"""A leaf, or a term with variables inside."""

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
        """Return the name that its author gave it."""
        return self.part_of or self.signature


# ---------------------------------------------------------------- chains: the body of a rule


@dataclass(frozen=True, slots=True)
class Operator(PlanNode):
    """A link of a chain, which turns rows into rows. WORD: what it does with its claim, in the text of a plan.

    place: of the condition that it stands for.
    """

    WORD: ClassVar[str] = ""
    place: Place = field(default=NOWHERE, compare=False, repr=False, kw_only=True)

    @property
    def is_filter(self) -> bool:
        """Whether it looks at the row alone: a comparison, a calculation, or the negation of such."""
        return False

    def claim(self, writer: Writer) -> str:
        """Write what is so of the rows that pass, with the names that a writer gives variables."""
        raise NotImplementedError

    def text(self, writer: Writer) -> str:
        """Write what it does, as the text of a plan has it."""
        return f"{self.WORD} {self.claim(writer)}".lstrip()


@dataclass(frozen=True, slots=True)
class At(Operator, RelationNode):
    """Occurrences of an event, or the starts or ends of a fluent's intervals, at a time.

    The first of a chain scans; a later one joins on the variables it shares, and on the time if that is bound.
    """

    what: OneOf["occurrence"] | EdgeKind
    relation: Relation
    args: tuple[Arg, ...]
    time: str
    start: str | None = None  # the variable that is given when an occurrence that takes time began

    VARIABLES = BINDS = ("args", "time", "start")

    def dependencies(self) -> Iterator[Dependency]:
        yield self, 1 if self.what == "occurrence" else 0

    def claim(self, writer: Writer) -> str:
        since = "" if self.start is None else f" from {writer.name(self.start)}"
        edge = "" if self.what == "occurrence" else f"{self.what} of "
        return f"{edge}{writer.grounding(self)}{since} at {writer.name(self.time)}"


@dataclass(frozen=True, slots=True)
class Occurring(Operator):
    """Occurrences of a pattern; gives its variables values, and two more: when each began and when it was over."""

    pattern: Pattern
    start: str
    time: str

    CHILDREN = ("pattern",)
    VARIABLES = BINDS = ("pattern", "start", "time")

    def claim(self, writer: Writer) -> str:
        return f"{self.pattern.text(writer)} from {writer.name(self.start)} to {writer.name(self.time)}"


@dataclass(frozen=True, slots=True)
class TimesOf(Operator):
    """Binds variables to the first and the last point of the occurrence of a pattern that conditions stand behind."""

    start: str | None
    end: str | None

    VARIABLES = BINDS = ("start", "end")

    @property
    def is_filter(self) -> bool:
        return True

    def claim(self, writer: Writer) -> str:
        start, end = ("any time" if name is None else writer.name(name) for name in (self.start, self.end))
        return f"from {start} to {end}"


@dataclass(frozen=True, slots=True)
class Holding(Operator, RelationNode):
    """Intervals of a fluent at the time, at which it holds; binds the variables that are new."""

    relation: Relation
    args: tuple[Arg, ...]
    time: str

    VARIABLES = ("args", "time")
    BINDS = ("args",)
    NEEDS = ("time",)
    WORD = "holding"

    def claim(self, writer: Writer) -> str:
        return f"{writer.grounding(self)} at {writer.name(self.time)}"


@dataclass(frozen=True, slots=True)
class Lookup(Operator):
    """Background facts with these arguments; binds the variables that are new."""

    facts: Signature
    args: tuple[Arg, ...]

    VARIABLES = BINDS = ("args",)
    WORD = "fact"

    def claim(self, writer: Writer) -> str:
        return writer.fact(self)


@dataclass(frozen=True, slots=True)
class Where(Operator):
    """Keeps the rows for which the comparison is true; both sides are bound."""

    op: str
    left: Term
    right: Term

    TERMS = VARIABLES = NEEDS = ("left", "right")
    WORD = "where"

    @property
    def is_filter(self) -> bool:
        return True

    def claim(self, writer: Writer) -> str:
        return f"{writer.term(self.left)} {self.op} {writer.term(self.right)}"


@dataclass(frozen=True, slots=True)
class Let(Operator):
    """Binds a variable to the value of an expression, or (`same`) to another term as it is.

    function: of the user or built in, whose value for the arguments of the expression it is.
    """

    variable: str
    expression: Term
    same: bool = False
    function: Callee | None = field(default=None, compare=False, repr=False)

    TERMS = NEEDS = ("expression",)
    VARIABLES = ("expression", "variable")
    BINDS = ("variable",)
    WORD = "let"

    @property
    def is_filter(self) -> bool:
        return True

    def claim(self, writer: Writer) -> str:
        return f"{writer.name(self.variable)} {'=' if self.same else 'is'} {writer.term(self.expression)}"


@dataclass(frozen=True, slots=True)
class Match(Operator):
    """Keeps the rows whose term, which is bound, has the form of the structure; binds the variables that are new."""

    term: Term
    form: Structure

    TERMS = NEEDS = ("term",)
    VARIABLES = ("term", "form")
    BINDS = ("form",)
    WORD = "match"

    def claim(self, writer: Writer) -> str:
        return f"{writer.term(self.term)} = {writer.arg(self.form)}"


@dataclass(frozen=True, slots=True)
class Without(Operator):
    """Keeps the rows for which the chain gives nothing."""

    chain: tuple[Op, ...]

    CHILDREN = VARIABLES = ("chain",)

    @property
    def is_filter(self) -> bool:
        return all(isinstance(op, Where | Let) for op in self.chain)

    def needs(self, outer: Set[str]) -> Iterator[str]:
        return (name for name in self.mentions() if name in outer)

    def dependencies(self) -> Iterator[Dependency]:
        return dependencies_of(self.chain, -1)

    def claim(self, writer: Writer) -> str:
        claims = ", ".join(op.claim(writer) for op in self.chain)
        return f"not {claims}" if len(self.chain) == 1 else f"not ({claims})"

    def text(self, writer: Writer) -> str:
        return f"without ({writer.chain(self.chain)})"


@dataclass(frozen=True, slots=True)
class Tally(Operator):
    """Binds the variable to the number of solutions of a chain, or to a term's sum, least or greatest value in them."""

    function: OneOf["count", "sum", "min", "max"]
    chain: tuple[Op, ...]
    term: Term
    variable: str

    CHILDREN = ("chain",)
    TERMS = ("term",)
    VARIABLES = ("chain", "term", "variable")
    BINDS = ("variable",)

    def needs(self, outer: Set[str]) -> Iterator[str]:
        return (name for name in self.mentions() if name in outer and name != self.variable)

    def dependencies(self) -> Iterator[Dependency]:
        return dependencies_of(self.chain, 0)

    def claim(self, writer: Writer) -> str:
        return f"the {self.function} is {writer.name(self.variable)}"

    def text(self, writer: Writer) -> str:
        of = "" if self.function == "count" else f"{writer.term(self.term)} in "
        return f"let {writer.name(self.variable)} be the {self.function} of {of}({writer.chain(self.chain)})"


Op = At | Occurring | TimesOf | Holding | Lookup | Where | Let | Match | Without | Tally
Chain = tuple[Op, ...]


class RuleNode(PlanNode):
    """A rule, a declaration or a deadline: a head with arguments, and the chain of its conditions."""

    __slots__ = ()
    args: tuple[Arg, ...]
    place: Place

    @property
    def body(self) -> Chain:
        """Return its conditions."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Conclude(RuleNode):
    """A rule: for every row of the chain the head, at the time. None in args: every grounding alive, or the domain.

    start: of an event that takes time, when it began; the time is when it was over.
    """

    chain: Chain
    args: tuple[Arg, ...]
    time: str
    place: Place = field(default=NOWHERE, compare=False, repr=False)  # of its head, for messages
    names: Names = field(default=(), compare=False, repr=False)
    start: str | None = None

    CHILDREN = ("chain",)
    VARIABLES = ("chain", "args", "time", "start")

    @property
    def body(self) -> Chain:
        return self.chain


# ---------------------------------------------------------------- interval expressions


class Delay(NamedTuple):
    """How much later than its own intervals it shows what an expression is (None: any time), and because of what."""

    limit: float | None
    because: str
    place: Place


class IntervalNode(PlanNode):
    """An expression whose value are intervals, for each grounding."""

    __slots__ = ()

    @property
    def operands(self) -> tuple[Expression, ...]:
        """Return the expressions that it is made of."""
        return cast(tuple[Expression, ...], self.children)

    def simplified(self) -> Expression:
        """Return what it is where parts of it never hold, and are `NOTHING`."""
        raise NotImplementedError

    def carriers(self) -> frozenset[Relation] | None:
        """Return relations of which one holds wherever the expression does, at the same time; None if none is known."""
        return None

    def holds_unseen(self) -> bool:
        """Whether it may hold for a grounding that none of its parts has ever had: because of a complement."""
        return False

    def delay(self) -> Delay | None:
        """Return how long it takes to show, if it depends on how long its parts last or how far apart they are."""
        return None


@dataclass(frozen=True, slots=True)
class Of(IntervalNode, RelationNode):
    """The intervals of a relation."""

    relation: Relation
    args: tuple[Arg, ...]

    VARIABLES = BINDS = ("args",)

    def simplified(self) -> Expression:
        return self

    def carriers(self) -> frozenset[Relation] | None:
        return frozenset([self.relation])

    def claim(self, writer: Writer) -> str:
        return writer.grounding(self)

    def text(self, writer: Writer) -> str:
        return self.claim(writer)


@dataclass(frozen=True, slots=True)
class Combine(IntervalNode):
    """Union, intersection, difference (the first part without the others), or complement.

    within: of a complement, only points at most so far from a part; None: all points of the history.
    """

    op: AlgebraOp
    parts: tuple[Expression, ...]
    within: int | None = None
    place: Place = field(default=NOWHERE, compare=False, repr=False)

    CHILDREN = VARIABLES = ("parts",)

    def dependencies(self) -> Iterator[Dependency]:
        if self.op == "complement":
            return dependencies_of(self.parts, -1 if self.within is None else 0)
        if self.op == "difference":
            without = Combine("complement", self.parts[1:])
            return dependencies_of([*self.parts[:1], without])
        return dependencies_of(self.parts)

    def simplified(self) -> Expression:
        never = {"intersection": NOTHING in self.parts, "difference": self.parts[:1] == (NOTHING,)}
        if never.get(self.op, False):
            return NOTHING
        parts = tuple(part for part in self.parts if part != NOTHING)
        if self.op == "complement" and (parts or self.within is None):  # of nothing: all of the history
            return Combine(self.op, parts, self.within, self.place)
        if not parts:
            return NOTHING
        return parts[0] if len(parts) == 1 else Combine(self.op, parts, place=self.place)

    def carriers(self) -> frozenset[Relation] | None:
        of_parts = [part.carriers() for part in self.parts]
        some = [relations for relations in of_parts if relations is not None]
        if self.op == "difference":
            return of_parts[0]
        if self.op == "intersection":
            return min(some, key=len, default=None)
        if self.op == "union" and len(some) == len(of_parts):
            return frozenset[Relation]().union(*some)
        return None  # a complement holds by itself

    def holds_unseen(self) -> bool:
        if self.op == "complement":
            return self.within is None
        unseen = [part.holds_unseen() for part in self.parts]
        if self.op == "union":
            return any(unseen)
        return bool(unseen) and (unseen[0] if self.op == "difference" else all(unseen))

    def delay(self) -> Delay | None:
        is_limited = self.op == "complement" and self.within is not None
        return Delay(self.within, "", self.place) if is_limited else None

    def text(self, writer: Writer) -> str:
        return f"{self.op}({', '.join(map(writer.expression, self.parts))}{_within(self.within)})"


NOTHING = Combine("union", ())
WHOLE_HISTORY = Combine("complement", ())


@dataclass(frozen=True, slots=True)
class Lasting(IntervalNode):
    """The intervals whose duration compares so with the bound; an open one has lasted until the query time.

    within: no interval if the bound is more than that.
    """

    op: OneOf[">", ">=", "<", "=<"]
    part: Expression
    bound: Term
    within: int | None = None
    place: Place = field(default=NOWHERE, compare=False, repr=False)

    CHILDREN = ("part",)
    TERMS = ("bound",)
    VARIABLES = ("part", "bound")

    @property
    def limit(self) -> float | None:
        """Return the duration, or what it is at most; None if only the data say."""
        return self.bound.value if isinstance(self.bound, Int | Float) else self.within

    def dependencies(self) -> Iterator[Dependency]:
        return dependencies_of([self.part], 0)

    def simplified(self) -> Expression:
        return NOTHING if self.part == NOTHING else self

    def carriers(self) -> frozenset[Relation] | None:
        return self.part.carriers()

    def holds_unseen(self) -> bool:
        return self.part.holds_unseen()

    def delay(self) -> Delay | None:
        return Delay(self.limit, "a duration is compared with a number that is not written in the rule", self.place)

    def text(self, writer: Writer) -> str:
        limit = f"{self.op} {writer.term(self.bound)}{_within(self.within)}"
        return f"lasting({writer.expression(self.part)}, {limit})"


@dataclass(frozen=True, slots=True)
class Relate(IntervalNode):
    """Allen's relations: the intervals of source and target that take part in a pair, combined as the mode says.

    within: only pairs that take no longer, from the first start to the last end.
    """

    relation: str
    source: Expression
    target: Expression
    mode: str
    within: int | None = None
    place: Place = field(default=NOWHERE, compare=False, repr=False)

    CHILDREN = VARIABLES = ("source", "target")

    def dependencies(self) -> Iterator[Dependency]:
        return dependencies_of([self.source, self.target], 0)

    def simplified(self) -> Expression:
        return NOTHING if NOTHING in (self.source, self.target) else self

    def holds_unseen(self) -> bool:
        return self.source.holds_unseen() and self.target.holds_unseen()

    def delay(self) -> Delay | None:
        return Delay(self.within, f"`{self.relation}` relates intervals of any length, at any distance", self.place)

    def text(self, writer: Writer) -> str:
        pair = f"{writer.expression(self.source)}, {writer.expression(self.target)}"
        return f"{self.mode} of {self.relation}({pair}{_within(self.within)})"


@dataclass(frozen=True, slots=True)
class Valid(IntervalNode):
    """When facts are valid: each row of its own interval, without those of endings that came after it.

    parts: the rows, what ends a fact, and what replaces those of a key. The last column of all is when a row began.
    """

    parts: tuple[Of, ...]

    CHILDREN = VARIABLES = ("parts",)

    def dependencies(self) -> Iterator[Dependency]:
        return dependencies_of([*self.parts[:1], Combine("complement", self.parts[1:])])

    def simplified(self) -> Expression:
        return self

    def carriers(self) -> frozenset[Relation] | None:
        return self.parts[0].carriers()

    def text(self, writer: Writer) -> str:
        rows, *endings = map(writer.expression, self.parts)
        return f"{rows} until {' or '.join(endings)}"


def _within(limit: int | None) -> str:
    return "" if limit is None else f", within {limit}"


Expression = Of | Combine | Lasting | Relate | Valid


@dataclass(frozen=True, slots=True)
class HoldsForRule(RuleNode):
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

    CHILDREN = ("conditions", "expression", "evidence")

    @property
    def body(self) -> Chain:
        return self.conditions
