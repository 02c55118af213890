"""An event description while it is being read and checked. Each pass fills in its part."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from itertools import chain, count
from typing import TYPE_CHECKING, Any

from holdsfor.duration import TickUnit
from holdsfor.functions import Registered
from holdsfor.language.description import (
    Clause,
    Deadline,
    Defined,
    Grounding,
    Initially,
    Input,
    Rule,
    Signature,
    Unreported,
)
from holdsfor.language.diagnostics import Diagnostic, Source, sort_diagnostics
from holdsfor.language.facts import FactTable
from holdsfor.language.literals import Body, Entity, Statement
from holdsfor.language.nodes import Change
from holdsfor.language.parsing.syntax import Raw
from holdsfor.language.patterns import PatternRule, Policy
from holdsfor.language.reading.prefixes import Leads, TripleFacts
from holdsfor.language.reading.settings import PatternSettings, Properties
from holdsfor.language.reading.unfolding import Changes, Declarations
from holdsfor.language.terms import NOWHERE, Place, Term, Var

if TYPE_CHECKING:
    from holdsfor.language.passes.order.strata import Dependency

FluentAndValue = tuple[Term, Term]


@dataclass(slots=True)
class RuleTexts:
    """Clauses as they are written, in all sources that are read together."""

    sources: dict[str, Source] = field(default_factory=dict)
    raw: list[Raw] = field(default_factory=list)
    tables: list[FactTable] = field(default_factory=list)  # facts in great numbers
    damaged: set[str] = field(default_factory=set)  # names that clauses with syntax errors seem to define
    policy: Policy = "unrestricted"  # of pattern rules before which no directive sets another
    functions: Mapping[str, Registered] = field(default_factory=dict)  # registered ones, by name
    tick_units: dict[TickUnit, Place] = field(default_factory=dict)  # lengths of a tick, each with its first duration
    prefixes: dict[str, Place] = field(default_factory=dict)  # of names, each where it stands first
    knowledge: TripleFacts | None = None
    leads: Leads = ()  # what names of resources begin with, once prefixes are read
    properties: frozenset[str] = frozenset()  # that triples have

    def copy(self) -> RuleTexts:
        """Return texts from which passes may take clauses, names and tables without harm to these."""
        return replace(self, raw=list(self.raw), tables=list(self.tables), damaged=set(self.damaged))


@dataclass(frozen=True, slots=True)
class FactDeclaration:
    """A predicate whose facts change. key: positions from 0; (): a row replaces no other."""

    key: tuple[int, ...]
    place: Place


@dataclass(slots=True)
class FileDeclarations:
    """Declarations of rule files."""

    entities: dict[tuple[Entity, Signature], Place] = field(default_factory=dict)  # by grounding, collectIntervals, ...
    inputs: dict[tuple[Entity, Signature], Place] = field(default_factory=dict)  # by `input event`, `input fluent`
    facts: dict[Signature, FactDeclaration] = field(default_factory=dict)  # by `input fact`
    changing: set[Signature] = field(default_factory=set)  # these, and predicates whose clauses depend on them
    internal: dict[Signature, Place] = field(default_factory=dict)  # by `internal f/1`
    predicates: set[Signature] = field(default_factory=set)  # by `:- dynamic`, perhaps without clauses
    dynamic_domains: set[Signature] = field(default_factory=set)
    points: set[Signature] = field(default_factory=set)
    durative: set[Signature] = field(default_factory=set)  # by collectIntervals, buildFromPoints or points
    fallbacks: dict[Signature, Place] = field(default_factory=dict)  # holdsFor(f(_)=v, [])
    bounds: dict[Signature, tuple[int, Place]] = field(default_factory=dict)  # bound(f/1, 600)
    extensions: list[tuple[Term, Term, Place]] = field(default_factory=list)  # p(fluent=value)


@dataclass(slots=True)
class CrossReferences:
    """Clauses that reading looks up for others, and what it leaves for the passes to know."""

    changes: Changes = field(default_factory=dict)
    domains: Declarations = field(default_factory=dict)
    properties: Properties = field(default_factory=dict)  # of labelled rules
    settings: dict[str, PatternSettings] = field(default_factory=dict)  # of each file, up to where it has been read
    incomplete: set[Place] = field(default_factory=set)  # rules with a condition that could not be read
    cuts: list[tuple[Rule, Place]] = field(default_factory=list)
    not_yet: dict[str, list[Diagnostic]] = field(default_factory=dict)  # by construct
    fresh: Iterator[int] = field(default_factory=lambda: count(1))  # numbers of new variables


@dataclass(slots=True)
class DefinedNames:
    """The names that rules define, and those that come as input.

    unreported: what results leave out: definitions (without a value), and values that no grounding declares, where
    others are. apart: fluents that have a stand-in for each constant. grounded: fluents that some rule initiates for a
    known grounding; open: heads that leave an argument open.
    """

    events: set[Signature] = field(default_factory=set)
    simple: set[Signature] = field(default_factory=set)
    static: set[Signature] = field(default_factory=set)
    inputs: list[Input] = field(default_factory=list)
    also_input: list[Input] = field(default_factory=list)  # definitions that may come as input without a declaration
    unreported: set[Unreported] = field(default_factory=set)
    apart: set[Signature] = field(default_factory=set)
    grounded: set[Signature] = field(default_factory=set)
    open: dict[Signature, tuple[Term, Term, Var]] = field(default_factory=dict)

    @property
    def all(self) -> set[Signature]:
        return self.events | self.simple | self.static


@dataclass(slots=True)
class DependencyOrder:
    """The definitions in the order of what they need, and those that need each other."""

    strata: list[tuple[Defined, ...]] = field(default_factory=list)
    cycles: list[tuple[Signature, ...]] = field(default_factory=list)
    circles: list[list[Dependency]] = field(default_factory=list)  # for each cycle, the steps between its members
    pattern_circles: list[tuple[Signature, ...]] = field(default_factory=list)  # pattern events that need each other
    fixpoints: list[tuple[Defined, ...]] = field(default_factory=list)  # intervals that are made of each other
    interval_circles: list[list[Dependency]] = field(default_factory=list)  # for each fixpoint, the steps between them
    recursive: set[Signature] = field(default_factory=set)  # background predicates


@dataclass(slots=True)
class Draft:
    texts: RuleTexts = field(default_factory=RuleTexts)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    patterns: list[PatternRule] = field(default_factory=list)
    initially: list[Initially] = field(default_factory=list)
    deadlines: list[Deadline] = field(default_factory=list)
    background: list[Clause] = field(default_factory=list)
    groundings: list[Grounding] = field(default_factory=list)
    declared: FileDeclarations = field(default_factory=FileDeclarations)
    reading: CrossReferences = field(default_factory=CrossReferences)
    definitions: DefinedNames = field(default_factory=DefinedNames)
    order: DependencyOrder = field(default_factory=DependencyOrder)

    def settings_of(self, source_name: str) -> PatternSettings:
        """Return the settings for the next pattern rule of a file."""
        return self.reading.settings.get(source_name) or PatternSettings(self.texts.policy)

    @property
    def bodies(self) -> Iterator[Body]:
        """Iterate over the conditions of all clauses that have some."""
        bodies = (clause.body for clause in chain[Statement](self.rules, self.background, self.timeless))
        return chain(filter(None, bodies), (rule.body for rule in self.patterns))

    @property
    def timeless(self) -> list[Grounding | Initially | Deadline]:
        """Return the clauses whose conditions are about background knowledge, but for this itself."""
        return [*self.groundings, *self.initially, *self.deadlines]

    def rewrite(self, change: Change) -> None:
        """Change the clauses that have conditions as literals."""
        clauses: list[Any]
        for clauses in (self.rules, self.background, self.groundings, self.initially, self.deadlines):
            clauses[:] = map(change, clauses)

    @property
    def predicates(self) -> set[Signature]:
        """Return the predicates of background knowledge that have facts or rules."""
        tables = {table.signature for table in self.texts.tables}
        return tables | {clause.signature for clause in self.background}

    @property
    def rules_in_time(self) -> Iterator[Rule | PatternRule]:
        """Iterate over the rules whose conditions are about times."""
        return chain[Rule | PatternRule](self.rules, self.patterns)

    @property
    def simple_values(self) -> Iterator[FluentAndValue]:
        """Iterate over the fluents with values that begin at a time: by rules, at first, or by deadlines."""
        yield from self._values_by("initiatedAt")
        yield from ((each.fluent, each.value) for each in self.initially)
        yield from ((each.fluent, each.target) for each in self.deadlines)

    @property
    def given_values(self) -> Iterator[FluentAndValue]:
        """Iterate over the fluents with values that rules give them."""
        return chain(self._values_by("holdsFor"), self.simple_values)

    @property
    def ended_values(self) -> Iterator[FluentAndValue]:
        """Iterate over the fluents with values that rules end, or that deadlines begin with."""
        yield from self._values_by("terminatedAt")
        yield from ((each.fluent, each.source) for each in self.deadlines)

    def _values_by(self, kind: str) -> Iterator[FluentAndValue]:
        return ((rule.subject, rule.value) for rule in self.rules if rule.kind == kind and rule.value is not None)

    def error(self, code: str, message: str, place: Place, hint: str = "") -> None:
        self.diagnostics.append(Diagnostic(code, "error", message, place, hint, line=self._line(place)))

    def warning(self, code: str, message: str, place: Place, hint: str = "") -> None:
        self.diagnostics.append(Diagnostic(code, "warning", message, place, hint, line=self._line(place)))

    def not_yet(self, construct: str, message: str, place: Place, hint: str = "") -> None:
        """One diagnostic for each construct, however often it is used: `close` says how often."""
        diagnostic = Diagnostic("not-yet", "error", message, place, hint, construct, self._line(place))
        self.reading.not_yet.setdefault(construct, []).append(diagnostic)

    def variable(self, variable: Var) -> Var:
        """A new variable that stands nowhere else. The zero keeps it apart from those that the plan makes."""
        return Var(f"{variable.name}~0{next(self.reading.fresh)}", variable.place, variable.anonymous)

    def close(self) -> tuple[Diagnostic, ...]:
        """All diagnostics, in the order of the text."""
        diagnostics = list(self.diagnostics)
        for uses in self.reading.not_yet.values():
            first = uses[0]
            more = f" ({len(uses)} uses)" if len(uses) > 1 else ""
            diagnostics.append(replace(first, message=first.message + more))
        return tuple(sort_diagnostics(diagnostics, self.texts.sources))

    def _line(self, place: Place) -> str:
        return "" if place is NOWHERE else self.texts.sources[place.file].line(place.line)


def group_values(pairs: Iterable[FluentAndValue]) -> dict[Signature, list[Term]]:
    """Group the values of fluents by fluent."""
    values: dict[Signature, list[Term]] = defaultdict(list)
    for fluent, value in pairs:
        values[Signature.of(fluent)].append(value)
    return values


def did_you_mean(name: str, candidates: Iterable[str]) -> str:
    """`did you mean ...?`, or nothing if no known name is near."""
    by_lower = {each.lower(): each for each in candidates if each != name}
    close = get_close_matches(name.lower(), by_lower, n=1, cutoff=0.75)
    return f"did you mean {by_lower[close[0]]}?" if close else ""


def arguments(*counts: int) -> str:
    """`1 argument`, `2 arguments`, `1 or 3 arguments`"""
    return f"{' or '.join(map(str, counts))} argument{'' if counts == (1,) else 's'}"
