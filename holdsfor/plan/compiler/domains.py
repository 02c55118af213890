"""Domains and closures: the groundings that declarations list or allow, and recursive background predicates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from holdsfor.language.description import Clause, EventDescription, Grounding, Signature
from holdsfor.language.diagnostics import Refusal, Source
from holdsfor.language.literals import Body, Compare, Is
from holdsfor.language.nodes import find_all
from holdsfor.language.terms import Place, Var, name_and_args
from holdsfor.plan.compiler.bodies.fold import Head, head_names
from holdsfor.plan.compiler.bodies.relations import Relations
from holdsfor.plan.compiler.bodies.unfold import Background
from holdsfor.plan.compiler.pipeline import Pipeline
from holdsfor.plan.compiler.statements import is_dynamic
from holdsfor.plan.definitions import Closure, Declared, Domain
from holdsfor.plan.operators import Relation
from holdsfor.plan.structures import is_open


def compile_domains(description: EventDescription, pipeline: Pipeline) -> tuple[Domain, ...]:
    defined = description.defined.all
    domains: dict[Relation, list[Declared]] = {}
    for grounding in description.background.groundings:
        if grounding.signature not in defined:
            continue
        fixed = tuple(literal for literal in grounding.body if not is_dynamic(literal, description))
        enumerates = len(fixed) == len(grounding.body)
        for relation, head, body in _by_relation(replace(grounding, body=fixed), pipeline.relations):
            rules = domains.setdefault(relation, [])
            for variant, terms in pipeline.unfold_and_fold(body, head):
                rules.append(_declared(variant, terms, enumerates, grounding.entity.place, pipeline))
    return tuple(Domain(relation, tuple(dict.fromkeys(rules))) for relation, rules in domains.items())


def lists_all(domain: Domain) -> bool:
    """Whether the declaration gives every argument its values, so that nothing else has to."""
    return all(rule.enumerates and not any(map(is_open, rule.args)) for rule in domain.rules)


def _declared(body: Body, head: Head, enumerates: bool, place: Place, pipeline: Pipeline) -> Declared:
    """A dynamic domain only tests groundings: those of the data, so its head is bound before."""
    bound = frozenset() if enumerates else head_names(head)
    rule = pipeline.order(body, head, place, bound=bound)
    return Declared(rule.chain, rule.args, enumerates, place, rule.ordering.written_names())


def _by_relation(grounding: Grounding, relations: Relations) -> Iterator[tuple[Relation, Head, Body]]:
    name, args = name_and_args(grounding.entity)
    if grounding.value is None:
        yield Relation(name, len(args), None, "event"), args, grounding.body
        return
    for relation in relations.of_fluent(Signature(name, len(args))):
        if relation.value is None:
            yield relation, (*args, grounding.value), grounding.body
        elif isinstance(grounding.value, Var):
            yield relation, args, (*grounding.body, Compare("=", grounding.value, relation.value, grounding.place))
        elif grounding.value == relation.value:
            yield relation, args, grounding.body


def compile_closure(group: tuple[Signature, ...], pipeline: Pipeline, sources: Mapping[str, Source]) -> Closure:
    rules = tuple(
        (signature, rule)
        for signature in group
        for clause in pipeline.background.rules[signature]
        for rule in _closure_rules(signature, clause, pipeline)
    )
    return Closure(rules, _endless(group, pipeline.background).diagnostic(sources))


def _closure_rules(signature: Signature, clause: Clause, pipeline: Pipeline) -> Iterator[Declared]:
    for body, head in pipeline.unfold_and_fold(clause.body, name_and_args(clause.head)[1]):
        rule = pipeline.order(body, head, clause.place)
        if None in rule.args:
            message = f"{signature} calls itself, so all that it is true of is worked out first"
            hint = "give each variable of its head a condition in the body"
            raise Refusal("unbound", message, clause.place, hint)
        yield Declared(rule.chain, rule.args, True, clause.head.place, rule.ordering.written_names())


def _endless(group: tuple[Signature, ...], background: Background) -> Refusal:
    """Return what to say if the rounds do not come to an end: a number that is calculated is always new."""
    clauses = [clause for signature in group for clause in background.rules[signature]]
    cause = next((lit for clause in clauses for lit in find_all(clause.body, Is)), clauses[0])
    return refuse_endless(group, cause.place)


def refuse_endless(names: Iterable[object], place: Place) -> Refusal:
    """Return what to say of definitions that go on for ever, each answer making another."""
    message = f"there is no end to what {', '.join(map(str, names))} is true of: each answer makes another, new one"
    hint = "add a condition that ends it, such as N =< 100, or write the cases as facts"
    return Refusal("endless", message, place, hint)
