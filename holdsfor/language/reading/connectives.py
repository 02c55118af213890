"""Conditions made of conditions: negation and alternatives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from holdsfor.language.literals import Call, Literal, Not, Or
from holdsfor.language.nodes import find_all
from holdsfor.language.terms import Atom, Term, name_and_args

if TYPE_CHECKING:
    from holdsfor.language.reading.literals import BodyReader

Literals = tuple[Literal, ...]
FAIL = Atom("fail")


def negation(reader: BodyReader, term: Term, args: tuple[Term, ...]) -> Literals:
    inner = args[0]
    equality = inner.functor in ("=", "==")
    if equality and reader.context == "intervals" and reader.guard(name_and_args(inner)[1]):
        return ()
    literals = reader.nested(inner)
    if literals is None or fails(literals):
        return ()
    if any(literal.intervals for literal in find_all(literals, Literal)):
        hint = "take the intervals away: relative_complement_all(I1, [I2], I)"
        return reader.refuse("misplaced", "intervals cannot be negated", term, hint)
    return (Not(literals, term.place),) if literals else (Call(FAIL, term.place),)


def disjunction(reader: BodyReader, term: Term, args: tuple[Term, ...]) -> Literals:
    alternatives: list[Literals] = []
    complete = True
    for goal in _alternatives(term):
        literals = reader.nested(goal)
        complete = complete and literals is not None
        if literals is not None and not fails(literals):
            alternatives.append(literals)
    if not complete:
        return ()
    if any(literal.intervals for each in alternatives for literal in find_all(each, Literal)):
        hint = "unite the intervals: union_all([I1, I2], I), or write one rule for each case"
        return reader.refuse("misplaced", "intervals cannot be alternatives of each other", term, hint)
    if not alternatives:
        return (Call(FAIL, term.place),)
    if () in alternatives:  # (A ; true) is always true
        return ()
    return alternatives[0] if len(alternatives) == 1 else (Or(tuple(alternatives), term.place),)


def choice(reader: BodyReader, term: Term, args: tuple[Term, ...]) -> Literals:
    hint = "write one rule for each case, with \\+ and the condition in the other"
    return reader.refuse("unsupported", "if-then-else (`->`) is not available", term, hint)


def fails(body: Literals) -> bool:
    return any(isinstance(literal, Call) and literal.goal == FAIL for literal in body)


def _alternatives(term: Term) -> Iterator[Term]:
    """A, B and C of `A ; B ; C`; an if-then-else stays whole."""
    while term.functor == ";" and len(term.args) == 2:
        if term.args[0].functor == "->":
            yield term.args[0]
            return
        yield from _alternatives(term.args[0])
        term = term.args[1]
    yield term
