"""What the arguments of definitions are called: as the variables in the heads of their rules."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.language.description import EventDescription, Signature
from holdsfor.language.terms import Term, Var, name_and_args

Heads = dict[tuple[bool, Signature], list[tuple[Term, ...]]]


def name_arguments(description: EventDescription) -> dict[tuple[bool, Signature], tuple[str, ...]]:
    """Names for the arguments of each definition, by whether it is an event and its signature.

    The first rule that has a variable in a place gives it its name. Without one, or where two places would have the
    same name, it is called by its number: `arg2`.
    """
    heads: Heads = {}
    for is_event, head in _heads(description):
        name, args = name_and_args(head)
        heads.setdefault((is_event, Signature(name, len(args))), []).append(args)
    return {key: _names(key[1].arity, alternatives) for key, alternatives in heads.items()}


def _heads(description: EventDescription) -> Iterator[tuple[bool, Term]]:
    """Initiations come first: terminations often leave arguments open."""
    for rule in sorted(description.rules, key=lambda rule: rule.kind == "terminatedAt"):
        yield rule.kind == "happensAt", rule.subject
    yield from ((False, deadline.fluent) for deadline in description.deadlines)
    yield from ((False, initially.fluent) for initially in description.initially)
    yield from ((True, pattern.head) for pattern in description.patterns)


def _names(arity: int, heads: list[tuple[Term, ...]]) -> tuple[str, ...]:
    names: list[str] = []
    for position in range(arity):
        variables = (args[position] for args in heads)
        words = (v.name.strip("_") for v in variables if isinstance(v, Var) and not v.anonymous)
        name = next((word for word in words if word and word not in names), f"arg{position + 1}")
        names.append(name)
    return tuple(names)
