"""Joins that are too large, told with the rule that asks for them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from holdsfor.kernels import TooManyPairs
from holdsfor.language.diagnostics import Refusal
from holdsfor.language.terms import NOWHERE
from holdsfor.plan.operators import Conclude, Declared, Pattern

HINT = (
    "give its conditions variables in common, so that not all rows meet all others; "
    "if so many are meant, set the environment variable HOLDSFOR_MOST_ROWS"
)


@contextmanager
def told_of(rule: Conclude | Declared | Pattern) -> Iterator[None]:
    """What grows too large here is told of this rule."""
    try:
        yield
    except TooManyPairs as error:
        if rule.place == NOWHERE:
            raise
        message = f"this asks for {error.pairs:,} rows or more at once, and {error.most:,} are allowed"
        raise Refusal("too-large", message, rule.place, HINT) from None
