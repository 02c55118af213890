"""A checked event description: rules made of literals, background knowledge, declarations, kinds and strata."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple
from typing import Literal as OneOf

from holdsfor.duration import TickUnit
from holdsfor.language.literals import Body, Statement
from holdsfor.language.patterns import PatternRule
from holdsfor.language.terms import Place, Term, Var, quoted
from holdsfor.language.terms import Signature as Signature
from holdsfor.language.terms import Unreported as Unreported

if TYPE_CHECKING:
    from holdsfor.language.diagnostics import Diagnostic, Source
    from holdsfor.language.facts import FactTable
    from holdsfor.language.reading.prefixes import Leads

#: `a as input` has the rows of a definition that also comes as input.
AS_INPUT = "as input"
#: `p valid` holds where a predicate that changes is true.
VALID = "valid"
#: `p ended` says from when on a fact is not valid any more, `p replaced` from when on facts of a key are not.
ENDED, REPLACED = ENDINGS = ("ended", "replaced")


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


# ---------------------------------------------------------------- clauses


@dataclass(frozen=True, slots=True)
class Rule(Statement):
    """One rule that defines an event or a fluent-value.

    subject: the event, or the fluent without its value. at: the time variable, or for holdsFor the interval variable.
    A holdsFor rule whose body gives no interval (`holdsFor(f(_)=true, [])`) is dropped while reading: it adds nothing.
    """

    kind: OneOf["initiatedAt", "terminatedAt", "happensAt", "holdsFor"]
    subject: Term
    value: Term | None
    at: Var
    body: Body
    place: Place = field(compare=False)

    TERMS = ("subject", "value", "at")
    CHILDREN = ("body",)

    @property
    def defined(self) -> tuple[Term, ...]:
        """Return the event, or the fluent and its value."""
        return self.terms[:-1]


@dataclass(frozen=True, slots=True)
class Initially(Statement):
    """initially(fluent=value) :- body: holds from the start of the history on."""

    fluent: Term
    value: Term
    body: Body
    place: Place = field(compare=False)

    TERMS = ("fluent", "value")
    CHILDREN = ("body",)


@dataclass(frozen=True, slots=True)
class Deadline(Statement):
    """fi(fluent=source, fluent=target, duration) :- body. extensible: p(fluent=source) is there, too."""

    fluent: Term
    source: Term
    target: Term
    duration: Term
    body: Body
    extensible: bool
    place: Place = field(compare=False)

    TERMS = ("fluent", "source", "target", "duration")
    VALUE = "target"
    CHILDREN = ("body",)


@dataclass(frozen=True, slots=True)
class Clause(Statement):
    """Background knowledge: a fact (no body) or a rule."""

    head: Term
    body: Body
    place: Place = field(compare=False)

    TERMS = ("head",)
    CHILDREN = ("body",)
    IS_TIMELESS = True


@dataclass(frozen=True, slots=True)
class Grounding(Statement):
    """grounding(entity) :- body; value is None for an event."""

    entity: Term
    value: Term | None
    body: Body
    place: Place = field(compare=False)

    TERMS = ("entity", "value")
    CHILDREN = ("body",)


# ---------------------------------------------------------------- the whole


@dataclass(frozen=True, slots=True)
class Input:
    """An event or durative fluent that comes from the stream. `read` is false if no rule uses it (declared only).

    numbers: the argument positions (from 0) that rules calculate or compare with; a row with something else there is
    rejected. may_last: of an event, whether a pattern or `occurs` reads it, so that a row may have a start and an end.
    key: of facts that change, the positions (from 0) by which a row replaces an earlier one; (): none; None: no facts.
    leads: what names of resources begin with, where rules know prefixes.
    """

    signature: Signature
    kind: OneOf["event", "interval", "point"]
    read: bool
    numbers: frozenset[int]
    may_last: bool = False
    is_defined: bool = False  # rules define it, too; of facts: when they are valid is worked out
    leads: Leads = field(default=(), repr=False)
    key: tuple[int, ...] | None = None

    @property
    def stored_as(self) -> Signature:
        """The signature of its rows in the engine, apart from what rules conclude."""
        return self.signature.stand_in(AS_INPUT) if self.is_defined else self.signature

    @property
    def endings(self) -> tuple[Input, ...]:
        """Return what ends facts that change: rows of their own, which are stored beside theirs."""
        if self.key is None:
            return ()
        replaced = Signature(self.signature.stand_in(REPLACED).name, len(self.key))
        owners = (self.signature.stand_in(ENDED), *((replaced,) if self.key else ()))
        return tuple(replace(self, signature=owner, is_defined=False, key=None) for owner in owners)


def declare_fact(signature: Signature, key: Sequence[int]) -> str:
    """Write the declaration of a fact that changes. key: positions from 0."""
    positions = ", ".join(str(position + 1) for position in key)
    behind = "" if not key else f" key {positions}" if len(key) == 1 else f" key ({positions})"
    return f"input fact {quoted(signature.name)}/{signature.arity}{behind}."


@dataclass(frozen=True, slots=True)
class BackgroundKnowledge:
    """Facts and rules without time, and the declarations of what definitions range over."""

    clauses: tuple[Clause, ...]
    tables: tuple[FactTable, ...]  # facts in great numbers
    groundings: tuple[Grounding, ...]
    dynamic_domains: frozenset[Signature]
    changing: frozenset[Signature] = frozenset()  # predicates that are true of something at some times only


@dataclass(frozen=True, slots=True)
class Definitions:
    """The names that rules define, by the kind of their rules; and what results leave out."""

    events: frozenset[Signature]  # by happensAt rules and patterns
    simple: frozenset[Signature]  # by initiatedAt/terminatedAt rules
    static: frozenset[Signature]  # by holdsFor rules
    unreported: frozenset[Unreported]

    @property
    def all(self) -> frozenset[Signature]:
        return self.events | self.simple | self.static


@dataclass(frozen=True, slots=True)
class EvaluationOrder:
    """Events, fluents and values, each in a stratum after all that it depends on."""

    strata: tuple[tuple[Defined, ...], ...]
    cycles: tuple[tuple[Signature, ...], ...]  # simple fluents that depend on each other, each group in one stratum
    recursive: tuple[tuple[Signature, ...], ...]  # pattern events that depend on each other, each in one stratum
    fixpoints: tuple[tuple[Defined, ...], ...] = ()  # the same of statically determined fluents and values

    @property
    def circles(self) -> tuple[tuple[Defined, ...], ...]:
        """Return all groups whose members depend on each other, or of one that depends on itself."""
        return (*self.cycles, *self.recursive, *self.fixpoints)


@dataclass(frozen=True, slots=True)
class WrittenRules:
    """The texts of the rules, to show lines of them, and the lengths of a tick that their durations are in."""

    sources: Mapping[str, Source]
    tick_units: Mapping[TickUnit, Place]


@dataclass(frozen=True, slots=True, repr=False, weakref_slot=True)
class EventDescription:
    """Everything the rule files say, checked. Rules keep the order of the files; order never changes the meaning.

    `.warnings` has what is worth a look in them, with place and advice.
    """

    rules: tuple[Rule, ...]
    patterns: tuple[PatternRule, ...]  # their heads are among the events
    initially: tuple[Initially, ...]
    deadlines: tuple[Deadline, ...]
    background: BackgroundKnowledge
    defined: Definitions
    order: EvaluationOrder
    inputs: tuple[Input, ...]  # what only comes as input, and definitions that are declared as input
    also_input: tuple[Input, ...]  # definitions that may come as input without a declaration
    bounds: Mapping[Signature, int]  # how far the rules of a definition may look
    texts: WrittenRules = field(compare=False, repr=False)
    warnings: tuple[Diagnostic, ...] = ()

    def with_input(self, stored: Container[str] | None = None) -> EventDescription:
        """Count the definitions whose rows come among the inputs; None: all that may come."""
        chosen = tuple(one for one in self.also_input if stored is None or one.stored_as.name in stored)
        return replace(self, inputs=(*self.inputs, *chosen), also_input=()) if chosen else self

    def __repr__(self) -> str:
        defined = ", ".join(sorted(map(str, self.defined.all)))
        rules = len(self.rules) + len(self.patterns)
        define = f"{rules:,} rules that define" if rules != 1 else "1 rule that defines"
        return f"<EventDescription: {define} {defined or 'nothing'}>"

    def __str__(self) -> str:
        """Return the rules as rule text, also those that were written in Python."""
        return "\n".join(source.rules for source in self.texts.sources.values() if source.rules)

    def _repr_html_(self) -> str:
        from holdsfor.view.notebook import description_html

        return description_html(self)
