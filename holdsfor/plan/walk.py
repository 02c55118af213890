"""Walking over a plan: the operators of chains and definitions, flat."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from holdsfor.language.description import Signature
from holdsfor.plan.operators import (
    At,
    Chain,
    Combine,
    Conclude,
    Definition,
    Derived,
    Domain,
    Expression,
    Holding,
    Lasting,
    Lookup,
    Of,
    Op,
    Relation,
    Simple,
    Static,
    Without,
)


def conclusions(definition: Definition) -> Iterator[Conclude]:
    match definition:
        case Simple():
            for rules in (*definition.initiations, *definition.terminations):
                yield from rules
        case Derived():
            yield from definition.rules
        case Static():
            return


def flat(chain: Chain) -> Iterator[Op]:
    """The operators of a chain, those inside negations too."""
    for op in chain:
        yield op
        if isinstance(op, Without):
            yield from flat(op.chain)


def parts(expression: Expression) -> Iterator[Of]:
    match expression:
        case Of():
            yield expression
        case Combine():
            for part in expression.parts:
                yield from parts(part)
        case Lasting():
            yield from parts(expression.part)


def chains(definition: Definition) -> Iterator[Chain]:
    for conclusion in conclusions(definition):
        yield conclusion.chain
    if isinstance(definition, Static):
        for pattern in definition.patterns:
            yield pattern.conditions


def defines(definition: Definition) -> tuple[Relation, ...]:
    return definition.relations if isinstance(definition, Simple) else (definition.relation,)


def reads(definition: Definition) -> Iterator[Relation]:
    """The relations that a definition depends on, repeated as they occur."""
    for chain in chains(definition):
        for op in flat(chain):
            if isinstance(op, At | Holding):
                yield op.relation
    if isinstance(definition, Static):
        for pattern in definition.patterns:
            yield from (part.relation for part in parts(pattern.expression))


def facts_used(definitions: Iterable[Definition], domains: Iterable[Domain]) -> set[Signature]:
    every = [chain for definition in definitions for chain in chains(definition)]
    every += [rule.chain for domain in domains for rule in domain.rules]
    return {op.facts for chain in every for op in flat(chain) if isinstance(op, Lookup)}
