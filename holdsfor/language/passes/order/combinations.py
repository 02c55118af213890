"""Alternatives of several conditions, combined: counted before they are made; and negations taken apart into them.

A rule may ask whether one fluent of a circle holds while time goes on. `\\+ (A, B)` where A and B share no variable of
their own is `\\+ A ; \\+ B`, which asks for one at a time. Others, and what findall counts, are read from the answer of
the round before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import product
from math import prod

from holdsfor.budget import MOST_CONDITIONS, MOST_CONDITIONS_OF_VARIANTS, MOST_PARTS, MOST_VARIANTS
from holdsfor.language.description import Signature
from holdsfor.language.diagnostics import Refusal
from holdsfor.language.literals import Body, Holds, Literal, Not, Or, all_variables, variables_beside
from holdsfor.language.nodes import find_all, walk
from holdsfor.language.terms import Place, Term, Var

SPLIT = "define an event or a fluent for some of the conditions, and ask for that"


def combinations(literals: Sequence[Literal], alternatives: Sequence[Sequence[Body]]) -> list[Body]:
    """A body for each choice of one alternative for each of the literals."""
    variants = prod(map(len, alternatives))
    if variants > MOST_VARIANTS:
        first = next(literal for literal, bodies in zip(literals, alternatives, strict=True) if len(bodies) > 1)
        message = f"the alternatives of these conditions make {_shown(variants)} combinations"
        hint = "define an event or a fluent for some of the alternatives, and ask for that"
        raise Refusal("too-large", message, first.place, hint)
    if variants:
        _check_sizes(literals, alternatives, variants)
    return [tuple(dict.fromkeys(literal for part in choice for literal in part)) for choice in product(*alternatives)]


def _check_sizes(literals: Sequence[Literal], alternatives: Sequence[Sequence[Body]], variants: int) -> None:
    sizes = [[count_conditions(body) for body in bodies] for bodies in alternatives]
    longest = sum(map(max, sizes))
    whole = sum(sum(each) * (variants // len(each)) for each in sizes)
    if longest > MOST_CONDITIONS or whole > MOST_CONDITIONS_OF_VARIANTS:
        largest = max(range(len(literals)), key=lambda number: sum(sizes[number]))
        raise_too_many(max(longest, whole), literals[largest].place)


def raise_too_many(conditions: int, place: Place) -> None:
    message = f"with all that is called from here the rule has {_shown(conditions)} conditions"
    raise Refusal("too-large", message, place, SPLIT)


def count_conditions(body: Iterable[Literal]) -> int:
    """The conditions of a body, those inside others, too."""
    return sum(1 for _ in find_all(body, Literal))


def check_term(term: Term, place: Place) -> None:
    """Refuses a term that substitution has made too large. What shares its parts is as large as it is written."""
    for parts, _ in enumerate(walk(term), 1):
        if parts > MOST_PARTS:
            message = f"with all that is put in for its variables a term has more than {MOST_PARTS:,} parts"
            raise Refusal("too-large", message, place, "pass the parts as arguments of their own, or write it in steps")


def _shown(number: int) -> str:
    return f"{number:,}" if number < 10**15 else "more than 10^15"


Circle = Iterable[Signature]


def one_at_a_time(body: Body, head: set[Var], circle: Circle) -> Body:
    """The body with such negations taken apart; those that cannot be stay as they are."""
    members = set(circle)
    result: list[Literal] = []
    for literal in body:
        outside = head | variables_beside(body, literal)
        result.extend(_apart(literal, outside, members))
    return tuple(result)


def _apart(literal: Literal, outside: set[Var], members: set[Signature]) -> Body:
    if isinstance(literal, Or):
        cases = tuple(
            tuple(part for each in case for part in _apart(each, outside | variables_beside(case, each), members))
            for case in literal.alternatives
        )
        return (replace(literal, alternatives=cases),)
    if not isinstance(literal, Not) or _simple(literal.literals, members) or not _asked([literal], members):
        return (literal,)
    return tuple(_denied(case, literal, outside, members) for case in _cases(literal.literals))


def _denied(case: Body, negation: Not, outside: set[Var], members: set[Signature]) -> Literal:
    """`\\+ (A, B)` as `\\+ A ; \\+ B`, where a `\\+ \\+ A` is A."""
    alternatives: list[Body] = []
    for part in _parts(case, outside):
        inner = part[0]
        if len(part) == 1 and isinstance(inner, Not):
            alternatives.append(one_at_a_time(inner.literals, outside, members))
        else:
            alternatives.append((Not(part, negation.place),))
    if len(alternatives) == 1:
        (only,) = alternatives
        return only[0] if len(only) == 1 else Or((only,), negation.place)
    return Or(tuple(alternatives), negation.place)


def _cases(body: Body) -> list[Body]:
    """The conjunctions without alternatives that a conjunction stands for."""
    choices = [
        [case for one in literal.alternatives for case in _cases(one)] if isinstance(literal, Or) else [(literal,)]
        for literal in body
    ]
    return combinations(body, choices)


def _parts(case: Body, outside: set[Var]) -> list[Body]:
    """The conjunction cut where no variable of its own is shared."""
    parts: list[tuple[list[Literal], set[Var]]] = []
    for literal in case:
        own = all_variables([literal]) - outside
        touched = [part for part in parts if part[1] & own]
        literals = [each for part in touched for each in part[0]] + [literal]
        parts = [part for part in parts if part not in touched]
        parts.append((literals, own.union(*(part[1] for part in touched))))
    return [tuple(literals) for literals, _ in parts]


def _simple(body: Body, members: set[Signature]) -> bool:
    """Whether a negated conjunction asks for one fluent of the circle at most, and directly."""
    conditions = _asked(body, members)
    return not conditions or (len(conditions) == 1 and any(literal is conditions[0] for literal in body))


def _asked(body: Iterable[Literal], members: set[Signature]) -> list[Holds]:
    return [each for each in find_all(body, Holds) if each.signature in members]
