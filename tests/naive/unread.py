"""Variables that stand once in their rule: what they are does not matter to it, not even whether they are anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from holdsfor.language.description import EventDescription, Rule
from holdsfor.language.literals import Or
from holdsfor.language.terms import Var
from tests.naive.calculate import UNREAD

Node = TypeVar("Node")


def mark_unread(description: EventDescription) -> EventDescription:
    return replace(
        description,
        rules=tuple(_marked(variant) for rule in description.rules for variant in _variants(rule)),
        patterns=tuple(map(_marked, description.patterns)),
    )


def _variants(rule: Rule) -> Iterator[Rule]:
    """A rule with alternatives is as many rules, and a variable of one of them has nothing to do with another."""
    place = next((place for place, literal in enumerate(rule.body) if isinstance(literal, Or)), None)
    if place is None:
        yield rule
        return
    chosen = rule.body[place]
    assert isinstance(chosen, Or)
    for alternative in chosen.alternatives:
        yield from _variants(replace(rule, body=(*rule.body[:place], *alternative, *rule.body[place + 1 :])))


def _marked(rule: Node) -> Node:
    uses = Counter(variable.name for variable in _variables(rule))
    return _changed(rule, lambda var: replace(var, name=UNREAD + var.name) if uses[var.name] == 1 else var)


def _variables(node: Any) -> Iterator[Var]:
    if isinstance(node, Var):
        yield node
    elif isinstance(node, tuple):
        for part in node:
            yield from _variables(part)
    elif is_dataclass(node):
        for field in fields(node):
            yield from _variables(getattr(node, field.name))


def _changed(node: Any, change: Callable[[Var], Var]) -> Any:
    if isinstance(node, Var):
        return change(node)
    if type(node) is tuple:
        return tuple(_changed(part, change) for part in node)
    if is_dataclass(node) and not isinstance(node, type):
        return replace(node, **{f.name: _changed(getattr(node, f.name), change) for f in fields(node) if f.init})
    return node
