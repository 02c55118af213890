"""Statements: one clause of the rule language each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from typing import Literal as OneOf

from holdsfor.authoring.parts import Argument, Calculation, Condition, Length, Variable
from holdsfor.authoring.places import here, refuse
from holdsfor.language.terms import Place

StatementKind = OneOf[
    "initiatedAt", "terminatedAt", "happensAt", "holdsFor", "pattern", "initially", "fi", "p", "background", "grounding"
]


@dataclass(frozen=True, slots=True, eq=False)
class RuleStatement:
    """One clause. head: what it is about; body: its conditions, intervals or pattern."""

    kind: StatementKind | OneOf["directive", "declaration", "plain"]
    head: Any
    body: Any = None
    place: Place = field(kw_only=True, repr=False)


def starts(fluent: Condition, when: Condition, at: Argument | None = None) -> RuleStatement:
    """Say when a fluent begins (initiatedAt). at: the time, where it has a name or is not that of the events."""
    return RuleStatement("initiatedAt", (_about(fluent, "fluent"), at), when, place=here())


def ends(fluent: Condition, when: Condition, at: Argument | None = None) -> RuleStatement:
    """Say when a fluent ends (terminatedAt)."""
    return RuleStatement("terminatedAt", (_about(fluent, "fluent"), at), when, place=here())


def happens(head: Condition, when: Condition, at: Argument | None = None) -> RuleStatement:
    """Say when an event happens (happensAt)."""
    return RuleStatement("happensAt", (_about(head, "event"), at), when, place=here())


def holds(fluent: Condition, while_: Condition | None) -> RuleStatement:
    """Say while what else a fluent holds (holdsFor)."""
    return RuleStatement("holdsFor", _about(fluent, "fluent"), while_, place=here())


def matches(
    head: Condition | Sequence[Condition], pattern: Condition | int, label: str | Calculation | None = None
) -> RuleStatement:
    """Say which pattern of other events makes an event; several events: all of them. label: a name of the rule."""
    events = [head] if isinstance(head, Condition) else list(head)
    return RuleStatement("pattern", ([_about(each, "event") for each in events], label), pattern, place=here())


def initially(fluent: Condition, when: Condition | None = None) -> RuleStatement:
    """Say what holds from the start of the history on, for all that conditions on facts give."""
    return RuleStatement("initially", _about(fluent, "fluent"), when, place=here())


def deadline(before: Condition, then: Condition, delay: Length, when: Condition | None = None) -> RuleStatement:
    """Say which value follows another after so long: `hf.deadline(offer(C) == "valid", offer(C) == "expired", 10)`."""
    return RuleStatement("fi", (_about(before, "fluent"), _about(then, "fluent"), delay), when, place=here())


def renewed(fluent: Condition) -> RuleStatement:
    """Say that a deadline begins anew when its value is initiated again (p)."""
    return RuleStatement("p", _about(fluent, "fluent"), place=here())


def define(predicate: Condition, when: Condition | None = None) -> RuleStatement:
    """State a fact, or a rule of background knowledge."""
    return RuleStatement("background", _about(predicate, "predicate"), when, place=here())


def grounding(entity: Condition, when: Condition | None = None) -> RuleStatement:
    """Declare what a fluent or an event ranges over."""
    return RuleStatement("grounding", entity, when, place=here())


def directive(word: str, *args: Argument) -> RuleStatement:
    """Set what governs the statements after it: `hf.directive("policy", "recent")`."""
    return RuleStatement("directive", Calculation(word, args, here()) if args else word, place=here())


def clause(head: Calculation, *conditions: Calculation) -> RuleStatement:
    """State a clause in the words of rule text, for what has no other form here."""
    return RuleStatement("plain", head, conditions, place=here())


def declare(
    kind: OneOf["input event", "input fluent", "input fact", "internal"], name: str, arity: int, key: Sequence[int] = ()
) -> RuleStatement:
    """Declare a name as input, or keep a definition out of all results (internal). key: of a fact, positions from 1."""
    return RuleStatement("declaration", (kind.removeprefix("input "), name, arity, tuple(key)), place=here())


def _about(head: object, kind: str) -> Condition:
    """Return the head of a statement, if it is of the kind that the statement is about."""
    if isinstance(head, Condition) and head.operator == kind:
        return head
    made = {"event": "hf.event", "fluent": "hf.fluent", "predicate": "hf.predicate"}[kind]
    if isinstance(head, Variable | Condition):
        refuse(
            "head", f"this statement is about {'an' if kind == 'event' else 'a'} {kind}", here(), f"make it by {made}"
        )
    refuse("head", f"{type(head).__name__} is no {kind}", here(), f"make it by {made}(name, ...) and call it")
