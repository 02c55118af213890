"""What the arguments of definitions are called: as the variables in the heads of their rules, or as input columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from holdsfor.language.description import EventDescription, Signature
from holdsfor.language.joined import joined_arguments
from holdsfor.language.literals import Edge, Happens, Holds, HoldsFor, Literal, Occurs
from holdsfor.language.nodes import find_all
from holdsfor.language.terms import Term, Var, name_and_args

Owner = tuple[bool, Signature]  # whether it is an event
Head = tuple[tuple[Term, ...], tuple[Literal, ...]]  # arguments, and conditions
#: The columns of inputs, by name; in the order of the arguments.
Columns = Mapping[str, Sequence[str]]


def name_arguments(description: EventDescription, columns: Columns | None = None) -> dict[Owner, tuple[str, ...]]:
    """Names for the arguments of each definition, by whether it is an event and its signature.

    The first rule that has a variable in a place gives it its name. Without one it is called as the column of the input
    that it comes from; where none is known, or two places would have the same name, by its number: `arg2`.
    """
    heads: dict[Owner, list[Head]] = {}
    for is_event, subject, body in _heads(description):
        name, args = name_and_args(subject)
        heads.setdefault((is_event, Signature(name, len(args))), []).append((args, body))
    joined = _joined_columns(description, columns) if columns else {}
    return {owner: _names(owner, alternatives, joined, columns or {}) for owner, alternatives in heads.items()}


def _heads(description: EventDescription) -> Iterator[tuple[bool, Term, tuple[Literal, ...]]]:
    """Initiations come first: terminations often leave arguments open."""
    for rule in sorted(description.rules, key=lambda rule: rule.kind == "terminatedAt"):
        yield rule.kind == "happensAt", rule.subject, rule.body
    yield from ((False, deadline.fluent, ()) for deadline in description.deadlines)
    yield from ((False, initially.fluent, ()) for initially in description.initially)
    yield from ((True, pattern.head, pattern.body) for pattern in description.patterns)


def _names(
    owner: Owner, heads: list[Head], joined: Mapping[tuple[Owner, int], str], columns: Columns
) -> tuple[str, ...]:
    names: list[str] = []
    for position in range(owner[1].arity):
        terms = [args[position] for args, _ in heads]
        words = [term.name.strip("_") for term in terms if isinstance(term, Var) and not term.anonymous]
        words += (word for args, body in heads for word in _columns_with(args[position], body, columns))
        words += [joined[owner, position]] if (owner, position) in joined else []
        names.append(next((word for word in words if word and word not in names), f"arg{position + 1}"))
    return tuple(names)


def _columns_with(term: Term, body: Iterable[Literal], columns: Columns) -> Iterator[str]:
    """The columns of the inputs that conditions ask for with this very term."""
    for literal in find_all(body, Literal):
        if isinstance(literal, Happens | Occurs | Edge | Holds | HoldsFor):
            entity = literal.event if isinstance(literal, Happens | Occurs) else literal.fluent
            name, args = name_and_args(entity)
            if name in columns and len(columns[name]) == len(args):
                yield from (column for column, arg in zip(columns[name], args, strict=True) if arg == term)


def _joined_columns(description: EventDescription, columns: Columns) -> dict[tuple[Owner, int], str]:
    """The columns of inputs that variables lead to, through rules and what they define."""
    inputs = {each.signature for each in description.inputs}
    listed = {owner for owner in inputs if owner.name in columns and len(columns[owner.name]) == owner.arity}
    names_of_columns: dict[tuple[Owner, int], str] = {}
    for group in joined_arguments(description):
        sources = ((owner, position) for _, owner, position in group if owner in listed and position < owner.arity)
        names = [columns[owner.name][position] for owner, position in sources]
        for kind, owner, position in group if names else ():
            names_of_columns[(kind == "event", owner), position] = names[0]
    return names_of_columns
