"""Recursive background predicates: the rules by which all that they are true of is worked out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from holdsfor.language.description import Is, Signature
from holdsfor.language.diagnostics import Refusal, Source
from holdsfor.language.terms import name_and_args
from holdsfor.language.walk import every
from holdsfor.plan.compiler.fold import fold
from holdsfor.plan.compiler.order import head_args, order
from holdsfor.plan.compiler.unfold import Background, unfold
from holdsfor.plan.operators import Closure, Declared
from holdsfor.plan.relations import Relations


def closure(
    group: tuple[Signature, ...],
    known: Background,
    stored: Relations,
    fresh: Iterator[int],
    sources: Mapping[str, Source],
) -> Closure:
    rules: list[tuple[Signature, Declared]] = []
    for signature in group:
        for clause in known.rules[signature]:
            head = name_and_args(clause.head)[1]
            for variant in unfold(clause.body, known, fresh):
                folded = fold(variant, head, known)
                if folded is None:
                    continue
                chain, ordering = order(folded[0], folded[1], stored)
                args = head_args(folded[1], ordering, clause.place)
                if None in args:
                    message = f"{signature} calls itself, so all that it is true of is worked out first"
                    hint = "give each variable of its head a condition in the body"
                    raise Refusal("unbound", message, clause.place, hint)
                rules.append((signature, Declared(chain, args, True, clause.head.place)))
    return Closure(tuple(rules), _endless(group, known).diagnostic(sources))


def _endless(group: tuple[Signature, ...], known: Background) -> Refusal:
    """What to say if the rounds do not come to an end: a number that is calculated is always new."""
    clauses = [clause for signature in group for clause in known.rules[signature]]
    found = next((lit for clause in clauses for lit in every(clause.body) if isinstance(lit, Is)), clauses[0])
    message = f"there is no end to what {', '.join(map(str, group))} is true of: each answer makes another, new one"
    hint = "add a condition that ends it, such as N =< 100, or write the cases as facts"
    return Refusal("endless", message, found.place, hint)
