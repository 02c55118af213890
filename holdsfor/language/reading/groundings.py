"""grounding(F=V), or grounding(event), as a condition: true of what the declarations name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from holdsfor.language.description import Signature
from holdsfor.language.literals import Literal
from holdsfor.language.nodes import find_all
from holdsfor.language.parsing.syntax import Raw, RawClause
from holdsfor.language.reading.changes import conjuncts, joined, unfolded
from holdsfor.language.terms import Atom, Term, name_and_args
from holdsfor.language.written import written

if TYPE_CHECKING:
    from holdsfor.language.reading.literals import BodyReader

Literals = tuple[Literal, ...]

#: The declared arguments, with the value of a fluent as the last, and the conditions of each declaration.
Declarations = dict[tuple[Signature, bool], list[tuple[tuple[Term, ...], tuple[Term, ...]]]]


def declarations(raw: Iterable[Raw]) -> Declarations:
    """The declarations of each event and fluent; whether it is a fluent is part of the key."""
    declared: Declarations = {}
    for clause in find_all(raw, RawClause):
        if clause.head.functor == "grounding":
            entity = _entity(clause.head.args[0]) if len(clause.head.args) == 1 else None
            if entity:
                key, terms = entity
                declared.setdefault(key, []).append((terms, tuple(conjuncts(clause.body))))
    return declared


def _entity(term: Term) -> tuple[tuple[Signature, bool], tuple[Term, ...]] | None:
    subject: Term = term
    value: list[Term] = []
    if term.functor == "=" and len(term.args) == 2:
        subject, *value = term.args
    if not subject.is_named:
        return None
    args = name_and_args(subject)[1]
    return (Signature.of(subject), bool(value)), (*args, *value)


def condition(reader: BodyReader, term: Term, args: tuple[Term, ...]) -> Literals:
    """The conditions of the declarations stand for it."""
    entity = _entity(args[0])
    if entity is None:
        hint = "write grounding(fluent=value) or grounding(event)"
        return reader.refuse("syntax", f"`{written(args[0])}` cannot be grounded", args[0], hint)
    (owner, is_fluent), called = entity
    mark = Signature(f"grounding of {owner.name}", owner.arity)
    if mark in reader.unfolding:
        hint = "write the facts that are meant instead"
        return reader.refuse("cycle", f"the groundings of {owner} are declared by themselves", term, hint)
    domains = reader.draft.reading.domains.get((owner, is_fluent), [])
    goals = [unfolded(reader, head, body, called, term) for head, body in domains]
    if all(goal is None for goal in goals):
        hint = f"add grounding({written(args[0])}) :- ..., or leave the condition out"
        reader.draft.warning("never", f"no grounding declares {written(args[0])}", term.place, hint)
    reader.unfolding.append(mark)
    literals = reader.read(joined(";", [goal for goal in goals if goal is not None], Atom("fail", term.place)))
    reader.unfolding.pop()
    return literals
