"""Walking over the literals of a body, those inside others, too."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from holdsfor.language.description import Algebra, Allen, Duration, HoldsFor, Literal, all_variables
from holdsfor.language.nodes import find_all, map_terms
from holdsfor.language.terms import Term

__all__ = ["Intervals", "all_variables", "every", "inside", "own_terms", "rewritten"]

#: Literals about lists of intervals.
Intervals = HoldsFor | Algebra | Allen | Duration


def inside(literal: Literal) -> tuple[tuple[Literal, ...], ...]:
    """Return the conjunctions that a literal is made of: none, one, or for Or several."""
    return literal.bodies


def every(body: Iterable[Literal]) -> Iterator[Literal]:
    """Iterate over the literals of a body, each before those inside it."""
    return find_all(body, Literal)


def own_terms(literal: Literal) -> tuple[Term, ...]:
    """Return the terms of a literal and its lists of intervals, without those of literals inside it."""
    return *literal.terms, *literal.intervals


def rewritten(literal: Literal, change: Callable[[Term], Term]) -> Literal:
    """Return the literal with its terms and those inside it changed. Lists of intervals keep their names."""
    return map_terms(literal, change)
