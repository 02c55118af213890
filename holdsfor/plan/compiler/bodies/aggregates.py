"""An aggregate over alternatives: each of them has its own, and the rule puts their results together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from holdsfor.budget import MOST_CONDITIONS_OF_VARIANTS
from holdsfor.language.literals import Aggregate, Compare, Is, Literal, Not
from holdsfor.language.passes.order.combinations import count_conditions, raise_too_many
from holdsfor.language.terms import Compound, Int, Place, Term, Var

Body = tuple[Literal, ...]


def united(whole: Aggregate, alternatives: Sequence[Body], prefix: str) -> list[Body]:
    """Conditions that stand for the aggregate over all the alternatives: a choice of several for the least of them.

    An answer that several alternatives give counts for each, as in Prolog. prefix: for names that are used nowhere
    else.
    """
    if len(alternatives) == 1:
        return [(replace(whole, literals=alternatives[0]),)]
    if whole.function in ("min", "max"):
        compared = len(alternatives) * sum(map(count_conditions, alternatives))
        if compared > MOST_CONDITIONS_OF_VARIANTS:
            raise_too_many(compared, whole.place)
        return [_best(whole, alternatives, chosen, prefix) for chosen in range(len(alternatives))]
    results = [Var(f"{prefix}{number}", whole.place) for number in range(len(alternatives))]
    each = (
        replace(whole, literals=literals, result=result) for literals, result in zip(alternatives, results, strict=True)
    )
    return [(*each, _given(whole, _sum(results, whole.place)))]


def _best(whole: Aggregate, alternatives: Sequence[Body], chosen: int, prefix: str) -> Body:
    """One alternative has the best; no other has a better one."""
    better = "<" if whole.function == "min" else ">"
    others: list[Literal] = []
    for number, literals in enumerate(alternatives):
        if number != chosen:
            result = Var(f"{prefix}{chosen}_{number}", whole.place)
            other = replace(whole, literals=literals, result=result)
            others.append(Not((other, Compare(better, result, whole.result, whole.place)), whole.place))
    return (replace(whole, literals=alternatives[chosen]), *others)


def _sum(results: Sequence[Var], place: Place) -> Term:
    total: Term = Int(0) if not results else results[0]
    for result in results[1:]:
        total = Compound("+", (total, result), place)
    return total


def _given(whole: Aggregate, total: Term) -> Literal:
    if isinstance(whole.result, Var):
        return Is(whole.result, total, whole.place)
    return Compare("=:=", total, whole.result, whole.place)
