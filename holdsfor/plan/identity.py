"""The identity of compiled rules: the same for the same rules, in every process and version, with any optimiser.

A checkpoint is known by it, so it depends on what rules mean and not on how classes and fields are called or ordered:
what counts is written down here, piece by piece. A new construct adds a word of its own; a new option of an old one
adds something only where it is used, so that rules without it keep their identity.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import Any

from holdsfor.language.description import AS_INPUT, Signature
from holdsfor.language.terms import Atom, Compound, Float, Int, Items, Term, Var
from holdsfor.plan.definitions import (
    Closure,
    Declared,
    Definition,
    Derived,
    Domain,
    Due,
    Group,
    InputSource,
    Recursion,
    Simple,
    Static,
)
from holdsfor.plan.operators import (
    Arg,
    At,
    Combine,
    Conclude,
    Expression,
    Holding,
    HoldsForRule,
    Lasting,
    Let,
    Lookup,
    Match,
    Occurring,
    Of,
    Op,
    Relate,
    Relation,
    Structure,
    Tally,
    Where,
    Without,
)
from holdsfor.plan.patterns import Absent, Measured, Moment, OneOfSeveral, Pairs, Pattern, Scan, Selected, Sliding
from holdsfor.plan.whole_plan import Plan

Encoded = list[Any]


def identify(made: Plan) -> str:
    """Facts are not part of it."""
    rules = [
        [_source(source) for source in made.sources],
        [_domain(domain) for domain in made.domains],
        [_definition(definition) for definition in made.definitions],
        [_closure(closure) for closure in made.closures],
    ]
    return _digest(rules)


def identify_pieces(made: Plan) -> tuple[tuple[str, str], ...]:
    """The identity of each definition, declaration and input by itself, under a name that a message can use."""
    pieces: dict[str, Encoded] = {}
    for name, encoded in _pieces(made):
        pieces.setdefault(name, []).append(encoded)
    return tuple((name, _digest(encoded)[:12]) for name, encoded in pieces.items())


def _pieces(made: Plan) -> Iterator[tuple[str, Encoded]]:
    for definition in made.definitions:
        yield from _pieces_of(definition)
    for closure in made.closures:
        for signature, rule in closure.rules:
            yield f"predicate {signature}", _declared(rule)
    for domain in made.domains:
        yield f"grounding of {domain.relation.signature}", _domain(domain)
    for source in made.sources:
        signature = source.input.signature
        if source.input.is_defined:
            yield str(signature._replace(name=signature.name.removesuffix(f" {AS_INPUT}"))), _source(source)
        else:
            yield f"input {signature}", _source(source)


def _pieces_of(definition: Definition) -> Iterator[tuple[str, Encoded]]:
    match definition:
        case Group():
            for fluent in definition.fluents:
                yield from _pieces_of(fluent)
            for due in definition.deadlines:
                yield str(due.source.definition), _due(due)
        case Recursion():
            for event in definition.events:
                yield from _pieces_of(event)
        case Simple():
            yield str(definition.relations[0].definition), _definition(definition)
        case _:
            yield str(definition.relation.definition), _definition(definition)


def _digest(encoded: Encoded) -> str:
    return hashlib.sha256(json.dumps(encoded, separators=(",", ":")).encode()).hexdigest()


# ---------------------------------------------------------------- definitions


def _source(source: InputSource) -> Encoded:
    return [*_signature(source.input.signature), source.input.kind, [_relation(r) for r in source.relations]]


def _domain(domain: Domain) -> Encoded:
    return [_relation(domain.relation), [_declared(rule) for rule in domain.rules]]


def _closure(closure: Closure) -> Encoded:
    return [[*_signature(signature), _declared(rule)] for signature, rule in closure.rules]


def _definition(definition: Definition) -> Encoded:
    match definition:
        case Simple():
            return ["simple", *_simple(definition)]
        case Group():
            return [
                "group",
                [_simple(fluent) for fluent in definition.fluents],
                [_due(d) for d in definition.deadlines],
            ]
        case Static():
            return ["static", _relation(definition.relation), [_holds_for(rule) for rule in definition.rules]]
        case Derived():
            return ["event", _relation(definition.relation), [_conclude(rule) for rule in definition.rules]]
        case Recursion():
            return ["recursion", *(_definition(event) for event in definition.events)]


def _simple(fluent: Simple) -> Encoded:
    return [
        [_relation(relation) for relation in fluent.relations],
        [[_conclude(rule) for rule in rules] for rules in fluent.initiations],
        [[_conclude(rule) for rule in rules] for rules in fluent.terminations],
        [[_declared(rule) for rule in rules] for rules in fluent.initially],
    ]


def _due(due: Due) -> Encoded:
    values = [] if due.values is None else [_term(value) for value in due.values]
    return [
        _relation(due.source),
        _relation(due.target),
        _args(due.args),
        _chain(due.conditions),
        _term(due.after),
        due.extensible,
        values,
    ]


def _declared(rule: Declared) -> Encoded:
    start = [rule.start] if rule.start else []
    return [_chain(rule.chain), _args(rule.args), rule.enumerates, *start]


def _conclude(rule: Conclude) -> Encoded:
    return [_chain(rule.chain), _args(rule.args), rule.time, *_optional(rule.start)]


def _holds_for(rule: HoldsForRule) -> Encoded:
    evidence = [[_evidence(item) for item in alternative] for alternative in rule.evidence]
    return [_args(rule.args), list(rule.variables), evidence, _chain(rule.conditions), _expression(rule.expression)]


def _evidence(item: Of | Lookup) -> Encoded:
    return _op(item) if isinstance(item, Lookup) else _expression(item)


# ---------------------------------------------------------------- operators


def _chain(chain: Iterable[Op]) -> Encoded:
    return [_op(op) for op in chain]


def _op(op: Op) -> Encoded:
    match op:
        case At():
            return [op.what, _relation(op.relation), _args(op.args), op.time, *_optional(op.start)]
        case Occurring():
            return ["pattern", _pattern(op.pattern), op.start, op.time]
        case Holding():
            return ["holding", _relation(op.relation), _args(op.args), op.time]
        case Lookup():
            return ["facts", *_signature(op.facts), _args(op.args)]
        case Where():
            return ["where", op.op, _term(op.left), _term(op.right)]
        case Let():
            return ["let", op.variable, _term(op.expression), op.same]
        case Match():
            return ["match", _term(op.term), *_args([op.form])]
        case Without():
            return ["without", _chain(op.chain)]
        case Tally():
            return ["tally", op.function, _chain(op.chain), _term(op.term), op.variable]


def _pattern(pattern: Pattern) -> Encoded:
    match pattern:
        case Scan():
            return ["scan", _relation(pattern.relation), _args(pattern.args), *_within(pattern.within)]
        case Moment():
            return ["moment", pattern.time]
        case Pairs():
            sides = [_pattern(pattern.left), _pattern(pattern.right)]
            return [pattern.kind, *sides, *_within(pattern.within), *_chosen(pattern)]
        case Absent():
            last: object = pattern.last if isinstance(pattern.last, int) else _pattern(pattern.last)
            parts = [[_pattern(one) for one in pattern.what], _pattern(pattern.first), last]
            return ["absent", *parts, *_within(pattern.within), *_chosen(pattern)]
        case Selected():
            return ["selected", _pattern(pattern.pattern), [_chain(chain) for chain in pattern.conditions]]
        case OneOfSeveral():
            return ["or", [_pattern(one) for one in pattern.alternatives], list(pattern.variables)]
        case Sliding():
            made_of = [_pattern(pattern.pattern), list(pattern.group), [_measure(m) for m in pattern.measures]]
            return ["sliding", *made_of, pattern.events, pattern.duration, *_within(pattern.within)]


def _measure(measure: Measured) -> Encoded:
    """A registered function is its name: what it does may be bettered while a stream goes on."""
    return [measure.variable, measure.function, *map(_term, measure.terms)]


def _chosen(pattern: Pairs | Absent) -> Encoded:
    choosing = pattern.choosing
    prefers = [list(preference) for preference in choosing.prefers]
    return [[_chain(chain) for chain in pattern.conditions], choosing.policy, prefers]


def _optional(name: str | None) -> Encoded:
    return [] if name is None else [name]


def _expression(expression: Expression) -> Encoded:
    match expression:
        case Of():
            return ["of", _relation(expression.relation), _args(expression.args)]
        case Combine():
            parts = [_expression(part) for part in expression.parts]
            return [expression.op, parts, *_within(expression.within)]
        case Lasting():
            limit = [expression.op, _term(expression.bound)]
            return ["lasting", *limit, _expression(expression.part), *_within(expression.within)]
        case Relate():
            pair = [_expression(expression.source), _expression(expression.target)]
            return ["allen", expression.relation, expression.mode, *pair, *_within(expression.within)]


def _within(bound: int | None) -> Encoded:
    return [] if bound is None else [["within", bound]]


# ---------------------------------------------------------------- names and terms


def _relation(relation: Relation) -> Encoded:
    value = [] if relation.value is None else [_term(relation.value)]
    return [relation.kind, relation.name, relation.arity, *value]


def _signature(signature: Signature) -> Encoded:
    return [signature.name, signature.arity]


def _args(args: Iterable[Arg]) -> Encoded:
    """A variable is its name, any value is null, a constant or a term with variables is a list."""
    return [_arg(arg) for arg in args]


def _arg(arg: Arg) -> Encoded | str | None:
    if arg is None or isinstance(arg, str):
        return arg
    return ["structure", arg.functor, *_args(arg.args)] if isinstance(arg, Structure) else _term(arg)


def _term(term: Term) -> Encoded:
    match term:
        case Var():
            return ["variable", term.name]
        case Atom():
            return ["atom", term.name]
        case Int():
            return ["integer", str(term.value)]
        case Float():
            return ["float", str(term)]
        case Compound():
            return ["compound", term.functor, *(_term(arg) for arg in term.args)]
        case Items():
            return ["list", *(_term(item) for item in term.items)]
