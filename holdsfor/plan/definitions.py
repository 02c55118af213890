"""Definitions, domains, closures and inputs: frozen nodes, as the operators that rules are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from holdsfor.language.description import Input, Signature
from holdsfor.language.diagnostics import Diagnostic
from holdsfor.language.terms import NOWHERE, Place, Term
from holdsfor.plan.nodes import PlanNode
from holdsfor.plan.operators import Arg, Chain, Conclude, HoldsForRule, Names, Relation, RuleNode

ChangeRules = Callable[[tuple[Any, ...]], tuple[Any, ...]]
"""Some rules of one kind, in the place of others."""


class DefinitionNode(PlanNode):
    """A definition: rules that make one or several relations. WORD: its kind, in the text of a plan."""

    __slots__ = ()
    WORD: ClassVar[str] = ""

    @property
    def defines(self) -> tuple[Relation, ...]:
        """Return the relations that it makes."""
        raise NotImplementedError

    @property
    def simple_fluents(self) -> tuple[Simple, ...]:
        """Return the fluents with inertia that are defined there."""
        return ()

    @property
    def members(self) -> tuple[DefinitionNode, ...]:
        """Return the definitions that are evaluated together here; itself if there are no others."""
        return (self,)

    def beginnings(self) -> Iterator[tuple[Relation, RuleNode]]:
        """Iterate over the rules without which it never holds or happens, each with the relation that it makes."""
        raise NotImplementedError

    def map_rules(self, change: ChangeRules) -> Any:
        """Return the definition with other rules, each group of rules that conclude the same changed by itself."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Simple(DefinitionNode):
    """A fluent with inertia: one relation per constant value, or one relation with the value as its last column.

    initiations and terminations are aligned with relations.
    """

    signature: Signature
    relations: tuple[Relation, ...]
    initiations: tuple[tuple[Conclude, ...], ...]
    terminations: tuple[tuple[Conclude, ...], ...]
    initially: tuple[tuple[Declared, ...], ...] = ()

    CHILDREN = ("initiations", "terminations", "initially")
    WORD = "simple"

    @property
    def defines(self) -> tuple[Relation, ...]:
        return self.relations

    @property
    def simple_fluents(self) -> tuple[Simple, ...]:
        return (self,)

    def beginnings(self) -> Iterator[tuple[Relation, RuleNode]]:
        for relation, rules in zip(self.relations * 2, (*self.initiations, *self.initially), strict=False):
            yield from ((relation, rule) for rule in rules)

    def map_rules(self, change: ChangeRules) -> Simple:
        initiations, terminations = tuple(map(change, self.initiations)), tuple(map(change, self.terminations))
        return replace(self, initiations=initiations, terminations=terminations)


@dataclass(frozen=True, slots=True)
class Due(RuleNode):
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
    place: Place = field(default=NOWHERE, compare=False, repr=False)

    CHILDREN = ("conditions",)
    TERMS = ("after",)

    @property
    def body(self) -> Chain:
        return self.conditions


@dataclass(frozen=True, slots=True)
class Group(DefinitionNode):
    """Simple fluents that depend on each other or have deadlines: evaluated together, in the order of time.

    reached: values that deadlines lead to, each with the event that it is reached, where rules ask for that.
    """

    fluents: tuple[Simple, ...]
    deadlines: tuple[Due, ...]
    reached: tuple[tuple[Relation, Relation], ...] = ()

    CHILDREN = ("fluents", "deadlines")
    WORD = "together"

    @property
    def defines(self) -> tuple[Relation, ...]:
        relations = (relation for fluent in self.fluents for relation in fluent.relations)
        return (*relations, *(event for _, event in self.reached))

    @property
    def simple_fluents(self) -> tuple[Simple, ...]:
        return self.fluents

    @property
    def members(self) -> tuple[DefinitionNode, ...]:
        return self.fluents

    def beginnings(self) -> Iterator[tuple[Relation, RuleNode]]:
        for fluent in self.fluents:
            yield from fluent.beginnings()
        yield from ((due.target, due) for due in self.deadlines)

    def map_rules(self, change: ChangeRules) -> Group:
        return replace(self, fluents=tuple(fluent.map_rules(change) for fluent in self.fluents))


class UnionNode(DefinitionNode):
    """A definition of one relation: the union of its rules."""

    __slots__ = ()
    relation: Relation
    rules: tuple[Any, ...]

    CHILDREN = ("rules",)

    @property
    def defines(self) -> tuple[Relation, ...]:
        return (self.relation,)

    def beginnings(self) -> Iterator[tuple[Relation, RuleNode]]:
        return ((self.relation, rule) for rule in self.rules)

    def map_rules(self, change: ChangeRules) -> Any:
        return replace(self, rules=change(self.rules))  # type: ignore[type-var]


@dataclass(frozen=True, slots=True)
class Static(UnionNode):
    """A statically determined fluent-value."""

    relation: Relation
    rules: tuple[HoldsForRule, ...]

    WORD = "static"


@dataclass(frozen=True, slots=True)
class Derived(UnionNode):
    """An output event."""

    relation: Relation
    rules: tuple[Conclude, ...]

    WORD = "event"


class Circle(DefinitionNode):
    """Definitions that are about each other: evaluated again and again until nothing new comes of it."""

    __slots__ = ()
    parts: tuple[Any, ...]

    CHILDREN = ("parts",)
    WORD = "until nothing is new"

    @property
    def defines(self) -> tuple[Relation, ...]:
        return tuple(part.relation for part in self.parts)

    @property
    def members(self) -> tuple[DefinitionNode, ...]:
        return self.parts

    def beginnings(self) -> Iterator[tuple[Relation, RuleNode]]:
        return (beginning for part in self.parts for beginning in part.beginnings())

    def map_rules(self, change: ChangeRules) -> Any:
        return replace(self, parts=tuple(part.map_rules(change) for part in self.parts))  # type: ignore[type-var]


@dataclass(frozen=True, slots=True)
class Recursion(Circle):
    """Output events whose patterns are about each other."""

    parts: tuple[Derived, ...]


@dataclass(frozen=True, slots=True)
class Fixpoint(Circle):
    """Statically determined fluent-values that are made of each other by union and intersection.

    endless: what to say if there is no end to it, where rules make new arguments; None where they make none.
    """

    parts: tuple[Static, ...]
    endless: Diagnostic | None = field(default=None, compare=False, repr=False)


Definition = Simple | Group | Static | Derived | Recursion | Fixpoint


@dataclass(frozen=True, slots=True)
class Declared(RuleNode):
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

    CHILDREN = ("chain",)

    @property
    def body(self) -> Chain:
        return self.chain


@dataclass(frozen=True, slots=True)
class Domain(PlanNode):
    """The declared groundings of a relation: the union of its declarations."""

    relation: Relation
    rules: tuple[Declared, ...]

    CHILDREN = ("rules",)


@dataclass(frozen=True, slots=True)
class Closure(PlanNode):
    """Background predicates that call themselves: worked out before any data, from their facts and rules."""

    rules: tuple[tuple[Signature, Declared], ...]
    endless: Diagnostic | None = field(default=None, compare=False, repr=False)  # what to say if there is no end to it

    CHILDREN = ("rules",)


@dataclass(frozen=True, slots=True)
class InputSource:
    """An input as the engine reads it. A fluent has a relation per value that rules mention, or one for all values."""

    input: Input
    relations: tuple[Relation, ...]
    identities: frozenset[int]  # argument positions needed as terms, not only as numbers
    key: tuple[int, ...] = ()  # of events: the arguments by which rules want them sorted; (): the first identity
