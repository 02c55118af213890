"""A negation that asks for several fluents of a circle: what it says of each of them, where that can be said apart.

A rule may ask whether one fluent of a circle holds while time goes on. `\\+ (A, B)` where A and B share no variable of
their own is `\\+ A ; \\+ B`, which asks for one at a time. Others, and what findall counts, are read from the answer of
the round before.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from holdsfor.language.description import Signature
from holdsfor.language.literals import Holds, Literal, Not, Or, all_variables
from holdsfor.language.nodes import find_all
from holdsfor.language.passes.order.combinations import combinations
from holdsfor.language.terms import Var

Body = tuple[Literal, ...]
Circle = Iterable[Signature]


def one_at_a_time(body: Body, head: set[Var], circle: Circle) -> Body:
    """The body with such negations taken apart; those that cannot be stay as they are."""
    members = set(circle)
    result: list[Literal] = []
    for literal in body:
        outside = head | all_variables(other for other in body if other is not literal)
        result.extend(_apart(literal, outside, members))
    return tuple(result)


def _apart(literal: Literal, outside: set[Var], members: set[Signature]) -> Body:
    if isinstance(literal, Or):
        cases = tuple(
            tuple(part for each in case for part in _apart(each, outside | _others(case, each), members))
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


def _others(case: Body, literal: Literal) -> set[Var]:
    return all_variables(other for other in case if other is not literal)
