"""Alternatives of several conditions, combined: counted before they are made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from math import prod

from holdsfor.budget import MOST_CONDITIONS, MOST_CONDITIONS_OF_VARIANTS, MOST_PARTS, MOST_VARIANTS
from holdsfor.language.diagnostics import Refusal
from holdsfor.language.literals import Literal
from holdsfor.language.nodes import find_all, walk
from holdsfor.language.terms import Place, Term

Body = tuple[Literal, ...]
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
