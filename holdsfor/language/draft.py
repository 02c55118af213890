"""An event description while it is being read and checked. Each pass fills in its part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import count
from typing import TYPE_CHECKING

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
from holdsfor.language.diagnostics import Diagnostic, Source
from holdsfor.language.facts import FactTable
from holdsfor.language.literals import Entity
from holdsfor.language.parsing.syntax import Raw
from holdsfor.language.patterns import PatternRule
from holdsfor.language.reading.changes import Changes
from holdsfor.language.reading.groundings import Declarations
from holdsfor.language.reading.settings import PatternSettings, Properties
from holdsfor.language.terms import NOWHERE, Place, Term, Var

if TYPE_CHECKING:
    from holdsfor.language.passes.order.strata import Dependency


@dataclass(slots=True)
class Draft:
    sources: dict[str, Source]
    raw: list[Raw]
    diagnostics: list[Diagnostic]
    damaged: set[str]  # names that clauses with syntax errors seem to define
    functions: Mapping[str, Registered] = field(default_factory=dict)  # registered ones, by name
    tables: list[FactTable] = field(default_factory=list)  # facts in great numbers
    tick_units: dict[TickUnit, Place] = field(default_factory=dict)  # lengths of a tick, and the first duration of each

    # read
    rules: list[Rule] = field(default_factory=list)
    background: list[Clause] = field(default_factory=list)
    groundings: list[Grounding] = field(default_factory=list)
    legacy: list[Clause] = field(default_factory=list)
    dynamic_domains: set[Signature] = field(default_factory=set)
    predicates: set[Signature] = field(default_factory=set)  # declared by `:- dynamic`, perhaps without clauses
    points: set[Signature] = field(default_factory=set)
    declared: dict[tuple[Entity, Signature], Place] = field(default_factory=dict)  # by grounding, collectIntervals, ...
    announced: dict[tuple[Entity, Signature], Place] = field(default_factory=dict)  # by `input event`, `input fluent`
    internal: dict[Signature, Place] = field(default_factory=dict)  # by `internal f/1`
    rule_cuts: list[tuple[Rule, Place]] = field(default_factory=list)
    fallbacks: dict[Signature, Place] = field(default_factory=dict)  # holdsFor(f(_)=v, [])
    initially: list[Initially] = field(default_factory=list)
    deadlines: list[Deadline] = field(default_factory=list)
    bounds: dict[Signature, tuple[int, Place]] = field(default_factory=dict)  # bound(f/1, 600)
    extensions: list[tuple[Term, Term, Place]] = field(default_factory=list)  # p(fluent=value)
    changes: Changes = field(default_factory=dict)
    declarations: Declarations = field(default_factory=dict)
    incomplete: set[Place] = field(default_factory=set)  # rules with a condition that could not be read
    patterns: list[PatternRule] = field(default_factory=list)
    settings: dict[str, PatternSettings] = field(default_factory=dict)  # of each file, up to where it has been read
    properties: Properties = field(default_factory=dict)  # of labelled rules

    # kinds
    inputs: list[Input] = field(default_factory=list)
    also_input: list[Input] = field(default_factory=list)  # definitions that may come as input without a declaration
    events: set[Signature] = field(default_factory=set)
    simple: set[Signature] = field(default_factory=set)
    static: set[Signature] = field(default_factory=set)

    # what results leave out: definitions (without a value), and values that no grounding declares, where others are
    unreported: set[Unreported] = field(default_factory=set)

    # recursion
    recursive: set[Signature] = field(default_factory=set)

    # safety: rules that say nothing, since no grounding declares of whom; fluents that some rule initiates for a known
    # grounding, and heads that leave an argument open
    left_out: list[Rule] = field(default_factory=list)
    grounded: set[Signature] = field(default_factory=set)
    open: dict[Signature, tuple[Term, Term, Var]] = field(default_factory=dict)

    # strata
    strata: list[tuple[Defined, ...]] = field(default_factory=list)
    cycles: list[tuple[Signature, ...]] = field(default_factory=list)
    circles: list[list[Dependency]] = field(default_factory=list)  # for each cycle, the steps between its members
    pattern_circles: list[tuple[Signature, ...]] = field(default_factory=list)  # pattern events that need each other

    _fresh: Iterator[int] = field(default_factory=lambda: count(1))
    _not_yet: dict[str, list[Diagnostic]] = field(default_factory=dict)

    def error(self, code: str, message: str, place: Place, hint: str = "") -> None:
        self.diagnostics.append(Diagnostic(code, "error", message, place, hint, line=self._line(place)))

    def warning(self, code: str, message: str, place: Place, hint: str = "") -> None:
        self.diagnostics.append(Diagnostic(code, "warning", message, place, hint, line=self._line(place)))

    def not_yet(self, construct: str, message: str, place: Place, hint: str = "") -> None:
        """One diagnostic for each construct, however often it is used: `close` says how often."""
        diagnostic = Diagnostic("not-yet", "error", message, place, hint, construct, self._line(place))
        self._not_yet.setdefault(construct, []).append(diagnostic)

    def variable(self, variable: Var) -> Var:
        """A new variable that stands nowhere else. The zero keeps it apart from those that the plan makes."""
        return Var(f"{variable.name}~0{next(self._fresh)}", variable.place, variable.anonymous)

    def close(self) -> tuple[Diagnostic, ...]:
        """All diagnostics, in the order of the text."""
        diagnostics = list(self.diagnostics)
        for uses in self._not_yet.values():
            first = uses[0]
            more = f" ({len(uses)} uses)" if len(uses) > 1 else ""
            diagnostics.append(
                Diagnostic(
                    first.code,
                    first.severity,
                    first.message + more,
                    first.place,
                    first.hint,
                    first.construct,
                    first.line,
                )
            )
        files = list(self.sources)
        diagnostics.sort(
            key=lambda each: (
                files.index(each.place.file) if each.place.file in files else -1,
                each.place.line,
                each.place.column,
            )
        )
        return tuple(dict.fromkeys(diagnostics))

    def _line(self, place: Place) -> str:
        return "" if place is NOWHERE else self.sources[place.file].line(place.line)


def did_you_mean(name: str, candidates: Iterable[str]) -> str:
    """`did you mean ...?`, or nothing if no known name is near."""
    by_lower = {each.lower(): each for each in candidates if each != name}
    close = get_close_matches(name.lower(), by_lower, n=1, cutoff=0.75)
    return f"did you mean {by_lower[close[0]]}?" if close else ""


def arguments(*counts: int) -> str:
    """`1 argument`, `2 arguments`, `1 or 3 arguments`"""
    return f"{' or '.join(map(str, counts))} argument{'' if counts == (1,) else 's'}"
