"""Recursive background predicates: the rules by which all that they are true of is worked out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from holdsfor.language.description import Clause, Signature
from holdsfor.language.diagnostics import Refusal, Source
from holdsfor.language.literals import Is
from holdsfor.language.nodes import find_all
from holdsfor.language.terms import name_and_args
from holdsfor.plan.compiler.bodies.unfold import Background
from holdsfor.plan.compiler.pipeline import Pipeline
from holdsfor.plan.definitions import Closure, Declared


def compile_closure(group: tuple[Signature, ...], pipeline: Pipeline, sources: Mapping[str, Source]) -> Closure:
    rules = tuple(
        (signature, rule)
        for signature in group
        for clause in pipeline.background.rules[signature]
        for rule in _rules(signature, clause, pipeline)
    )
    return Closure(rules, _endless(group, pipeline.background).diagnostic(sources))


def _rules(signature: Signature, clause: Clause, pipeline: Pipeline) -> Iterator[Declared]:
    for body, head in pipeline.unfold_and_fold(clause.body, name_and_args(clause.head)[1]):
        rule = pipeline.order(body, head, clause.place)
        if None in rule.args:
            message = f"{signature} calls itself, so all that it is true of is worked out first"
            hint = "give each variable of its head a condition in the body"
            raise Refusal("unbound", message, clause.place, hint)
        yield Declared(rule.chain, rule.args, True, clause.head.place)


def _endless(group: tuple[Signature, ...], background: Background) -> Refusal:
    """Return what to say if the rounds do not come to an end: a number that is calculated is always new."""
    clauses = [clause for signature in group for clause in background.rules[signature]]
    cause = next((lit for clause in clauses for lit in find_all(clause.body, Is)), clauses[0])
    message = f"there is no end to what {', '.join(map(str, group))} is true of: each answer makes another, new one"
    hint = "add a condition that ends it, such as N =< 100, or write the cases as facts"
    return Refusal("endless", message, cause.place, hint)
