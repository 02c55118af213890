"""What a plan defines, and what it reads: operators without behaviour, as those that rules are made of."""

from __future__ import annotations

from dataclasses import dataclass, field

from holdsfor.language.description import Input, Signature
from holdsfor.language.diagnostics import Diagnostic
from holdsfor.language.terms import NOWHERE, Place, Term
from holdsfor.plan.operators import Arg, Chain, Conclude, HoldsForRule, Names, Relation


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


@dataclass(frozen=True, slots=True)
class Due:
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
    """A statically determined fluent-value: the union of its rules."""

    relation: Relation
    rules: tuple[HoldsForRule, ...]


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


@dataclass(frozen=True, slots=True)
class Declared:
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
