"""Joins and terms that are too large, told with the rule that asks for them."""

from __future__ import annotations

from holdsfor.engine.data.dictionary import EndlessTerm
from holdsfor.kernels.rows.joining import TooManyPairs
from holdsfor.language.diagnostics import Refusal
from holdsfor.language.terms import NOWHERE
from holdsfor.plan.definitions import Declared
from holdsfor.plan.operators import Conclude, HoldsForRule

HINT = (
    "let each row meet fewer others: by an argument that conditions share besides the time, such as a cell of a grid, "
    "or give the pairs as input; if so many are meant, set the environment variable HOLDSFOR_MOST_ROWS"
)


class OnBehalfOf:
    """Work that is done for a rule: what grows too large in it is told of that rule. On every rule's way, so plain."""

    __slots__ = ("rule",)

    def __init__(self, rule: Conclude | Declared | HoldsForRule) -> None:
        self.rule = rule

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is not None:
            refuse(self.rule, error)


def refuse(rule: Conclude | Declared | HoldsForRule, error: BaseException) -> None:
    """Raises a refusal of the rule, if something grows too large in it."""
    if isinstance(error, TooManyPairs) and rule.place != NOWHERE:
        message = f"this asks for {error.pairs:,} rows or more at once, and {error.most:,} are allowed"
        raise Refusal("too-large", message, rule.place, HINT) from None
    if isinstance(error, EndlessTerm) and rule.place != NOWHERE:
        hint = "let it begin from something else than its own answers, or add a condition that ends it"
        raise Refusal("endless", f"each answer of this rule makes a larger one: {error}", rule.place, hint)
